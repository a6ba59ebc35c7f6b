package dev.sluice.tcp;

/**
 * Initial sequence numbers: a clock plus a keyed hash of the connection's addresses (RFC 6528,
 * B-10.13), so that they rise for one address pair and cannot be guessed for another.
 */
final class InitialSequence {
    private final long key0;
    private final long key1;
    private final SipHash siphash = new SipHash();

    InitialSequence(long key0, long key1) {
        this.key0 = key0;
        this.key1 = key1;
    }

    /** ISS for a new connection; the clock ticks every 64 ns, as Linux's does. */
    int next(long now, long localHi, long localLo, long remoteHi, long remoteLo, int ports) {
        return (int) hash(localHi, localLo, remoteHi, remoteLo, ports) + (int) (now >>> 6);
    }

    /** Offset of a connection's timestamp clock (RFC 7323 section 5.4). */
    int timestampOffset(long localHi, long localLo, long remoteHi, long remoteLo) {
        return (int) hash(localHi, localLo, remoteHi, remoteLo, 0x7473_6f66);
    }

    private long hash(long a, long b, long c, long d, long e) {
        return siphash.begin(key0, key1).word(a).word(b).word(c).word(d).word(e).finish(40);
    }
}
