package dev.sluice.tcp;

import dev.sluice.trace.Counter;

/** What each expired timer of a connection means (B-4.6, B-7.8, B-10.8, B-10.10, B-10.11). */
final class TimerExpiry {
    /** Local trouble (no buffer, no route): try again after this (B-4.14). */
    static final long LOCAL_RETRY_NANOS = 500_000_000L;

    private static final long SECOND = 1_000_000_000L;

    /** Runs every timer of {@code c} that is due, in the order of {@link TcpTimer}. */
    void run(long now, TcpConnection c) {
        for (int i = 0; i < TcpTimer.COUNT && c.timers != null; i++) {
            TcpTimer timer = TcpTimer.at(i);
            if (c.timers.deadline(timer) > now) {
                continue;
            }
            c.timers.disarm(timer);
            c.context.observer.timerFired(now, c.id(), i, c.retransmits);
            expire(now, c, timer);
        }
        if (c.timers != null && c.timers.earliest() != TcpTimers.UNARMED) {
            c.context.deadlineMoved(c.number(), c.timers.earliest());
        } else {
            c.releaseIdleParts();
        }
    }

    private void expire(long now, TcpConnection c, TcpTimer timer) {
        switch (timer) {
            case RETRANSMIT -> retransmit(now, c);
            case REORDER -> {
                c.context.ackArrives.onReorderTimeout(now, c);
                c.context.wantsOutput(c);
            }
            case LOSS_PROBE -> c.context.transmitter.sendLossProbe(now, c);
            case PERSIST -> persist(now, c);
            case DELAYED_ACK -> c.context.dataArrives.onDelayedAckTimer(now, c);
            case PACING -> c.context.wantsOutput(c);
            case KEEPALIVE -> keepAlive(now, c);
            case FIN_WAIT_2 -> c.context.userCalls.finWait2Expired(now, c);
            case SACK_COMPRESSION -> c.context.dataArrives.onSackCompressionTimer(now, c);
        }
    }

    // ---- retransmission ----------------------------------------------------------------------

    private void retransmit(long now, TcpConnection c) {
        if (c.isOpenEarly()) {
            c.context.fastOpenHandshake.onSynAckTimeout(now, c);
            return;
        }
        if (c.flight == null || c.flight.scoreboard.isEmpty()) {
            return;
        }
        if (c.sendWindow.sndWnd == 0 && c.state().isSynchronized()) {
            intoClosedWindow(now, c);
            return;
        }
        boolean over = givesUp(now, c);
        if ((c.fastOpenFlags & FastOpenClient.USED) != 0) {
            c.context.fastOpenClient.onTimeout(now, c, over);
        }
        if (over) {
            timedOut(now, c);
            return;
        }
        findBlackHole(now, c);
        if (c.flight.retransmitStamp == 0) {
            c.flight.retransmitStamp = now;
        }
        c.busyTime().onTimeout(now, c.retransmits == 0);
        c.retransmits++;
        if (c.state() == TcpState.SYN_SENT || c.state() == TcpState.SYN_RECEIVED) {
            c.context.handshake.onSynTimeout(now, c);
            c.arm(TcpTimer.RETRANSMIT, synDeadline(now, c));
            return;
        }
        c.context.ackArrives.onRetransmitTimeout(now, c);
        boolean sent = c.context.transmitter.retransmitHead(now, c);
        c.rechargeSend(now);
        if (!sent) {
            c.arm(TcpTimer.RETRANSMIT, now + LOCAL_RETRY_NANOS);
            return;
        }
        long rto = c.rtt.backOff(c.settings.rtoMaxNanos);
        c.arm(TcpTimer.RETRANSMIT, clampToUserTimeout(now, c, now + rto));
        c.context.wantsOutput(c);
    }

    /**
     * The peer closed its window over data it had admitted: retransmissions are probes, and only
     * silence ends the connection (B-7.8).
     */
    private void intoClosedWindow(long now, TcpConnection c) {
        if (now - c.lastReceiveNanos > 2 * c.settings.rtoMaxNanos && c.retransmits > 0) {
            timedOut(now, c);
            return;
        }
        if (c.flight.retransmitStamp == 0) {
            c.flight.retransmitStamp = now;
        }
        c.retransmits++;
        c.context.ackArrives.onRetransmitTimeout(now, c);
        c.context.transmitter.retransmitHead(now, c);
        c.rechargeSend(now);
        c.arm(
                TcpTimer.RETRANSMIT,
                clampToUserTimeout(now, c, now + c.rtt.backOff(c.settings.rtoMaxNanos)));
    }

    /** After as long as {@code tcp_retries1} retransmissions take (B-11.5). */
    private static void findBlackHole(long now, TcpConnection c) {
        int retries = c.context.config.retries1;
        if (c.state().isSynchronized()
                && c.retransmits > 0
                && now - c.flight.retransmitStamp
                        >= modelTimeout(retries, c.settings.rtoMinNanos, c.settings.rtoMaxNanos)) {
            c.context.mtuSearch.onTimeouts(now, c);
        }
    }

    private static boolean givesUp(long now, TcpConnection c) {
        boolean syn = c.state() == TcpState.SYN_SENT || c.state() == TcpState.SYN_RECEIVED;
        if (syn) {
            long since = now - Handshake.synSent(c);
            if (c.settings.userTimeoutNanos > 0) {
                return since >= c.settings.userTimeoutNanos;
            }
            // Linear timeouts add tries, not time.
            long rto = c.context.config.initialRtoNanos;
            int retries = c.settings.synRetries;
            return c.retransmits >= retries + c.context.config.synLinearTimeouts
                    || c.retransmits > 0
                            && since >= modelTimeout(retries, rto, c.settings.rtoMaxNanos);
        }
        if (c.retransmits == 0) {
            return false;
        }
        int retries = c.orphaned ? orphanRetries(c) : c.context.config.retries2;
        long limit =
                c.settings.userTimeoutNanos > 0 && !c.orphaned
                        ? c.settings.userTimeoutNanos
                        : modelTimeout(retries, c.settings.rtoMinNanos, c.settings.rtoMaxNanos);
        return now - c.flight.retransmitStamp >= limit;
    }

    /** Closed by the application: fewer tries, none if the path has gone quiet (B-10.12). */
    static int orphanRetries(TcpConnection c) {
        int retries = c.context.config.orphanRetries;
        return retries == 0 ? 8 : retries;
    }

    /** Sum of the backed-off timeouts of that many retransmissions (B-4.13): 924.6 s for 15. */
    static long modelTimeout(int retries, long rtoMin, long rtoMax) {
        long sum = 0;
        long rto = rtoMin;
        for (int i = 0; i <= retries; i++) {
            sum += rto;
            rto = Math.min(rto * 2, rtoMax);
        }
        return sum;
    }

    /** When an unanswered SYN is repeated or given up; the user timeout counts from the first. */
    private static long synDeadline(long now, TcpConnection c) {
        long deadline = now + c.rtt.rtoNanos;
        if (c.settings.userTimeoutNanos == 0) {
            return deadline;
        }
        long end = Handshake.synSent(c) + c.settings.userTimeoutNanos;
        return Math.max(now + 1_000_000L, Math.min(deadline, end));
    }

    /** The timer fires in time for the user timeout (B-10.11). */
    static long clampToUserTimeout(long now, TcpConnection c, long deadline) {
        if (c.settings.userTimeoutNanos == 0 || c.flight.retransmitStamp == 0) {
            return deadline;
        }
        long end = c.flight.retransmitStamp + c.settings.userTimeoutNanos;
        return Math.max(now + 1_000_000L, Math.min(deadline, end));
    }

    void timedOut(long now, TcpConnection c) {
        c.context.count(Counter.TCP_ABORT_ON_TIMEOUT);
        if (c.state() == TcpState.SYN_SENT || c.state() == TcpState.SYN_RECEIVED) {
            c.context.count(Counter.TCP_ATTEMPT_FAILS);
        }
        DisconnectReason soft = c.softError;
        c.context.userCalls.disconnect(
                now, c, soft == DisconnectReason.NONE ? DisconnectReason.TIMED_OUT : soft);
    }

    // ---- zero window -------------------------------------------------------------------------

    /** Arms the persist timer if data waits for a window and nothing in flight will open it. */
    void armPersist(long now, TcpConnection c) {
        if (c.isArmed(TcpTimer.PERSIST) || c.packetsOut() > 0 || !c.hasUnsent()) {
            return;
        }
        c.arm(TcpTimer.PERSIST, clampProbe(now, c, now + persistInterval(c)));
    }

    private static long persistInterval(TcpConnection c) {
        long base = Math.max(c.rtt.rtoNanos, 200_000_000L);
        int shift = Math.min(c.persistBackoff, 16);
        long interval = base << shift;
        return interval <= 0 ? c.settings.rtoMaxNanos : Math.min(interval, c.settings.rtoMaxNanos);
    }

    private static long clampProbe(long now, TcpConnection c, long deadline) {
        if (c.settings.userTimeoutNanos == 0 || c.flight.probeStamp == 0) {
            return deadline;
        }
        return Math.max(
                now + 1_000_000L,
                Math.min(deadline, c.flight.probeStamp + c.settings.userTimeoutNanos));
    }

    private void persist(long now, TcpConnection c) {
        if (c.packetsOut() > 0 || !c.hasUnsent()) {
            // The window opened since, and perhaps everything was delivered.
            c.probesOut = 0;
            c.persistBackoff = 0;
            if (c.flight != null) {
                c.flight.probeStamp = 0;
            }
            return;
        }
        if (c.flight.probeStamp == 0) {
            c.flight.probeStamp = now;
        } else if (c.settings.userTimeoutNanos > 0
                && now - c.flight.probeStamp >= c.settings.userTimeoutNanos) {
            timedOut(now, c);
            return;
        }
        int limit = c.orphaned ? orphanRetries(c) : c.context.config.retries2;
        if (c.probesOut >= limit) {
            timedOut(now, c);
            return;
        }
        boolean sent = c.context.transmitter.sendWindowProbe(now, c);
        if (c.packetsOut() > 0) {
            // The window had room after all and the probe was data: retransmission takes over.
            c.probesOut = 0;
            c.persistBackoff = 0;
            return;
        }
        c.probesOut++;
        if (!sent) {
            c.arm(TcpTimer.PERSIST, clampProbe(now, c, now + LOCAL_RETRY_NANOS));
            return;
        }
        if (c.persistBackoff < c.context.config.retries2) {
            c.persistBackoff++;
        }
        c.arm(TcpTimer.PERSIST, clampProbe(now, c, now + persistInterval(c)));
    }

    /** An ACK opened or closed the window while nothing was in flight. */
    void onWindowChanged(long now, TcpConnection c) {
        if (c.packetsOut() > 0 || !c.hasUnsent()) {
            return;
        }
        long firstEnd = Math.min(c.writeEnd(), c.sendWindow.sndNxt + c.sendMss);
        if (firstEnd <= c.sendWindow.windowEnd()) {
            c.persistBackoff = 0;
            c.flight.probeStamp = 0;
            c.disarm(TcpTimer.PERSIST);
        } else {
            c.arm(TcpTimer.PERSIST, clampProbe(now, c, now + persistInterval(c)));
        }
    }

    // ---- keepalive and closing ---------------------------------------------------------------

    /** Starts idle probing, if the option is on and the state can be probed. */
    void armKeepAlive(long now, TcpConnection c) {
        if (c.settings.keepAlive
                && c.state() != TcpState.CLOSED
                && c.state() != TcpState.SYN_SENT
                && c.state() != TcpState.SYN_RECEIVED) {
            long idle = KeepAlive.idleNanos(now, c.lastReceiveNanos);
            c.arm(TcpTimer.KEEPALIVE, now + Math.max(0, c.settings.keepIdleNanos - idle));
        } else {
            c.disarm(TcpTimer.KEEPALIVE);
        }
    }

    private void keepAlive(long now, TcpConnection c) {
        if (!c.settings.keepAlive || c.state() == TcpState.SYN_SENT) {
            return;
        }
        if (c.packetsOut() > 0 || c.hasUnsent()) {
            c.arm(TcpTimer.KEEPALIVE, now + c.settings.keepIdleNanos);
            return;
        }
        long idle = KeepAlive.idleNanos(now, c.lastReceiveNanos);
        switch (KeepAlive.verdict(c.settings, idle, c.probesOut)) {
            case NOT_IDLE -> c.arm(TcpTimer.KEEPALIVE, now + c.settings.keepIdleNanos - idle);
            case PROBE -> {
                boolean sent = c.context.transmitter.sendKeepAliveProbe(now, c);
                if (sent) {
                    c.probesOut++;
                }
                c.arm(
                        TcpTimer.KEEPALIVE,
                        now + (sent ? c.settings.keepIntervalNanos : LOCAL_RETRY_NANOS));
            }
            case GIVE_UP -> {
                c.context.transmitter.sendReset(now, c);
                timedOut(now, c);
            }
        }
    }

    /**
     * An orphan in FIN_WAIT_2 does not wait for ever (B-10.8).
     *
     * @param cause the segment that led there; null if it was the application's close
     */
    void armFinWait2(long now, TcpConnection c, IncomingSegment cause) {
        if (c.settings.finTimeoutNanos < 0) {
            c.context.count(Counter.TCP_ABORT_ON_LINGER);
            if (cause == null) {
                c.context.transmitter.sendReset(now, c);
            } else {
                c.context.transmitter.sendResetFor(now, c, cause);
            }
            c.context.userCalls.disconnect(now, c, DisconnectReason.ABORTED);
        } else {
            c.arm(TcpTimer.FIN_WAIT_2, now + Math.max(SECOND, c.settings.finTimeoutNanos));
        }
    }
}
