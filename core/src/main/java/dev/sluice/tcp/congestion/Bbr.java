package dev.sluice.tcp.congestion;

import dev.sluice.seed.Rng;

/**
 * BBR, version 3, as draft-ietf-ccwg-bbr specifies it, in integers.
 *
 * <p>It measures what the path delivers and how long it takes at least, sends at that rate, and
 * keeps about as much in flight as the path holds: first doubling until delivery grows no more
 * (Startup), then letting the queue go (Drain), then probing in turns for more and less (ProbeBW),
 * with a short rest every five seconds to see the path without a queue (ProbeRTT).
 *
 * <p>Two things go beyond the draft. A congestion mark is answered like a loss, where the draft
 * only demands some answer (section 4.4 there). And the pacing rate never falls below a segment per
 * round trip, because the window's floor allows four: an estimate ruined by an outage is found out
 * in round trips, not in minutes.
 */
public final class Bbr implements CongestionController {
    /** Where a flow stands, with its gains in percent (draft section 5.6.1). */
    public enum State {
        STARTUP(277, 200),
        DRAIN(50, 200),
        PROBE_BW_DOWN(90, 200),
        PROBE_BW_CRUISE(100, 200),
        PROBE_BW_REFILL(100, 200),
        PROBE_BW_UP(125, 225),
        PROBE_RTT(100, 50);

        private final int pacingGain;
        private final int cwndGain;

        State(int pacingGain, int cwndGain) {
            this.pacingGain = pacingGain;
            this.cwndGain = cwndGain;
        }

        /** One of the four that take turns in the long run. */
        public boolean isProbeBw() {
            return ordinal() >= PROBE_BW_DOWN.ordinal() && this != PROBE_RTT;
        }

        boolean isAccelerating() {
            return this == STARTUP || this == PROBE_BW_REFILL || this == PROBE_BW_UP;
        }
    }

    /** What the ACKs that arrive say about the last probe (BBR.ack_phase). */
    private enum AckPhase {
        INIT,
        REFILLING,
        PROBE_STARTING,
        PROBE_FEEDBACK,
        PROBE_STOPPING
    }

    private static final long SECOND = 1_000_000_000L;
    private static final int PACING_MARGIN_PERCENT = 1;
    private static final int STARTUP_LOST_RANGES = 6;
    private static final int DRAIN_ROUNDS = 3;
    private static final long PROBE_RTT_DURATION_NANOS = SECOND / 5;
    private static final long PROBE_WAIT_NANOS = 2 * SECOND;
    private static final int RENO_ROUNDS = 63;
    private static final int MAX_UP_ROUNDS = 30;
    private static final long NOT_YET = Long.MIN_VALUE;

    private final BbrModel model = new BbrModel();
    private Rng dice;
    private State state;
    private AckPhase ackPhase;
    private long pacingRate;
    private boolean hasSeenRtt;
    private int priorCwnd;
    private boolean idleRestart;
    private long drainStartRound;
    private int seenMarks;

    // Probing for bandwidth.
    private boolean isProbeSample;
    private boolean prevProbeTooHigh;
    private boolean prevProbePrecautionary;
    private long cycleNanos;
    private long probeWaitNanos;
    private long roundsSinceProbe;
    private int probeUpRounds;
    private long probeUpAcked;
    private long probeUpAckedPerIncrease;

    private boolean probeRttRoundDone;
    private long probeRttDone;

    /** What a loss made us leave, to go back to if it turns out to be none; null for nothing. */
    private State undoState;

    /** A controller that has seen nothing yet. */
    public Bbr() {}

    @Override
    public String name() {
        return "bbr";
    }

    @Override
    public boolean ownsWindow() {
        return true;
    }

    @Override
    public boolean wantsPacing() {
        return true;
    }

    /** The window is refilled at once after ProbeRTT, so the buffer holds more than twice of it. */
    @Override
    public int sendBufferFactor() {
        return 3;
    }

    /** Where the flow stands. */
    public State state() {
        return state;
    }

    /** BBR.bw: what the path is taken to deliver now, in bytes per second. */
    public long bandwidth() {
        return model.bw;
    }

    /** BBR.min_rtt in nanoseconds; {@link Long#MAX_VALUE} if unknown. */
    public long minRttNanos() {
        return model.minRttNanos;
    }

    /** BBR.inflight_longterm in segments; {@link Integer#MAX_VALUE} if losses set none. */
    public int inflightLongterm() {
        return model.inflightLongterm;
    }

    // ---- events ------------------------------------------------------------------------------

    @Override
    public void start(CongestionView view) {
        dice = new Rng(view.seed);
        model.reset(view);
        priorCwnd = 0;
        idleRestart = false;
        seenMarks = view.deliveredCe;
        isProbeSample = false;
        prevProbeTooHigh = false;
        prevProbePrecautionary = false;
        cycleNanos = view.nowNanos;
        probeWaitNanos = 0;
        roundsSinceProbe = 0;
        probeUpRounds = 0;
        probeUpAcked = 0;
        probeUpAckedPerIncrease = Long.MAX_VALUE;
        probeRttRoundDone = false;
        probeRttDone = NOT_YET;
        undoState = null;
        ackPhase = AckPhase.INIT;
        state = State.STARTUP;
        initPacingRate(view);
    }

    /** HandleRestartFromIdle. */
    @Override
    public void onEvent(CongestionView view, CongestionEvent event) {
        if (event != CongestionEvent.TRANSMIT_START) {
            return;
        }
        if (view.inFlight == 0 && view.appLimited) {
            model.onIdle(view);
            idleRestart = true;
            if (state.isProbeBw()) {
                setPacingRate(view, 100);
            } else if (state == State.PROBE_RTT) {
                checkProbeRttDone(view);
            }
        }
        view.pacingRate = pacingRate;
    }

    /** UpdateOnACK. */
    @Override
    public void control(CongestionView view, AckSample sample) {
        long rate = sample.bytesPerSecond(view.mss);
        answerMarks(view, sample);
        model.updateLatest(view, sample, rate);
        updateCongestionSignals(view, sample, rate);
        model.updateAggregation(view, sample.delivered);
        model.checkFullBw(sample, rate);
        checkStartupDone(view, sample);
        checkDrainDone(view);
        updateProbeBw(view, sample, rate);
        model.updateMinRtt(view, sample);
        checkProbeRtt(view, sample);
        model.advanceLatest(sample, rate);
        model.boundBw();
        setPacingRate(view, state.pacingGain);
        setCwnd(view, sample.delivered);
    }

    /** HandleLostPacket. */
    @Override
    public void onLost(CongestionView view, LostSegments lost) {
        noteLoss(view);
        model.noteRange(lost);
        if (!isProbeSample) {
            return;
        }
        if (BbrModel.isTooHigh(view, lost.lostSinceSent, lost.txInFlight)) {
            inflightTooHigh(view, BbrModel.inflightAtLoss(lost), lost.appLimited);
        }
    }

    /**
     * Recovery or a timeout begins: remembers what there was. The threshold has no meaning here.
     */
    @Override
    public int ssthresh(CongestionView view) {
        saveStateUponLoss(view);
        return view.ssthresh;
    }

    /** Recovery is over: RestoreCwnd; the next ACK bounds it by the model. */
    @Override
    public void onState(CongestionView view, CongestionState next) {
        boolean recovering = view.state.compareTo(CongestionState.RECOVERY) >= 0;
        if (recovering && next.compareTo(CongestionState.RECOVERY) < 0) {
            view.cwnd = Math.max(view.cwnd, priorCwnd);
        }
    }

    /** HandleSpuriousLossDetection. */
    @Override
    public int undoCwnd(CongestionView view) {
        model.restoreBounds();
        if (undoState == State.STARTUP && state != State.STARTUP) {
            model.fullBwReached = false;
            if (state != State.PROBE_RTT) {
                state = State.STARTUP;
            }
        } else if (undoState == State.PROBE_BW_UP
                && state != State.PROBE_BW_UP
                && state != State.PROBE_RTT) {
            startRefill(view);
        }
        undoState = null;
        return Math.max(view.cwnd, priorCwnd);
    }

    @Override
    public void grow(CongestionView view, int acked) {
        throw new IllegalStateException("bbr sets the window itself");
    }

    // ---- congestion --------------------------------------------------------------------------

    private void noteLoss(CongestionView view) {
        if (model.noteLoss(view)) {
            saveStateUponLoss(view);
        }
    }

    private void saveStateUponLoss(CongestionView view) {
        saveCwnd(view);
        undoState = null;
        model.saveBounds();
    }

    private void saveCwnd(CongestionView view) {
        boolean recovering = view.state.compareTo(CongestionState.RECOVERY) >= 0;
        boolean keep = recovering || state == State.PROBE_RTT;
        priorCwnd = keep ? Math.max(priorCwnd, view.cwnd) : view.cwnd;
    }

    /** A mark is a loss that did not happen. */
    private void answerMarks(CongestionView view, AckSample sample) {
        int marks = view.deliveredCe - seenMarks;
        seenMarks = view.deliveredCe;
        if (marks <= 0) {
            return;
        }
        noteLoss(view);
        if (state == State.STARTUP) {
            leaveStartup(view);
        } else if (isProbeSample) {
            inflightTooHigh(view, sample.txInFlight, sample.rateAppLimited);
        }
    }

    /** HandleInflightTooHigh. */
    private void inflightTooHigh(CongestionView view, int txInFlight, boolean appLimited) {
        prevProbeTooHigh = true;
        isProbeSample = false;
        if (!appLimited) {
            int least = BbrModel.beta(model.targetInflight(view));
            model.inflightLongterm = Math.max(txInFlight, least);
        }
        if (state == State.PROBE_BW_UP) {
            undoState = State.PROBE_BW_UP;
            startDown(view);
        }
    }

    private void updateCongestionSignals(CongestionView view, AckSample sample, long rate) {
        if (model.updateMaxBw(view, sample, rate)) {
            roundsSinceProbe++;
        }
        if (!model.lossRoundStart) {
            return;
        }
        if (model.lossInRound && !state.isAccelerating()) {
            model.adaptShortTerm(view);
        }
        model.lossInRound = false;
    }

    // ---- Startup and Drain -------------------------------------------------------------------

    private void checkStartupDone(CongestionView view, AckSample sample) {
        if (state != State.STARTUP) {
            return;
        }
        if (!model.fullBwReached && hasHighLoss(view, sample)) {
            leaveStartup(view);
        } else if (model.fullBwReached) {
            enterDrain();
        }
    }

    /** CheckStartupHighLoss. */
    private boolean hasHighLoss(CongestionView view, AckSample sample) {
        if (view.state != CongestionState.RECOVERY) {
            return false;
        }
        if (!view.selectiveAcks) {
            return model.lostRanges() > 0;
        }
        return model.lossRoundStart
                && model.lostRanges() >= STARTUP_LOST_RANGES
                && BbrModel.isTooHigh(view, sample.lostSinceSent, sample.txInFlight);
    }

    private void leaveStartup(CongestionView view) {
        undoState = State.STARTUP;
        model.fullPipe();
        model.inflightLongterm = Math.max(model.bdp(view, model.bw, 100), model.inflightLatest);
        enterDrain();
    }

    private void enterDrain() {
        state = State.DRAIN;
        drainStartRound = model.roundCount;
    }

    private void checkDrainDone(CongestionView view) {
        if (state == State.DRAIN
                && (view.inFlight <= inflight(view, model.bw)
                        || model.roundCount > drainStartRound + DRAIN_ROUNDS)) {
            startDown(view);
        }
    }

    /** Inflight(1.0) for some bandwidth. */
    private int inflight(CongestionView view, long bandwidth) {
        int bdp = model.bdp(view, bandwidth, 100);
        return BbrModel.quantize(view, bdp, pacingRate, state == State.PROBE_BW_UP);
    }

    // ---- ProbeBW -----------------------------------------------------------------------------

    private void startDown(CongestionView view) {
        model.resetCongestionSignals();
        probeUpAckedPerIncrease = Long.MAX_VALUE;
        roundsSinceProbe = dice.nextInt(2);
        probeWaitNanos = PROBE_WAIT_NANOS + dice.nextLong(SECOND);
        cycleNanos = view.nowNanos;
        ackPhase = AckPhase.PROBE_STOPPING;
        model.startRound(view);
        state = State.PROBE_BW_DOWN;
    }

    private void startRefill(CongestionView view) {
        model.resetShortTerm();
        probeUpRounds = 0;
        probeUpAcked = 0;
        prevProbePrecautionary = false;
        ackPhase = AckPhase.REFILLING;
        model.startRound(view);
        state = State.PROBE_BW_REFILL;
    }

    private void startUp(CongestionView view, long rate) {
        ackPhase = AckPhase.PROBE_STARTING;
        model.startRound(view);
        model.resetFullBw(rate);
        state = State.PROBE_BW_UP;
        raiseSlope(view);
    }

    /** UpdateProbeBWCyclePhase. */
    private void updateProbeBw(CongestionView view, AckSample sample, long rate) {
        if (!model.fullBwReached || adaptLongTerm(view, sample)) {
            return;
        }
        switch (state) {
            case PROBE_BW_DOWN -> {
                if (isTimeToProbe(view)) {
                    startRefill(view);
                } else if (view.inFlight <= model.inflightWithHeadroom()
                        && view.inFlight <= inflight(view, model.maxBw)) {
                    state = State.PROBE_BW_CRUISE;
                }
            }
            case PROBE_BW_CRUISE -> {
                if (isTimeToProbe(view)) {
                    startRefill(view);
                }
            }
            case PROBE_BW_REFILL -> {
                if (model.roundStart) {
                    isProbeSample = true;
                    startUp(view, rate);
                }
            }
            case PROBE_BW_UP -> {
                if (isTimeToGoDown(view, rate)) {
                    prevProbeTooHigh = false;
                    startDown(view);
                }
            }
            default -> {
                // The other states have their own way out.
            }
        }
    }

    /** The wall clock says so, or a Reno flow would have lost something by now. */
    private boolean isTimeToProbe(CongestionView view) {
        int renoRounds = Math.min(model.targetInflight(view), RENO_ROUNDS);
        return view.nowNanos > cycleNanos + probeWaitNanos || roundsSinceProbe >= renoRounds;
    }

    private boolean isTimeToGoDown(CongestionView view, long rate) {
        if (prevProbeTooHigh && view.inFlight >= model.inflightLongterm) {
            prevProbePrecautionary = true;
            return true;
        }
        if (view.cwndLimited && view.cwnd >= model.inflightLongterm) {
            model.resetFullBw(rate);
            return false;
        }
        return model.fullBwNow;
    }

    /** AdaptLongTermModel; true if it chose the next state. */
    private boolean adaptLongTerm(CongestionView view, AckSample sample) {
        if (ackPhase == AckPhase.PROBE_STARTING && model.roundStart) {
            ackPhase = AckPhase.PROBE_FEEDBACK;
        }
        if (ackPhase == AckPhase.PROBE_STOPPING && model.roundStart) {
            isProbeSample = false;
            ackPhase = AckPhase.INIT;
            if (state.isProbeBw() && !sample.rateAppLimited) {
                model.advanceMaxBw();
            }
            if (state.isProbeBw() && prevProbePrecautionary && !prevProbeTooHigh) {
                startRefill(view);
                return true;
            }
        }
        boolean safe = !BbrModel.isTooHigh(view, sample.lostSinceSent, sample.txInFlight);
        if (safe && model.inflightLongterm != BbrModel.UNBOUNDED) {
            model.inflightLongterm = Math.max(model.inflightLongterm, sample.txInFlight);
            if (state == State.PROBE_BW_UP) {
                probeUpward(view, sample.delivered);
            }
        }
        return false;
    }

    /** ProbeInflightLongtermUpward: 1, 2, 4, ... segments per round. */
    private void probeUpward(CongestionView view, int acked) {
        if (!view.cwndLimited || view.cwnd < model.inflightLongterm) {
            return;
        }
        probeUpAcked += acked;
        if (probeUpAcked >= probeUpAckedPerIncrease) {
            long delta = probeUpAcked / probeUpAckedPerIncrease;
            probeUpAcked -= delta * probeUpAckedPerIncrease;
            model.inflightLongterm =
                    (int) Math.min(model.inflightLongterm + delta, CongestionView.MAX_CWND);
        }
        if (model.roundStart) {
            raiseSlope(view);
        }
    }

    private void raiseSlope(CongestionView view) {
        long growth = 1L << probeUpRounds;
        probeUpRounds = Math.min(probeUpRounds + 1, MAX_UP_ROUNDS);
        probeUpAckedPerIncrease = Math.max(view.cwnd / growth, 1);
    }

    // ---- ProbeRTT ----------------------------------------------------------------------------

    private void checkProbeRtt(CongestionView view, AckSample sample) {
        if (state != State.PROBE_RTT && model.probeRttExpired && !idleRestart) {
            // Before the state changes: the window of now is known to be good.
            saveCwnd(view);
            state = State.PROBE_RTT;
            probeRttDone = NOT_YET;
            ackPhase = AckPhase.PROBE_STOPPING;
            model.startRound(view);
        }
        if (state == State.PROBE_RTT) {
            inProbeRtt(view);
        }
        if (sample.delivered > 0) {
            idleRestart = false;
        }
    }

    /** HandleProbeRTT: at least 200 ms and a round with little in flight. */
    private void inProbeRtt(CongestionView view) {
        view.markAppLimited = true;
        if (probeRttDone == NOT_YET) {
            if (view.inFlight <= probeRttCwnd(view)) {
                probeRttDone = view.nowNanos + PROBE_RTT_DURATION_NANOS;
                probeRttRoundDone = false;
                model.startRound(view);
            }
            return;
        }
        probeRttRoundDone |= model.roundStart;
        if (probeRttRoundDone) {
            checkProbeRttDone(view);
        }
    }

    private void checkProbeRttDone(CongestionView view) {
        if (probeRttDone == NOT_YET || view.nowNanos <= probeRttDone) {
            return;
        }
        model.probeRttMinStamp = view.nowNanos;
        view.cwnd = Math.max(view.cwnd, priorCwnd);
        model.resetShortTerm();
        if (model.fullBwReached) {
            // What is in flight is below the path's volume already: no need to go down.
            startDown(view);
            state = State.PROBE_BW_CRUISE;
        } else {
            state = State.STARTUP;
        }
    }

    private int probeRttCwnd(CongestionView view) {
        int half = model.bdp(view, model.bw, State.PROBE_RTT.cwndGain);
        return Math.max(half, BbrModel.MIN_PIPE_CWND);
    }

    // ---- what is sent ------------------------------------------------------------------------

    private void initPacingRate(CongestionView view) {
        hasSeenRtt = view.srttNanos > 0;
        long rtt = hasSeenRtt ? view.srttNanos : SECOND / 1000;
        long nominal = AckSample.scale((long) view.initialCwnd * view.mss, SECOND, rtt);
        pacingRate = nominal * State.STARTUP.pacingGain / 100;
        view.pacingRate = pacingRate;
    }

    private void setPacingRate(CongestionView view, int gainPercent) {
        if (!hasSeenRtt && view.srttNanos > 0) {
            initPacingRate(view);
        }
        long rate = model.bw * (100 - PACING_MARGIN_PERCENT) * gainPercent / 10_000;
        if (view.srttNanos > 0) {
            rate = Math.max(rate, view.mss * SECOND / view.srttNanos);
        }
        if (model.fullBwReached || rate > pacingRate) {
            pacingRate = Math.max(rate, 1);
        }
        view.pacingRate = pacingRate;
    }

    /** SetCwnd. */
    private void setCwnd(CongestionView view, int acked) {
        int most = model.bdp(view, model.bw, state.cwndGain) + model.extraAcked;
        most = BbrModel.quantize(view, most, pacingRate, state == State.PROBE_BW_UP);
        long cwnd = view.cwnd;
        if (model.fullBwReached) {
            cwnd = Math.min(cwnd + acked, most);
        } else if (cwnd < most || view.delivered < view.initialCwnd) {
            cwnd += acked;
        }
        cwnd = Math.max(cwnd, BbrModel.MIN_PIPE_CWND);
        if (state == State.PROBE_RTT) {
            cwnd = Math.min(cwnd, probeRttCwnd(view));
        }
        view.cwnd = (int) Math.min(Math.min(cwnd, bound()), CongestionView.MAX_CWND);
    }

    /** BoundCwndForModel. */
    private int bound() {
        int bound = BbrModel.UNBOUNDED;
        if (state == State.PROBE_RTT || state == State.PROBE_BW_CRUISE) {
            bound = model.inflightWithHeadroom();
        } else if (state.isProbeBw()) {
            bound = model.inflightLongterm;
        }
        return Math.max(Math.min(bound, model.inflightShortterm), BbrModel.MIN_PIPE_CWND);
    }
}
