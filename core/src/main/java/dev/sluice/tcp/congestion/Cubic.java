package dev.sluice.tcp.congestion;

/**
 * CUBIC (RFC 9438) with the specifics of Linux (B-5.2), in integers.
 *
 * <p>Time on the curve is counted in 1/1024 s. The window at time t is {@code C (t - K)^3 + Wmax}
 * with C = 0.4 (410/1024) and a reduction to 717/1024 of the window. Growth is at most half a
 * window per round trip, and at least that of a Reno-like sender.
 */
public final class Cubic implements CongestionController {
    private static final int SCALE_BITS = 10;
    private static final int SCALE = 1 << SCALE_BITS;
    private static final int BETA = 717;
    private static final int C = 410;

    /** Segments per window that a Reno-like sender with our beta adds, inverted and times 8. */
    private static final int RENO_SCALE = 8 * (SCALE + BETA) / 3 / (SCALE - BETA);

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long MIN_UPDATE_NANOS = NANOS_PER_SECOND / 32;
    private static final int SLOWEST = 100;
    private static final int UNKNOWN_MAXIMUM_COUNT = 20;
    private static final int FASTEST_COUNT = 2;

    private final HyStart hyStart;

    /** Segments to be acknowledged for one more of window. */
    private int countPerSegment;

    /** Window before the last reduction, or less after fast convergence. */
    private int lastMaximum;

    private int lastCwnd;
    private long lastUpdateNanos;

    /** Window at the inflection of the curve. */
    private int origin;

    /** Time from the epoch to the inflection, in 1/1024 s. */
    private long k;

    private long delayMinimum;
    private boolean inEpoch;
    private long epochStartNanos;
    private int epochAcked;

    /** What a Reno-like sender would have. */
    private int renoCwnd;

    private int priorCwnd;

    private Cubic(HyStart.Mode mode) {
        hyStart = new HyStart(mode);
    }

    /** CUBIC with the HyStart of Linux, the default there. */
    public static Cubic withHyStart() {
        return new Cubic(HyStart.Mode.CLASSIC);
    }

    /** CUBIC with HyStart++ (RFC 9406). */
    public static Cubic withHyStartPlusPlus() {
        return new Cubic(HyStart.Mode.PLUS_PLUS);
    }

    /** CUBIC that leaves slow start by loss or marks only. */
    public static Cubic withoutHyStart() {
        return new Cubic(HyStart.Mode.OFF);
    }

    @Override
    public String name() {
        return "cubic";
    }

    @Override
    public void start(CongestionView view) {
        reset();
        priorCwnd = 0;
    }

    private void reset() {
        countPerSegment = 0;
        lastMaximum = 0;
        lastCwnd = 0;
        lastUpdateNanos = 0;
        origin = 0;
        k = 0;
        delayMinimum = 0;
        inEpoch = false;
        epochAcked = 0;
        renoCwnd = 0;
        hyStart.reset();
    }

    /** beta times the window; fast convergence lowers Wmax if the window had not regained it. */
    @Override
    public int ssthresh(CongestionView view) {
        int cwnd = view.cwnd;
        inEpoch = false;
        priorCwnd = cwnd;
        lastMaximum =
                cwnd < lastMaximum ? (int) ((long) cwnd * (SCALE + BETA) / (2 * SCALE)) : cwnd;
        return (int) Math.max((long) cwnd * BETA / SCALE, 2);
    }

    @Override
    public void onAck(CongestionView view, AckSample sample) {
        long rtt = sample.rttNanos;
        if (rtt < 0) {
            return;
        }
        // Just after a recovery the queue is not what it was: such samples say little.
        if (inEpoch && view.nowNanos - epochStartNanos < NANOS_PER_SECOND) {
            return;
        }
        rtt = Math.max(rtt, 1);
        if (delayMinimum == 0 || rtt < delayMinimum) {
            delayMinimum = rtt;
        }
        if (view.inSlowStart()) {
            hyStart.onAck(view, rtt, delayMinimum);
        }
    }

    @Override
    public void grow(CongestionView view, int acked) {
        if (!view.mayGrow) {
            return;
        }
        int left = acked;
        if (view.inSlowStart()) {
            int credit = hyStart.slowStartCredit(view, acked);
            left = view.slowStart(credit);
            if (left == 0) {
                return;
            }
        }
        update(view, left);
        view.increase(countPerSegment, left);
    }

    private void update(CongestionView view, int acked) {
        int cwnd = view.cwnd;
        long now = view.nowNanos;
        epochAcked += acked;
        if (inEpoch && lastCwnd == cwnd && now - lastUpdateNanos <= MIN_UPDATE_NANOS) {
            return;
        }
        if (!inEpoch || now != lastUpdateNanos) {
            lastCwnd = cwnd;
            lastUpdateNanos = now;
            if (!inEpoch) {
                beginEpoch(now, cwnd, acked);
            }
            countPerSegment = curveCount(cwnd, target(now));
        }
        countPerSegment = Math.max(Math.min(countPerSegment, renoCount(cwnd)), FASTEST_COUNT);
    }

    private void beginEpoch(long now, int cwnd, int acked) {
        inEpoch = true;
        epochStartNanos = now;
        epochAcked = acked;
        renoCwnd = cwnd;
        if (lastMaximum <= cwnd) {
            k = 0;
            origin = cwnd;
        } else {
            // K = cbrt((Wmax - cwnd) / C), with both sides scaled by 2^10 seconds.
            k = cubeRoot((long) (lastMaximum - cwnd) * ((1L << 4 * SCALE_BITS) / C));
            origin = lastMaximum;
        }
    }

    /** The curve one minimum RTT ahead, in segments. */
    private long target(long now) {
        long elapsed = now - epochStartNanos + delayMinimum;
        long t = elapsed / NANOS_PER_SECOND * SCALE;
        t += elapsed % NANOS_PER_SECOND * SCALE / NANOS_PER_SECOND;
        // Bounded so that the cube fits; the curve is far above any window by then.
        long distance = Math.min(Math.abs(t - k), 1 << 18);
        long delta = C * distance * distance * distance >> 4 * SCALE_BITS;
        return t < k ? origin - delta : origin + delta;
    }

    private int curveCount(int cwnd, long target) {
        int count;
        if (target > cwnd) {
            count = (int) Math.min(cwnd / (target - cwnd), Integer.MAX_VALUE);
        } else {
            count = (int) Math.min((long) SLOWEST * cwnd, Integer.MAX_VALUE);
        }
        // Without a known maximum the curve starts flat: at least five per cent per round trip.
        return lastMaximum == 0 ? Math.min(count, UNKNOWN_MAXIMUM_COUNT) : count;
    }

    /** The count that keeps up with a Reno-like sender (RFC 9438 section 4.3). */
    private int renoCount(int cwnd) {
        int per = Math.max((int) ((long) cwnd * RENO_SCALE >> 3), 1);
        if (epochAcked > per) {
            int steps = (epochAcked - 1) / per;
            epochAcked -= steps * per;
            renoCwnd += steps;
        }
        return renoCwnd > cwnd ? cwnd / (renoCwnd - cwnd) : Integer.MAX_VALUE;
    }

    @Override
    public int undoCwnd(CongestionView view) {
        return Math.max(view.cwnd, priorCwnd);
    }

    @Override
    public void onEvent(CongestionView view, CongestionEvent event) {
        if (event == CongestionEvent.TRANSMIT_START && inEpoch) {
            // The curve does not run on while nothing is sent.
            long idle = view.nowNanos - view.lastSendNanos;
            if (idle > 0) {
                epochStartNanos = Math.min(epochStartNanos + idle, view.nowNanos);
            }
        }
    }

    @Override
    public void onState(CongestionView view, CongestionState next) {
        if (next == CongestionState.LOSS) {
            reset();
        }
    }

    /** The largest integer whose cube is at most {@code value}. */
    static long cubeRoot(long value) {
        long root = 0;
        for (int bit = 20; bit >= 0; bit--) {
            long candidate = root | 1L << bit;
            if (candidate * candidate * candidate <= value) {
                root = candidate;
            }
        }
        return root;
    }
}
