package dev.sluice.tcp.congestion;

/**
 * What one ACK told the sender. Filled for every ACK and reused; a controller must not keep it.
 *
 * <p>Counts are in segments, times in nanoseconds.
 */
public final class AckSample {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** Segments newly delivered, SACKed ones included. */
    public int delivered;

    /** Segments newly taken as lost. */
    public int lost;

    /** Segments cumulatively acknowledged. */
    public int acked;

    /**
     * RTT of the segment delivered last, never from one that was retransmitted unless timestamps
     * tell; -1 if unknown.
     */
    public long rttNanos;

    /** In flight before the ACK. */
    public int priorInFlight;

    /** SND.UNA moved. */
    public boolean advanced;

    /** The ACK reports congestion marks: ECE, or a larger count with accurate ECN. */
    public boolean ecnEcho;

    /** Delivered over {@link #rateIntervalNanos}; -1 if there is no rate sample. */
    public int rateDelivered;

    /** Time in which that was delivered; -1 if there is no valid rate sample. */
    public long rateIntervalNanos;

    /** Count of delivered segments when the acknowledged segment was sent; -1 if unknown. */
    public long priorDelivered;

    /** The rate says how much the application had to send, not what the path can take. */
    public boolean rateAppLimited;

    /** The acknowledged segment had been retransmitted. */
    public boolean rateRetransmitted;

    /**
     * In flight just after the acknowledged segment was sent, itself among it; 0 if there is no
     * rate sample.
     */
    public int txInFlight;

    /** Taken as lost since the acknowledged segment was sent; 0 if there is no rate sample. */
    public int lostSinceSent;

    /** A sample of nothing yet. */
    public AckSample() {}

    /**
     * The delivery rate.
     *
     * @param mss payload bytes of a full segment
     * @return bytes per second; 0 if there is no valid rate sample
     */
    public long bytesPerSecond(int mss) {
        if (rateIntervalNanos <= 0 || rateDelivered <= 0) {
            return 0;
        }
        return scale((long) rateDelivered * mss, NANOS_PER_SECOND, rateIntervalNanos);
    }

    /** {@code a * b / divisor}, of numbers that are not negative and whose product may be large. */
    static long scale(long a, long b, long divisor) {
        if (Math.multiplyHigh(a, b) == 0 && a * b >= 0) {
            return a * b / divisor;
        }
        // Exactness would take 128 bits; the error is below one part in a million.
        return scale(Math.max(a, b) >> 10, Math.min(a, b), Math.max(1, divisor >> 10));
    }
}
