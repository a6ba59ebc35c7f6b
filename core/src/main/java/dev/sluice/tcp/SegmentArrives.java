package dev.sluice.tcp;

import dev.sluice.trace.Counter;
import dev.sluice.wire.TcpHeader;

/**
 * A segment arrives: RFC 9293 section 3.10.7, in its order, with the checks of RFC 5961 and RFC
 * 7323.
 *
 * <p>Acknowledgment processing is {@link AckArrives}, payload is {@link DataArrives}; this file
 * decides who gets to see the segment and what it does to the state.
 */
final class SegmentArrives {

    /** The entry: {@code s} belongs to {@code c} and its checksum is right. */
    void onSegment(long now, TcpConnection c, IncomingSegment s) {
        c.segsIn += s.segments;
        if (s.payloadLength > 0) {
            c.dataSegsIn += s.segments;
        }
        c.context.observer.segmentReceived(
                now, c.id(), s.seq, s.payloadLength, s.ack, s.wnd, s.flags, s.segments);
        if (c.state() == TcpState.SYN_SENT) {
            c.context.handshake.inSynSent(now, c, s);
            c.releaseIdleParts();
        } else if (c.state() != TcpState.CLOSED) {
            synchronizedState(now, c, s);
        }
    }

    private void synchronizedState(long now, TcpConnection c, IncomingSegment s) {
        if (c.isOpenEarly() && !c.context.fastOpenHandshake.letsPass(now, c, s)) {
            return;
        }
        if (!first(now, c, s)) {
            return;
        }
        if (s.has(TcpHeader.RST)) {
            second(now, c, s);
            return;
        }
        boolean crossing = s.has(TcpHeader.SYN) && isCrossingSynAck(c, s);
        if (s.has(TcpHeader.SYN) && !crossing) {
            if (c.context.config.insecureSyn && startsInWindow(c, s)) {
                c.context.transmitter.sendReset(now, c);
                reset(now, c);
            } else {
                challengeSyn(now, c, s);
            }
            return;
        }
        countMarks(c, s);
        if (!s.has(TcpHeader.ACK)) {
            return;
        }
        if (!fifth(now, c, s) || c.state() == TcpState.CLOSED) {
            return;
        }
        if (s.has(TcpHeader.URG)) {
            urgent(c, s);
        }
        if (c.urgent != null && c.urgent.isAwaited()) {
            urgentByte(c, s);
        }
        payload(now, c, s);
        if (c.state() == TcpState.CLOSED) {
            return;
        }
        if (crossing) {
            c.context.dataArrives.onRepeatedSyn(c);
        }
        if (crossing || s.payloadLength > 0 || s.has(TcpHeader.FIN)) {
            // As Linux does: data that waits may carry the acknowledgment, so it gets its chance
            // first.
            if (c.hasUnsent()) {
                c.context.transmitter.output(now, c);
            }
            c.context.dataArrives.acknowledge(now, c, s);
        }
        if (c.flight != null) {
            if (c.flight.scoreboard.isEmpty() && !c.hasUnsent()) {
                c.releaseIdleParts();
            } else if (c.hasUnsent()) {
                c.context.wantsOutput(c);
            }
        }
    }

    /** Accurate ECN counts whatever is acceptable, payload or not (RFC 9768 section 3.2.2). */
    private static void countMarks(TcpConnection c, IncomingSegment s) {
        if (!Ecn.isAccurate(c.ecn)) {
            return;
        }
        c.ecn = (byte) Ecn.seen(c.ecn, s.ecn);
        if (c.accurateEcn.arrived(s.ecn, s.segments, s.payloadLength)) {
            c.ackPolicy.hurry();
        }
    }

    /** First: PAWS and the sequence number (RFC 7323 section 5.3, RFC 9293 section 3.4, B-10.5). */
    private boolean first(long now, TcpConnection c, IncomingSegment s) {
        int verdict = c.context.acceptability.verdict(now, c, s);
        if (verdict == Acceptability.ACCEPTABLE) {
            return true;
        }
        if (s.has(TcpHeader.RST)) {
            if (isResetForSelectiveEdge(c, s)) {
                reset(now, c);
            }
        } else if (s.has(TcpHeader.SYN) && !isCrossingSynAck(c, s)) {
            challengeSyn(now, c, s);
        } else if (verdict != Acceptability.PAWS_OLD_ACK) {
            c.context.acceptability.onUnacceptable(now, c, s, verdict);
        }
        return false;
    }

    /** Second: RST (RFC 5961 section 3.2, B-10.6). */
    private void second(long now, TcpConnection c, IncomingSegment s) {
        if (s.seq == c.receiveWindow.rcvNxt
                || c.context.config.insecureRst && startsInWindow(c, s)
                || isResetForSelectiveEdge(c, s)) {
            reset(now, c);
        } else if (!c.context.customs.exactWindow() || startsInWindow(c, s)) {
            challenge(now, c, null);
        }
    }

    private static boolean startsInWindow(TcpConnection c, IncomingSegment s) {
        return s.seq >= c.receiveWindow.rcvNxt && s.seq < c.receiveWindow.windowEnd();
    }

    /** A peer that saw its FIN or selectively acknowledged data go through may reset from there. */
    private static boolean isResetForSelectiveEdge(TcpConnection c, IncomingSegment s) {
        if (!c.context.customs.resetAtEdges()) {
            return false;
        }
        if (s.seq == c.receiveWindow.rcvNxt - 1) {
            return c.state() == TcpState.CLOSE_WAIT
                    || c.state() == TcpState.LAST_ACK
                    || c.state() == TcpState.CLOSING;
        }
        return c.receiveQueue != null && s.seq == c.receiveQueue.highestEnd();
    }

    /** A valid reset: the connection ends at once. */
    void reset(long now, TcpConnection c) {
        boolean differs = c.context.customs.refusedUntilEstablished();
        DisconnectReason reason =
                switch (c.state()) {
                    case SYN_SENT -> DisconnectReason.REFUSED;
                    case SYN_RECEIVED ->
                            differs ? DisconnectReason.REFUSED : DisconnectReason.RESET;
                    case CLOSE_WAIT ->
                            differs ? DisconnectReason.RESET : DisconnectReason.BROKEN_PIPE;
                    default -> DisconnectReason.RESET;
                };
        if (c.state() == TcpState.ESTABLISHED || c.state() == TcpState.CLOSE_WAIT) {
            c.context.count(Counter.TCP_ESTAB_RESETS);
        } else if (c.state() == TcpState.SYN_SENT || c.state() == TcpState.SYN_RECEIVED) {
            c.context.count(Counter.TCP_ATTEMPT_FAILS);
        }
        c.context.userCalls.disconnect(now, c, reason);
    }

    /** A rate-limited ACK that makes an honest peer tell us what is wrong (RFC 5961 section 7). */
    private void challenge(long now, TcpConnection c, Counter cause) {
        if (cause != null) {
            c.context.count(cause);
        }
        c.context.acceptability.challenge(now, c);
    }

    /** A SYN in a synchronized state (RFC 5961 section 4): with accurate ECN we tell its field. */
    private static void challengeSyn(long now, TcpConnection c, IncomingSegment s) {
        c.context.count(Counter.TCP_SYN_CHALLENGE);
        boolean accurate = Ecn.isAccurate(c.ecn);
        if (accurate) {
            c.accurateEcn.repeatedSynArrived(s.ecn, s.header.options());
        }
        c.context.acceptability.challenge(now, c, accurate);
    }

    /** In SYN_RECEIVED after a simultaneous open the peer's SYN-ACK repeats its SYN (B-10.4). */
    private static boolean isCrossingSynAck(TcpConnection c, IncomingSegment s) {
        return c.state() == TcpState.SYN_RECEIVED
                && s.has(TcpHeader.ACK)
                && s.seq == 0
                && s.seq + 1 == c.receiveWindow.rcvNxt;
    }

    /**
     * Fifth: the ACK field.
     *
     * @return whether processing goes on
     */
    private boolean fifth(long now, TcpConnection c, IncomingSegment s) {
        SendWindow w = c.sendWindow;
        boolean early = c.isOpenEarly();
        if (early && s.ack >= w.sndUna && s.ack <= w.sndNxt) {
            c.context.fastOpenHandshake.complete(now, c, s);
        } else if (c.state() == TcpState.SYN_RECEIVED) {
            if (early || s.ack <= w.sndUna || s.ack > w.sndNxt) {
                c.context.transmitter.sendResetFor(now, c, s);
                return false;
            }
            c.context.handshake.completeSimultaneous(now, c, s);
        } else if (s.ack > w.sndNxt || s.ack < w.sndUna - Math.min(w.maxWindow, w.sndUna)) {
            challenge(now, c, null);
            return false;
        }
        c.lastReceiveNanos = now;
        c.probesOut = 0;
        if (s.hasTimestamp && c.timestamps.enabled) {
            s.newerTimestamp = c.timestamps.update(now, s.tsVal, s.seq, c.receiveWindow.rcvWup);
        }
        boolean latest = s.ack >= w.sndUna;
        s.ecnEcho = latest && Ecn.isEcho(c.ecn, s.flags);
        c.context.ackArrives.onAck(now, c, s);
        if (c.accurateEcn != null) {
            c.accurateEcn.handshakeDone();
        }
        if (latest && s.has(TcpHeader.CWR) && Ecn.isClassic(c.ecn)) {
            c.context.dataArrives.onCwr(c, s);
        }
        c.context.userCalls.spaceFreed(now, c);
        if (w.sndUna > c.writeEnd() && c.sendShutdown) {
            finAcknowledged(now, c, s);
        }
        return true;
    }

    private void finAcknowledged(long now, TcpConnection c, IncomingSegment s) {
        switch (c.state()) {
            case FIN_WAIT_1 -> {
                c.transition(now, TcpState.FIN_WAIT_2, TcpHeader.ACK);
                if (c.orphaned) {
                    c.context.timerExpiry.armFinWait2(now, c, s);
                } else {
                    c.signal(Readiness.OUT);
                }
            }
            case CLOSING -> enterTimeWait(now, c);
            case LAST_ACK -> c.context.userCalls.disconnect(now, c, DisconnectReason.CLOSED);
            default -> {
                // FIN_WAIT_2 and beyond: seen before.
            }
        }
    }

    /** Sixth: URG. The byte before the pointer is meant, unless tcp_stdurg says the one behind. */
    private static void urgent(TcpConnection c, IncomingSegment s) {
        int pointer = s.header.urgentPointer();
        long at = s.seq + (pointer > 0 && !c.context.config.stdurg ? pointer - 1 : pointer);
        if (c.urgentData().announce(at, c.receiveWindow.readEnd, c.receiveWindow.rcvNxt)) {
            c.signal(Readiness.PRI);
        }
    }

    private static void urgentByte(TcpConnection c, IncomingSegment s) {
        long index = c.urgent.position() - s.seq;
        if (index >= 0 && index < s.payloadLength) {
            c.urgent.arrived(Payload.octet(s.packet, (int) index));
            c.signal(Readiness.PRI | Readiness.IN);
        }
    }

    /** Seventh: the segment text, and with it the FIN. */
    private void payload(long now, TcpConnection c, IncomingSegment s) {
        if (s.payloadLength == 0 && !s.has(TcpHeader.FIN)) {
            return;
        }
        switch (c.state()) {
            case ESTABLISHED, FIN_WAIT_1, FIN_WAIT_2 -> {
                boolean closing = c.state() != TcpState.ESTABLISHED;
                if (closing
                        && c.receiveShutdown
                        && s.seq + s.payloadLength > c.receiveWindow.rcvNxt
                        && s.payloadLength > 0) {
                    // Nobody will ever read it (RFC 9293 section 3.10.4, B-10.7).
                    c.context.count(Counter.TCP_ABORT_ON_DATA);
                    c.context.transmitter.sendResetFor(now, c, s);
                    c.context.userCalls.disconnect(now, c, DisconnectReason.ABORTED);
                    return;
                }
                c.context.dataArrives.onData(now, c, s);
            }
            case SYN_RECEIVED -> c.context.dataArrives.onData(now, c, s);
            default -> {
                // The peer has already said FIN: a retransmission of it wants its ACK again.
                if (s.seq < c.receiveWindow.rcvNxt) {
                    c.context.dataArrives.onData(now, c, s);
                }
            }
        }
    }

    /** Eighth: the FIN is in order; everything before it was delivered. */
    void onFin(long now, TcpConnection c) {
        c.finReceived = true;
        c.receiveShutdown = true;
        switch (c.state()) {
            case SYN_RECEIVED, ESTABLISHED -> c.transition(now, TcpState.CLOSE_WAIT, TcpHeader.FIN);
            case FIN_WAIT_1 -> {
                c.context.transmitter.sendAck(now, c);
                c.transition(now, TcpState.CLOSING, TcpHeader.FIN);
            }
            case FIN_WAIT_2 -> {
                c.context.transmitter.sendAck(now, c);
                enterTimeWait(now, c);
            }
            default -> {
                // A FIN again: nothing new.
            }
        }
        int events = Readiness.IN | Readiness.RDHUP;
        if (c.sendShutdown) {
            events |= Readiness.HUP;
        }
        c.signal(events);
    }

    /** The connection becomes a row that only answers stray segments (RFC 9293 section 3.6.1). */
    void enterTimeWait(long now, TcpConnection c) {
        c.transition(now, TcpState.TIME_WAIT, 0);
        c.context.timeWait.add(now, c);
        c.context.userCalls.disconnect(now, c, DisconnectReason.CLOSED);
    }
}
