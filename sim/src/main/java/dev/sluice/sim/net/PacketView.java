package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What the network, an impairment or a checker may want to know of an IP packet, read straight from
 * it.
 *
 * <p>Nothing is validated: the packets in the simulator come from stacks, and a damaged one gives
 * damaged answers. The methods that concern TCP require {@link #isTcp}.
 */
public final class PacketView {
    public static final int FIN = 0x01;
    public static final int SYN = 0x02;
    public static final int RST = 0x04;
    public static final int PSH = 0x08;
    public static final int ACK = 0x10;
    public static final int URG = 0x20;
    public static final int ECE = 0x40;
    public static final int CWR = 0x80;

    /** IP protocol number of TCP. */
    public static final int TCP = 6;

    static final int IPV4_HEADER = 20;
    static final int IPV6_HEADER = 40;

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long MAPPED_PREFIX = 0xffffL << 32;

    private PacketView() {}

    /** Unsigned byte at a distance from the start of the packet. */
    public static int u8(PacketBuffer packet, int at) {
        return packet.segment().get(BYTE, packet.start() + at) & 0xff;
    }

    /** Unsigned 16-bit word at a distance from the start of the packet. */
    public static int u16(PacketBuffer packet, int at) {
        return packet.segment().get(SHORT, packet.start() + at) & 0xffff;
    }

    /** 32-bit word at a distance from the start of the packet. */
    public static int i32(PacketBuffer packet, int at) {
        return packet.segment().get(INT, packet.start() + at);
    }

    static long i64(PacketBuffer packet, int at) {
        return packet.segment().get(LONG, packet.start() + at);
    }

    static void put8(PacketBuffer packet, int at, int value) {
        packet.segment().set(BYTE, packet.start() + at, (byte) value);
    }

    static void put16(PacketBuffer packet, int at, int value) {
        packet.segment().set(SHORT, packet.start() + at, (short) value);
    }

    static void put32(PacketBuffer packet, int at, int value) {
        packet.segment().set(INT, packet.start() + at, value);
    }

    /** 4 or 6, or whatever a damaged packet claims. */
    public static int version(PacketBuffer packet) {
        return packet.length() == 0 ? 0 : u8(packet, 0) >>> 4;
    }

    /** Bytes of IP header; extension headers of IPv6 are not counted. */
    public static int ipHeaderLength(PacketBuffer packet) {
        return version(packet) == 4 ? (u8(packet, 0) & 0x0f) << 2 : IPV6_HEADER;
    }

    /** IP protocol number; the next header of IPv6. */
    public static int protocol(PacketBuffer packet) {
        return u8(packet, version(packet) == 4 ? 9 : 6);
    }

    /** High half of the source address, IPv4 as a mapped address. */
    public static long sourceHi(PacketBuffer packet) {
        return version(packet) == 4 ? 0 : i64(packet, 8);
    }

    /** Low half of the source address, IPv4 as a mapped address. */
    public static long sourceLo(PacketBuffer packet) {
        return version(packet) == 4
                ? MAPPED_PREFIX | i32(packet, 12) & 0xffff_ffffL
                : i64(packet, 16);
    }

    /** High half of the destination address, IPv4 as a mapped address. */
    public static long destinationHi(PacketBuffer packet) {
        return version(packet) == 4 ? 0 : i64(packet, 24);
    }

    /** Low half of the destination address, IPv4 as a mapped address. */
    public static long destinationLo(PacketBuffer packet) {
        return version(packet) == 4
                ? MAPPED_PREFIX | i32(packet, 16) & 0xffff_ffffL
                : i64(packet, 32);
    }

    /** Whether the packet carries the whole of a TCP header. */
    public static boolean isTcp(PacketBuffer packet) {
        int version = version(packet);
        int minimum = (version == 4 ? IPV4_HEADER : IPV6_HEADER) + 20;
        if (version != 4 && version != 6 || packet.length() < minimum) {
            return false;
        }
        return protocol(packet) == TCP
                && packet.length() >= ipHeaderLength(packet) + 20
                && packet.length() >= headersLength(packet);
    }

    /** Bytes of IP and TCP header together. */
    public static int headersLength(PacketBuffer packet) {
        int ip = ipHeaderLength(packet);
        return ip + ((u8(packet, ip + 12) & 0xf0) >>> 2);
    }

    /** Bytes of TCP payload, synthetic ones included. */
    public static int payloadLength(PacketBuffer packet) {
        return packet.wireLength() - headersLength(packet);
    }

    /** The flags from FIN to CWR, as the constants of this class. */
    public static int flags(PacketBuffer packet) {
        return u8(packet, ipHeaderLength(packet) + 13);
    }

    public static int sourcePort(PacketBuffer packet) {
        return u16(packet, ipHeaderLength(packet));
    }

    public static int destinationPort(PacketBuffer packet) {
        return u16(packet, ipHeaderLength(packet) + 2);
    }

    /** SEG.SEQ as on the wire. */
    public static int sequence(PacketBuffer packet) {
        return i32(packet, ipHeaderLength(packet) + 4);
    }

    /** SEG.ACK as on the wire. */
    public static int acknowledgment(PacketBuffer packet) {
        return i32(packet, ipHeaderLength(packet) + 8);
    }

    /** SEG.WND as on the wire, not scaled. */
    public static int window(PacketBuffer packet) {
        return u16(packet, ipHeaderLength(packet) + 14);
    }

    /** Copies stored bytes from one packet to another. */
    static void copy(PacketBuffer from, int fromAt, PacketBuffer to, int toAt, int length) {
        MemorySegment.copy(
                from.segment(), from.start() + fromAt, to.segment(), to.start() + toAt, length);
    }
}
