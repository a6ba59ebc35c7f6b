package dev.sluice.lab.packetdrill;

/**
 * How far from its scripted time an event may be.
 *
 * @param nanos always allowed
 * @param perMille allowed share of the time since the event before, in thousandths
 */
public record Tolerance(long nanos, int perMille) {
    /** The original tool's: 4 ms or an eighth, whichever is more. */
    public static final Tolerance DEFAULT = new Tolerance(4_000_000L, 125);

    /** 1 ms and no share: for a stack in virtual time, where nothing is late by accident. */
    public static final Tolerance STRICT = new Tolerance(1_000_000L, 0);

    /** Nanoseconds allowed either way for an event expected {@code gapNanos} after another. */
    public long slack(long gapNanos) {
        return Math.max(nanos, Math.max(0, gapNanos) * perMille / 1000);
    }
}
