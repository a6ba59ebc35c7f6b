package dev.sluice.tcp;

import dev.sluice.tcp.congestion.AckSample;
import dev.sluice.tcp.congestion.CongestionControllers;
import dev.sluice.tcp.congestion.CongestionEvent;
import dev.sluice.tcp.congestion.CongestionState;
import dev.sluice.tcp.congestion.CongestionView;
import dev.sluice.tcp.policy.RecoveryRate;
import dev.sluice.trace.Counter;

/**
 * The sender's reaction to ACKs and to its timers: what is acknowledged, measured, lost, allowed,
 * and when to look again (architecture section 6, steps 11 to 17; B-4, B-5).
 *
 * <p>One instance per stack; between calls it keeps no state of any connection. What an ACK does to
 * the state of recovery is {@link LossResponse}.
 */
final class AckArrives {
    /** Answer of {@link #onLossProbe}: do nothing. */
    static final int PROBE_NOT_NOW = 0;

    /** Answer of {@link #onLossProbe}: send new data, else the last segment again. */
    static final int PROBE_WANTED = 1;

    private static final long NANOS_PER_TICK = 1_000_000L;
    private static final int STATIC_REORDER_WINDOW = 2;

    private final CongestionControllers controllers;
    private final LossResponse response;
    private final SackBlocks sacks = new SackBlocks();
    private final AckOutcome outcome = new AckOutcome();

    /**
     * @param controllers where connections get their controller from
     * @param rate how to send during a reduction
     */
    AckArrives(CongestionControllers controllers, RecoveryRate rate) {
        this.controllers = controllers;
        this.response = new LossResponse(rate);
    }

    // ---- an ACK ------------------------------------------------------------------------------

    /**
     * An acceptable ACK in a synchronized state: at most SND.NXT, perhaps below SND.UNA.
     *
     * <p>Moves SND.UNA and SND.WND, frees what is acknowledged, repairs what is lost, adjusts the
     * congestion window and the timers, and asks for output.
     */
    void onAck(long now, TcpConnection c, IncomingSegment s) {
        SendWindow w = c.sendWindow;
        AckOutcome o = outcome;
        Flight f = c.flight;
        long priorUna = w.sndUna;
        long recoveryPoint = f == null ? 0 : f.recovery.recoveryPoint;
        o.clear(now, c.rtt.minRttNanos(), recoveryPoint, priorUna);
        takeWindow(w, s, o);
        if (s.ack > priorUna) {
            o.flags |= AckOutcome.UNA_ADVANCED;
            w.sndUna = s.ack;
            c.retransmits = 0;
            if (c.busyTime != null) {
                c.busyTime.onProgress(now);
            }
        }
        if (f == null) {
            marksReported(c, null, s, o, 0);
            c.context.timerExpiry.onWindowChanged(now, c);
            return;
        }
        if (s.ecnEcho) {
            o.flags |= AckOutcome.ECN_ECHO;
        }
        if (s.hasTimestamp && s.tsEcr != 0 && c.timestamps.enabled) {
            // The end of the tick of our clock that comes back.
            long ticksAgo = c.timestamps.clock(now) - s.tsEcr;
            o.echoHorizon = (now / NANOS_PER_TICK - ticksAgo + 1) * NANOS_PER_TICK;
        }
        ensureController(now, c, f);
        if (c.controller.ownsWindow()) {
            checkAppLimited(c, f, 0);
        }
        process(now, c, f, s, o);
    }

    private static void takeWindow(SendWindow w, IncomingSegment s, AckOutcome o) {
        if (s.ack < w.sndUna) {
            // Overtaken by a later ACK: its SACK blocks may still be news, its window is not.
            o.flags |= AckOutcome.NOT_DUPLICATE;
            return;
        }
        boolean newer =
                s.ack > w.sndUna
                        || s.seq > w.sndWl1
                        || s.seq == w.sndWl1 && (s.wnd > w.sndWnd || s.wnd == 0);
        if (newer || s.end != s.seq) {
            o.flags |= AckOutcome.NOT_DUPLICATE;
        }
        w.update(s.seq, s.ack, s.wnd);
    }

    private void process(long now, TcpConnection c, Flight f, IncomingSegment s, AckOutcome o) {
        Scoreboard b = f.scoreboard;
        AckSample sample = c.context.ackSample;
        int priorCwnd = c.congestion.cwnd;
        int priorSsthresh = c.congestion.ssthresh;
        CongestionState priorState = f.recovery.state;
        int priorPackets = b.packetsOut();
        int priorLost = b.totalLost();
        int priorSacked = b.sackedOut();
        sample.priorInFlight = b.inFlight();
        long priorSackedEnd = b.sackedEnd();

        if (s.sackCount > 0 && c.sackOk) {
            applySacks(c, f, s, o);
        }
        if (priorPackets == 0) {
            nothingOutstanding(now, c, f, s, o);
            return;
        }
        if (o.has(AckOutcome.UNA_ADVANCED)) {
            acknowledge(now, c, f, o, priorSackedEnd);
        }
        measure(now, c, f, s, o, priorSacked, sample);
        int counted = o.delivered;
        countDelivered(c, o, counted);
        marksReported(c, f, s, o, counted);
        c.controller.onAck(response.view(now, c, f), sample);
        response.apply(c);

        f.lossDetector.update(o);
        f.rateSampler.addDelivered(counted);
        adaptReorderWindow(c, f, o);
        if (f.lossDetector.probeRepairedLoss(s.ack, o)) {
            response.onProbeRepaired(now, c, f);
        }
        if (isDubious(f, o)) {
            response.onAck(now, c, f, s, o, duplicates(s, o));
        }
        if (o.has(AckOutcome.RESTART_TIMER)) {
            FlightTimers.restart(now, c, f);
        }
        if (b.isEmpty()) {
            FlightTimers.disarmAll(c);
        }
        f.rateSampler.addDelivered(o.delivered - counted);
        countDelivered(c, o, o.delivered - counted);
        finish(now, c, f, o, sample, b.totalLost() - priorLost);

        boolean changed =
                c.congestion.cwnd != priorCwnd
                        || c.congestion.ssthresh != priorSsthresh
                        || f.recovery.state != priorState;
        if (changed) {
            c.context.observer.congestionChanged(
                    now,
                    c.id(),
                    f.recovery.state.ordinal(),
                    c.congestion.cwnd,
                    c.congestion.ssthresh,
                    b.inFlight());
        }
        c.context.wantsOutput(c);
    }

    private void applySacks(TcpConnection c, Flight f, IncomingSegment s, AckOutcome o) {
        sacks.apply(
                s,
                c.sendWindow,
                f,
                c.congestion,
                c.sendMss,
                c.totalRetransmits,
                o,
                c.context.counters);
        boolean meaningful =
                f.recovery.state != CongestionState.LOSS
                        || f.recovery.undoMarker != Recovery.NO_UNDO;
        if (meaningful && o.lowestReordered != Long.MAX_VALUE) {
            noteReordering(c, f, o.lowestReordered, false);
        }
        // What is cumulatively acknowledged is judged apart.
        o.lowestReordered = Long.MAX_VALUE;
    }

    /** SND.UNA moved: frees the rows and the bytes. */
    private static void acknowledge(
            long now, TcpConnection c, Flight f, AckOutcome o, long priorSackedEnd) {
        f.scoreboard.acknowledge(c.sendWindow.sndUna, c.sackOk, o);
        c.onDataAcked(now, c.sendWindow.sndUna);
        if (c.mtuProbing != null) {
            c.context.mtuSearch.onAck(now, c, f);
        }
        if (!o.has(AckOutcome.ACKED)) {
            return;
        }
        o.flags |= AckOutcome.RESTART_TIMER;
        if ((o.flags & AckOutcome.SYN_ACKED) != 0) {
            c.flight.retransmitStamp = 0;
        }
        if (c.sackOk) {
            if (o.lowestReordered < priorSackedEnd) {
                noteReordering(c, f, o.lowestReordered, false);
            }
        } else {
            o.delivered += f.scoreboard.removeRenoSacked(o.packetsAcked);
            LossResponse.limitRenoSacked(c, f, o.packetsAcked);
            if (o.has(AckOutcome.RETRANSMITTED_ACKED)) {
                // Without SACK nobody knows which transmission made progress.
                o.flags &= ~AckOutcome.ORIGINAL_ACKED;
            }
        }
    }

    /** Data from {@code low} on arrived after later data: remembers how far that reaches. */
    static void noteReordering(TcpConnection c, Flight f, long low, boolean byTimestamp) {
        Scoreboard b = f.scoreboard;
        long high = b.isEmpty() ? c.sendWindow.sndUna : b.sackedEnd();
        if (low >= high) {
            return;
        }
        int bound = c.context.config.maxReorderingSegments;
        c.congestion.noteReordering(high - low, c.sendMss, bound);
        c.context.count(byTimestamp ? Counter.TCP_TS_REORDER : Counter.TCP_SACK_REORDER);
    }

    /** RTT of this ACK: from data sent once, else by timestamp (B-4.1). */
    private static void measure(
            long now,
            TcpConnection c,
            Flight f,
            IncomingSegment s,
            AckOutcome o,
            int priorSacked,
            AckSample sample) {
        long rtt = -1;
        long last = -1;
        long sackRtt = -1;
        boolean maybeDelayed = false;
        if (o.firstAckSent != AckOutcome.NEVER && !o.has(AckOutcome.RETRANSMITTED_ACKED)) {
            rtt = now - o.firstAckSent;
            last = now - o.lastAckSent;
            long bytes = c.sendWindow.sndUna - o.priorUna;
            maybeDelayed = o.packetsAcked == 1 && priorSacked == 0 && bytes < c.sendMss;
        }
        if (o.firstSackSent != AckOutcome.NEVER) {
            sackRtt = now - o.firstSackSent;
            last = now - o.lastSackSent;
        }
        if (rtt < 0) {
            rtt = sackRtt;
        }
        if (rtt < 0 && o.has(AckOutcome.ACKED) && s.hasTimestamp && c.timestamps.enabled) {
            rtt = c.timestamps.roundTripNanos(now, s.tsEcr);
            last = rtt;
        }
        sample.rttNanos = last;
        sample.acked = o.packetsAcked;
        if (rtt < 0) {
            return;
        }
        long minimum = c.rtt.minRttNanos();
        if (last >= 0 && !(maybeDelayed && minimum != 0 && last > minimum)) {
            c.rtt.sampleMinimum(now, last, c.context.config.minRttWindowNanos);
        }
        c.rtt.sample(
                rtt,
                c.sendWindow.sndUna,
                c.sendWindow.sndNxt,
                c.settings.rtoMinNanos,
                c.settings.rtoMaxNanos);
        c.context.observer.roundTripMeasured(now, c.id(), rtt, c.rtt.srttNanos(), c.rtt.rtoNanos);
        // A SACK restarts the timer only if it is of data older than the head's transmission:
        // otherwise the timeout would move on for ever while the head stays lost.
        int head = f.scoreboard.first();
        if (!o.has(AckOutcome.ACKED)
                && head != Scoreboard.NONE
                && sackRtt > now - f.scoreboard.sentNanos(head)) {
            o.flags |= AckOutcome.RESTART_TIMER;
        }
    }

    private static void adaptReorderWindow(TcpConnection c, Flight f, AckOutcome o) {
        boolean adaptive = (c.context.config.recoveryBits & STATIC_REORDER_WINDOW) == 0;
        if (c.sackOk && adaptive && o.rateSampled) {
            f.lossDetector.adaptWindow(
                    c.congestion, o.ratePriorDelivered, f.rateSampler.delivered());
        }
    }

    private static boolean isDubious(Flight f, AckOutcome o) {
        int alert = AckOutcome.DATA_SACKED | AckOutcome.ECN_ECHO | AckOutcome.DSACK;
        return f.recovery.state != CongestionState.OPEN
                || o.has(alert)
                || !o.has(AckOutcome.NOT_DUPLICATE | AckOutcome.ACKED);
    }

    /** How many duplicate ACKs (RFC 5681 section 2) the segment stands for. */
    private static int duplicates(IncomingSegment s, AckOutcome o) {
        int progress =
                AckOutcome.UNA_ADVANCED
                        | AckOutcome.NOT_DUPLICATE
                        | AckOutcome.ACKED
                        | AckOutcome.DSACK;
        return o.has(progress) ? 0 : Math.max(1, s.segments);
    }

    /** The ACK may have been about the window alone, or a late word about a finished flight. */
    private void nothingOutstanding(
            long now, TcpConnection c, Flight f, IncomingSegment s, AckOutcome o) {
        marksReported(c, f, s, o, 0);
        if (o.has(AckOutcome.DSACK)) {
            response.onAck(now, c, f, s, o, 0);
        }
        if (f.lossDetector.probeRepairedLoss(s.ack, o)) {
            response.onProbeRepaired(now, c, f);
        }
        c.context.timerExpiry.onWindowChanged(now, c);
        if (c.hasUnsent()) {
            c.context.wantsOutput(c);
        }
    }

    private static void countDelivered(TcpConnection c, AckOutcome o, int segments) {
        if (segments == 0) {
            return;
        }
        c.congestion.delivered += segments;
        c.context.counters.add(Counter.TCP_DELIVERED, segments);
        if (o.has(AckOutcome.ECN_ECHO) && Ecn.isClassic(c.ecn)) {
            c.congestion.deliveredCe += segments;
            c.context.counters.add(Counter.TCP_DELIVERED_CE, segments);
        }
    }

    /**
     * Accurate ECN: how many more of our packets arrived marked. An ACK that brings nothing new may
     * be an old one, and says nothing.
     */
    private static void marksReported(
            TcpConnection c, Flight f, IncomingSegment s, AckOutcome o, int delivered) {
        boolean progress = o.has(AckOutcome.ACKED | AckOutcome.DATA_SACKED) || s.newerTimestamp;
        if (!Ecn.isAccurate(c.ecn) || !progress || o.has(AckOutcome.SYN_ACKED)) {
            return;
        }
        boolean orderly =
                c.sackOk || f == null || f.recovery.state.compareTo(CongestionState.CWR) <= 0;
        int marked =
                c.accurateEcn.marked(
                        s.flags,
                        s.header.options(),
                        c.congestion.deliveredCe,
                        delivered,
                        o.deliveredBytes,
                        c.sendMss,
                        c.sendWindow.sndNxt + c.bytesRetransmitted,
                        orderly && (f == null || f.recovery.state != CongestionState.DISORDER));
        if (c.accurateEcn.isUrgent()) {
            c.ackPolicy.hurry();
        }
        if (marked > 0) {
            c.congestion.deliveredCe += marked;
            c.context.counters.add(Counter.TCP_DELIVERED_CE, marked);
            o.flags |= AckOutcome.ECN_ECHO;
        }
    }

    /** Rate sample, congestion window, pacing rate. */
    private void finish(
            long now, TcpConnection c, Flight f, AckOutcome o, AckSample sample, int lost) {
        sample.delivered = o.delivered;
        sample.lost = lost;
        sample.advanced = o.has(AckOutcome.UNA_ADVANCED);
        sample.ecnEcho = o.has(AckOutcome.ECN_ECHO);
        f.rateSampler.sample(o, o.delivered, f.scoreboard.totalLost(), f.recovery.reneging, sample);

        CongestionView v;
        if (c.controller.ownsWindow()) {
            v = response.view(now, c, f);
            c.controller.control(v, sample);
            response.apply(c);
            return;
        }
        if (f.recovery.state.isReducing()) {
            response.reduce(c, f, o.delivered, lost, sample.advanced);
        } else if (mayRaise(c, o)) {
            v = response.view(now, c, f);
            c.controller.grow(v, o.delivered);
            response.apply(c);
            f.validation.touch(now);
        }
        updatePacing(c, f);
    }

    private static boolean mayRaise(TcpConnection c, AckOutcome o) {
        boolean reorders = c.congestion.reordering > c.context.config.reorderingSegments;
        int progress = AckOutcome.ACKED | AckOutcome.DATA_SACKED;
        return o.has(reorders ? progress : AckOutcome.DATA_ACKED);
    }

    private static void updatePacing(TcpConnection c, Flight f) {
        CongestionWindow w = c.congestion;
        int percent =
                w.cwnd < w.ssthresh / 2
                        ? c.context.config.pacingSlowStartPercent
                        : c.context.config.pacingAvoidancePercent;
        int segments = Math.max(w.cwnd, f.scoreboard.packetsOut());
        f.pacer.update(percent, c.sendMss, segments, c.rtt.srttNanos(), c.settings.maxPacingRate);
    }

    // ---- sending -----------------------------------------------------------------------------

    private void ensureController(long now, TcpConnection c, Flight f) {
        if (c.controller == null) {
            c.controller = controllers.create(c.settings.congestionControl);
            c.controller.start(response.view(now, c, f));
            response.apply(c);
        }
        f.lossDetector.reports = c.controller.ownsWindow();
        f.pacer.enforced =
                c.settings.maxPacingRate != Pacer.UNLIMITED
                        || c.controller.wantsPacing()
                        || c.route.paces();
    }

    /**
     * New data is about to leave while nothing is in flight: the window is reduced if it was idle
     * for longer than an RTO (RFC 5681 section 4.1, B-4.11).
     */
    void beforeFirstSend(long now, TcpConnection c) {
        Flight f = c.flight();
        ensureController(now, c, f);
        if (f.validation.idleHandled) {
            return;
        }
        f.validation.idleHandled = true;
        long idle = now - c.lastDataSendNanos;
        boolean restart =
                c.context.config.slowStartAfterIdle
                        && idle > c.rtt.rtoNanos
                        && !c.controller.ownsWindow();
        if (restart) {
            response.event(now, c, f, CongestionEvent.WINDOW_RESTART);
            c.congestion.restartAfterIdle(idle, c.rtt.rtoNanos, c.context.config.initialCwnd);
            f.validation.touch(now);
        }
        response.event(now, c, f, CongestionEvent.TRANSMIT_START);
        if (!c.controller.ownsWindow()) {
            updatePacing(c, f);
        }
    }

    /**
     * A row left, for the first time (after {@link Scoreboard#append}) or again.
     *
     * <p>A row that is sent again without being lost is a probe.
     */
    void onTransmitted(long now, TcpConnection c, int row, boolean isRetransmission) {
        Flight f = c.flight;
        Scoreboard b = f.scoreboard;
        int segments = b.segments(row);
        boolean first = !isRetransmission && b.packetsOut() == segments;
        boolean again = isRetransmission && (b.flags(row) & Scoreboard.LOST) != 0;
        f.rateSampler.onSent(b, row, now, first, b.inFlight() + (again ? segments : 0));
        f.pacer.onSent(now, (int) (b.end(row) - b.start(row)), c.dataSegsOut - segments);
        if (!isRetransmission) {
            f.validation.idleHandled = false;
            f.recovery.onSent(segments);
            if (first || c.isArmed(TcpTimer.LOSS_PROBE)) {
                FlightTimers.rearmRetransmit(now, c, f, c.isArmed(TcpTimer.LOSS_PROBE));
            }
        } else if ((b.flags(row) & Scoreboard.LOST) == 0) {
            b.probed(row, now);
        } else {
            f.recovery.onSent(segments);
            f.recovery.onRetransmitted(segments);
            if (c.flight.retransmitStamp == 0) {
                c.flight.retransmitStamp = now;
            }
            b.retransmitted(row, now);
            if (row == b.first() && !c.isArmed(TcpTimer.REORDER)) {
                long wait = c.rtt.rtoNanos + f.pacer.delay(now);
                FlightTimers.armOnly(c, TcpTimer.RETRANSMIT, now + wait);
            }
        }
    }

    /**
     * At the end of a turn of output: tail loss probe, and whether the window is used (B-4.5,
     * B-4.11).
     *
     * @param newSegments segments sent for the first time in this turn
     * @param cwndLimited the congestion window stopped it
     */
    void armAfterSend(long now, TcpConnection c, int newSegments, boolean cwndLimited) {
        Flight f = c.flight;
        boolean limited = cwndLimited || f.scoreboard.inFlight() >= c.congestion.cwnd;
        if (newSegments == 0 && !limited || c.controller == null) {
            return;
        }
        boolean watch = c.context.config.slowStartAfterIdle && !c.controller.ownsWindow();
        f.validation.afterOutput(
                now,
                c.congestion,
                f.scoreboard.packetsOut(),
                c.sendWindow.sndUna,
                c.sendWindow.sndNxt,
                limited,
                c.rtt.rtoNanos,
                c.context.config.initialCwnd,
                watch,
                f.recovery.state == CongestionState.OPEN && !c.noSpace);
        if (newSegments > 0) {
            FlightTimers.scheduleProbe(now, c, f, false);
        }
    }

    /**
     * At each write, and with a controller that lives on rate samples at each ACK: whether they say
     * what the application had to send (B-2.13).
     *
     * @param written bytes that this write has added already
     */
    void checkAppLimited(TcpConnection c, Flight f, int written) {
        Scoreboard b = f.scoreboard;
        boolean idle =
                c.notSent() - written < c.sendMss
                        && f.smallQueue.bytesInDevice() == 0
                        && b.inFlight() < c.congestion.cwnd
                        && b.pendingRetransmit() == 0;
        if (idle) {
            f.rateSampler.markAppLimited(b.inFlight());
        }
    }

    // ---- timers ------------------------------------------------------------------------------

    /**
     * The retransmission timer expired (B-4.6): marks, reduces, collapses the window. The caller
     * has counted it in {@code c.retransmits}, retransmits the first row and arms the timer, backed
     * off.
     */
    void onRetransmitTimeout(long now, TcpConnection c) {
        ensureController(now, c, c.flight);
        response.onTimeout(now, c, c.flight);
        reportChange(now, c, c.flight);
    }

    /**
     * The probe timer expired.
     *
     * @return {@link #PROBE_WANTED}: send one segment of new data whatever the congestion window
     *     says, else the last segment of the last row again, then call {@link #onLossProbeSent};
     *     {@link #PROBE_NOT_NOW}: one is out already, and the retransmission timer is armed
     */
    int onLossProbe(long now, TcpConnection c) {
        if (c.flight.lossDetector.probeEnd != LossDetector.NO_PROBE) {
            FlightTimers.rearmRetransmit(now, c, c.flight, true);
            return PROBE_NOT_NOW;
        }
        c.flight.lossDetector.probeIsRetransmission = false;
        return PROBE_WANTED;
    }

    /** The probe left, or could not; either way the retransmission timer is next. */
    void onLossProbeSent(long now, TcpConnection c, boolean sent, boolean isRetransmission) {
        if (sent) {
            c.flight.lossDetector.probeSent(c.sendWindow.sndNxt, isRetransmission);
            c.context.count(Counter.TCP_LOSS_PROBES);
        }
        FlightTimers.rearmRetransmit(now, c, c.flight, !sent);
    }

    /** RACK's timer expired: looks again, and starts recovery if something is lost now. */
    void onReorderTimeout(long now, TcpConnection c) {
        Flight f = c.flight;
        if (f == null || f.scoreboard.isEmpty()) {
            return;
        }
        Scoreboard b = f.scoreboard;
        int inFlight = b.inFlight();
        int lost = b.totalLost();
        f.lossDetector.detectAgain(now, response.reorderWindow(c, f));
        response.report(now, c, f, lost, 0);
        if (b.inFlight() != inFlight && f.recovery.state != CongestionState.RECOVERY) {
            response.enterRecovery(now, c, f, false);
            if (!c.controller.ownsWindow()) {
                response.reduce(c, f, 1, b.totalLost() - lost, false);
            }
            reportChange(now, c, f);
        }
        if (!c.isArmed(TcpTimer.RETRANSMIT)) {
            FlightTimers.rearmRetransmit(now, c, f, true);
        }
        c.context.wantsOutput(c);
    }

    /** Congestion without loss: the local device refused, or ECN says so (B-4.14, B-6.4). */
    void enterCwr(long now, TcpConnection c) {
        ensureController(now, c, c.flight());
        response.enterCwr(now, c, c.flight);
        reportChange(now, c, c.flight);
    }

    private static void reportChange(long now, TcpConnection c, Flight f) {
        c.context.observer.congestionChanged(
                now,
                c.id(),
                f.recovery.state.ordinal(),
                c.congestion.cwnd,
                c.congestion.ssthresh,
                f.scoreboard.inFlight());
    }
}
