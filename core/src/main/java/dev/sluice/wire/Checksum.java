package dev.sluice.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The Internet checksum (RFC 1071), its incremental update (RFC 1624) and the pseudo-headers of
 * TCP, UDP and ICMPv6 (RFC 9293 section 3.1, RFC 8200 section 8.1).
 *
 * <p>A <em>partial sum</em> is an int below 65,536: the ones' complement sum of some 16-bit
 * big-endian words, not yet inverted. Partial sums are combined with plain {@code +}, up to 32,767
 * of them, and {@link #finish} folds and inverts the total. A part that begins at an odd position
 * of the whole goes through {@link #swap} first, because its bytes sit in the other halves of their
 * words.
 */
public final class Checksum {
    private static final ValueLayout.OfInt LANE =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort HALF_LANE =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Checksum() {}

    /**
     * Partial sum of {@code length} bytes; an odd last byte counts as if a zero byte followed it.
     */
    public static int sum(MemorySegment segment, long start, int length) {
        int words = length >>> 2;
        long sum = sumLanes(segment, start, words);
        long at = start + 4L * words;
        if ((length & 2) != 0) {
            sum += segment.get(HALF_LANE, at) & 0xffff;
            at += 2;
        }
        if ((length & 1) != 0) {
            sum += segment.get(ValueLayout.JAVA_BYTE, at) & 0xff;
        }
        return swap(fold(sum));
    }

    /**
     * The sum in little-endian lanes. Ones' complement addition does not care about byte order (RFC
     * 1071 section 2), so one swap at the end is enough. Small and alone in its method so that C2
     * turns the int-to-long reduction into vector code.
     */
    private static long sumLanes(MemorySegment segment, long start, int lanes) {
        long sum = 0;
        for (int i = 0; i < lanes; i++) {
            sum += segment.get(LANE, start + 4L * i) & 0xffff_ffffL;
        }
        return sum;
    }

    /** Copies {@code length} bytes and returns the partial sum of what was copied. */
    public static int copyAndSum(
            MemorySegment from, long fromStart, MemorySegment to, long toStart, int length) {
        // Two passes: the copy leaves the bytes in the first-level cache, and the reading loop is
        // vector code that a combined loop would not be.
        MemorySegment.copy(from, fromStart, to, toStart, length);
        return sum(to, toStart, length);
    }

    /**
     * Partial sum of the pseudo-header.
     *
     * <p>One formula serves both families: the IPv4-mapped prefix adds the word 0xffff once per
     * address, which is zero in ones' complement, and the length and protocol words are the same.
     *
     * @param protocol IP protocol number of the transport
     * @param length bytes of transport header and payload, synthetic payload included
     */
    public static int pseudoHeader(
            long sourceHi,
            long sourceLo,
            long destinationHi,
            long destinationLo,
            int protocol,
            int length) {
        long sum = halves(sourceHi) + halves(sourceLo);
        sum += halves(destinationHi) + halves(destinationLo);
        return fold(sum + protocol + length);
    }

    /** The upper and the lower 32 bits added, a step of folding. */
    static long halves(long word) {
        return (word >>> 32) + (word & 0xffff_ffffL);
    }

    /** Folds any sum of words, half-words or partial sums to a partial sum. */
    public static int fold(long sum) {
        long folded = halves(sum);
        folded = (folded >>> 16) + (folded & 0xffff);
        folded = (folded >>> 16) + (folded & 0xffff);
        return (int) ((folded >>> 16) + (folded & 0xffff));
    }

    /** The value of the checksum field for the given total of partial sums. */
    public static int finish(int sum) {
        return ~fold(sum) & 0xffff;
    }

    /** The partial sum of the same bytes one position further on. */
    public static int swap(int partialSum) {
        return (partialSum & 0xff) << 8 | partialSum >>> 8;
    }

    /** New checksum after one 16-bit word changed: HC' = ~(~HC + ~m + m'), RFC 1624 equation 3. */
    public static int update16(int checksum, int oldWord, int newWord) {
        return finish((~checksum & 0xffff) + (~oldWord & 0xffff) + (newWord & 0xffff));
    }

    /** New checksum after one aligned 32-bit word changed. */
    public static int update32(int checksum, int oldWord, int newWord) {
        int upper = update16(checksum, oldWord >>> 16, newWord >>> 16);
        return update16(upper, oldWord, newWord);
    }

    /**
     * Whether a stored TCP, UDP or ICMPv6 packet has a valid checksum. A UDP checksum of zero means
     * "none", which IPv4 allows and IPv6 does not.
     *
     * @param start address of the transport header
     * @param length bytes of transport header and payload, all stored
     */
    public static boolean verifyTransport(
            MemorySegment segment,
            long start,
            int length,
            int protocol,
            long sourceHi,
            long sourceLo,
            long destinationHi,
            long destinationLo) {
        if (protocol == IpProtocol.UDP && UdpHeader.checksumAbsent(segment, start)) {
            return IpAddress.isIpv4(sourceHi, sourceLo);
        }
        int pseudo =
                pseudoHeader(sourceHi, sourceLo, destinationHi, destinationLo, protocol, length);
        return fold(pseudo + sum(segment, start, length)) == 0xffff;
    }

    /**
     * Completes a checksum left partial for the device: the field holds the folded pseudo-header
     * sum, uninverted, and becomes the checksum of the range.
     *
     * @param start address of the transport header
     * @param length bytes of transport header and payload, all stored
     * @param checksumField bytes from the start to the field: 16 for TCP, 6 for UDP, 2 for ICMPv6
     */
    public static void completePartial(
            MemorySegment segment, long start, int length, int checksumField) {
        int checksum = finish(sum(segment, start, length));
        if (checksum == 0 && checksumField == UdpHeader.CHECKSUM_FIELD) {
            checksum = 0xffff; // zero would mean "none" to UDP
        }
        BigEndian.put16(segment, start + checksumField, checksum);
    }
}
