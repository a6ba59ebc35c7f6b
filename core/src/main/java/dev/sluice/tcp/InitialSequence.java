package dev.sluice.tcp;

/**
 * Initial sequence numbers: a clock plus a keyed hash of the connection's addresses (RFC 6528,
 * B-10.13), so that they rise for one address pair and cannot be guessed for another.
 */
final class InitialSequence {
    private final long key0;
    private final long key1;

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

    /** SipHash-2-4 shape over five words: short, keyed, and the same on every JVM. */
    private long hash(long a, long b, long c, long d, long e) {
        long v0 = key0 ^ 0x736f6d6570736575L;
        long v1 = key1 ^ 0x646f72616e646f6dL;
        long v2 = key0 ^ 0x6c7967656e657261L;
        long v3 = key1 ^ 0x7465646279746573L;
        for (int i = 0; i < 6; i++) {
            long m =
                    switch (i) {
                        case 0 -> a;
                        case 1 -> b;
                        case 2 -> c;
                        case 3 -> d;
                        case 4 -> e;
                        default -> 40L << 56;
                    };
            v3 ^= m;
            for (int round = 0; round < 2; round++) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= m;
        }
        v2 ^= 0xff;
        for (int round = 0; round < 4; round++) {
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
}
