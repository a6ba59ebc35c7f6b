package dev.sluice.wire;

import java.lang.foreign.MemorySegment;

/**
 * An IP address of either family as 128 bits; IPv4 in its IPv6-mapped form, {@code ::ffff:a.b.c.d}
 * (RFC 4291 section 2.5.5.2). Hot paths pass the two longs and use the static questions below.
 *
 * @param hi the first eight bytes, big-endian
 * @param lo the last eight bytes, big-endian
 */
public record IpAddress(long hi, long lo) {
    /** {@code ::}, the unspecified IPv6 address. */
    public static final IpAddress ANY6 = new IpAddress(0, 0);

    /** {@code 0.0.0.0}, the unspecified IPv4 address. */
    public static final IpAddress ANY4 = ipv4(0);

    private static final long MAPPED_PREFIX = 0xffffL << 32;

    /**
     * What parsing found: an address, or what is wrong with the text.
     *
     * @param address the address, null if the text is not one
     * @param error what is wrong and where, null if the text is an address
     */
    public record Parsed(IpAddress address, String error) {
        public boolean isValid() {
            return address != null;
        }
    }

    /** The IPv4 address with these 32 bits, most significant byte first in the text form. */
    public static IpAddress ipv4(int bits) {
        return new IpAddress(0, ipv4Lo(bits));
    }

    /** The low long of an IPv4 address; its high long is 0. */
    public static long ipv4Lo(int bits) {
        return MAPPED_PREFIX | bits & 0xffff_ffffL;
    }

    /** Parses dotted decimal or RFC 4291 text, without zone or prefix length. */
    public static Parsed parse(CharSequence text) {
        return IpAddressText.parse(text);
    }

    public boolean isIpv4() {
        return isIpv4(hi, lo);
    }

    public boolean isMulticast() {
        return isMulticast(hi, lo);
    }

    public boolean isUnspecified() {
        return isUnspecified(hi, lo);
    }

    public boolean isLoopback() {
        return isLoopback(hi, lo);
    }

    public boolean isLinkLocal() {
        return isLinkLocal(hi, lo);
    }

    public static boolean isIpv4(long hi, long lo) {
        return hi == 0 && lo >>> 32 == 0xffff;
    }

    /** IPv4 224/4, IPv6 ff00::/8. */
    public static boolean isMulticast(long hi, long lo) {
        return isIpv4(hi, lo) ? ((int) lo >>> 28) == 0xe : hi >>> 56 == 0xff;
    }

    /** {@code 0.0.0.0} or {@code ::}. */
    public static boolean isUnspecified(long hi, long lo) {
        return hi == 0 && (lo == 0 || lo == MAPPED_PREFIX);
    }

    /** IPv4 127/8, IPv6 {@code ::1}. */
    public static boolean isLoopback(long hi, long lo) {
        return isIpv4(hi, lo) ? ((int) lo >>> 24) == 127 : hi == 0 && lo == 1;
    }

    /**
     * The limited broadcast address {@code 255.255.255.255}; directed ones depend on the prefix.
     */
    public static boolean isBroadcast(long hi, long lo) {
        return hi == 0 && lo == (MAPPED_PREFIX | 0xffff_ffffL);
    }

    /** IPv4 169.254/16, IPv6 fe80::/10. */
    public static boolean isLinkLocal(long hi, long lo) {
        return isIpv4(hi, lo) ? ((int) lo >>> 16) == 0xa9fe : hi >>> 54 == 0x3fa;
    }

    /** IPv4 class E, 240/4 with the broadcast address: never a valid source of a packet. */
    public static boolean isReserved(long hi, long lo) {
        return isIpv4(hi, lo) && ((int) lo >>> 28) == 0xf;
    }

    /**
     * Whether an address lies in a prefix of the same family.
     *
     * @param prefixLength leading bits that must agree, 0 to 32 for IPv4 and 0 to 128 for IPv6
     */
    public static boolean inPrefix(
            long hi, long lo, long prefixHi, long prefixLo, int prefixLength) {
        boolean ipv4 = isIpv4(prefixHi, prefixLo);
        if (ipv4 != isIpv4(hi, lo)) {
            return false;
        }
        int bits = ipv4 ? prefixLength + 96 : prefixLength;
        if (bits == 0) {
            return true;
        }
        if (bits <= 64) {
            return (hi ^ prefixHi) >>> (64 - bits) == 0;
        }
        return hi == prefixHi && (lo ^ prefixLo) >>> (128 - bits) == 0;
    }

    /** Reads the 16 bytes at an address of the packet: the high long. */
    static long readHi(MemorySegment segment, long at) {
        return BigEndian.i64(segment, at);
    }

    /** Reads the 16 bytes at an address of the packet: the low long. */
    static long readLo(MemorySegment segment, long at) {
        return BigEndian.i64(segment, at + 8);
    }

    /** Appends the text form: dotted decimal, or RFC 5952 for IPv6. */
    public static void format(StringBuilder out, long hi, long lo) {
        IpAddressText.format(out, hi, lo);
    }

    @Override
    public String toString() {
        StringBuilder out = new StringBuilder(40);
        format(out, hi, lo);
        return out.toString();
    }
}
