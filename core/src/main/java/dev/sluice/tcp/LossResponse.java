package dev.sluice.tcp;

import dev.sluice.tcp.congestion.CongestionEvent;
import dev.sluice.tcp.congestion.CongestionState;
import dev.sluice.tcp.congestion.CongestionView;
import dev.sluice.tcp.congestion.LostSegments;
import dev.sluice.tcp.policy.RecoveryRate;
import dev.sluice.trace.Counter;

/**
 * What the sender does about ACKs that are not plain progress: the moves between {@link
 * CongestionState}s, reductions, and taking them back (B-4.6 to B-4.10).
 *
 * <p>The second half of {@link AckArrives}. Between calls it keeps no state of any connection.
 */
final class LossResponse {
    private static final long RENEGING_WAIT_NANOS = 10_000_000L;

    // Causes of StackObserver.lossMarked.
    private static final int BY_RACK = 0;
    private static final int BY_DUPLICATES = 1;
    private static final int BY_TIMEOUT = 2;
    private static final int BY_RENEGING = 3;

    private final RecoveryRate rate;
    private final CongestionView view = new CongestionView();
    private final LostSegments lost = new LostSegments();

    LossResponse(RecoveryRate rate) {
        this.rate = rate;
    }

    // ---- controller --------------------------------------------------------------------------

    /** The view of the controller, refreshed. */
    CongestionView view(long now, TcpConnection c, Flight f) {
        CongestionView v = view;
        v.cwnd = c.congestion.cwnd;
        v.ssthresh = c.congestion.ssthresh;
        v.cwndCnt = c.congestion.cwndCnt;
        v.pacingRate = f.pacer.rateBytesPerSecond;
        v.slowStartExit = CongestionView.NO_EXIT;
        v.nowNanos = now;
        v.srttNanos = c.rtt.srttNanos();
        v.minRttNanos = c.rtt.minRttNanos();
        v.sndUna = c.sendWindow.sndUna;
        v.sndNxt = c.sendWindow.sndNxt;
        v.mss = c.sendMss;
        v.packetsOut = f.scoreboard.packetsOut();
        v.inFlight = f.scoreboard.inFlight();
        v.delivered = c.congestion.delivered;
        v.deliveredCe = c.congestion.deliveredCe;
        v.ecn = Ecn.isNegotiated(c.ecn);
        v.lastSendNanos = c.lastDataSendNanos;
        v.mayGrow = f.validation.mayGrow(c.congestion);
        v.paced = f.pacer.enforced;
        v.maxSuperSegment = c.context.config.gsoMaxBytes;
        v.markAppLimited = false;
        v.cwndLimited = f.validation.isLimited();
        v.appLimited = f.rateSampler.isAppLimited();
        v.selectiveAcks = c.sackOk;
        v.initialCwnd = c.context.config.initialCwnd;
        v.deliveredTotal = f.rateSampler.delivered();
        v.seed = c.sequence.iss();
        v.state = f.recovery.state;
        return v;
    }

    /** Takes over what the controller changed. */
    void apply(TcpConnection c) {
        if (c.controller.ownsWindow()) {
            Flight f = c.flight;
            f.pacer.rateBytesPerSecond = Math.min(view.pacingRate, c.settings.maxPacingRate);
            if (view.markAppLimited) {
                f.rateSampler.markAppLimited(f.scoreboard.inFlight());
            }
        }
        c.congestion.cwnd = view.cwnd;
        c.congestion.ssthresh = view.ssthresh;
        c.congestion.cwndCnt = view.cwndCnt;
        if (view.slowStartExit == CongestionView.EXIT_BY_TRAIN) {
            c.context.count(Counter.TCP_HYSTART_TRAIN_DETECT);
            c.context.counters.add(Counter.TCP_HYSTART_TRAIN_CWND, view.cwnd);
        } else if (view.slowStartExit == CongestionView.EXIT_BY_DELAY) {
            c.context.count(Counter.TCP_HYSTART_DELAY_DETECT);
            c.context.counters.add(Counter.TCP_HYSTART_DELAY_CWND, view.cwnd);
        }
    }

    private void setState(long now, TcpConnection c, Flight f, CongestionState next) {
        c.controller.onState(view(now, c, f), next);
        apply(c);
        f.recovery.state = next;
    }

    private int newSsthresh(long now, TcpConnection c, Flight f) {
        return Math.max(2, c.controller.ssthresh(view(now, c, f)));
    }

    // ---- an ACK that may be about loss -------------------------------------------------------

    /**
     * Moves the state machine for one ACK, in the order of Linux's fast-retransmit alert.
     *
     * @param duplicates how many duplicate ACKs (RFC 5681) this one stands for
     */
    void onAck(
            long now, TcpConnection c, Flight f, IncomingSegment s, AckOutcome o, int duplicates) {
        if (o.has(AckOutcome.ECN_ECHO)) {
            // Marks are congestion for certain: no way back.
            f.recovery.priorSsthresh = 0;
        }
        if (waitsForReneging(now, c, o) || passesRecoveryPoint(now, c, f, s)) {
            return;
        }
        switch (f.recovery.state) {
            case RECOVERY -> inRecovery(now, c, f, s, o, duplicates);
            case LOSS -> inLoss(now, c, f, s, o, duplicates);
            default -> beforeRecovery(now, c, f, o, duplicates);
        }
    }

    /**
     * The receiver seems to have dropped SACKed data; it gets a moment to prove otherwise (B-4.3).
     */
    private static boolean waitsForReneging(long now, TcpConnection c, AckOutcome o) {
        if (!o.has(AckOutcome.RENEGING) || !o.has(AckOutcome.UNA_ADVANCED)) {
            return false;
        }
        long wait = Math.max(c.rtt.srttNanos() >> 1, RENEGING_WAIT_NANOS);
        FlightTimers.armOnly(c, TcpTimer.RETRANSMIT, now + Math.min(wait, c.rtt.rtoNanos));
        o.flags &= ~AckOutcome.RESTART_TIMER;
        return true;
    }

    /** Ends CWR and Recovery; true if a non-SACK recovery holds on to its state. */
    private boolean passesRecoveryPoint(long now, TcpConnection c, Flight f, IncomingSegment s) {
        Recovery r = f.recovery;
        long una = c.sendWindow.sndUna;
        if (r.state == CongestionState.OPEN) {
            c.flight.retransmitStamp = 0;
        } else if (una >= r.recoveryPoint) {
            if (r.state == CongestionState.CWR) {
                // Something above the point must be acknowledged: CWR has to reach the peer
                // (B-4.7).
                if (una != r.recoveryPoint) {
                    endReduction(now, c, f);
                    setState(now, c, f, CongestionState.OPEN);
                }
            } else if (r.state == CongestionState.RECOVERY) {
                if (!c.sackOk) {
                    f.scoreboard.clearRenoSacked();
                }
                if (undoAtEnd(now, c, f, s)) {
                    return true;
                }
                endReduction(now, c, f);
            }
        }
        return false;
    }

    private void inRecovery(
            long now, TcpConnection c, Flight f, IncomingSegment s, AckOutcome o, int duplicates) {
        if (!o.has(AckOutcome.UNA_ADVANCED)) {
            if (!c.sackOk) {
                addDuplicates(c, f, o, duplicates);
            }
        } else if (undoPartial(now, c, f, s, o)) {
            return;
        }
        if (undoByDsack(now, c, f)) {
            tryToOpen(now, c, f, o);
        }
        findLosses(now, c, f, o);
        boolean left = f.recovery.state != CongestionState.RECOVERY;
        if (left && f.scoreboard.lostOut() > 0) {
            enterRecovery(now, c, f, o.has(AckOutcome.ECN_ECHO));
        }
    }

    private void inLoss(
            long now, TcpConnection c, Flight f, IncomingSegment s, AckOutcome o, int duplicates) {
        afterTimeout(now, c, f, s, o, duplicates);
        findLosses(now, c, f, o);
        boolean again = o.has(AckOutcome.LOST_RETRANSMISSION);
        if (f.recovery.state == CongestionState.OPEN || again) {
            // Undone, or a retransmission was lost: a new episode may begin.
            beforeRecovery(now, c, f, o, duplicates);
        }
    }

    private void beforeRecovery(long now, TcpConnection c, Flight f, AckOutcome o, int duplicates) {
        if (!c.sackOk) {
            if (o.has(AckOutcome.UNA_ADVANCED)) {
                f.scoreboard.clearRenoSacked();
            }
            addDuplicates(c, f, o, duplicates);
        }
        if (f.recovery.state.compareTo(CongestionState.DISORDER) <= 0) {
            undoByDsack(now, c, f);
        }
        findLosses(now, c, f, o);
        if (f.scoreboard.lostOut() > 0 && c.context.mtuSearch.explainsLoss(c, f)) {
            return;
        }
        if (f.scoreboard.lostOut() > 0) {
            enterRecovery(now, c, f, o.has(AckOutcome.ECN_ECHO));
        } else {
            tryToOpen(now, c, f, o);
        }
    }

    private static void addDuplicates(TcpConnection c, Flight f, AckOutcome o, int duplicates) {
        if (duplicates > 0) {
            o.delivered += f.scoreboard.addRenoSacked(duplicates);
            limitRenoSacked(c, f, 0);
        }
    }

    /** More duplicate ACKs than segments can be missing: the path reorders. */
    static void limitRenoSacked(TcpConnection c, Flight f, int extra) {
        if (f.scoreboard.limitRenoSacked()) {
            c.congestion.reordering =
                    Math.min(
                            f.scoreboard.packetsOut() + extra,
                            c.context.config.maxReorderingSegments);
            c.congestion.reordSeen++;
            c.context.count(Counter.TCP_RENO_REORDER);
        }
    }

    // ---- finding losses ----------------------------------------------------------------------

    /** Lets the detector mark, and arms the reorder timer if more may follow. */
    void findLosses(long now, TcpConnection c, Flight f, AckOutcome o) {
        Scoreboard board = f.scoreboard;
        if (board.isEmpty()) {
            return;
        }
        int before = board.totalLost();
        if (c.sackOk) {
            long wait = f.lossDetector.detect(now, reorderWindow(c, f));
            if (wait > 0) {
                FlightTimers.armOnly(c, TcpTimer.REORDER, now + wait);
                o.flags &= ~AckOutcome.RESTART_TIMER;
            }
        } else {
            f.lossDetector.markNewReno(
                    f.recovery.state,
                    c.congestion.reordering,
                    o.has(AckOutcome.UNA_ADVANCED),
                    c.sendMss);
        }
        if (f.lossDetector.lostAgain() > 0) {
            o.flags |= AckOutcome.LOST_RETRANSMISSION;
        }
        report(now, c, f, before, c.sackOk ? BY_RACK : BY_DUPLICATES);
    }

    long reorderWindow(TcpConnection c, Flight f) {
        return f.lossDetector.reorderWindow(
                c.congestion, f.recovery.state, c.rtt.minRttNanos(), c.rtt.srttNanos());
    }

    /** Counts what was marked since {@code before}. */
    void report(long now, TcpConnection c, Flight f, int before, int cause) {
        int again = f.lossDetector.lostAgain();
        if (again > 0) {
            c.context.counters.add(Counter.TCP_LOST_RETRANSMIT, again);
        }
        int marked = f.scoreboard.totalLost() - before;
        tellController(now, c, f);
        int row = f.scoreboard.nextToRetransmit();
        if (marked > 0 && row != Scoreboard.NONE) {
            c.context.observer.lossMarked(
                    now, c.id(), f.scoreboard.start(row), f.scoreboard.end(row), marked, cause);
        }
    }

    private void tellController(long now, TcpConnection c, Flight f) {
        LossDetector d = f.lossDetector;
        for (int i = 0; i < d.markedCount(); i++) {
            int row = d.marked(i);
            lost.start = f.scoreboard.start(row);
            lost.end = f.scoreboard.end(row);
            lost.segments = f.scoreboard.segments(row);
            lost.txInFlight = f.scoreboard.txInFlight(row);
            lost.lostSinceSent = f.scoreboard.lostSinceSent(row);
            lost.appLimited = (f.scoreboard.flags(row) & Scoreboard.APP_LIMITED) != 0;
            c.controller.onLost(view(now, c, f), lost);
            apply(c);
        }
        d.clearMarked();
    }

    // ---- reductions --------------------------------------------------------------------------

    void enterRecovery(long now, TcpConnection c, Flight f, boolean ecnEcho) {
        Recovery r = f.recovery;
        c.context.count(c.sackOk ? Counter.TCP_SACK_RECOVERY : Counter.TCP_RENO_RECOVERY);
        if (!f.scoreboard.anyRetransmitted()) {
            c.flight.retransmitStamp = 0;
        }
        r.priorSsthresh = 0;
        r.markUndo(c.sendWindow.sndUna, f.scoreboard.retransOut());
        if (!r.state.isReducing()) {
            if (!ecnEcho) {
                r.priorSsthresh = c.congestion.currentSsthresh();
            }
            beginReduction(now, c, f);
        }
        setState(now, c, f, CongestionState.RECOVERY);
    }

    /** A reduction without loss: ECN, or the local device refused (B-4.14, B-6.4). */
    void enterCwr(long now, TcpConnection c, Flight f) {
        Recovery r = f.recovery;
        r.priorSsthresh = 0;
        if (r.state.compareTo(CongestionState.CWR) < 0) {
            r.undoMarker = Recovery.NO_UNDO;
            beginReduction(now, c, f);
            setState(now, c, f, CongestionState.CWR);
        }
    }

    private void beginReduction(long now, TcpConnection c, Flight f) {
        f.lossDetector.forgetProbe();
        f.recovery.beginReduction(c.congestion, newSsthresh(now, c, f), c.sendWindow.sndNxt);
        c.ecn = (byte) Ecn.reduced(c.ecn);
    }

    private void endReduction(long now, TcpConnection c, Flight f) {
        if (c.controller.ownsWindow()) {
            return;
        }
        f.recovery.endReduction(c.congestion);
        f.validation.touch(now);
        event(now, c, f, CongestionEvent.REDUCTION_COMPLETE);
    }

    void event(long now, TcpConnection c, Flight f, CongestionEvent event) {
        c.controller.onEvent(view(now, c, f), event);
        apply(c);
    }

    /** One ACK of a reduction (B-4.8). */
    void reduce(TcpConnection c, Flight f, int delivered, int lost, boolean advanced) {
        f.recovery.reduce(c.congestion, rate, f.scoreboard.inFlight(), delivered, lost, advanced);
    }

    /** The tail loss probe filled a hole: answer as to a loss, once (RFC 8985 section 7.4.2). */
    void onProbeRepaired(long now, TcpConnection c, Flight f) {
        beginReduction(now, c, f);
        setState(now, c, f, CongestionState.CWR);
        endReduction(now, c, f);
        keepOpen(now, c, f);
        c.context.count(Counter.TCP_LOSS_PROBE_RECOVERY);
    }

    private void tryToOpen(long now, TcpConnection c, Flight f, AckOutcome o) {
        if (!f.scoreboard.anyRetransmitted()) {
            c.flight.retransmitStamp = 0;
        }
        if (o.has(AckOutcome.ECN_ECHO)) {
            enterCwr(now, c, f);
        }
        if (f.recovery.state != CongestionState.CWR) {
            keepOpen(now, c, f);
        }
    }

    private void keepOpen(long now, TcpConnection c, Flight f) {
        Scoreboard b = f.scoreboard;
        boolean disorder = b.sackedOut() + b.lostOut() > 0 || b.anyRetransmitted();
        CongestionState next = disorder ? CongestionState.DISORDER : CongestionState.OPEN;
        if (f.recovery.state != next) {
            setState(now, c, f, next);
            f.recovery.recoveryPoint = c.sendWindow.sndNxt;
        }
    }

    // ---- timeout -----------------------------------------------------------------------------

    /**
     * The retransmission timer expired (B-4.6). The caller has counted it in {@code c.retransmits}.
     */
    void onTimeout(long now, TcpConnection c, Flight f) {
        Recovery r = f.recovery;
        Scoreboard b = f.scoreboard;
        boolean firstInRow = c.retransmits <= 1;
        boolean fresh = r.state.compareTo(CongestionState.RECOVERY) < 0;
        boolean disorder = r.state.compareTo(CongestionState.DISORDER) <= 0;
        c.context.count(Counter.TCP_TIMEOUTS);
        if (firstInRow) {
            countFailure(c, f);
        }
        int sackedBefore = b.sackedOut();
        int lostBefore = b.totalLost();
        boolean reneged = f.lossDetector.markTimeout(now, c.sackOk);
        if (reneged) {
            c.context.count(Counter.TCP_SACK_RENEGING);
            r.reneging = true;
        }
        report(now, c, f, lostBefore, reneged ? BY_RENEGING : BY_TIMEOUT);

        boolean newWindow = c.sendWindow.sndUna >= r.recoveryPoint;
        if (disorder || newWindow || r.state == CongestionState.LOSS && firstInRow) {
            r.priorSsthresh = c.congestion.currentSsthresh();
            r.priorCwnd = c.congestion.cwnd;
            c.congestion.ssthresh = newSsthresh(now, c, f);
            event(now, c, f, CongestionEvent.TIMEOUT);
            r.markUndo(c.sendWindow.sndUna, b.retransOut());
        }
        c.congestion.cwnd = b.inFlight() + 1;
        c.congestion.cwndCnt = 0;
        f.validation.touch(now);
        int defaultReordering = c.context.config.reorderingSegments;
        if (disorder && sackedBefore >= defaultReordering) {
            // Many duplicates and still a timeout: reordering was taken for larger than it is.
            c.congestion.reordering = Math.min(c.congestion.reordering, defaultReordering);
        }
        setState(now, c, f, CongestionState.LOSS);
        c.ecn = (byte) Ecn.reduced(c.ecn);
        r.beginLoss(c.sendWindow.sndNxt, c.context.config.frtoMode != 0 && (fresh || !firstInRow));
        f.lossDetector.forgetProbe();
    }

    private static void countFailure(TcpConnection c, Flight f) {
        switch (f.recovery.state) {
            case RECOVERY ->
                    c.context.count(
                            c.sackOk
                                    ? Counter.TCP_SACK_RECOVERY_FAIL
                                    : Counter.TCP_RENO_RECOVERY_FAIL);
            case LOSS -> c.context.count(Counter.TCP_LOSS_FAILURES);
            default -> {
                boolean disorder = f.recovery.state == CongestionState.DISORDER;
                if (disorder || f.scoreboard.sackedOut() > 0) {
                    c.context.count(
                            c.sackOk ? Counter.TCP_SACK_FAILURES : Counter.TCP_RENO_FAILURES);
                }
            }
        }
    }

    /**
     * An ACK in LOSS: is the timeout proved spurious or real (RFC 5682 section 3.1), is it over?
     */
    private void afterTimeout(
            long now, TcpConnection c, Flight f, IncomingSegment s, AckOutcome o, int duplicates) {
        Recovery r = f.recovery;
        SendWindow w = c.sendWindow;
        boolean recovered = w.sndUna >= r.recoveryPoint;
        boolean advanced = o.has(AckOutcome.UNA_ADVANCED);
        if (advanced && undoLoss(now, c, f, s, false)) {
            return;
        }
        if (r.frto) {
            if (o.has(AckOutcome.ORIGINAL_ACKED) && undoLoss(now, c, f, s, true)) {
                return;
            }
            if (w.sndNxt > r.recoveryPoint) {
                // Step 3a: new data was sent, and the hole is still there.
                if (o.has(AckOutcome.DATA_SACKED) || duplicates > 0) {
                    r.frto = false;
                }
            } else if (advanced && !recovered) {
                r.askForNewData(w.sndNxt);
                return;
            }
        }
        if (recovered) {
            undoAtEnd(now, c, f, s);
            return;
        }
        if (!c.sackOk) {
            if (w.sndNxt > r.recoveryPoint && duplicates > 0) {
                addDuplicates(c, f, o, duplicates);
            } else if (advanced) {
                f.scoreboard.clearRenoSacked();
            }
        }
    }

    // ---- undo --------------------------------------------------------------------------------

    /** The ACK is of an original transmission that was merely late (RFC 3522, B-4.10). */
    private static boolean isDelayed(TcpConnection c, Flight f, IncomingSegment s) {
        if (c.flight.retransmitStamp != 0) {
            return s.hasTimestamp
                    && s.tsEcr != 0
                    && s.tsEcr - c.timestamps.clock(c.flight.retransmitStamp) < 0;
        }
        // Nothing was retransmitted; without SACK the stamp is also cleared at the end of an
        // episode.
        return c.sackOk || c.sendWindow.sndUna < f.recovery.recoveryPoint;
    }

    private void undo(long now, TcpConnection c, Flight f, boolean nothingLost) {
        if (nothingLost) {
            f.scoreboard.clearLost();
        }
        int restored = c.controller.undoCwnd(view(now, c, f));
        if (f.recovery.priorSsthresh > c.congestion.ssthresh) {
            c.ecn = (byte) Ecn.restored(c.ecn);
        }
        f.recovery.undo(c.congestion, restored);
        f.validation.touch(now);
        f.lossDetector.reexamine();
    }

    private boolean undoLoss(
            long now, TcpConnection c, Flight f, IncomingSegment s, boolean byFrto) {
        if (!byFrto && !f.recovery.mayUndo(isDelayed(c, f, s))) {
            return false;
        }
        undo(now, c, f, true);
        c.context.count(Counter.TCP_LOSS_UNDO);
        if (byFrto) {
            c.context.count(Counter.TCP_SPURIOUS_RTOS);
        }
        c.retransmits = 0;
        if (!holdsWithoutSack(c, f) && (byFrto || c.sackOk)) {
            setState(now, c, f, CongestionState.OPEN);
            f.recovery.reneging = false;
        }
        return true;
    }

    /**
     * The recovery point is reached: undo if that is due, and open; true if the state must stay.
     */
    private boolean undoAtEnd(long now, TcpConnection c, Flight f, IncomingSegment s) {
        Recovery r = f.recovery;
        if (r.mayUndo(isDelayed(c, f, s))) {
            boolean afterTimeout = r.state == CongestionState.LOSS;
            undo(now, c, f, false);
            c.context.count(afterTimeout ? Counter.TCP_LOSS_UNDO : Counter.TCP_FULL_UNDO);
        } else {
            c.congestion.rackRecoveryEnded();
        }
        if (holdsWithoutSack(c, f)) {
            return true;
        }
        setState(now, c, f, CongestionState.OPEN);
        r.reneging = false;
        return false;
    }

    private boolean undoPartial(
            long now, TcpConnection c, Flight f, IncomingSegment s, AckOutcome o) {
        boolean marked = f.recovery.undoMarker != Recovery.NO_UNDO;
        if (!marked || !isDelayed(c, f, s)) {
            return false;
        }
        // The hole was filled by the original, not by the retransmission.
        AckArrives.noteReordering(c, f, o.priorUna, true);
        if (f.scoreboard.retransOut() > 0) {
            return true;
        }
        if (!f.scoreboard.anyRetransmitted()) {
            c.flight.retransmitStamp = 0;
        }
        undo(now, c, f, true);
        c.context.count(Counter.TCP_PARTIAL_UNDO);
        keepOpen(now, c, f);
        return false;
    }

    private boolean undoByDsack(long now, TcpConnection c, Flight f) {
        if (!f.recovery.allNeedless()) {
            return false;
        }
        c.congestion.rackRecoveryUndone();
        undo(now, c, f, false);
        c.context.count(Counter.TCP_DSACK_UNDO);
        return true;
    }

    /**
     * Without SACK, a recovery that ends exactly at its point stays until something above it is
     * acknowledged, lest old duplicates start another (RFC 6582 section 5).
     */
    private static boolean holdsWithoutSack(TcpConnection c, Flight f) {
        if (c.sackOk || c.sendWindow.sndUna != f.recovery.recoveryPoint) {
            return false;
        }
        if (!f.scoreboard.anyRetransmitted()) {
            c.flight.retransmitStamp = 0;
        }
        return true;
    }
}
