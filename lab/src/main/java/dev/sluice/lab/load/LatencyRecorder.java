package dev.sluice.lab.load;

import org.HdrHistogram.Histogram;

/**
 * Latencies in a histogram that keeps three significant digits from a nanosecond to an hour,
 * whatever their number (HdrHistogram).
 *
 * <p>Not safe for use by several threads.
 */
public final class LatencyRecorder {
    private static final long HIGHEST_NANOS = 3_600_000_000_000L;
    private static final int DIGITS = 3;

    private final Histogram histogram = new Histogram(HIGHEST_NANOS, DIGITS);

    /** A recorder that has seen nothing. */
    public LatencyRecorder() {}

    /** Records one latency; more than an hour counts as an hour. */
    public void record(long nanos) {
        histogram.recordValue(Math.min(nanos, HIGHEST_NANOS));
    }

    /** How many were recorded. */
    public long count() {
        return histogram.getTotalCount();
    }

    /**
     * The latency that {@code percentile} percent of those recorded do not exceed, nanoseconds,
     * rounded up to three digits; 0 if there are none.
     */
    public long atPercentile(double percentile) {
        return count() == 0 ? 0 : histogram.getValueAtPercentile(percentile);
    }

    Histogram histogram() {
        return histogram;
    }
}
