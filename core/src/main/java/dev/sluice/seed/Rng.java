package dev.sluice.seed;

import java.nio.charset.StandardCharsets;

/**
 * A seeded random number generator that gives the same numbers on every JDK and machine.
 *
 * <p>The algorithm is SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
 * Generators", OOPSLA 2014): a 64-bit state advanced by the golden ratio constant and mixed by the
 * 64-bit finaliser known as variant 13. It is not for secrets.
 *
 * <p>A consumer never shares a generator with another one; it {@linkplain #split splits} its own by
 * name. A split depends on the parent's seed and on the label only, neither on how much the parent
 * has been used nor on other splits, so that adding a consumer leaves the numbers of the others
 * alone.
 *
 * <p>Not safe for use by several threads.
 */
public final class Rng {
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
    private static final long FNV_OFFSET = 0xCBF29CE484222325L;
    private static final long FNV_PRIME = 0x100000001B3L;

    private final long seed;
    private long state;

    public Rng(long seed) {
        this.seed = seed;
        this.state = seed;
    }

    /** What this generator was made from; a new one made from it repeats the same numbers. */
    public long seed() {
        return seed;
    }

    /**
     * A generator of its own for the consumer called {@code label}.
     *
     * <p>The child's seed is {@code mix(mix(seed + gamma) ^ hash(label))} with the 64-bit FNV-1a
     * hash of the label's UTF-8 bytes.
     */
    public Rng split(String label) {
        return new Rng(mix(mix(seed + GOLDEN_GAMMA) ^ hash(label)));
    }

    /** The {@code index}-th of several consumers that share a name. */
    public Rng split(String label, long index) {
        return new Rng(mix(split(label).seed + GOLDEN_GAMMA * (index + 1)));
    }

    /** All 64 bits random. */
    public long nextLong() {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    /** All 32 bits random: the upper half of a {@link #nextLong()}. */
    public int nextInt() {
        return (int) (nextLong() >>> 32);
    }

    /**
     * A number from 0 to {@code bound - 1}, each equally likely (Lemire's multiplication with
     * rejection).
     *
     * @throws IllegalArgumentException if {@code bound} is not positive
     */
    public int nextInt(int bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException("bound must be positive, not " + bound);
        }
        long product = (nextInt() & 0xFFFF_FFFFL) * bound;
        int low = (int) product;
        if (Integer.compareUnsigned(low, bound) < 0) {
            // The first (2^32 mod bound) products of each bucket are one too many.
            int surplus = Integer.remainderUnsigned(-bound, bound);
            while (Integer.compareUnsigned(low, surplus) < 0) {
                product = (nextInt() & 0xFFFF_FFFFL) * bound;
                low = (int) product;
            }
        }
        return (int) (product >>> 32);
    }

    /**
     * A number from 0 to {@code bound - 1}, each equally likely.
     *
     * @throws IllegalArgumentException if {@code bound} is not positive
     */
    public long nextLong(long bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException("bound must be positive, not " + bound);
        }
        long draw = nextLong();
        long low = draw * bound;
        if (Long.compareUnsigned(low, bound) < 0) {
            long surplus = Long.remainderUnsigned(-bound, bound);
            while (Long.compareUnsigned(low, surplus) < 0) {
                draw = nextLong();
                low = draw * bound;
            }
        }
        return Math.unsignedMultiplyHigh(draw, bound);
    }

    /**
     * A number from {@code low} to {@code high}, both included.
     *
     * @throws IllegalArgumentException if {@code low > high}
     */
    public int between(int low, int high) {
        return (int) between((long) low, (long) high);
    }

    /**
     * A number from {@code low} to {@code high}, both included.
     *
     * @throws IllegalArgumentException if {@code low > high} or the range holds more than 2^63 - 1
     *     numbers
     */
    public long between(long low, long high) {
        long span = high - low + 1;
        if (low > high || span <= 0) {
            throw new IllegalArgumentException("no range from " + low + " to " + high);
        }
        return low + nextLong(span);
    }

    /** A fair coin. */
    public boolean nextBoolean() {
        return nextLong() < 0;
    }

    /**
     * True in {@code numerator} of {@code denominator} cases. Ratios are integers so that a
     * probability is exact and prints as it was given; one number is drawn whatever the ratio.
     *
     * @throws IllegalArgumentException unless {@code 0 <= numerator <= denominator} and {@code
     *     denominator > 0}
     */
    public boolean chance(long numerator, long denominator) {
        if (denominator <= 0 || numerator < 0 || numerator > denominator) {
            throw new IllegalArgumentException(
                    "no probability: " + numerator + " of " + denominator);
        }
        return nextLong(denominator) < numerator;
    }

    private static long mix(long value) {
        long mixed = value;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    private static long hash(String label) {
        long hash = FNV_OFFSET;
        for (byte octet : label.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (octet & 0xFF)) * FNV_PRIME;
        }
        return hash;
    }
}
