package dev.sluice.tcp;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.trace.Counter;
import dev.sluice.wire.TcpHeader;
import dev.sluice.wire.TcpOptions;

/**
 * Fast Open at the server (RFC 7413 section 4.2, B-10.3): which SYN opens a connection at once, and
 * what is different about that connection until its handshake is complete.
 *
 * <p>It is in SYN_RECEIVED (or FIN_WAIT_1, if the application was quick), can be read and written,
 * and keeps its half-open row in its flight; the retransmission timer repeats the SYN-ACK and
 * nothing else.
 */
final class FastOpenHandshake {
    /** Whether the SYN opens the connection now; if not, the row may have got a cookie to offer. */
    boolean admits(long now, HalfOpen row, TcpHeader header) {
        TcpContext x = row.context;
        FastOpen fastOpen = x.fastOpen;
        TcpOptions o = header.options();
        int length = o.fastOpenLength();
        if (length == 0) {
            x.count(Counter.TCP_FAST_OPEN_COOKIE_REQD);
        }
        if (!fastOpen.has(FastOpen.SERVER) || header.payloadLength() == 0 && length < 0) {
            return false;
        }
        FastOpenQueue queue = row.listener.fastOpenQueue;
        if (!queue.hasRoom(now)) {
            if (queue.limit() > 0) {
                x.count(Counter.TCP_FAST_OPEN_LISTEN_OVERFLOW);
            }
            return false;
        }
        boolean free =
                fastOpen.has(FastOpen.SERVER_WITHOUT_COOKIE)
                        || row.listener.settings.fastOpenNoCookie;
        if (!free) {
            if (length < 0 || !isOurs(row, o)) {
                return false;
            }
        }
        x.count(Counter.TCP_FAST_OPEN_PASSIVE);
        return true;
    }

    private static boolean isOurs(HalfOpen row, TcpOptions o) {
        TcpContext x = row.context;
        FastOpenKeys keys = row.listener.settings.fastOpenKeys;
        row.cookie = x.fastOpen.cookie(keys, row.localHi, row.localLo, row.remoteHi, row.remoteLo);
        row.experimentalCookie = o.fastOpenExperimental();
        row.offersCookie = true;
        if (o.fastOpenLength() == 0) {
            return false;
        }
        int verdict = FastOpen.INVALID;
        if (o.fastOpenLength() == FastOpen.COOKIE_LENGTH) {
            verdict =
                    x.fastOpen.check(
                            keys,
                            o.fastOpenCookieHi(),
                            row.localHi,
                            row.localLo,
                            row.remoteHi,
                            row.remoteLo);
        }
        switch (verdict) {
            case FastOpen.CURRENT -> row.offersCookie = false;
            case FastOpen.PREVIOUS -> x.count(Counter.TCP_FAST_OPEN_PASSIVE_ALT_KEY);
            default -> x.count(Counter.TCP_FAST_OPEN_PASSIVE_FAIL);
        }
        return verdict != FastOpen.INVALID;
    }

    /** The connection of a SYN that was admitted, with the SYN's data in its receive buffer. */
    TcpConnection open(long now, HalfOpen row, TcpHeader header, PacketBuffer packet, int ecn) {
        TcpContext x = row.context;
        TcpConnection c = x.handshake.openPassive(now, row);
        Handshake.initialize(now, c);
        c.receiveWindow.onEstablished(now, c.advertisedMss);
        x.userCalls.expandSendBuffer(c);
        c.flight().halfOpen = row;
        IncomingSegment s = x.segmentFor(c, header, packet, ecn);
        c.segsIn = s.segments;
        c.dataSegsIn = s.payloadLength > 0 ? s.segments : 0;
        x.dataArrives.onSynData(now, c, s);
        row.rcvNxt = c.receiveWindow.rcvNxt;
        row.listener.fastOpenQueue.enter();
        c.arm(TcpTimer.RETRANSMIT, now + x.config.initialRtoNanos);
        return c;
    }

    /**
     * The checks of SYN_RECEIVED, as far as they differ from those of a synchronized state (Linux
     * {@code tcp_check_req}).
     *
     * @return whether processing goes on
     */
    boolean letsPass(long now, TcpConnection c, IncomingSegment s) {
        HalfOpen row = c.flight.halfOpen;
        boolean old = c.timestamps.enabled && s.hasTimestamp && c.timestamps.isOld(now, s.tsVal);
        boolean syn = s.has(TcpHeader.SYN);
        if (syn && !s.has(TcpHeader.ACK | TcpHeader.RST | TcpHeader.FIN) && s.seq == 0 && !old) {
            repeatFor(now, c, row, s);
            return false;
        }
        long edge = row.rcvNxt + row.window;
        boolean inWindow =
                s.seq == row.rcvNxt
                        || s.end > row.rcvNxt && s.seq < edge
                        || s.seq == edge && s.end == edge;
        if (old || !inWindow) {
            if (!s.has(TcpHeader.RST) && row.listener.mayReply(now, row)) {
                c.context.transmitter.sendAck(now, c);
            }
            if (old) {
                c.context.count(Counter.PAWS_ESTAB);
            }
            return false;
        }
        if (s.has(TcpHeader.RST)) {
            c.context.segmentArrives.reset(now, c);
            return false;
        }
        if (syn && s.seq != 0) {
            // Not reason enough to give up what may be a good connection.
            c.context.count(Counter.TCP_ATTEMPT_FAILS);
            row.listener.resetFor(row, s);
            return false;
        }
        return s.has(TcpHeader.ACK);
    }

    private static void repeatFor(long now, TcpConnection c, HalfOpen row, IncomingSegment s) {
        if (row.listener.mayReply(now, row)) {
            TcpListener.synRepeated(row, s);
            row.listener.repeatSynAck(now, row);
            c.totalRetransmits++;
        } else {
            c.context.count(Counter.TCP_ACK_SKIPPED_SYN_RECV);
        }
    }

    /** The acceptable ACK that completes the handshake; it is then processed like any other. */
    void complete(long now, TcpConnection c, IncomingSegment s) {
        HalfOpen row = c.flight.halfOpen;
        c.flight.halfOpen = null;
        row.listener.fastOpenQueue.leave(now, false);
        c.congestion.delivered++;
        Handshake.thirdAck(c, s);
        if (row.retries == 0 && c.rtt.srttNanos() == 0 && s.ack == c.sendWindow.sndUna) {
            Handshake.sampleHandshake(now, c, row.synAckNanos);
        }
        boolean needless = c.timestamps.enabled && s.tsEcr == c.timestamps.clock(row.synAckNanos);
        if (row.retries > 1 && needless && c.flight.scoreboard.isEmpty()) {
            c.congestion.cwnd = c.context.config.initialCwnd; // the first SYN-ACK had arrived
        }
        c.retransmits = 0;
        c.flight.retransmitStamp = 0;
        FlightTimers.rearmRetransmit(now, c, c.flight, false);
        if (c.state() != TcpState.SYN_RECEIVED) {
            return;
        }
        c.transition(now, TcpState.ESTABLISHED, TcpHeader.ACK);
        c.sendWindow.sndWnd = s.wnd;
        c.sendWindow.maxWindow = Math.max(c.sendWindow.maxWindow, s.wnd);
        c.sendWindow.sndWl1 = s.seq;
        c.lastDataSendNanos = now;
        c.ackPolicy.initRcvMss(c.advertisedMss, c.sendMss, c.receiveWindow.rcvWnd);
        c.context.mtuSearch.onEstablished(now, c);
        c.context.timerExpiry.armKeepAlive(now, c);
        c.signal(Readiness.OUT);
        if (c.sendShutdown) {
            c.transition(now, TcpState.FIN_WAIT_1, 0);
            c.context.wantsOutput(c);
        }
    }

    /** The SYN-ACK was not acknowledged in time (Linux {@code tcp_fastopen_synack_timer}). */
    void onSynAckTimeout(long now, TcpConnection c) {
        HalfOpen row = c.flight.halfOpen;
        boolean own = c.settings.synRetries != c.context.config.synRetries;
        int most = own ? c.settings.synRetries : c.context.config.synackRetries + 1;
        if (row.retries >= most) {
            c.context.timerExpiry.timedOut(now, c);
            return;
        }
        if (row.retries == 1) {
            // Lost twice: as after a handshake in which that happened (RFC 5681 section 3.1).
            if (c.flight.scoreboard.isEmpty()) {
                c.congestion.cwnd = 1;
            } else {
                c.context.ackArrives.onRetransmitTimeout(now, c);
            }
        }
        c.context.count(Counter.TCP_TIMEOUTS);
        row.listener.repeatSynAck(now, row);
        row.retries++;
        c.retransmits++;
        c.totalRetransmits++;
        if (c.flight.retransmitStamp == 0) {
            c.flight.retransmitStamp = now;
        }
        c.arm(TcpTimer.RETRANSMIT, now + row.listener.timeout(row));
    }

    /** The connection ended before the handshake did. */
    void abandon(long now, TcpConnection c, DisconnectReason reason) {
        TcpListener listener = c.flight.halfOpen.listener;
        listener.fastOpenQueue.leave(now, reason == DisconnectReason.RESET && !listener.isClosed());
        c.flight.halfOpen = null;
    }
}
