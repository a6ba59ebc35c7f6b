package dev.sluice.tcp;

import dev.sluice.tcp.congestion.CongestionState;
import dev.sluice.tcp.policy.RecoveryRate;

/**
 * Where the sender stands between smooth sending and repair, what it may send meanwhile, and how to
 * take a reduction back (B-4.7 to B-4.10; RFC 6675, RFC 9937, RFC 5682).
 */
final class Recovery {
    /** No reduction that could be undone. */
    static final long NO_UNDO = -1;

    /** Nothing was retransmitted since the undo marker was set. */
    private static final int NOTHING_RETRANSMITTED = -1;

    CongestionState state;

    /** SND.NXT when the current episode began (RecoveryPoint; Linux {@code high_seq}). */
    long recoveryPoint;

    /** SND.UNA when the reduction began (Linux {@code undo_marker}), or {@link #NO_UNDO}. */
    long undoMarker;

    /** ssthresh before the reduction; 0 if there is no way back (ECN). */
    int priorSsthresh;

    /** cwnd before the reduction. */
    int priorCwnd;

    /** F-RTO is undecided: the timeout may have been spurious. */
    boolean frto;

    /** SACKs are not to be believed until this recovery ends. */
    boolean reneging;

    private int needlessBalance;
    private int prrDelivered;
    private int prrOut;
    private boolean newDataFirst;

    Recovery() {
        reset();
    }

    void reset() {
        state = CongestionState.OPEN;
        recoveryPoint = 0;
        undoMarker = NO_UNDO;
        priorSsthresh = 0;
        priorCwnd = 0;
        frto = false;
        reneging = false;
        needlessBalance = NOTHING_RETRANSMITTED;
        prrDelivered = 0;
        prrOut = 0;
        newDataFirst = false;
    }

    /** Nothing is being repaired, and no late D-SACK could take a reduction back. */
    boolean isQuiet() {
        return state == CongestionState.OPEN && !isCountingNeedless();
    }

    // ---- how much may leave ------------------------------------------------------------------

    /** Segments that may leave now, retransmissions and new data alike; at least 0. */
    int quota(int cwnd, int inFlight) {
        return Math.max(0, cwnd - inFlight);
    }

    /**
     * F-RTO step 2b (B-4.9): before any further retransmission, try to send new data and tell by
     * {@link #newDataTried}. If some left, this flush sends no retransmission.
     */
    boolean newDataFirst() {
        return newDataFirst;
    }

    /** Without new data F-RTO cannot decide, and conventional recovery goes on. */
    void newDataTried(boolean sent) {
        newDataFirst = false;
        if (!sent) {
            frto = false;
        }
    }

    /**
     * F-RTO waits for what becomes of the new data it sent: no retransmission until the next ACK
     * tells (RFC 5682 section 2.1, step 3).
     */
    boolean holdsRetransmissions(long sndNxt) {
        return frto && state == CongestionState.LOSS && sndNxt > recoveryPoint;
    }

    /** Asks for new data before retransmissions. */
    void askForNewData(long sndNxt) {
        recoveryPoint = sndNxt;
        newDataFirst = true;
    }

    /** Something left while the window is being reduced (prr_out of RFC 9937). */
    void onSent(int segments) {
        if (state.isReducing()) {
            prrOut += segments;
        }
    }

    /** Begins to reduce towards {@code ssthresh} (RFC 9937 section 5). */
    void beginReduction(CongestionWindow window, int ssthresh, long sndNxt) {
        recoveryPoint = sndNxt;
        priorCwnd = window.cwnd;
        prrDelivered = 0;
        prrOut = 0;
        window.cwndCnt = 0;
        window.ssthresh = ssthresh;
    }

    /** A timeout begins an episode; nothing sent before it is answered yet. */
    void beginLoss(long sndNxt, boolean maybeSpurious) {
        recoveryPoint = sndNxt;
        frto = maybeSpurious;
        newDataFirst = false;
    }

    /** One ACK of the reduction: sets cwnd (RFC 9937 section 5). */
    void reduce(
            CongestionWindow window,
            RecoveryRate rate,
            int inFlight,
            int delivered,
            int lost,
            boolean unaAdvanced) {
        if (delivered <= 0 || priorCwnd == 0) {
            return;
        }
        prrDelivered += delivered;
        boolean safeAck = unaAdvanced && lost == 0;
        int send =
                rate.segments(
                        inFlight,
                        window.ssthresh,
                        priorCwnd,
                        prrDelivered,
                        prrOut,
                        delivered,
                        safeAck);
        window.cwnd = Math.max(1, inFlight + send);
    }

    /** Ends the reduction: cwnd is where it was to go. */
    void endReduction(CongestionWindow window) {
        boolean reduced = state == CongestionState.CWR || undoMarker != NO_UNDO;
        if (window.ssthresh < CongestionWindow.INFINITE_SSTHRESH && reduced) {
            window.cwnd = window.ssthresh;
        }
    }

    // ---- the way back ------------------------------------------------------------------------

    /** From here on the reduction may turn out needless. */
    void markUndo(long sndUna, int retransOut) {
        undoMarker = sndUna;
        needlessBalance = retransOut > 0 ? retransOut : NOTHING_RETRANSMITTED;
    }

    /** A lost segment was sent again. */
    void onRetransmitted(int segments) {
        needlessBalance = Math.max(0, needlessBalance) + segments;
    }

    /** D-SACKs showed this many retransmissions to have been needless. */
    void onNeedless(int segments) {
        if (undoMarker != NO_UNDO && needlessBalance > 0) {
            needlessBalance = Math.max(0, needlessBalance - segments);
        }
    }

    /** A reduction is marked and D-SACKs can show its retransmissions needless. */
    boolean isCountingNeedless() {
        return undoMarker != NO_UNDO && needlessBalance > 0;
    }

    /** Every retransmission since the marker was needless. */
    boolean allNeedless() {
        return undoMarker != NO_UNDO && needlessBalance == 0;
    }

    /**
     * Whether the reduction may be undone (B-4.10).
     *
     * @param delayed the ACK is of an original transmission: nothing was retransmitted, or the
     *     timestamp echo is older than the first retransmission (RFC 3522)
     */
    boolean mayUndo(boolean delayed) {
        return undoMarker != NO_UNDO && (needlessBalance == 0 || delayed);
    }

    /**
     * Takes the reduction back.
     *
     * @param cwnd what the controller restores
     */
    void undo(CongestionWindow window, int cwnd) {
        if (priorSsthresh != 0) {
            window.cwnd = cwnd;
            window.ssthresh = Math.max(window.ssthresh, priorSsthresh);
        }
        undoMarker = NO_UNDO;
    }
}
