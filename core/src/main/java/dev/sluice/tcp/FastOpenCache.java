package dev.sluice.tcp;

/**
 * What a client remembers of servers for Fast Open (RFC 7413 section 4.1.3): the cookie, the MSS,
 * and which form of the option the server may understand. One row per pair of addresses; four rows
 * share a bucket, and the oldest makes way for a fifth.
 */
final class FastOpenCache {
    static final int NONE = -1;

    private static final int BUCKETS = 256;
    private static final int WAYS = 4;

    /** The experimental option: not tried, to be tried next, tried in vain. */
    private static final byte NOT_TRIED = 0;

    private static final byte TRY_NEXT = 1;
    private static final byte IN_VAIN = 2;

    private final long key;

    // Made with the first row; four longs per row: local and remote address.
    private long[] addresses;
    private long[] cookieHi;
    private long[] cookieLo;
    private byte[] cookieLength;
    private boolean[] experimental;
    private byte[] attempts;
    private char[] mss;
    private boolean[] used;
    private byte[] nextWay;

    /** {@code key} keeps peers from choosing addresses that meet in one bucket. */
    FastOpenCache(long key) {
        this.key = key;
    }

    private int bucket(long localHi, long localLo, long remoteHi, long remoteLo) {
        long h = key ^ remoteLo * 0x9e37_79b9_7f4a_7c15L;
        h = (h ^ h >>> 32 ^ remoteHi ^ localLo) * 0xbf58_476d_1ce4_e5b9L;
        h = (h ^ h >>> 29 ^ localHi) * 0x94d0_49bb_1331_11ebL;
        return (int) (h >>> 40) & BUCKETS - 1;
    }

    /** The row of a server, or {@link #NONE}. */
    int find(long localHi, long localLo, long remoteHi, long remoteLo) {
        if (addresses == null) {
            return NONE;
        }
        int first = bucket(localHi, localLo, remoteHi, remoteLo) * WAYS;
        for (int row = first; row < first + WAYS; row++) {
            if (used[row]
                    && addresses[4 * row] == localHi
                    && addresses[4 * row + 1] == localLo
                    && addresses[4 * row + 2] == remoteHi
                    && addresses[4 * row + 3] == remoteLo) {
                return row;
            }
        }
        return NONE;
    }

    /** The row of a server, a new one if need be. */
    int findOrAdd(long localHi, long localLo, long remoteHi, long remoteLo) {
        int row = find(localHi, localLo, remoteHi, remoteLo);
        if (row != NONE) {
            return row;
        }
        if (addresses == null) {
            allocate();
        }
        int bucket = bucket(localHi, localLo, remoteHi, remoteLo);
        row = bucket * WAYS + nextWay[bucket];
        nextWay[bucket] = (byte) (nextWay[bucket] + 1 & WAYS - 1);
        addresses[4 * row] = localHi;
        addresses[4 * row + 1] = localLo;
        addresses[4 * row + 2] = remoteHi;
        addresses[4 * row + 3] = remoteLo;
        used[row] = true;
        cookieLength[row] = 0;
        experimental[row] = false;
        attempts[row] = NOT_TRIED;
        mss[row] = 0;
        return row;
    }

    private void allocate() {
        int rows = BUCKETS * WAYS;
        addresses = new long[4 * rows];
        cookieHi = new long[rows];
        cookieLo = new long[rows];
        cookieLength = new byte[rows];
        experimental = new boolean[rows];
        attempts = new byte[rows];
        mss = new char[rows];
        used = new boolean[rows];
        nextWay = new byte[BUCKETS];
    }

    /** Forgets everything. */
    void clear() {
        addresses = null;
    }

    /** Bytes of the cookie; 0 if there is none, {@code row} may be {@link #NONE}. */
    int cookieLength(int row) {
        return row == NONE ? 0 : cookieLength[row];
    }

    long cookieHi(int row) {
        return cookieHi[row];
    }

    long cookieLo(int row) {
        return cookieLo[row];
    }

    /** The MSS of the server's last SYN-ACK, in bytes; 0 if it is not known. */
    int mss(int row) {
        return row == NONE ? 0 : mss[row];
    }

    /** Whether the next SYN should carry the experimental option. */
    boolean wantsExperimental(int row) {
        return row != NONE
                && (cookieLength[row] > 0 ? experimental[row] : attempts[row] == TRY_NEXT);
    }

    void mss(int row, int bytes) {
        mss[row] = (char) bytes;
    }

    void cookie(int row, int length, long hi, long lo, boolean asExperimental) {
        cookieLength[row] = (byte) length;
        cookieHi[row] = hi;
        cookieLo[row] = lo;
        experimental[row] = asExperimental;
    }

    /** A request for a cookie was not answered: try the other form once. */
    void unanswered(int row, boolean asExperimental) {
        byte attempt = asExperimental ? IN_VAIN : TRY_NEXT;
        if (cookieLength[row] == 0 && attempt > attempts[row]) {
            attempts[row] = attempt;
        }
    }
}
