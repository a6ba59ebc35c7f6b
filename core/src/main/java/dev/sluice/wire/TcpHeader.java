package dev.sluice.wire;

import java.lang.foreign.MemorySegment;

/**
 * A TCP header and its options (RFC 9293 section 3.1): a flyweight that parses once, and static
 * methods for writing.
 *
 * <p>Options are read as Linux reads them: an option length that makes no sense ends the parse and
 * the segment is kept with what was found before it; unknown options are skipped; of a repeated
 * option the last counts; MSS, window scale, SACK-permitted and Fast Open count in SYN segments
 * only. Whether an option was negotiated is the caller's question. For the options exactly as they
 * are on the wire see {@link SegmentNotation}.
 */
public final class TcpHeader {
    /** Bytes of a header without options. */
    public static final int LENGTH = 20;

    /** The most option bytes a header can carry. */
    public static final int MAX_OPTIONS = 40;

    /** Bytes from the start of the header to its checksum field. */
    public static final int CHECKSUM_FIELD = 16;

    public static final int FIN = 0x001;
    public static final int SYN = 0x002;
    public static final int RST = 0x004;
    public static final int PSH = 0x008;
    public static final int ACK = 0x010;
    public static final int URG = 0x020;
    public static final int ECE = 0x040;
    public static final int CWR = 0x080;

    /** Accurate ECN, once the nonce sum (RFC 9768 section 3.1). */
    public static final int AE = 0x100;

    /** The largest shift of a window (RFC 7323 section 2.3). */
    public static final int MAX_WINDOW_SCALE = 14;

    private static final int SEQ = 4;
    private static final int ACKNOWLEDGMENT = 8;
    private static final int OFFSET_AND_FLAGS = 12;
    private static final int WINDOW = 14;
    private static final int URGENT = 18;
    private static final int FLAG_MASK = 0x1ff;

    private long start;
    private int headerLength;
    private int payloadLength;
    private int storedPayloadLength;
    private int sourcePort;
    private int destinationPort;
    private int segSeq;
    private int segAck;
    private int offsetAndFlags;
    private int segWnd;
    private int urgentPointer;
    private final TcpOptions options = new TcpOptions();

    /** A header wrapped around nothing yet. */
    public TcpHeader() {}

    /** {@link #wrap(MemorySegment, long, int, int)} for a segment whose bytes are all stored. */
    public DropReason wrap(MemorySegment segment, long start, int length) {
        return wrap(segment, start, length, length);
    }

    /**
     * Checks and parses header and options; the checksum is left to {@link
     * Checksum#verifyTransport}.
     *
     * @param stored bytes stored from {@code start}: the IP header's {@code storedPayloadLength()}
     * @param wireLength bytes of header and payload on the wire: the IP header's {@code
     *     payloadLength()}
     * @return why the segment must be dropped, or null
     */
    public DropReason wrap(MemorySegment segment, long start, int stored, int wireLength) {
        if (stored < LENGTH) {
            return DropReason.TCP_TRUNCATED;
        }
        int word = BigEndian.u16(segment, start + OFFSET_AND_FLAGS);
        int header = word >>> 12 << 2;
        if (header < LENGTH || header > stored) {
            return DropReason.TCP_DATA_OFFSET;
        }
        this.start = start;
        headerLength = header;
        payloadLength = wireLength - header;
        storedPayloadLength = stored - header;
        sourcePort = BigEndian.u16(segment, start);
        destinationPort = BigEndian.u16(segment, start + 2);
        segSeq = BigEndian.i32(segment, start + SEQ);
        segAck = BigEndian.i32(segment, start + ACKNOWLEDGMENT);
        offsetAndFlags = word;
        segWnd = BigEndian.u16(segment, start + WINDOW);
        urgentPointer = BigEndian.u16(segment, start + URGENT);
        options.parse(segment, start + LENGTH, header - LENGTH, (word & SYN) != 0);
        return null;
    }

    public long start() {
        return start;
    }

    /** Bytes of the header, options included. */
    public int headerLength() {
        return headerLength;
    }

    public int sourcePort() {
        return sourcePort;
    }

    public int destinationPort() {
        return destinationPort;
    }

    /** SEG.SEQ, 32 bits. */
    public int segSeq() {
        return segSeq;
    }

    /** SEG.ACK, 32 bits; meaningful only with {@link #ACK}. */
    public int segAck() {
        return segAck;
    }

    /** SEG.LEN: payload bytes, and one each for SYN and FIN. */
    public int segLen() {
        return payloadLength + (offsetAndFlags & FIN) + ((offsetAndFlags & SYN) >>> 1);
    }

    /** SEG.WND as it is on the wire, not scaled. */
    public int segWnd() {
        return segWnd;
    }

    public int urgentPointer() {
        return urgentPointer;
    }

    /** All nine flags. */
    public int flags() {
        return offsetAndFlags & FLAG_MASK;
    }

    /** Whether all of the given flags are set. */
    public boolean has(int flags) {
        return (offsetAndFlags & flags) == flags;
    }

    public boolean isFin() {
        return (offsetAndFlags & FIN) != 0;
    }

    public boolean isSyn() {
        return (offsetAndFlags & SYN) != 0;
    }

    public boolean isRst() {
        return (offsetAndFlags & RST) != 0;
    }

    public boolean isPsh() {
        return (offsetAndFlags & PSH) != 0;
    }

    public boolean isAck() {
        return (offsetAndFlags & ACK) != 0;
    }

    public boolean isUrg() {
        return (offsetAndFlags & URG) != 0;
    }

    /** The ACE counter of accurate ECN: AE, CWR and ECE as one number, AE most significant. */
    public int ace() {
        return (offsetAndFlags & (AE | CWR | ECE)) >>> 6;
    }

    /** The three bits between data offset and flags that must be zero and are ignored. */
    public int reserved() {
        return offsetAndFlags >>> 9 & 7;
    }

    /** Address of the first payload byte. */
    public long payloadOffset() {
        return start + headerLength;
    }

    /** Bytes of payload on the wire, synthetic ones included. */
    public int payloadLength() {
        return payloadLength;
    }

    /** Bytes of payload that are stored; less than {@link #payloadLength} if some are synthetic. */
    public int storedPayloadLength() {
        return storedPayloadLength;
    }

    /** Address of the first option byte. */
    public long optionsOffset() {
        return start + LENGTH;
    }

    public int optionsLength() {
        return headerLength - LENGTH;
    }

    /** What the options say; refilled by every {@code wrap}. */
    public TcpOptions options() {
        return options;
    }

    /**
     * Writes the fixed 20 bytes with an empty checksum field.
     *
     * @param headerLength header and options in bytes, a multiple of 4
     * @param window SEG.WND as it goes on the wire
     */
    public static void write(
            MemorySegment segment,
            long start,
            int sourcePort,
            int destinationPort,
            int seq,
            int ack,
            int headerLength,
            int flags,
            int window,
            int urgentPointer) {
        BigEndian.put32(segment, start, sourcePort << 16 | destinationPort & 0xffff);
        BigEndian.put32(segment, start + SEQ, seq);
        BigEndian.put32(segment, start + ACKNOWLEDGMENT, ack);
        int word = headerLength << 10 | flags & FLAG_MASK;
        BigEndian.put32(segment, start + OFFSET_AND_FLAGS, word << 16 | window & 0xffff);
        BigEndian.put32(segment, start + CHECKSUM_FIELD, urgentPointer & 0xffff);
    }

    /**
     * Computes and writes the checksum of a stored segment, whatever the field held.
     *
     * @param length header, options and payload in bytes
     * @param pseudoSum {@link Checksum#pseudoHeader} of the segment
     */
    public static void writeChecksum(MemorySegment segment, long start, int length, int pseudoSum) {
        writePartialChecksum(segment, start, pseudoSum);
        Checksum.completePartial(segment, start, length, CHECKSUM_FIELD);
    }

    /**
     * Computes and writes the checksum when the payload was summed while it was copied in.
     *
     * @param headerLength header and options in bytes
     * @param otherSums pseudo-header and payload, as partial sums added together
     */
    public static void writeChecksumOfHeader(
            MemorySegment segment, long start, int headerLength, int otherSums) {
        writePartialChecksum(segment, start, 0);
        int sum = Checksum.sum(segment, start, headerLength) + otherSums;
        BigEndian.put16(segment, start + CHECKSUM_FIELD, Checksum.finish(sum));
    }

    /** Leaves the checksum to the device: the field holds the pseudo-header sum, uninverted. */
    public static void writePartialChecksum(MemorySegment segment, long start, int pseudoSum) {
        BigEndian.put16(segment, start + CHECKSUM_FIELD, Checksum.fold(pseudoSum));
    }

    /** The checksum field as it stands. */
    public static int checksum(MemorySegment segment, long start) {
        return BigEndian.u16(segment, start + CHECKSUM_FIELD);
    }

    /**
     * Rewrites what differs between the segments of one super-segment (B-12.1); the checksum is not
     * adjusted.
     */
    public static void updateSeqAndFlags(MemorySegment segment, long start, int seq, int flags) {
        BigEndian.put32(segment, start + SEQ, seq);
        int word = BigEndian.u16(segment, start + OFFSET_AND_FLAGS);
        BigEndian.put16(segment, start + OFFSET_AND_FLAGS, word & ~FLAG_MASK | flags & FLAG_MASK);
    }
}
