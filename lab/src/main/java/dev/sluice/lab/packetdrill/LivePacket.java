package dev.sluice.lab.packetdrill;

import dev.sluice.wire.IpAddress;

import java.util.Arrays;
import java.util.List;

/**
 * A packet as it left the stack under test: an IP header and what is in it.
 *
 * <p>Parsed by code of its own rather than the stack's, so that the two check each other. Whatever
 * is wrong with the packet in itself is told by {@link #fault}.
 */
final class LivePacket {
    static final int PROTOCOL_ICMP = 1;
    static final int PROTOCOL_TCP = 6;
    static final int PROTOCOL_UDP = 17;
    static final int PROTOCOL_ICMPV6 = 58;

    private static final int IPV6_HEADER_BYTES = 40;
    private static final int MIN_TCP_HEADER_BYTES = 20;

    private final long timeNanos;
    private final byte[] bytes;
    private final boolean ipv6;
    private final int transport;
    private final int end;
    private final String fault;

    /**
     * @param timeNanos when it left, since the start of the script
     * @param bytes from the IP header on
     */
    LivePacket(long timeNanos, byte[] bytes) {
        this.timeNanos = timeNanos;
        this.bytes = bytes;
        int version = bytes.length == 0 ? 0 : Bytes.u8(bytes, 0) >>> 4;
        this.ipv6 = version == 6;
        boolean complete = bytes.length >= (ipv6 ? IPV6_HEADER_BYTES : 20);
        if (!complete || version != 4 && version != 6) {
            this.transport = 0;
            this.end = 0;
            this.fault = "not an IP packet";
            return;
        }
        this.transport = ipv6 ? IPV6_HEADER_BYTES : (Bytes.u8(bytes, 0) & 0xf) * 4;
        this.end = ipv6 ? IPV6_HEADER_BYTES + Bytes.u16(bytes, 4) : Bytes.u16(bytes, 2);
        this.fault = findFault();
    }

    private String findFault() {
        if (transport < 20 || end > bytes.length || end < transport) {
            return "IP lengths do not fit the packet";
        }
        if (!ipv6 && Bytes.checksum(Bytes.sum(bytes, 0, transport)) != 0) {
            return "bad IPv4 header checksum";
        }
        if (protocol() != PROTOCOL_TCP) {
            return "";
        }
        if (end - transport < MIN_TCP_HEADER_BYTES
                || headerBytes() < MIN_TCP_HEADER_BYTES
                || transport + headerBytes() > end) {
            return "TCP data offset does not fit the packet";
        }
        long sum = Bytes.sum(bytes, transport, end - transport);
        sum += Bytes.pseudoHeaderSum(source(), destination(), PROTOCOL_TCP, end - transport);
        if (Bytes.checksum(sum) != 0) {
            return "bad TCP checksum";
        }
        return (Bytes.u8(bytes, transport + 12) & 0xe) == 0 ? "" : "reserved TCP bits are set";
    }

    /** What is wrong with the packet in itself; empty if nothing is. */
    String fault() {
        return fault;
    }

    long timeNanos() {
        return timeNanos;
    }

    /** The packet; not to be changed. */
    byte[] bytes() {
        return bytes;
    }

    boolean isTcp() {
        return fault.isEmpty() && protocol() == PROTOCOL_TCP;
    }

    int protocol() {
        return Bytes.u8(bytes, ipv6 ? 6 : 9);
    }

    IpAddress source() {
        return address(ipv6 ? 8 : 12);
    }

    IpAddress destination() {
        return address(ipv6 ? 24 : 16);
    }

    private IpAddress address(int at) {
        return ipv6
                ? new IpAddress(Bytes.s64(bytes, at), Bytes.s64(bytes, at + 8))
                : IpAddress.ipv4((int) Bytes.u32(bytes, at));
    }

    int sourcePort() {
        return Bytes.u16(bytes, transport);
    }

    int destinationPort() {
        return Bytes.u16(bytes, transport + 2);
    }

    /** Bits of {@link TcpFlags}. */
    int flags() {
        return Bytes.u16(bytes, transport + 12) & 0x1ff;
    }

    boolean has(int mask) {
        return (flags() & mask) == mask;
    }

    long sequence() {
        return Bytes.u32(bytes, transport + 4);
    }

    private int headerBytes() {
        return (Bytes.u8(bytes, transport + 12) >>> 4) * 4;
    }

    /** Whether all that the IP header promises is there, and enough for a TCP header. */
    boolean isComplete() {
        return end == bytes.length && end - transport >= MIN_TCP_HEADER_BYTES;
    }

    /** Where the transport header begins. */
    int transportOffset() {
        return transport;
    }

    int payloadLength() {
        return end - transport - headerBytes();
    }

    /** The segment with the numbers it has on the wire. */
    Segment segment() {
        int payload = transport + headerBytes();
        List<OptionSpec> options =
                OptionCodec.decode(Arrays.copyOfRange(bytes, transport + 20, payload));
        int trafficClass = ipv6 ? Bytes.u16(bytes, 0) >>> 4 & 0xff : Bytes.u8(bytes, 1);
        return new Segment(
                timeNanos,
                sequence(),
                payloadLength(),
                isZero(payload),
                flags(),
                Bytes.u32(bytes, transport + 8),
                Bytes.u16(bytes, transport + 14),
                Bytes.u16(bytes, transport + 18),
                options,
                trafficClass,
                ipv6 ? (int) (Bytes.u32(bytes, 0) & 0xf_ffff) : 0,
                Bytes.u8(bytes, ipv6 ? 7 : 8));
    }

    private boolean isZero(int from) {
        for (int i = from; i < end; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    /** One line for traces, in the numbers of the wire. */
    @Override
    public String toString() {
        if (isTcp()) {
            return SegmentText.of(segment());
        }
        return fault.isEmpty() ? "> protocol " + protocol() : "> (" + fault + ")";
    }
}
