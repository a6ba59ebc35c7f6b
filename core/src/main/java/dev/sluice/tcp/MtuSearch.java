package dev.sluice.tcp;

import dev.sluice.tcp.congestion.CongestionState;
import dev.sluice.trace.Counter;

/** Probing the path for a larger MTU, and leaving black holes (RFC 4821, B-11.5). */
final class MtuSearch {
    static final int NO_PROBE = -1;
    static final int WAITS = 0;
    static final int SENT = 1;

    private static final int TCP_HEADER = 20;

    /** A lost probe costs a segment of the window: below this it would hurt. */
    private static final int LEAST_CWND = 11;

    /** With tcp_mtu_probing = 2 every connection searches from the start. */
    void onEstablished(long now, TcpConnection c) {
        if (c.context.config.mtuProbingMode > 1) {
            c.mtuProbing = new MtuProbing();
            c.mtuProbing.begin(now, mtuOf(c, c.context.config.baseMss), largest(c));
        }
    }

    private static int largest(TcpConnection c) {
        return c.peerMss + TCP_HEADER + PathMtu.networkHeader(c.isIpv4());
    }

    /** The packet that a segment of {@code mss} bytes with the fixed options makes. */
    private static int mtuOf(TcpConnection c, int mss) {
        return mss + Handshake.fixedOptions(c) + TCP_HEADER + PathMtu.networkHeader(c.isIpv4());
    }

    /** The payload of a packet of {@code mtu} bytes, whatever window and route say. */
    static int mssOf(TcpConnection c, int mtu) {
        return PathMtu.sending(mtu, c.isIpv4(), c.peerMss, Handshake.fixedOptions(c), 0);
    }

    // ---- probing -----------------------------------------------------------------------------

    /**
     * How much the first segment of a turn carries if it is to be a probe.
     *
     * @return bytes; {@link #WAITS} to send nothing for now, so that the window drains for the
     *     probe; {@link #NO_PROBE} to go on as usual
     */
    int probeLength(long now, TcpConnection c, Flight f) {
        MtuProbing m = c.mtuProbing;
        boolean sacks = c.receiveQueue != null && c.receiveQueue.sackCount() > 0;
        if (m.isProbing()
                || f.recovery.state != CongestionState.OPEN
                || c.congestion.cwnd < LEAST_CWND
                || sacks) {
            return NO_PROBE;
        }
        int length = mssOf(c, m.middle());
        boolean narrow = m.high() - m.low() < c.context.config.mtuProbeThresholdBytes;
        if (narrow || length > mssOf(c, m.high()) || length <= Transmitter.currentMss(c)) {
            if (now - m.since() >= c.context.config.mtuProbeIntervalNanos) {
                m.begin(now, mtuOf(c, Transmitter.currentMss(c)), largest(c));
            }
            return NO_PROBE;
        }
        // Enough behind it that its loss is found by duplicates and not by a timeout.
        long needed = length + (long) (c.congestion.reordering + 1) * c.sendMss;
        long start = c.sendWindow.sndNxt;
        if (c.notSent() < needed
                || c.sendWindow.sndWnd < needed
                || f.sendQueue.sendableEnd() < start + length) {
            return NO_PROBE;
        }
        if (start + needed > c.sendWindow.windowEnd()) {
            return WAITS;
        }
        int inFlight = f.scoreboard.inFlight();
        if (inFlight + 2 > c.congestion.cwnd) {
            return inFlight == 0 ? NO_PROBE : WAITS;
        }
        return length;
    }

    /** The probe left, {@code length} bytes from {@code start}: it stands for two segments. */
    void onSent(TcpConnection c, long start, int length) {
        c.congestion.cwnd--;
        c.mtuProbing.sent(mtuOf(c, length), start, start + length);
    }

    // ---- what became of it -------------------------------------------------------------------

    /** SND.UNA moved. */
    void onAck(long now, TcpConnection c, Flight f) {
        MtuProbing m = c.mtuProbing;
        if (!m.isAcknowledged(c.sendWindow.sndUna)) {
            return;
        }
        // The window is counted in segments, which become larger.
        long bytes = (long) c.congestion.cwnd * mtuOf(c, c.sendMss);
        c.congestion.cwnd = (int) Math.max(1, bytes / m.probe());
        c.congestion.cwndCnt = 0;
        f.validation.touch(now);
        c.congestion.ssthresh = c.congestion.currentSsthresh();
        m.succeeded();
        c.sendMss = Handshake.sendingMss(c);
        c.context.count(Counter.TCP_MTUP_SUCCESS);
    }

    /**
     * Losses were found: if the probe is the first of them, that says something about the size of
     * packets and nothing about congestion.
     *
     * @return whether it is; then everything too large waits for its retransmission
     */
    boolean explainsLoss(TcpConnection c, Flight f) {
        MtuProbing m = c.mtuProbing;
        if (m == null
                || f.recovery.state.compareTo(CongestionState.CWR) >= 0
                || !m.isHead(c.sendWindow.sndUna)) {
            return false;
        }
        m.failed();
        c.congestion.cwnd++;
        c.context.count(Counter.TCP_MTUP_FAIL);
        UserCalls.sendTooLargeAgain(c, f);
        return true;
    }

    /** Timeouts in a row: perhaps packets of this size vanish without a word. */
    void onTimeouts(long now, TcpConnection c) {
        if (c.context.config.mtuProbingMode == 0) {
            return;
        }
        if (c.mtuProbing == null) {
            c.mtuProbing = new MtuProbing();
            c.mtuProbing.begin(now, mtuOf(c, c.context.config.baseMss), largest(c));
        } else {
            int half = mssOf(c, c.mtuProbing.low()) >> 1;
            int mss = Math.min(c.context.config.baseMss, half);
            mss = Math.max(mss, c.context.config.mtuProbeFloor);
            mss = Math.max(mss, c.context.config.minSndMss);
            c.mtuProbing.lower(mtuOf(c, mss));
        }
        c.sendMss = Handshake.sendingMss(c);
    }
}
