package dev.sluice.tcp.congestion;

/**
 * What {@link Bbr} believes about the path: rounds, bandwidth, volume in flight, aggregation of
 * ACKs, and what loss says about them (draft-ietf-ccwg-bbr section 5.5).
 *
 * <p>Volumes are in segments, rates in bytes per second, times in nanoseconds. Names are those of
 * the draft. It knows nothing of the states; {@link Bbr} tells what follows from them.
 */
final class BbrModel {
    static final int UNBOUNDED = Integer.MAX_VALUE;
    static final long NO_BOUND = Long.MAX_VALUE;

    /** BBR.MinPipeCwnd. */
    static final int MIN_PIPE_CWND = 4;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int BETA_PERCENT = 70;
    private static final int HEADROOM_PERCENT = 15;

    /** 1 / BBR.LossThresh of 2 %. */
    private static final int LOSS_DIVISOR = 50;

    private static final int EXTRA_ACKED_ROUNDS = 10;
    private static final long MIN_RTT_FILTER_NANOS = 10 * NANOS_PER_SECOND;
    private static final long PROBE_RTT_INTERVAL_NANOS = 5 * NANOS_PER_SECOND;
    private static final long MAX_QUANTUM = 64 << 10;

    // Packet-timed round trips.
    long roundCount;
    boolean roundStart;
    private long nextRoundDelivered;

    // The same from one loss to the next.
    boolean lossRoundStart;
    boolean lossInRound;
    private long lossRoundDelivered;
    private int lostRanges;
    private long lastLostEnd;

    // Bandwidth: the maximum of this probing cycle and of the one before.
    private long cycleMaximum;
    private long previousMaximum;
    long maxBw;
    long bw;
    long bwShortterm;
    long bwLatest;

    // The minimum RTT of ten seconds, and of five: the second tells when to look for it again.
    long minRttNanos;
    private long minRttStamp;
    private long probeRttMinDelay;
    long probeRttMinStamp;
    boolean probeRttExpired;

    int inflightLatest;
    int inflightShortterm;
    int inflightLongterm;

    // Bounds before a loss that may turn out to be none.
    private long undoBwShortterm;
    private int undoInflightShortterm;
    private int undoInflightLongterm;

    // The full-pipe estimator.
    boolean fullBwReached;
    boolean fullBwNow;
    private long fullBw;
    private int fullBwCount;

    private final WindowedMax extraAckedFilter = new WindowedMax();
    private long extraAckedStartNanos;
    private long extraAckedDelivered;
    int extraAcked;

    void reset(CongestionView view) {
        roundCount = 0;
        roundStart = false;
        nextRoundDelivered = 0;
        lossRoundDelivered = 0;
        lossRoundStart = false;
        lastLostEnd = -1;
        lostRanges = 0;
        cycleMaximum = 0;
        previousMaximum = 0;
        maxBw = 0;
        bw = 0;
        minRttNanos = view.srttNanos > 0 ? view.srttNanos : NO_BOUND;
        minRttStamp = view.nowNanos;
        probeRttMinDelay = minRttNanos;
        probeRttMinStamp = view.nowNanos;
        probeRttExpired = false;
        undoBwShortterm = 0;
        undoInflightShortterm = 0;
        undoInflightLongterm = 0;
        inflightLongterm = UNBOUNDED;
        fullBwReached = false;
        extraAckedFilter.reset(0, 0);
        extraAckedStartNanos = view.nowNanos;
        extraAckedDelivered = 0;
        extraAcked = 0;
        resetCongestionSignals();
        resetShortTerm();
        resetFullBw(0);
    }

    // ---- rounds and signals ------------------------------------------------------------------

    /** StartRound: the round ends with the first ACK of what is sent from now on. */
    void startRound(CongestionView view) {
        nextRoundDelivered = view.deliveredTotal;
    }

    /** Nothing is in flight: no round can be under way. */
    void onIdle(CongestionView view) {
        nextRoundDelivered = Math.min(nextRoundDelivered, view.deliveredTotal);
        lossRoundDelivered = Math.min(lossRoundDelivered, view.deliveredTotal);
        extraAckedStartNanos = view.nowNanos;
    }

    /** UpdateLatestDeliverySignals. */
    void updateLatest(CongestionView view, AckSample sample, long rate) {
        lossRoundStart = false;
        bwLatest = Math.max(bwLatest, rate);
        inflightLatest = Math.max(inflightLatest, sample.rateDelivered);
        if (sample.priorDelivered >= lossRoundDelivered) {
            lossRoundDelivered = view.deliveredTotal;
            lossRoundStart = true;
        }
    }

    /** AdvanceLatestDeliverySignals. */
    void advanceLatest(AckSample sample, long rate) {
        if (lossRoundStart) {
            bwLatest = rate;
            inflightLatest = Math.max(0, sample.rateDelivered);
            lostRanges = 0;
        }
    }

    void resetCongestionSignals() {
        lossInRound = false;
        bwLatest = 0;
        inflightLatest = 0;
    }

    void resetShortTerm() {
        bwShortterm = NO_BOUND;
        inflightShortterm = UNBOUNDED;
    }

    /** UpdateMaxBw; true if a round trip begins. */
    boolean updateMaxBw(CongestionView view, AckSample sample, long rate) {
        roundStart = sample.priorDelivered >= nextRoundDelivered;
        if (roundStart) {
            startRound(view);
            roundCount++;
        }
        if (rate > 0 && (rate >= maxBw || !sample.rateAppLimited)) {
            cycleMaximum = Math.max(cycleMaximum, rate);
            maxBw = Math.max(cycleMaximum, previousMaximum);
        }
        return roundStart;
    }

    /** AdvanceMaxBwFilter: a cycle of probing is over. A cycle without a sample does not count. */
    void advanceMaxBw() {
        if (cycleMaximum > 0) {
            previousMaximum = cycleMaximum;
            cycleMaximum = 0;
            maxBw = previousMaximum;
        }
    }

    /** BoundBWForModel. */
    void boundBw() {
        bw = Math.min(maxBw, bwShortterm);
    }

    /** ResetFullBW, with what counts as the bandwidth so far. */
    void resetFullBw(long baseline) {
        fullBw = baseline;
        fullBwCount = 0;
        fullBwNow = false;
    }

    /** CheckFullBWReached: three rounds without a quarter more. */
    void checkFullBw(AckSample sample, long rate) {
        if (fullBwNow || !roundStart || sample.rateAppLimited || rate == 0) {
            return;
        }
        if (rate >= fullBw + (fullBw >> 2)) {
            resetFullBw(rate);
            return;
        }
        fullBwCount++;
        if (fullBwCount >= 3) {
            fullPipe();
        }
    }

    void fullPipe() {
        fullBwNow = true;
        fullBwReached = true;
    }

    /** UpdateMinRTT. */
    void updateMinRtt(CongestionView view, AckSample sample) {
        long now = view.nowNanos;
        long rtt = sample.rttNanos;
        probeRttExpired = now > probeRttMinStamp + PROBE_RTT_INTERVAL_NANOS;
        if (rtt > 0 && (rtt < probeRttMinDelay || probeRttExpired)) {
            probeRttMinDelay = rtt;
            probeRttMinStamp = now;
        }
        boolean expired = now > minRttStamp + MIN_RTT_FILTER_NANOS;
        if (probeRttMinDelay < minRttNanos || expired) {
            minRttNanos = probeRttMinDelay;
            minRttStamp = probeRttMinStamp;
        }
    }

    /** UpdateACKAggregation. */
    void updateAggregation(CongestionView view, int newlyAcked) {
        long interval = view.nowNanos - extraAckedStartNanos;
        long expected = AckSample.scale(bw, interval, NANOS_PER_SECOND) / view.mss;
        if (extraAckedDelivered <= expected) {
            extraAckedDelivered = 0;
            extraAckedStartNanos = view.nowNanos;
            expected = 0;
        }
        extraAckedDelivered += newlyAcked;
        long extra = Math.min(extraAckedDelivered - expected, view.cwnd);
        int rounds = fullBwReached ? EXTRA_ACKED_ROUNDS : 1;
        extraAcked = (int) extraAckedFilter.update(rounds, roundCount, extra);
    }

    // ---- loss --------------------------------------------------------------------------------

    /** The first loss of a round opens the round in which it is answered; true if it is that. */
    boolean noteLoss(CongestionView view) {
        boolean first = !lossInRound;
        if (first) {
            lossRoundDelivered = view.deliveredTotal;
        }
        lossInRound = true;
        return first;
    }

    /** Remembers the bounds before a loss takes effect. */
    void saveBounds() {
        undoBwShortterm = bwShortterm;
        undoInflightShortterm = inflightShortterm;
        undoInflightLongterm = inflightLongterm;
    }

    /** The loss was none. */
    void restoreBounds() {
        lossInRound = false;
        resetFullBw(0);
        bwShortterm = Math.max(bwShortterm, undoBwShortterm);
        inflightShortterm = Math.max(inflightShortterm, undoInflightShortterm);
        inflightLongterm = Math.max(inflightLongterm, undoInflightLongterm);
    }

    /** Counts ranges of lost sequence space that do not touch. */
    void noteRange(LostSegments lost) {
        if (lost.start != lastLostEnd) {
            lostRanges++;
        }
        lastLostEnd = lost.end;
    }

    /** Ranges lost since the last round with losses ended. */
    int lostRanges() {
        return lostRanges;
    }

    /** IsInflightTooHigh: more than BBR.LossThresh of a flight was lost. */
    static boolean isTooHigh(CongestionView view, int lost, int txInFlight) {
        return (long) lost * LOSS_DIVISOR > txInFlight || lost > 0 && !view.selectiveAcks;
    }

    /** InflightAtLoss: how much was in flight where losses crossed the threshold. */
    static int inflightAtLoss(LostSegments lost) {
        int inflightBefore = lost.txInFlight - lost.segments;
        int lostBefore = lost.lostSinceSent - lost.segments;
        // (threshold * inflight - lost) / (1 - threshold), with a threshold of 1/50.
        int prefix = (inflightBefore - lostBefore * LOSS_DIVISOR) / (LOSS_DIVISOR - 1);
        return Math.max(inflightBefore + prefix, 0);
    }

    /** Once per round with loss, while not probing: AdaptLowerBoundsFromCongestion. */
    void adaptShortTerm(CongestionView view) {
        if (bwShortterm == NO_BOUND) {
            bwShortterm = maxBw;
        }
        if (inflightShortterm == UNBOUNDED) {
            inflightShortterm = view.cwnd;
        }
        bwShortterm = Math.max(bwLatest, bwShortterm * BETA_PERCENT / 100);
        inflightShortterm = Math.max(inflightLatest, beta(inflightShortterm));
    }

    static int beta(int volume) {
        return (int) ((long) volume * BETA_PERCENT / 100);
    }

    // ---- volumes -----------------------------------------------------------------------------

    /** BDPMultiple for some bandwidth; rounded up, so that a path always holds something. */
    int bdp(CongestionView view, long rate, int gainPercent) {
        if (minRttNanos == NO_BOUND) {
            return view.initialCwnd;
        }
        long bytes = AckSample.scale(rate, minRttNanos, NANOS_PER_SECOND);
        long perSegment = 100L * view.mss;
        long segments = (bytes * gainPercent + perSegment - 1) / perSegment;
        return (int) Math.min(segments, CongestionView.MAX_CWND);
    }

    /** TargetInflight. */
    int targetInflight(CongestionView view) {
        return Math.min(bdp(view, bw, 100), view.cwnd);
    }

    /** QuantizationBudget: three quanta on their way through the two hosts. */
    static int quantize(CongestionView view, int volume, long pacingRate, boolean probingUp) {
        long quantum = Math.min(pacingRate / 1000, MAX_QUANTUM);
        int budget = 3 * (int) Math.max((quantum + view.mss - 1) / view.mss, 2);
        int volumes = Math.max(Math.max(volume, budget), MIN_PIPE_CWND);
        return probingUp ? volumes + 2 : volumes;
    }

    /** InflightWithHeadroom. */
    int inflightWithHeadroom() {
        if (inflightLongterm == UNBOUNDED) {
            return UNBOUNDED;
        }
        long headroom = Math.max(1, (long) inflightLongterm * HEADROOM_PERCENT / 100);
        return (int) Math.max(inflightLongterm - headroom, MIN_PIPE_CWND);
    }
}
