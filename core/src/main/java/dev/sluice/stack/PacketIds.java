package dev.sluice.stack;

/**
 * Identifications for packets that are fragmented: hard to guess, and as far from repeating for one
 * destination as they can be (RFC 6864, RFC 7739 section 5.3).
 */
final class PacketIds {
    private static final int COUNTERS = 256;

    private final long key;
    private final int[] counters = new int[COUNTERS];

    PacketIds(long key) {
        this.key = key;
    }

    /** 32 bits for IPv6, of which IPv4 takes the low 16. */
    int next(long sourceLo, long destinationHi, long destinationLo, int protocol) {
        long h = (key ^ destinationLo) * 0x9e37_79b9_7f4a_7c15L;
        h = (h ^ h >>> 32 ^ destinationHi) * 0xbf58_476d_1ce4_e5b9L;
        h = (h ^ h >>> 32 ^ sourceLo ^ (long) protocol << 56) * 0x94d0_49bb_1331_11ebL;
        return (int) (h >>> 32) + counters[(int) h & COUNTERS - 1]++;
    }
}
