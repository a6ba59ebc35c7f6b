package dev.sluice.tcp.congestion;

/**
 * Finds the end of slow start before losses do (B-5.3): Linux's HyStart, or HyStart++ of RFC 9406.
 *
 * <p>Both watch the minimum RTT of each round trip; the first also watches how long a train of
 * closely spaced ACKs lasts and leaves slow start at once, the second tests its suspicion in
 * Conservative Slow Start.
 */
final class HyStart {
    /** Which rule is in force. */
    enum Mode {
        OFF,
        /** ACK train and delay increase, as in Linux. */
        CLASSIC,
        /** RFC 9406. */
        PLUS_PLUS
    }

    private static final long MILLI = 1_000_000L;
    private static final int LOW_WINDOW = 16;
    private static final int ROUND_SAMPLES = 8;
    private static final long TRAIN_GAP_NANOS = 2 * MILLI;
    private static final long DELAY_MIN_NANOS = 4 * MILLI;
    private static final long DELAY_MAX_NANOS = 16 * MILLI;
    private static final int CONSERVATIVE_DIVISOR = 4;
    private static final int CONSERVATIVE_ROUNDS = 5;
    private static final int UNPACED_LIMIT = 8;
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final Mode mode;
    private boolean found;
    private boolean roundOpen;
    private long roundEnd;
    private long roundStartNanos;
    private long lastAckNanos;
    private long roundMinimum = UNKNOWN;
    private long previousMinimum = UNKNOWN;
    private int samples;

    /** Minimum RTT when Conservative Slow Start began; {@link #UNKNOWN} outside of it. */
    private long baseline = UNKNOWN;

    private int conservativeRounds;
    private int conservativeAcked;

    HyStart(Mode mode) {
        this.mode = mode;
    }

    /** After a timeout: slow start begins again. */
    void reset() {
        found = false;
        roundOpen = false;
        roundMinimum = UNKNOWN;
        previousMinimum = UNKNOWN;
        baseline = UNKNOWN;
        conservativeRounds = 0;
        conservativeAcked = 0;
    }

    /**
     * An ACK with an RTT sample arrived in slow start; may set {@code view.ssthresh}.
     *
     * @param delayMinimum the lowest RTT the connection has seen
     */
    void onAck(CongestionView view, long rttNanos, long delayMinimum) {
        if (mode == Mode.OFF || found || mode == Mode.PLUS_PLUS && !isInitial(view)) {
            return;
        }
        if (!roundOpen || view.sndUna > roundEnd) {
            beginRound(view);
        }
        if (mode == Mode.PLUS_PLUS) {
            suspect(view, rttNanos);
        } else if (view.cwnd >= LOW_WINDOW) {
            watchTrain(view, delayMinimum);
            watchDelay(view, rttNanos, delayMinimum);
        }
    }

    /** How much of {@code acked} counts for slow start. */
    int slowStartCredit(CongestionView view, int acked) {
        if (mode != Mode.PLUS_PLUS || !isInitial(view)) {
            return acked;
        }
        int limited = view.paced ? acked : Math.min(acked, UNPACED_LIMIT);
        if (baseline == UNKNOWN) {
            return limited;
        }
        conservativeAcked += limited;
        int credit = conservativeAcked / CONSERVATIVE_DIVISOR;
        conservativeAcked %= CONSERVATIVE_DIVISOR;
        return credit;
    }

    /** RFC 9406 is for the first slow start: later ones have a threshold that means something. */
    private static boolean isInitial(CongestionView view) {
        return view.ssthresh == Integer.MAX_VALUE;
    }

    private void beginRound(CongestionView view) {
        roundOpen = true;
        roundEnd = view.sndNxt;
        roundStartNanos = view.nowNanos;
        lastAckNanos = view.nowNanos;
        previousMinimum = roundMinimum;
        roundMinimum = UNKNOWN;
        samples = 0;
        if (baseline != UNKNOWN && ++conservativeRounds > CONSERVATIVE_ROUNDS) {
            leave(view, CongestionView.EXIT_BY_DELAY);
        }
    }

    private void watchTrain(CongestionView view, long delayMinimum) {
        long now = view.nowNanos;
        if (now - lastAckNanos > TRAIN_GAP_NANOS) {
            return;
        }
        lastAckNanos = now;
        long threshold = delayMinimum + aggregationDelay(view);
        if (!view.paced) {
            threshold >>= 1;
        }
        if (now - roundStartNanos > threshold) {
            leave(view, CongestionView.EXIT_BY_TRAIN);
        }
    }

    private static long aggregationDelay(CongestionView view) {
        if (view.pacingRate <= 0) {
            return 0;
        }
        long burst = view.maxSuperSegment * 4L * 1_000_000_000L / view.pacingRate;
        return Math.min(MILLI, burst);
    }

    private void watchDelay(CongestionView view, long rttNanos, long delayMinimum) {
        if (found) {
            return;
        }
        roundMinimum = Math.min(roundMinimum, rttNanos);
        if (samples < ROUND_SAMPLES) {
            samples++;
        } else if (roundMinimum > delayMinimum + delayThreshold(delayMinimum)) {
            leave(view, CongestionView.EXIT_BY_DELAY);
        }
    }

    private static long delayThreshold(long minimum) {
        return Math.min(Math.max(minimum >> 3, DELAY_MIN_NANOS), DELAY_MAX_NANOS);
    }

    /** RFC 9406 section 4.2. */
    private void suspect(CongestionView view, long rttNanos) {
        if (found) {
            return;
        }
        roundMinimum = Math.min(roundMinimum, rttNanos);
        samples++;
        if (samples < ROUND_SAMPLES || previousMinimum == UNKNOWN) {
            return;
        }
        if (baseline == UNKNOWN) {
            if (roundMinimum >= previousMinimum + delayThreshold(previousMinimum)) {
                baseline = roundMinimum;
                conservativeRounds = 0;
                conservativeAcked = 0;
            }
        } else if (roundMinimum < baseline) {
            baseline = UNKNOWN;
        }
    }

    private void leave(CongestionView view, int reason) {
        if (found) {
            return;
        }
        found = true;
        baseline = UNKNOWN;
        view.ssthresh = view.cwnd;
        view.slowStartExit = reason;
    }
}
