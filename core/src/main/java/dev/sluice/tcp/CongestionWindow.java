package dev.sluice.tcp;

/**
 * The congestion window and what outlives a burst: threshold, reordering seen, RACK's step (B-4.4).
 *
 * <p>Kept by every connection for its whole life, so it has few fields. Counts are in segments.
 */
final class CongestionWindow {
    /** No reduction yet. */
    static final int INFINITE_SSTHRESH = Integer.MAX_VALUE;

    /** Largest window, in segments: keeps products inside a long. */
    static final int MAX_CWND = 1 << 22;

    private static final int MAX_RACK_STEPS = 255;
    private static final int RACK_RECOVERIES = 16;

    /** cwnd. */
    int cwnd;

    /** ssthresh. */
    int ssthresh = INFINITE_SSTHRESH;

    /** Acknowledged segments not yet turned into growth (Linux {@code snd_cwnd_cnt}). */
    int cwndCnt;

    /** Segments delivered since the connection began ({@code tcpi_delivered}). */
    int delivered;

    /** Those of them whose ACK reported congestion ({@code tcpi_delivered_ce}). */
    int deliveredCe;

    /** Segments reported as duplicates ({@code tcpi_dsack_dups}). */
    int dsackDups;

    /** DupThresh: how far reordering was seen ({@code tcpi_reordering}). */
    int reordering;

    /** How often reordering was seen ({@code tcpi_reord_seen}). */
    int reordSeen;

    private byte rackSteps = 1;
    private byte rackRecoveries;

    /**
     * @param initialCwnd initial window (RFC 6928)
     * @param initialReordering tcp_reordering
     */
    CongestionWindow(int initialCwnd, int initialReordering) {
        cwnd = initialCwnd;
        reordering = initialReordering;
    }

    CongestionWindow() {
        this(10, 3);
    }

    boolean inSlowStart() {
        return cwnd < ssthresh;
    }

    /** What to go back to after an interruption: ssthresh, or three quarters of the window. */
    int currentSsthresh() {
        return Math.max(ssthresh, (cwnd >> 1) + (cwnd >> 2));
    }

    /**
     * The window after an idle time without anything in flight: half of it per RTO, not below the
     * restart window (RFC 5681 section 4.1, B-4.11).
     */
    void restartAfterIdle(long idleNanos, long rtoNanos, int initialCwnd) {
        int restart = Math.min(initialCwnd, cwnd);
        ssthresh = currentSsthresh();
        int window = cwnd;
        for (long left = idleNanos - rtoNanos; left > 0 && window > restart; left -= rtoNanos) {
            window >>= 1;
        }
        cwnd = Math.max(window, restart);
    }

    /**
     * Remembers reordering over a distance in bytes.
     *
     * @return whether DupThresh grew
     */
    boolean noteReordering(long distance, int mss, int maxReordering) {
        boolean grew = distance > (long) reordering * mss;
        if (grew) {
            reordering = (int) Math.min((distance + mss - 1) / mss, maxReordering);
        }
        reordSeen++;
        return grew;
    }

    /** RACK's window in quarters of the minimum RTT (RFC 8985 section 6.2, step 4). */
    int rackSteps() {
        return rackSteps & 0xff;
    }

    /** D-SACKs show that losses were declared too early: wait longer for 16 recoveries. */
    void widenRack() {
        rackSteps = (byte) Math.min(MAX_RACK_STEPS, rackSteps() + 1);
        rackRecoveries = RACK_RECOVERIES;
    }

    /** Without D-SACK for long enough, back to a quarter. */
    void settleRack() {
        if (rackRecoveries == 0) {
            rackSteps = 1;
        }
    }

    /** A recovery ended without proof that it was needless. */
    void rackRecoveryEnded() {
        if (rackRecoveries > 0) {
            rackRecoveries--;
        }
    }

    /** A recovery was undone by D-SACK: remember for one more. */
    void rackRecoveryUndone() {
        if (rackRecoveries < RACK_RECOVERIES) {
            rackRecoveries++;
        }
    }
}
