package dev.sluice.stack;

import dev.sluice.config.StackConfig;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.Ipv6Header;

/**
 * Path MTUs that ICMP taught, for datagrams; a connection keeps its own (RFC 1191, RFC 8201). A
 * table of fixed size: where two destinations share a slot the later one has it, and the other
 * learns again.
 */
final class PathMtuCache {
    private static final int SLOTS = 1024;

    private final long key;

    // Made when there is something to learn.
    private long[] hi;
    private long[] lo;
    private long[] expires;
    private int[] mtu;
    private boolean[] locked;

    PathMtuCache(long key) {
        this.key = key;
    }

    private int slot(long addressHi, long addressLo) {
        long h = (key ^ addressLo) * 0x9e37_79b9_7f4a_7c15L;
        h = (h ^ h >>> 32 ^ addressHi) * 0xbf58_476d_1ce4_e5b9L;
        return (int) (h >>> 40) & SLOTS - 1;
    }

    /**
     * Believes a router, within the limits of the configuration.
     *
     * @param claimed what fits, bytes; 0 if the router does not say
     * @param linkMtu largest packet of our interface, bytes
     */
    void learn(
            long now,
            StackConfig config,
            long addressHi,
            long addressLo,
            int claimed,
            int linkMtu) {
        boolean ipv4 = IpAddress.isIpv4(addressHi, addressLo);
        int known = find(now, addressHi, addressLo, linkMtu);
        int least = ipv4 ? config.minPmtu : Ipv6Header.MINIMUM_MTU;
        int fits = Math.max(claimed, least);
        boolean tooSmall = ipv4 && claimed < least;
        if (fits > known || fits == known && !tooSmall) {
            if (!tooSmall) {
                return;
            }
            fits = known;
        }
        if (hi == null) {
            hi = new long[SLOTS];
            lo = new long[SLOTS];
            expires = new long[SLOTS];
            mtu = new int[SLOTS];
            locked = new boolean[SLOTS];
        }
        int slot = slot(addressHi, addressLo);
        hi[slot] = addressHi;
        lo[slot] = addressLo;
        mtu[slot] = fits;
        locked[slot] = tooSmall;
        expires[slot] = now + (ipv4 ? config.mtuExpiresNanos : config.ip6MtuExpiresNanos);
    }

    /** Largest packet to that address, in bytes; at most {@code linkMtu}. */
    int find(long now, long addressHi, long addressLo, int linkMtu) {
        int slot = known(now, addressHi, addressLo);
        return slot < 0 ? linkMtu : Math.min(linkMtu, mtu[slot]);
    }

    /** A router wants less than we will send unfragmented: it has to be let fragment itself. */
    boolean mustAllowFragments(long now, long addressHi, long addressLo) {
        int slot = known(now, addressHi, addressLo);
        return slot >= 0 && locked[slot];
    }

    private int known(long now, long addressHi, long addressLo) {
        if (hi == null) {
            return -1;
        }
        int slot = slot(addressHi, addressLo);
        boolean same = lo[slot] == addressLo && hi[slot] == addressHi;
        return same && mtu[slot] != 0 && now < expires[slot] ? slot : -1;
    }
}
