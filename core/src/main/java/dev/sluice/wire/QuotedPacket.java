package dev.sluice.wire;

import java.lang.foreign.MemorySegment;

/**
 * The beginning of one of our own packets, quoted in an ICMP error: as much of the IP header and
 * the first eight bytes of transport header as it takes to find the connection. Checksums, total
 * length and whatever lies behind are not looked at, because routers cut the quotation and rewrite
 * fields of it.
 */
public final class QuotedPacket {
    private static final int TRANSPORT_BYTES = 8;

    private final Ipv6Header ipv6 = new Ipv6Header();
    private int protocol;
    private long sourceHi;
    private long sourceLo;
    private long destinationHi;
    private long destinationLo;
    private int sourcePort;
    private int destinationPort;
    private int seq;
    private long transportOffset;

    /** A quotation wrapped around nothing yet. */
    public QuotedPacket() {}

    /**
     * Parses a quotation.
     *
     * @param start address of the quoted IP header
     * @param length bytes that are quoted
     * @return {@link DropReason#ICMP_QUOTE} if it is too short, no first fragment or makes no
     *     sense, or null
     */
    public DropReason wrap(MemorySegment segment, long start, int length) {
        if (length < Ipv4Header.LENGTH) {
            return DropReason.ICMP_QUOTE;
        }
        int version = BigEndian.u8(segment, start) >>> 4;
        DropReason drop = DropReason.ICMP_QUOTE;
        if (version == 4) {
            drop = wrapV4(segment, start, length);
        } else if (version == 6) {
            drop = wrapV6(segment, start, length);
        }
        if (drop != null || start + length - transportOffset < TRANSPORT_BYTES) {
            return DropReason.ICMP_QUOTE;
        }
        sourcePort = BigEndian.u16(segment, transportOffset);
        destinationPort = BigEndian.u16(segment, transportOffset + 2);
        seq = BigEndian.i32(segment, transportOffset + 4);
        return null;
    }

    private DropReason wrapV4(MemorySegment segment, long start, int length) {
        int header = (BigEndian.u8(segment, start) & 0xf) << 2;
        boolean first = (BigEndian.u16(segment, start + 6) & 0x1fff) == 0;
        if (header < Ipv4Header.LENGTH || header > length || !first) {
            return DropReason.ICMP_QUOTE;
        }
        protocol = BigEndian.u8(segment, start + 9);
        sourceHi = 0;
        sourceLo = IpAddress.ipv4Lo(BigEndian.i32(segment, start + 12));
        destinationHi = 0;
        destinationLo = IpAddress.ipv4Lo(BigEndian.i32(segment, start + 16));
        transportOffset = start + header;
        return null;
    }

    private DropReason wrapV6(MemorySegment segment, long start, int length) {
        // The packet was whole when it was sent, whatever is left of it here.
        DropReason drop = ipv6.wrap(segment, start, length, Integer.MAX_VALUE);
        if (drop != null || ipv6.fragmentOffset() != 0) {
            return DropReason.ICMP_QUOTE;
        }
        protocol = ipv6.protocol();
        sourceHi = ipv6.sourceHi();
        sourceLo = ipv6.sourceLo();
        destinationHi = ipv6.destinationHi();
        destinationLo = ipv6.destinationLo();
        transportOffset = ipv6.payloadOffset();
        return null;
    }

    public int protocol() {
        return protocol;
    }

    /** The quoted packet's source: our own address. */
    public long sourceHi() {
        return sourceHi;
    }

    public long sourceLo() {
        return sourceLo;
    }

    /** The quoted packet's destination: the peer's address. */
    public long destinationHi() {
        return destinationHi;
    }

    public long destinationLo() {
        return destinationLo;
    }

    public int sourcePort() {
        return sourcePort;
    }

    public int destinationPort() {
        return destinationPort;
    }

    /** Sequence number of a quoted TCP segment; it must lie in flight, else the error is forged. */
    public int seq() {
        return seq;
    }

    /** Address of the quoted transport header. */
    public long transportOffset() {
        return transportOffset;
    }
}
