package dev.sluice.runtime.device;

/**
 * What a {@link Cable} is like. Starts from {@link #named} and is made to measure by the {@code
 * with} methods.
 *
 * @param name of the cable; its ends are called {@code NAME-a} and {@code NAME-b}
 * @param mtu largest IP packet on the cable, bytes
 * @param offload super-packets of up to 64 KiB cross whole and nobody computes checksums; else
 *     every packet is complete and no larger than the MTU
 * @param bitsPerSecond how fast each direction takes packets; 0 for no limit
 * @param queueBytes how much may wait for the line in each direction before packets are dropped;
 *     only with a rate
 * @param delayNanos how long a packet travels, each way, nanoseconds
 * @param lossPerBillion how many of 10^9 packets are lost, at random; a super-packet is one packet
 * @param seed of the losses: the same packets of each direction are lost in every run
 */
public record CableSpec(
        String name,
        int mtu,
        boolean offload,
        long bitsPerSecond,
        long queueBytes,
        long delayNanos,
        int lossPerBillion,
        long seed) {
    public static final int DEFAULT_MTU = 1500;
    public static final int MIN_MTU = 1280;
    public static final int MAX_MTU = 65_535;

    /** About what a Linux interface lets wait: 1,000 packets of 1,500 bytes. */
    public static final long DEFAULT_QUEUE_BYTES = 1_500_000;

    public static final int BILLION = 1_000_000_000;

    /** A day: longer is a mistake of the unit. */
    private static final long MAX_DELAY_NANOS = 86_400L * BILLION;

    private static final long MAX_RATE = 1_000_000_000_000L;
    private static final long MAX_QUEUE_BYTES = 1L << 30;

    public CableSpec {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a cable has a name");
        }
        check("the MTU of a cable", mtu, MIN_MTU, MAX_MTU, "bytes");
        check("the rate of a cable", bitsPerSecond, 0, MAX_RATE, "bit/s");
        check("the queue of a cable", queueBytes, mtu, MAX_QUEUE_BYTES, "bytes");
        check("the delay of a cable", delayNanos, 0, MAX_DELAY_NANOS, "ns");
        check("the loss of a cable", lossPerBillion, 0, BILLION, "per 10^9 packets");
    }

    private static void check(String what, long value, long least, long most, String unit) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "%s is %d to %d %s, not %d".formatted(what, least, most, unit, value));
        }
    }

    /** A perfect cable: MTU 1500, super-packets, no limit, no delay, no loss. */
    public static CableSpec named(String name) {
        return new CableSpec(name, DEFAULT_MTU, true, 0, DEFAULT_QUEUE_BYTES, 0, 0, 1);
    }

    public CableSpec withMtu(int bytes) {
        return new CableSpec(
                name, bytes, offload, bitsPerSecond, queueBytes, delayNanos, lossPerBillion, seed);
    }

    /** Packets of the MTU with real checksums instead of super-packets. */
    public CableSpec plain() {
        return new CableSpec(
                name, mtu, false, bitsPerSecond, queueBytes, delayNanos, lossPerBillion, seed);
    }

    /** A line of that rate with that much room in front of it, in each direction. */
    public CableSpec withRate(long newBitsPerSecond, long newQueueBytes) {
        return new CableSpec(
                name,
                mtu,
                offload,
                newBitsPerSecond,
                newQueueBytes,
                delayNanos,
                lossPerBillion,
                seed);
    }

    public CableSpec withDelay(long nanos) {
        return new CableSpec(
                name, mtu, offload, bitsPerSecond, queueBytes, nanos, lossPerBillion, seed);
    }

    public CableSpec withLoss(int perBillion, long newSeed) {
        return new CableSpec(
                name, mtu, offload, bitsPerSecond, queueBytes, delayNanos, perBillion, newSeed);
    }
}
