package dev.sluice.wire;

import java.lang.foreign.MemorySegment;

/** A UDP header (RFC 768; RFC 8200 section 8.1 for IPv6). */
public final class UdpHeader {
    public static final int LENGTH = 8;

    /** Bytes from the start of the header to its checksum field. */
    public static final int CHECKSUM_FIELD = 6;

    private long start;
    private int sourcePort;
    private int destinationPort;
    private int length;
    private int checksum;
    private int storedPayloadLength;

    /** A header wrapped around nothing yet. */
    public UdpHeader() {}

    /**
     * Checks and parses the header; the checksum is left to {@link Checksum#verifyTransport}.
     *
     * @param stored bytes stored from {@code start}
     * @param wireLength bytes of header and payload on the wire, synthetic payload included
     * @return why the datagram must be dropped, or null
     */
    public DropReason wrap(MemorySegment segment, long start, int stored, int wireLength) {
        if (stored < LENGTH) {
            return DropReason.UDP_TRUNCATED;
        }
        int lengthField = BigEndian.u16(segment, start + 4);
        if (lengthField < LENGTH || lengthField > wireLength) {
            return DropReason.UDP_LENGTH;
        }
        this.start = start;
        sourcePort = BigEndian.u16(segment, start);
        destinationPort = BigEndian.u16(segment, start + 2);
        length = lengthField;
        checksum = BigEndian.u16(segment, start + CHECKSUM_FIELD);
        storedPayloadLength = Math.min(stored, lengthField) - LENGTH;
        return null;
    }

    /** Ports are 0 to 65,535. */
    public int sourcePort() {
        return sourcePort;
    }

    public int destinationPort() {
        return destinationPort;
    }

    /** Header and payload in bytes, as the length field says: what the checksum covers. */
    public int length() {
        return length;
    }

    /** The checksum field; 0 means that the sender computed none. */
    public int checksum() {
        return checksum;
    }

    /** Address of the first payload byte. */
    public long payloadOffset() {
        return start + LENGTH;
    }

    /** Bytes of payload on the wire, synthetic ones included. */
    public int payloadLength() {
        return length - LENGTH;
    }

    /** Bytes of payload that are stored. */
    public int storedPayloadLength() {
        return storedPayloadLength;
    }

    /**
     * Writes a header with an empty checksum field.
     *
     * @param length header and payload in bytes
     */
    public static void write(
            MemorySegment segment, long start, int sourcePort, int destinationPort, int length) {
        BigEndian.put16(segment, start, sourcePort);
        BigEndian.put16(segment, start + 2, destinationPort);
        BigEndian.put16(segment, start + 4, length);
        BigEndian.put16(segment, start + CHECKSUM_FIELD, 0);
    }

    /**
     * Computes and writes the checksum of a stored datagram whose checksum field is empty.
     *
     * @param pseudoSum {@link Checksum#pseudoHeader} of the datagram
     * @param length header and payload in bytes
     */
    public static void writeChecksum(MemorySegment segment, long start, int length, int pseudoSum) {
        BigEndian.put16(segment, start + CHECKSUM_FIELD, pseudoSum);
        Checksum.completePartial(segment, start, length, CHECKSUM_FIELD);
    }

    /**
     * Leaves the checksum to the device: the field holds the sum of the pseudo-header.
     *
     * @param pseudoSum {@link Checksum#pseudoHeader} of the datagram
     */
    public static void writePartialChecksum(MemorySegment segment, long start, int pseudoSum) {
        BigEndian.put16(segment, start + CHECKSUM_FIELD, Checksum.fold(pseudoSum));
    }

    // A datagram that waits to be read keeps its sender in front of the payload: the port where it
    // came, in the UDP header, and the address over the end of the IP header, which is of no use
    // any more and has at least 20 bytes.

    /** Writes a received datagram's source address over the end of its IP header. */
    public static void keepSender(MemorySegment segment, long payload, long hi, long lo) {
        BigEndian.put64(segment, payload - LENGTH - 16, hi);
        BigEndian.put64(segment, payload - LENGTH - 8, lo);
    }

    /** The source address that {@link #keepSender} wrote. */
    public static long senderHi(MemorySegment segment, long payload) {
        return BigEndian.i64(segment, payload - LENGTH - 16);
    }

    public static long senderLo(MemorySegment segment, long payload) {
        return BigEndian.i64(segment, payload - LENGTH - 8);
    }

    /** The source port of the datagram whose payload begins there. */
    public static int senderPort(MemorySegment segment, long payload) {
        return BigEndian.u16(segment, payload - LENGTH);
    }

    static boolean checksumAbsent(MemorySegment segment, long start) {
        return BigEndian.u16(segment, start + CHECKSUM_FIELD) == 0;
    }
}
