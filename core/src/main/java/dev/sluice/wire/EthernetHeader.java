package dev.sluice.wire;

import java.lang.foreign.MemorySegment;

/**
 * An Ethernet II header. MAC addresses are the low 48 bits of a long, first byte most significant.
 * Tagged frames (802.1Q) are left to the device.
 */
public final class EthernetHeader {
    public static final int LENGTH = 14;

    public static final int TYPE_IPV4 = 0x0800;
    public static final int TYPE_ARP = 0x0806;
    public static final int TYPE_IPV6 = 0x86dd;

    public static final long BROADCAST = 0xffff_ffff_ffffL;

    private long start;
    private int length;
    private long destination;
    private long source;
    private int type;

    /** A header wrapped around nothing yet. */
    public EthernetHeader() {}

    /**
     * Parses the header.
     *
     * @param length bytes of the frame stored from {@code start}
     * @return why the frame must be dropped, or null
     */
    public DropReason wrap(MemorySegment segment, long start, int length) {
        if (length < LENGTH) {
            return DropReason.ETHERNET_TRUNCATED;
        }
        this.start = start;
        this.length = length;
        destination = readMac(segment, start);
        source = readMac(segment, start + 6);
        type = BigEndian.u16(segment, start + 12);
        return null;
    }

    public long destination() {
        return destination;
    }

    public long source() {
        return source;
    }

    /** EtherType, one of the {@code TYPE_} constants or something else. */
    public int type() {
        return type;
    }

    public long payloadOffset() {
        return start + LENGTH;
    }

    /** Bytes after the header, padding included. */
    public int payloadLength() {
        return length - LENGTH;
    }

    /** Whether a MAC address names a group (or everybody) instead of one station. */
    public static boolean isGroup(long mac) {
        return (mac >>> 40 & 1) != 0;
    }

    public static void write(
            MemorySegment segment, long start, long destination, long source, int type) {
        writeMac(segment, start, destination);
        writeMac(segment, start + 6, source);
        BigEndian.put16(segment, start + 12, type);
    }

    static long readMac(MemorySegment segment, long at) {
        return (long) BigEndian.u16(segment, at) << 32
                | BigEndian.i32(segment, at + 2) & 0xffff_ffffL;
    }

    static void writeMac(MemorySegment segment, long at, long mac) {
        BigEndian.put16(segment, at, (int) (mac >>> 32));
        BigEndian.put32(segment, at + 2, (int) mac);
    }
}
