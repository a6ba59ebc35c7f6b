package dev.sluice.lab.packetdrill;

import dev.sluice.wire.IpAddress;

/** Packets as byte arrays in network order, and the Internet checksum over them (RFC 1071). */
final class Bytes {
    private Bytes() {}

    static int u8(byte[] bytes, int at) {
        return bytes[at] & 0xff;
    }

    static int u16(byte[] bytes, int at) {
        return u8(bytes, at) << 8 | u8(bytes, at + 1);
    }

    static long u32(byte[] bytes, int at) {
        return (long) u16(bytes, at) << 16 | u16(bytes, at + 2);
    }

    static long s64(byte[] bytes, int at) {
        return u32(bytes, at) << 32 | u32(bytes, at + 4);
    }

    static void put8(byte[] bytes, int at, int value) {
        bytes[at] = (byte) value;
    }

    static void put16(byte[] bytes, int at, int value) {
        bytes[at] = (byte) (value >>> 8);
        bytes[at + 1] = (byte) value;
    }

    static void put32(byte[] bytes, int at, long value) {
        put16(bytes, at, (int) (value >>> 16));
        put16(bytes, at + 2, (int) value);
    }

    static void put64(byte[] bytes, int at, long value) {
        put32(bytes, at, value >>> 32);
        put32(bytes, at + 4, value);
    }

    /** Writes an address in the 4 or 16 bytes it takes on the wire. */
    static void putAddress(byte[] bytes, int at, IpAddress address) {
        if (address.isIpv4()) {
            put32(bytes, at, address.lo());
        } else {
            put64(bytes, at, address.hi());
            put64(bytes, at + 8, address.lo());
        }
    }

    /** The one's complement sum of 16-bit words, an odd last byte padded with zero, unfolded. */
    static long sum(byte[] bytes, int from, int length) {
        long sum = 0;
        for (int i = 0; i + 1 < length; i += 2) {
            sum += u16(bytes, from + i);
        }
        if (length % 2 != 0) {
            sum += u8(bytes, from + length - 1) << 8;
        }
        return sum;
    }

    /** The sum over the pseudo-header of RFC 9293 section 3.1 and RFC 8200 section 8.1. */
    static long pseudoHeaderSum(IpAddress source, IpAddress destination, int protocol, int length) {
        byte[] addresses = new byte[32];
        int size = source.isIpv4() ? 4 : 16;
        putAddress(addresses, 0, source);
        putAddress(addresses, size, destination);
        return sum(addresses, 0, 2 * size) + protocol + length;
    }

    /** The checksum field that makes {@code sum} come out right. */
    static int checksum(long sum) {
        long folded = sum;
        while (folded >>> 16 != 0) {
            folded = (folded & 0xffff) + (folded >>> 16);
        }
        return (int) (~folded & 0xffff);
    }
}
