package dev.sluice.tcp.congestion;

/**
 * The values of a sender that a controller may read, refreshed before each call, and the few it may
 * change.
 *
 * <p>Windows and counts are in segments, times in nanoseconds.
 */
public final class CongestionView {
    /** {@link #slowStartExit}: slow start goes on. */
    public static final int NO_EXIT = 0;

    /** {@link #slowStartExit}: a train of ACKs filled the round trip. */
    public static final int EXIT_BY_TRAIN = 1;

    /** {@link #slowStartExit}: the round-trip time rose. */
    public static final int EXIT_BY_DELAY = 2;

    /** Largest congestion window a controller may set. */
    public static final int MAX_CWND = 1 << 22;

    // May be changed by the controller.

    /** Congestion window, at least 1. */
    public int cwnd;

    /** Slow-start threshold; Integer.MAX_VALUE before the first reduction. */
    public int ssthresh;

    /** Acknowledged segments not yet turned into growth. */
    public int cwndCnt;

    /**
     * Bytes per second; may be set by a controller that {@linkplain CongestionController#ownsWindow
     * owns the window}.
     */
    public long pacingRate;

    /** Set by a controller that just ended slow start: one of the constants above. */
    public int slowStartExit;

    /**
     * Set by a controller that holds back on purpose: rate samples of what is in flight now say
     * nothing about the path, as if the application had been the limit.
     */
    public boolean markAppLimited;

    // Read only.

    public long nowNanos;

    /** Smoothed RTT; 0 if unknown. */
    public long srttNanos;

    /** Minimum RTT; 0 if unknown. */
    public long minRttNanos;

    public long sndUna;
    public long sndNxt;

    /** Payload bytes of a full segment. */
    public int mss;

    public int packetsOut;
    public int inFlight;

    /** Delivered since the connection began. */
    public int delivered;

    /**
     * How many of these are known to have been marked: with accurate ECN exactly, else what came
     * under an ACK with ECE.
     */
    public int deliveredCe;

    /**
     * The same count as {@link AckSample#priorDelivered} uses, which tells round trips: what was
     * sent when this many were delivered is of the round that began there.
     */
    public long deliveredTotal;

    /** ECN was negotiated. */
    public boolean ecn;

    /** When data was last sent. */
    public long lastSendNanos;

    /** The window was the limit lately, so it may grow (B-4.11). */
    public boolean mayGrow;

    /** The window was the limit at some point of the last round trip. */
    public boolean cwndLimited;

    /** Rate samples say how much the application has to send now. */
    public boolean appLimited;

    /** The peer reports SACK blocks: more than one loss per round trip can be found. */
    public boolean selectiveAcks;

    /** Initial congestion window (RFC 6928). */
    public int initialCwnd;

    /** A number that differs from connection to connection, for a controller that throws dice. */
    public long seed;

    /** Departures are paced. */
    public boolean paced;

    /** Bytes of the largest super-segment. */
    public int maxSuperSegment;

    public CongestionState state = CongestionState.OPEN;

    /** A view of nothing yet. */
    public CongestionView() {}

    public boolean inSlowStart() {
        return cwnd < ssthresh;
    }

    /**
     * Slow start: a segment for each one acknowledged, up to ssthresh (RFC 5681 section 3.1, with
     * byte counting without limit, B-5.1).
     *
     * @return what is left for congestion avoidance
     */
    public int slowStart(int acked) {
        int target = (int) Math.min((long) cwnd + acked, Math.min(ssthresh, MAX_CWND));
        int left = acked - (target - cwnd);
        cwnd = target;
        return left;
    }

    /** Additive increase: one segment for every {@code per} acknowledged. */
    public void increase(int per, int acked) {
        if (cwndCnt >= per) {
            // The window shrank or the rate rose since: what was saved counts once.
            cwndCnt = 0;
            cwnd++;
        }
        cwndCnt += acked;
        if (cwndCnt >= per) {
            int grown = cwndCnt / per;
            cwndCnt -= grown * per;
            cwnd += grown;
        }
        cwnd = Math.min(cwnd, MAX_CWND);
    }
}
