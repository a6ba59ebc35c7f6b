package dev.sluice.wire;

import java.lang.foreign.MemorySegment;

/** An ARP packet for IPv4 over Ethernet (RFC 826). */
public final class ArpHeader {
    public static final int LENGTH = 28;

    public static final int REQUEST = 1;
    public static final int REPLY = 2;

    /** Hardware type Ethernet, protocol type IPv4, address lengths 6 and 4. */
    private static final long ETHERNET_IPV4 = 1L << 48 | 0x0800L << 32 | 6 << 24 | 4 << 16;

    private int operation;
    private long senderMac;
    private long senderLo;
    private long targetMac;
    private long targetLo;

    /** A packet wrapped around nothing yet. */
    public ArpHeader() {}

    /**
     * Checks and parses the packet.
     *
     * @param length bytes stored from {@code start}; padding behind the packet is ignored
     * @return why the packet must be dropped, or null
     */
    public DropReason wrap(MemorySegment segment, long start, int length) {
        if (length < LENGTH) {
            return DropReason.ARP_TRUNCATED;
        }
        long head = BigEndian.i64(segment, start);
        int op = (int) head & 0xffff;
        if (head - op != ETHERNET_IPV4 || op != REQUEST && op != REPLY) {
            return DropReason.ARP_UNSUPPORTED;
        }
        operation = op;
        senderMac = EthernetHeader.readMac(segment, start + 8);
        senderLo = IpAddress.ipv4Lo(BigEndian.i32(segment, start + 14));
        targetMac = EthernetHeader.readMac(segment, start + 18);
        targetLo = IpAddress.ipv4Lo(BigEndian.i32(segment, start + 24));
        return null;
    }

    /** {@link #REQUEST} or {@link #REPLY}. */
    public int operation() {
        return operation;
    }

    public long senderMac() {
        return senderMac;
    }

    /** Low long of the sender's IPv4-mapped address. */
    public long senderLo() {
        return senderLo;
    }

    public long targetMac() {
        return targetMac;
    }

    /** Low long of the target's IPv4-mapped address. */
    public long targetLo() {
        return targetLo;
    }

    /** Writes a packet of {@link #LENGTH} bytes; of the addresses only the low 32 bits are used. */
    public static void write(
            MemorySegment segment,
            long start,
            int operation,
            long senderMac,
            long senderLo,
            long targetMac,
            long targetLo) {
        BigEndian.put64(segment, start, ETHERNET_IPV4 | operation);
        EthernetHeader.writeMac(segment, start + 8, senderMac);
        BigEndian.put32(segment, start + 14, (int) senderLo);
        EthernetHeader.writeMac(segment, start + 18, targetMac);
        BigEndian.put32(segment, start + 24, (int) targetLo);
    }
}
