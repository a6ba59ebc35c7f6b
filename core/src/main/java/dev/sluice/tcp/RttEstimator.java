package dev.sluice.tcp;

/**
 * SRTT, RTTVAR and RTO as Linux computes them, in nanoseconds, and the minimum RTT (B-4.1, B-4.2;
 * RFC 6298 with a floor on the variance term instead of on the sum).
 */
final class RttEstimator {
    /** RTO before the first sample (RFC 6298 section 2.1). */
    static final long INITIAL_RTO_NANOS = 1_000_000_000L;

    private static final long UNKNOWN = Long.MAX_VALUE;
    private static final int MAX_BACKOFF = 32;

    /** RTO in force, backed off; what the RETRANSMIT timer is armed with. */
    long rtoNanos = INITIAL_RTO_NANOS;

    /** How often the RTO was doubled since the last valid sample. */
    byte backoff;

    /** The variance term V of RTO = SRTT + V, which contains the factor of four; 0 if unknown. */
    long rttVarNanos;

    // Scaled as in Jacobson's algorithm: eight times SRTT, four times the mean deviation.
    private long srttTimes8;
    private long deviationTimes4;

    /** Largest deviation in the current round. */
    private long roundMaximum;

    /** SND.NXT when the current round began, low 32 bits. */
    private int roundEnd;

    // Minimum over the last one to two halves of the window.
    private long currentMinimum = UNKNOWN;
    private long previousMinimum = UNKNOWN;
    private long halfStartNanos;

    /** SRTT; 0 if unknown. */
    long srttNanos() {
        return srttTimes8 >> 3;
    }

    /** Mean deviation of the RTT ({@code tcpi_rttvar}); 0 if unknown. */
    long deviationNanos() {
        return deviationTimes4 >> 2;
    }

    /** Minimum RTT of the filter window; 0 if unknown. */
    long minRttNanos() {
        long minimum = Math.min(currentMinimum, previousMinimum);
        return minimum == UNKNOWN ? 0 : minimum;
    }

    /**
     * A sample of data sent once, or by timestamp. Computes the RTO and ends the back-off.
     *
     * @param rttNanos at least 0
     */
    void sample(long rttNanos, long sndUna, long sndNxt, long rtoMinNanos, long rtoMaxNanos) {
        if (srttTimes8 == 0) {
            srttTimes8 = rttNanos << 3;
            deviationTimes4 = rttNanos << 1;
            rttVarNanos = Math.max(deviationTimes4, rtoMinNanos);
            roundMaximum = rttVarNanos;
            roundEnd = (int) sndNxt;
        } else {
            smooth(rttNanos);
            if (deviationTimes4 > roundMaximum) {
                roundMaximum = deviationTimes4;
                rttVarNanos = Math.max(rttVarNanos, roundMaximum);
            }
            if ((int) sndUna - roundEnd > 0) {
                if (roundMaximum < rttVarNanos) {
                    rttVarNanos -= rttVarNanos - roundMaximum >> 2;
                }
                roundEnd = (int) sndNxt;
                roundMaximum = rtoMinNanos;
            }
        }
        srttTimes8 = Math.max(srttTimes8, 1);
        clearBackoff(rtoMaxNanos);
    }

    private void smooth(long rttNanos) {
        long error = rttNanos - (srttTimes8 >> 3);
        srttTimes8 += error;
        long change;
        if (error < 0) {
            // A falling RTT must not raise the RTO: the increase counts an eighth.
            change = -error - (deviationTimes4 >> 2);
            if (change > 0) {
                change >>= 3;
            }
        } else {
            change = error - (deviationTimes4 >> 2);
        }
        deviationTimes4 += change;
    }

    /** Feeds the minimum filter, whose window is {@code windowNanos} (tcp_min_rtt_wlen). */
    void sampleMinimum(long now, long rttNanos, long windowNanos) {
        if (currentMinimum == UNKNOWN) {
            halfStartNanos = now;
        } else if (now - halfStartNanos > windowNanos >> 1) {
            boolean bothOld = now - halfStartNanos > windowNanos;
            previousMinimum = bothOld ? UNKNOWN : currentMinimum;
            currentMinimum = UNKNOWN;
            halfStartNanos = now;
        }
        currentMinimum = Math.min(currentMinimum, Math.max(rttNanos, 1));
    }

    /**
     * The timer expired: doubles the RTO up to the ceiling and answers it (RFC 6298 section 5.5).
     */
    long backOff(long rtoMaxNanos) {
        if (backoff < MAX_BACKOFF) {
            backoff++;
        }
        rtoNanos = Math.min(rtoNanos << 1, rtoMaxNanos);
        return rtoNanos;
    }

    /** RTO from the estimate, without back-off. */
    void clearBackoff(long rtoMaxNanos) {
        backoff = 0;
        if (srttTimes8 == 0) {
            rtoNanos = Math.min(INITIAL_RTO_NANOS, rtoMaxNanos);
        } else {
            rtoNanos = Math.min((srttTimes8 >> 3) + rttVarNanos, rtoMaxNanos);
        }
    }
}
