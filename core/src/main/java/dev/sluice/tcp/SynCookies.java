package dev.sluice.tcp;

import dev.sluice.wire.IpAddress;

/**
 * SYN cookies (RFC 4987 section 3.6, B-10.2): an initial sequence number that says what a SYN asked
 * for, so that nothing is kept until the ACK brings it back. As in Linux, the 24 low bits hold a
 * minute counter and an index into {@link #MSS} under a keyed hash; what else the SYN offered goes
 * into the low bits of our timestamp.
 */
final class SynCookies {
    /** No cookie of ours, or one that is too old. */
    static final int INVALID = -1;

    /** A cookie is good for this many minutes after the one it was made in. */
    private static final int MAX_AGE = 2;

    private static final long PERIOD_NANOS = 60_000_000_000L;

    /** How long a cookie may be good, in nanoseconds. */
    static final long VALID_NANOS = MAX_AGE * PERIOD_NANOS;

    private static final int COOKIE_BITS = 24;
    private static final int COOKIE_MASK = (1 << COOKIE_BITS) - 1;

    // What the low bits of a timestamp mean.
    private static final int OPTION_BITS = 6;
    private static final int OPTION_MASK = (1 << OPTION_BITS) - 1;
    private static final int WINDOW_SCALE_MASK = 0xf;
    private static final int SACK = 1 << 4;
    private static final int ECN = 1 << 5;

    /** In place of a window scale: the peer did not offer one. */
    private static final int NO_WINDOW_SCALE = 0xf;

    private final SipHash siphash = new SipHash();
    private final long key0;
    private final long key1;

    SynCookies(long key0, long key1) {
        this.key0 = key0;
        this.key1 = key1;
    }

    /** MSS values a cookie can hold: the largest that the peer accepts is taken. */
    private static int mss(int index, boolean ipv4) {
        return switch (index) {
            case 0 -> ipv4 ? 536 : 1280 - 60;
            case 1 -> ipv4 ? 1300 : 1480 - 60;
            case 2 -> ipv4 ? 1440 : 1500 - 60;
            default -> ipv4 ? 1460 : 9000 - 60;
        };
    }

    private int hash(
            long localHi, long localLo, long remoteHi, long remoteLo, int ports, int count, int c) {
        long last = (long) count << 32 | c;
        siphash.begin(key0, key1).word(localHi).word(localLo).word(remoteHi).word(remoteLo);
        return (int) siphash.word(ports & 0xffff_ffffL).word(last).finish(48);
    }

    /**
     * The initial sequence number that answers a SYN.
     *
     * @param irs the SYN's sequence number
     * @param peerMss the MSS it offers, in bytes
     */
    int sequence(
            long now,
            long localHi,
            long localLo,
            long remoteHi,
            long remoteLo,
            int ports,
            int irs,
            int peerMss) {
        boolean ipv4 = IpAddress.isIpv4(remoteHi, remoteLo);
        int index = 3;
        while (index > 0 && mss(index, ipv4) > peerMss) {
            index--;
        }
        int count = count(now);
        int open = hash(localHi, localLo, remoteHi, remoteLo, ports, 0, 0);
        int sealed = hash(localHi, localLo, remoteHi, remoteLo, ports, count, 1);
        return open + irs + (count << COOKIE_BITS) + (sealed + index & COOKIE_MASK);
    }

    /**
     * The MSS in a cookie that an ACK brought back, in bytes; {@link #INVALID} if it is none.
     *
     * @param cookie SEG.ACK - 1
     * @param irs SEG.SEQ - 1
     */
    int mss(
            long now,
            long localHi,
            long localLo,
            long remoteHi,
            long remoteLo,
            int ports,
            int irs,
            int cookie) {
        boolean ipv4 = IpAddress.isIpv4(remoteHi, remoteLo);
        int open = hash(localHi, localLo, remoteHi, remoteLo, ports, 0, 0);
        int inner = cookie - open - irs;
        int age = count(now) - (inner >>> COOKIE_BITS) & -1 >>> COOKIE_BITS;
        if (age >= MAX_AGE) {
            return INVALID;
        }
        int count = count(now) - age;
        int sealed = hash(localHi, localLo, remoteHi, remoteLo, ports, count, 1);
        int index = inner - sealed & COOKIE_MASK;
        return index > 3 ? INVALID : mss(index, ipv4);
    }

    private static int count(long now) {
        return (int) (now / PERIOD_NANOS);
    }

    // ---- options in the timestamp ------------------------------------------------------------

    /**
     * The clock with the low bits replaced, and not beyond what it was.
     *
     * @param clock the reading of our timestamp clock, without the connection's offset
     * @param windowScale the peer's; -1 if it offered none
     */
    static int timestamp(int clock, int windowScale, boolean sack, boolean ecn) {
        int options =
                (windowScale < 0 ? NO_WINDOW_SCALE : windowScale & WINDOW_SCALE_MASK)
                        | (sack ? SACK : 0)
                        | (ecn ? ECN : 0);
        int stamp = clock & ~OPTION_MASK | options;
        return stamp - clock > 0 ? stamp - (1 << OPTION_BITS) : stamp;
    }

    /** The peer's window scale in a timestamp of ours that came back; -1 if it offered none. */
    static int windowScale(int echoed) {
        int scale = echoed & WINDOW_SCALE_MASK;
        return scale == NO_WINDOW_SCALE ? -1 : scale;
    }

    static boolean sack(int echoed) {
        return (echoed & SACK) != 0;
    }

    static boolean ecn(int echoed) {
        return (echoed & ECN) != 0;
    }
}
