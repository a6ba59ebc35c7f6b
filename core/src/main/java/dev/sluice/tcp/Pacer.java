package dev.sluice.tcp;

/**
 * The pacing rate and the earliest departure of the next segment (B-2.12).
 *
 * <p>The rate is always computed, because super-segments are sized by it; departures are delayed
 * only if the application set a maximum rate or the controller asks for it.
 */
final class Pacer {
    /** No limit. */
    static final long UNLIMITED = Long.MAX_VALUE;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int UNPACED_SEGMENTS = 10;

    /** Bytes per second; 0 before the first sample of the RTT. */
    long rateBytesPerSecond;

    /** Whether departures are delayed at all. */
    boolean enforced;

    private long nextDeparture = Long.MIN_VALUE;

    void reset() {
        rateBytesPerSecond = 0;
        enforced = false;
        nextDeparture = Long.MIN_VALUE;
    }

    /**
     * Recomputes the rate: ratio * mss * max(cwnd, packetsOut) / SRTT.
     *
     * @param ratioPercent tcp_pacing_ss_ratio or tcp_pacing_ca_ratio
     * @param maxRate SO_MAX_PACING_RATE in bytes per second
     */
    void update(int ratioPercent, int mss, int segments, long srttNanos, long maxRate) {
        if (srttNanos > 0) {
            long bytes = (long) mss * segments * ratioPercent / 100;
            rateBytesPerSecond = Math.min(perSecond(Math.max(bytes, 1), srttNanos), maxRate);
        } else if (rateBytesPerSecond > maxRate) {
            rateBytesPerSecond = maxRate;
        }
    }

    /** Earliest time the next segment may leave; at or before now means at once. */
    long earliestDeparture() {
        return enforced ? nextDeparture : Long.MIN_VALUE;
    }

    /** How long timers have to wait for it as well. */
    long delay(long now) {
        return enforced && nextDeparture > now ? nextDeparture - now : 0;
    }

    /**
     * A packet left: the next one may leave when this one has drained at the pacing rate. Up to
     * half of that repays lateness of the timer.
     *
     * @param dataSegmentsBefore data segments the connection had sent; the first ten are not paced
     */
    void onSent(long now, int bytes, int dataSegmentsBefore) {
        if (!enforced || rateBytesPerSecond == 0 || rateBytesPerSecond == UNLIMITED) {
            return;
        }
        long late = 0;
        if (nextDeparture < now) {
            late = nextDeparture == Long.MIN_VALUE ? 0 : now - nextDeparture;
            nextDeparture = now;
        }
        if (dataSegmentsBefore >= UNPACED_SEGMENTS) {
            long drain = bytes * NANOS_PER_SECOND / rateBytesPerSecond;
            nextDeparture += drain - Math.min(drain / 2, late);
        }
    }

    /** {@code amount / nanos} as a rate per second, without overflow. */
    static long perSecond(long amount, long nanos) {
        if (amount <= Long.MAX_VALUE / NANOS_PER_SECOND) {
            return amount * NANOS_PER_SECOND / nanos;
        }
        return amount / Math.max(1, nanos / 1000) * (NANOS_PER_SECOND / 1000);
    }
}
