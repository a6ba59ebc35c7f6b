package dev.sluice.tcp;

/**
 * SipHash-2-4 over 64-bit words (Aumasson and Bernstein, 2012): the keyed hash behind initial
 * sequence numbers and the cookies of Fast Open and of SYN floods. A flyweight: {@link #begin},
 * {@link #word} for each eight bytes, {@link #finish}.
 */
final class SipHash {
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    SipHash begin(long key0, long key1) {
        v0 = key0 ^ 0x736f6d6570736575L;
        v1 = key1 ^ 0x646f72616e646f6dL;
        v2 = key0 ^ 0x6c7967656e657261L;
        v3 = key1 ^ 0x7465646279746573L;
        return this;
    }

    /** The next eight bytes, the first of them least significant. */
    SipHash word(long m) {
        v3 ^= m;
        round();
        round();
        v0 ^= m;
        return this;
    }

    /**
     * @param bytes the length of the message, a multiple of eight
     */
    long finish(int bytes) {
        word((long) bytes << 56);
        v2 ^= 0xff;
        round();
        round();
        round();
        round();
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
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
}
