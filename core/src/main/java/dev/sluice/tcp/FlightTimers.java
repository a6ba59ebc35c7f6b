package dev.sluice.tcp;

import dev.sluice.tcp.congestion.CongestionState;

/**
 * Which of the three timers that watch the flight runs, and until when: RETRANSMIT, LOSS_PROBE or
 * REORDER (RFC 6298 section 5, RFC 8985 sections 6.3 and 7.2, B-4.5). Part of {@link AckArrives}.
 */
final class FlightTimers {
    private static final long PROBE_FLOOR_NANOS = 2_000_000L;
    private static final int PROBE_MODE_LOW = 3;
    private static final int PROBE_MODE_HIGH = 4;

    private FlightTimers() {}

    /** Of the three timers that watch the flight, one runs at a time. */
    static void armOnly(TcpConnection c, TcpTimer timer, long deadline) {
        if (timer != TcpTimer.RETRANSMIT) {
            c.disarm(TcpTimer.RETRANSMIT);
        }
        if (timer != TcpTimer.LOSS_PROBE) {
            c.disarm(TcpTimer.LOSS_PROBE);
        }
        if (timer != TcpTimer.REORDER) {
            c.disarm(TcpTimer.REORDER);
        }
        c.arm(timer, deadline);
    }

    static void disarmAll(TcpConnection c) {
        c.disarm(TcpTimer.RETRANSMIT);
        c.disarm(TcpTimer.LOSS_PROBE);
        c.disarm(TcpTimer.REORDER);
    }

    /**
     * Arms the retransmission timer.
     *
     * @param sinceSent count from the transmission of the first row, because another timer ran
     *     until now
     */
    static void rearmRetransmit(long now, TcpConnection c, Flight f, boolean sinceSent) {
        if (f.halfOpen != null) {
            return; // the timer repeats the SYN-ACK
        }
        int head = f.scoreboard.first();
        if (head == Scoreboard.NONE) {
            disarmAll(c);
            return;
        }
        long begin = sinceSent ? f.scoreboard.sentNanos(head) : now;
        long deadline = begin + c.rtt.rtoNanos + f.pacer.delay(now);
        armOnly(c, TcpTimer.RETRANSMIT, Math.max(deadline, now + 1));
    }

    /** After progress: the probe timer if it applies, else the retransmission timer. */
    static void restart(long now, TcpConnection c, Flight f) {
        if (!scheduleProbe(now, c, f, true)) {
            boolean other = c.isArmed(TcpTimer.REORDER) || c.isArmed(TcpTimer.LOSS_PROBE);
            rearmRetransmit(now, c, f, other);
        }
    }

    /**
     * Arms the loss probe (RFC 8985 section 7.2, B-4.5).
     *
     * @param restart the retransmission timer would start anew now
     * @return whether it applies
     */
    static boolean scheduleProbe(long now, TcpConnection c, Flight f, boolean restart) {
        int mode = c.context.config.earlyRetransMode;
        CongestionState state = f.recovery.state;
        boolean applies =
                (mode == PROBE_MODE_LOW || mode == PROBE_MODE_HIGH)
                        && c.sackOk
                        && !f.scoreboard.isEmpty()
                        && f.halfOpen == null
                        && (state == CongestionState.OPEN || state == CongestionState.CWR);
        if (!applies) {
            return false;
        }
        long srtt = c.rtt.srttNanos();
        long timeout = RttEstimator.INITIAL_RTO_NANOS;
        if (srtt > 0) {
            boolean alone = f.scoreboard.packetsOut() == 1;
            timeout = 2 * srtt + (alone ? c.settings.rtoMinNanos : PROBE_FLOOR_NANOS);
        }
        long sent = restart ? now : f.scoreboard.sentNanos(f.scoreboard.first());
        long untilRto = sent + c.rtt.rtoNanos - now;
        if (untilRto > 0) {
            timeout = Math.min(timeout, untilRto);
        }
        armOnly(c, TcpTimer.LOSS_PROBE, now + timeout + f.pacer.delay(now));
        return true;
    }
}
