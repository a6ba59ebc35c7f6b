package dev.sluice.lab.packetdrill;

/**
 * What Linux charges a socket for a packet that was written to a TUN device, where the original
 * tool injects its packets. Receive windows in scripts depend on it.
 *
 * <p>A packet below a page is in one allocation with headroom and metadata, whose size is rounded
 * up to that of an allocator's bucket; a larger one is in pages beside a small allocation.
 */
final class TunTruesize {
    private static final int CACHE_LINE = 64;
    private static final int PAGE = 4096;
    private static final int HEADROOM = 64;

    /** The socket buffer itself, in whole cache lines. */
    private static final int BUFFER_BYTES = 256;

    /** What shares the allocation with the data, in whole cache lines. */
    private static final int SHARED_INFO_BYTES = 320;

    /** Objects of the cache for small packets, which serves all that fit. */
    private static final int SMALL_HEAD_BYTES = 704;

    private TunTruesize() {}

    /** Bytes charged for a packet of {@code length} bytes, IP header included. */
    static int of(int length) {
        if (HEADROOM + length < PAGE) {
            return BUFFER_BYTES + bucket(align(HEADROOM + length) + SHARED_INFO_BYTES);
        }
        int pages = (length + PAGE - 1) / PAGE * PAGE;
        return BUFFER_BYTES + bucket(align(HEADROOM) + SHARED_INFO_BYTES) + pages;
    }

    private static int align(int bytes) {
        return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    }

    private static int bucket(int bytes) {
        if (bytes <= SMALL_HEAD_BYTES) {
            return SMALL_HEAD_BYTES;
        }
        return Integer.highestOneBit(bytes - 1) << 1;
    }
}
