package dev.sluice.tcp;

import dev.sluice.trace.Counter;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.TcpHeader;

/**
 * Output: which segment leaves next, and when none may (RFC 9293 section 3.8, B-2.5).
 *
 * <p>The questions in order: is a retransmission due and allowed; does new data fit pacing,
 * congestion window, offered window, Nagle and the device backlog; what remains to be armed. Layout
 * is {@link SegmentBuilder}'s; what a sent segment means for recovery is {@link AckArrives}'.
 */
final class Transmitter {
    /** Nagle mode of a call (Linux TCP_NAGLE_*). */
    static final int NAGLE_ON = 0;

    static final int NAGLE_OFF = 1;
    static final int NAGLE_CORK = 2;
    static final int NAGLE_PUSH = 4;

    /** Nothing held new data back but the end of it. */
    private static final int STOP_EMPTY = 0;

    private static final int STOP_CWND = 1;
    private static final int STOP_WINDOW = 2;
    private static final int STOP_NAGLE = 3;
    private static final int STOP_DEFERRED = 4;
    private static final int STOP_DEVICE = 5;
    private static final int STOP_PACING = 6;
    private static final int STOP_NO_BUFFER = 7;

    /** A super-segment waits for more window only this long after the last one left (B-12.3). */
    private static final long DEFER_NANOS = 1_000_000L;

    /** One transmit repeats no more than fits a super-segment of the usual size. */
    private static final int MAX_RETRANSMIT_SEGMENTS = 44;

    private final SegmentEmitter emitter = new SegmentEmitter();

    // Results of the last newData call.
    private int stop;
    private int sentSegments;

    /** The mode that the socket's options prescribe (B-2.6, B-2.11). */
    static int nagleMode(TcpConnection c) {
        int mode = c.settings.noDelay ? NAGLE_OFF : NAGLE_ON;
        if (c.settings.cork) {
            mode |= NAGLE_CORK;
        }
        return c.pushPending ? mode | NAGLE_PUSH : mode;
    }

    /** The connection's turn: everything that may leave now, retransmissions first. */
    void output(long now, TcpConnection c) {
        push(now, c, nagleMode(c), 0);
    }

    /**
     * The same with an explicit Nagle mode.
     *
     * @param maxSegments at most one transmit of this many segments; 0 for no such limit
     */
    void push(long now, TcpConnection c, int nagle, int maxSegments) {
        if (c.state() == TcpState.SYN_SENT
                || c.state() == TcpState.SYN_RECEIVED && !c.isOpenEarly()
                || c.state() == TcpState.CLOSED
                || c.state() == TcpState.LISTEN) {
            return;
        }
        Flight f = c.flight;
        if (f == null) {
            if (!c.hasUnsent()) {
                return;
            }
            f = c.flight();
        }
        sentSegments = 0;
        if (c.mtuProbing != null && maxSegments == 0 && !probeMtu(now, c, f)) {
            afterOutput(now, c, f);
            return;
        }
        boolean newFirst = f.recovery.newDataFirst();
        if (newFirst) {
            newData(now, c, f, nagle, maxSegments);
            f.recovery.newDataTried(sentSegments > 0);
        }
        if (!newFirst || sentSegments == 0) {
            retransmitLost(now, c, f);
            newData(now, c, f, nagle, maxSegments);
        }
        c.pushPending &= c.hasUnsent();
        afterOutput(now, c, f);
    }

    /** False if everything waits until there is room for a probe of the path (B-11.5). */
    private boolean probeMtu(long now, TcpConnection c, Flight f) {
        int length = c.context.mtuSearch.probeLength(now, c, f);
        if (length == MtuSearch.WAITS) {
            stop = STOP_CWND;
            return false;
        }
        if (length > 0 && f.scoreboard.isEmpty()) {
            c.context.ackArrives.beforeFirstSend(now, c);
        }
        long start = c.sendWindow.sndNxt;
        if (length > 0 && sendNew(now, c, f, length, length, false, StackObserver.SENT_MTU_PROBE)) {
            c.context.mtuSearch.onSent(c, start, length);
        }
        return true;
    }

    private void afterOutput(long now, TcpConnection c, Flight f) {
        // Retransmission may have split rows.
        if (c.route.isReplaced() && sentSegments > 0) {
            c.context.userCalls.routeChanged(now, c);
        }
        c.rechargeSend(now);
        noteLimits(now, c, f);
        if (sentSegments > 0 || !f.scoreboard.isEmpty()) {
            c.context.ackArrives.armAfterSend(now, c, sentSegments, stop == STOP_CWND);
        }
        if (sentSegments > 0) {
            c.context.userCalls.wakeWriter(now, c);
        }
        if (f.scoreboard.isEmpty()) {
            if (stop != STOP_EMPTY && stop != STOP_PACING) {
                c.context.timerExpiry.armPersist(now, c);
            }
        }
    }

    /** What holds the sender back from now on (B-14.2). */
    private void noteLimits(long now, TcpConnection c, Flight f) {
        if (c.busyTime == null) {
            return;
        }
        if (stop == STOP_WINDOW) {
            c.busyTime.start(now, BusyTime.RECEIVE_WINDOW);
        } else {
            c.busyTime.stop(now, BusyTime.RECEIVE_WINDOW);
        }
        if (sentSegments > 0 && stop == STOP_EMPTY && c.noSpace && !c.sendShutdown) {
            c.busyTime.start(now, BusyTime.SEND_BUFFER);
        }
    }

    // ---- new data ----------------------------------------------------------------------------

    private void newData(long now, TcpConnection c, Flight f, int nagle, int maxSegments) {
        stop = STOP_EMPTY;
        int mss = currentMss(c);
        if (f.scoreboard.isEmpty() && c.hasUnsent() && windowTakesFirst(c, f, mss)) {
            c.context.ackArrives.beforeFirstSend(now, c);
        }
        // The pointer is one segment's: urgent data does not travel in super-segments.
        int tsoSegments = isUrgent(c) ? 1 : tsoSegments(c, f, mss);
        while (c.hasUnsent()) {
            int quota = f.recovery.quota(c.congestion.cwnd, f.scoreboard.inFlight());
            if (quota == 0) {
                if (!isFinalSegment(c, f, mss)) {
                    stop = STOP_CWND;
                    return;
                }
                quota = 1;
            }
            if (f.pacer.enforced && f.pacer.earliestDeparture() > now) {
                c.arm(TcpTimer.PACING, f.pacer.earliestDeparture());
                stop = STOP_PACING;
                return;
            }
            int length = nextLength(now, c, f, mss, quota, tsoSegments, nagle);
            if (length < 0) {
                return;
            }
            if (deviceIsFull(c, f, length, mss, false)) {
                stop = STOP_DEVICE;
                return;
            }
            if (!sendNew(now, c, f, length, mss, false, StackObserver.SENT_NEW)) {
                stop = STOP_NO_BUFFER;
                return;
            }
            if (maxSegments > 0) {
                return;
            }
        }
    }

    /** Whether the offered window has room for the first segment of what waits. */
    private static boolean windowTakesFirst(TcpConnection c, Flight f, int mss) {
        long start = c.sendWindow.sndNxt;
        return Math.min(f.sendQueue.sendableEnd(), start + mss) <= c.sendWindow.windowEnd();
    }

    /** The congestion window does not hold the segment that ends the connection, as in Linux. */
    private static boolean isFinalSegment(TcpConnection c, Flight f, int mss) {
        return c.finPending()
                && c.writeEnd() - c.sendWindow.sndNxt <= mss
                && f.sendQueue.sendableEnd() >= c.writeEnd();
    }

    /**
     * Payload of the next transmit, 0 for a bare FIN; -1 if it has to wait, and {@link #stop} says
     * why.
     */
    private int nextLength(
            long now, TcpConnection c, Flight f, int mss, int quota, int tsoSegments, int nagle) {
        long start = c.sendWindow.sndNxt;
        int available = (int) (f.sendQueue.sendableEnd() - start);
        boolean last = start + available == c.writeEnd();
        boolean fin = last && c.finPending();
        long room = c.sendWindow.windowEnd() - start;
        int finLength = fin && available <= mss ? 1 : 0;
        if (Math.min(available, mss) + finLength > room) {
            stop = STOP_WINDOW;
            return -1;
        }
        if (available <= mss) {
            if (!fin
                    && available < mss
                    && !isUrgent(c)
                    && nagleHolds(c, f, last ? nagle : nagle | NAGLE_PUSH)) {
                stop = STOP_NAGLE;
                return -1;
            }
            return available;
        }
        int segments = Math.min(quota, tsoSegments);
        if (!fin
                && (nagle & NAGLE_PUSH) == 0
                && tsoSegments > 1
                && shouldDefer(now, c, f, available, last, room, quota, mss, tsoSegments)) {
            stop = STOP_DEFERRED;
            return -1;
        }
        // As Linux cuts: whole segments, and a rest only if Nagle would let it go by itself.
        int half = Math.max(c.congestion.cwnd >> 1, 1);
        int most = mss * Math.min(segments, half);
        if (most <= room && !last) {
            return Math.min(most, available);
        }
        int needed = (int) Math.min(available, room);
        if (most <= needed) {
            return most;
        }
        int rest = needed % mss;
        boolean endsData = needed == available && last;
        if (rest != 0
                && !(endsData && fin)
                && nagleHolds(c, f, last ? nagle : nagle | NAGLE_PUSH)) {
            return needed - rest;
        }
        return needed;
    }

    private static boolean isUrgent(TcpConnection c) {
        return c.urgent != null && c.urgent.isSending(c.sendWindow.sndUna);
    }

    /** Minshall's variant of Nagle, and cork (B-2.6); asked for a segment that is not full. */
    private static boolean nagleHolds(TcpConnection c, Flight f, int nagle) {
        if ((nagle & NAGLE_PUSH) != 0) {
            return false;
        }
        if ((nagle & NAGLE_CORK) != 0) {
            return true;
        }
        return (nagle & NAGLE_OFF) == 0
                && f.scoreboard.packetsOut() > 0
                && c.sendWindow.smallInFlight();
    }

    /** Whether more window is worth waiting for: fewer, larger super-segments (B-12.3). */
    private static boolean shouldDefer(
            long now,
            TcpConnection c,
            Flight f,
            int available,
            boolean last,
            long room,
            int quota,
            int mss,
            int tsoSegments) {
        if (f.recovery.state.compareTo(dev.sluice.tcp.congestion.CongestionState.RECOVERY) >= 0
                || now - c.lastDataSendNanos > DEFER_NANOS
                || f.scoreboard.isEmpty()) {
            return false;
        }
        long limit = Math.min(room, (long) quota * mss);
        if (limit >= (long) tsoSegments * mss || (!last && limit >= available)) {
            return false;
        }
        int divisor = c.context.config.tsoWinDivisor;
        if (divisor > 0) {
            long chunk = Math.min(c.sendWindow.sndWnd, (long) c.congestion.cwnd * mss) / divisor;
            if (limit >= chunk) {
                return false;
            }
        } else if (limit > 3L * mss) {
            return false;
        }
        long sinceHead = now - f.scoreboard.sentNanos(f.scoreboard.first());
        long howFar = c.rtt.srttNanos() - sinceHead;
        return howFar <= Math.min(c.rtt.srttNanos() >> 1, DEFER_NANOS);
    }

    /** B-2.8: enough of this connection is in the device already; its completion will call back. */
    private static boolean deviceIsFull(
            TcpConnection c, Flight f, int length, int mss, boolean retransmission) {
        int truesize = truesize(length);
        long limit =
                SmallQueue.limit(
                        truesize,
                        f.pacer.rateBytesPerSecond,
                        c.context.config.limitOutputBytes,
                        retransmission);
        if (f.smallQueue.bytesInDevice() <= limit || f.scoreboard.rows() <= 1) {
            return false;
        }
        f.smallQueue.throttle();
        return f.smallQueue.bytesInDevice() > limit;
    }

    static int truesize(int payloadLength) {
        return payloadLength + SendQueue.RECORD_OVERHEAD;
    }

    private boolean sendNew(
            long now, TcpConnection c, Flight f, int length, int mss, boolean forcePush, int kind) {
        if (!f.scoreboard.hasRoom()) {
            return false;
        }
        long start = c.sendWindow.sndNxt;
        long end = start + length;
        boolean fin = c.finPending() && end == c.writeEnd();
        int segments = Math.max(1, (length + mss - 1) / mss);
        boolean push = forcePush || f.sendQueue.endsPushed(end);
        int flags = TcpHeader.ACK | (push ? TcpHeader.PSH : 0) | (fin ? TcpHeader.FIN : 0);
        if (!emitter.emitData(now, c, start, length, mss, segments, flags, kind)) {
            return false;
        }
        int rowFlags =
                (fin ? Scoreboard.FIN : 0)
                        | (push ? Scoreboard.PUSH : 0)
                        | (f.sendQueue.endsRecord(end) ? Scoreboard.RECORD_END : 0);
        f.sendQueue.sent(end);
        long rowEnd = fin ? end + 1 : end;
        int row = f.scoreboard.append(start, rowEnd, mss, rowFlags, now);
        c.sendWindow.sndNxt = rowEnd;
        if (length > 0) {
            c.dataSegsOut += segments;
            c.lastDataSendNanos = now;
            c.context.counters.add(Counter.TCP_ORIG_DATA_SENT, segments);
            if (length % mss != 0) {
                c.sendWindow.sndSml = (int) end;
            }
        }
        sentSegments += f.scoreboard.segments(row);
        c.context.ackArrives.onTransmitted(now, c, row, false);
        c.rechargeSend(now);
        return true;
    }

    // ---- sizes -------------------------------------------------------------------------------

    /** Payload of a full segment that also carries the options pending now (B-11.3). */
    static int currentMss(TcpConnection c) {
        int mss = c.sendMss;
        int blocks = c.receiveQueue == null || !c.sackOk ? 0 : c.receiveQueue.sackCount();
        if (blocks > 0) {
            int room = (40 - (c.timestamps.enabled ? 12 : 0) - 4) / 8;
            blocks = Math.min(blocks, room);
            mss -= 4 + 8 * blocks;
        }
        mss -= SegmentEmitter.accurateEcnBytes(c, blocks);
        return Math.max(mss, PathMtu.MIN_SEND_MSS);
    }

    /** Segments of the next super-segment (B-12.2), whoever splits it. */
    private static int tsoSegments(TcpConnection c, Flight f, int mss) {
        long rate = f.pacer.rateBytesPerSecond;
        int most = c.route.gsoMaxBytes() - 1 - SegmentBuilder.MAX_HEADERS;
        long bytes = rate == 0 ? most : rate >> 10;
        long minRtt = c.rtt.minRttNanos();
        long shift = minRtt > 0 ? minRtt / 512_000L : 63;
        if (shift < 31) {
            bytes += c.route.gsoMaxBytes() >> shift;
        }
        bytes = Math.min(bytes, most);
        return (int) Math.max(bytes / mss, c.context.config.minTsoSegs);
    }

    /** How much one record of the write queue takes (B-2.1): whole segments, at least one. */
    static int sizeGoal(TcpConnection c, int mss) {
        int most = c.route.gsoMaxBytes() - 1 - SegmentBuilder.MAX_HEADERS;
        int bounded = PathMtu.boundToHalfWindow(most, c.sendWindow.maxWindow);
        return Math.max(bounded / mss, 1) * mss;
    }

    // ---- retransmission ----------------------------------------------------------------------

    private void retransmitLost(long now, TcpConnection c, Flight f) {
        if (f.recovery.holdsRetransmissions(c.sendWindow.sndNxt)) {
            return;
        }
        Scoreboard board = f.scoreboard;
        int row = board.nextToRetransmit();
        while (row != Scoreboard.NONE) {
            int quota = f.recovery.quota(c.congestion.cwnd, board.inFlight());
            if (quota == 0) {
                stop = STOP_CWND;
                return;
            }
            if (f.pacer.enforced && f.pacer.earliestDeparture() > now) {
                c.arm(TcpTimer.PACING, f.pacer.earliestDeparture());
                return;
            }
            if (deviceIsFull(c, f, (int) (board.end(row) - board.start(row)), c.sendMss, true)) {
                return;
            }
            if (!retransmit(now, c, f, row, quota, StackObserver.SENT_RETRANSMISSION)) {
                return;
            }
            row = board.nextToRetransmit();
        }
    }

    /** Sends a row again, or as much of it as {@code quota} segments and the window take. */
    private boolean retransmit(long now, TcpConnection c, Flight f, int row, int quota, int kind) {
        if (c.mtuProbing != null) {
            c.mtuProbing.inconclusive();
        }
        Scoreboard board = f.scoreboard;
        long start = board.start(row);
        int mss = currentMss(c);
        long room = c.sendWindow.windowEnd() - start;
        if (room <= 0 && start != c.sendWindow.sndUna) {
            return false;
        }
        boolean fin = (board.flags(row) & Scoreboard.FIN) != 0;
        int length = (int) (board.end(row) - start) - (fin ? 1 : 0);
        int most = mss * Math.min(quota, MAX_RETRANSMIT_SEGMENTS);
        if (room > 0 && room < most) {
            most = room < mss ? (int) room : (int) (room - room % mss);
        } else if (room <= 0) {
            most = Math.min(mss, most);
        }
        if (length > most) {
            if (board.split(row, start + most, mss) == Scoreboard.NONE) {
                c.context.count(Counter.SCOREBOARD_LIMIT);
                return false;
            }
            length = most;
            fin = false;
        }
        if (length < most && c.context.config.retransCollapse) {
            collapse(c, board, row, Math.min(most, mss));
            fin = (board.flags(row) & Scoreboard.FIN) != 0;
            length = (int) (board.end(row) - start) - (fin ? 1 : 0);
        }
        int flags = TcpHeader.ACK | (fin ? TcpHeader.FIN : 0);
        if ((board.flags(row) & Scoreboard.PUSH) != 0) {
            flags |= TcpHeader.PSH;
        }
        if (!emitAgain(now, c, start, length, mss, flags, kind)) {
            return false;
        }
        switch (f.recovery.state) {
            case RECOVERY -> c.context.count(Counter.TCP_FAST_RETRANS);
            case LOSS -> c.context.count(Counter.TCP_SLOW_START_RETRANS);
            default -> {
                // Tail loss probes count themselves.
            }
        }
        c.context.ackArrives.onTransmitted(now, c, row, true);
        return true;
    }

    private boolean emitAgain(
            long now, TcpConnection c, long start, int length, int mss, int flags, int kind) {
        int segments = Math.max(1, (length + mss - 1) / mss);
        if (!emitter.emitData(now, c, start, length, mss, segments, flags, kind)) {
            c.context.count(Counter.TCP_RETRANS_FAIL);
            return false;
        }
        c.context.counters.add(Counter.TCP_RETRANS_SEGS, segments);
        c.totalRetransmits += segments;
        c.bytesRetransmitted += length;
        c.dataSegsOut += length > 0 ? segments : 0;
        return true;
    }

    /** Short segments behind one that goes again travel with it (RFC 1122 section 4.2.2.15). */
    private static void collapse(TcpConnection c, Scoreboard board, int row, int most) {
        int after = board.next(row);
        while (after != Scoreboard.NONE
                && board.end(after) <= c.sendWindow.windowEnd()
                && board.mayJoin(row, after)
                && board.end(after) - board.start(row) <= most) {
            board.join(row, after);
            after = board.next(row);
        }
    }

    /**
     * The first outstanding row again, whatever the windows say; false if no buffer was to be had.
     */
    boolean retransmitHead(long now, TcpConnection c) {
        Flight f = c.flight;
        return retransmit(now, c, f, f.scoreboard.first(), 1, StackObserver.SENT_RETRANSMISSION);
    }

    /** The LOSS_PROBE timer fired (RFC 8985 section 7.3, B-4.5). */
    void sendLossProbe(long now, TcpConnection c) {
        Flight f = c.flight;
        if (f == null || f.scoreboard.isEmpty()) {
            return;
        }
        if (c.context.ackArrives.onLossProbe(now, c) != AckArrives.PROBE_WANTED) {
            return;
        }
        int mss = currentMss(c);
        boolean sent = false;
        boolean again = false;
        if (c.hasUnsent()) {
            long start = c.sendWindow.sndNxt;
            int available = (int) Math.min(mss, f.sendQueue.sendableEnd() - start);
            if (start + available <= c.sendWindow.windowEnd()) {
                sent = sendNew(now, c, f, available, mss, false, StackObserver.SENT_NEW);
            }
        }
        if (!sent) {
            again = true;
            sent = probeWithLast(now, c, f, mss);
        }
        c.context.ackArrives.onLossProbeSent(now, c, sent, again);
        c.rechargeSend(now);
    }

    /** The last segment again, as a probe. */
    private boolean probeWithLast(long now, TcpConnection c, Flight f, int mss) {
        Scoreboard board = f.scoreboard;
        int row = board.last();
        int fin = (board.flags(row) & Scoreboard.FIN) != 0 ? 1 : 0;
        int length = (int) (board.end(row) - board.start(row)) - fin;
        int before = (board.segments(row) - 1) * mss;
        if (length <= before) {
            // The MSS has grown since.
            before = 0;
        }
        if ((board.flags(row) & Scoreboard.SACKED) != 0) {
            // It only has to be answered: what is known of the row stays true.
            int flags = TcpHeader.ACK | (fin != 0 ? TcpHeader.FIN : 0);
            if ((board.flags(row) & Scoreboard.PUSH) != 0) {
                flags |= TcpHeader.PSH;
            }
            int bytes = Math.min(length - before, mss);
            long start = board.end(row) - fin - bytes;
            return emitAgain(now, c, start, bytes, mss, flags, StackObserver.SENT_LOSS_PROBE);
        }
        if (before > 0) {
            int second = board.split(row, board.start(row) + before, mss);
            row = second == Scoreboard.NONE ? row : second;
        }
        return retransmit(now, c, f, row, 1, StackObserver.SENT_LOSS_PROBE);
    }

    // ---- probes, acknowledgments, resets -----------------------------------------------------

    /**
     * Zero-window probe (B-7.8): data if the window has any room, else a segment the peer must
     * answer.
     *
     * @return false if it could not leave for local reasons
     */
    boolean sendWindowProbe(long now, TcpConnection c) {
        Flight f = c.flight();
        long start = c.sendWindow.sndNxt;
        long room = c.sendWindow.windowEnd() - start;
        if (room > 0 && c.hasUnsent()) {
            int mss = currentMss(c);
            int available = (int) (f.sendQueue.sendableEnd() - start);
            int length = (int) Math.min(Math.min(available, mss), room);
            c.context.count(Counter.PERSIST_OVERRIDE_SENDS);
            sentSegments = 0;
            boolean sent = sendNew(now, c, f, length, mss, true, StackObserver.SENT_NEW);
            if (sent) {
                c.context.ackArrives.armAfterSend(now, c, sentSegments, false);
            }
            return sent;
        }
        c.context.count(Counter.TCP_WIN_PROBE);
        return emitter.emitBare(
                now, c, c.sendWindow.sndUna - 1, TcpHeader.ACK, StackObserver.SENT_WINDOW_PROBE);
    }

    boolean sendKeepAliveProbe(long now, TcpConnection c) {
        c.context.count(Counter.TCP_KEEP_ALIVE);
        return emitter.emitBare(
                now, c, c.sendWindow.sndUna - 1, TcpHeader.ACK, StackObserver.SENT_KEEPALIVE);
    }

    /** A bare ACK of RCV.NXT with what else there is to report. */
    void sendAck(long now, TcpConnection c) {
        long seq = acceptableSeq(c);
        int flags = TcpHeader.ACK;
        if (c.context.customs.finWithEveryAck()
                && c.sendShutdown
                && c.finSent()
                && c.sendWindow.sndUna < c.sendWindow.sndNxt) {
            seq = c.sendWindow.sndNxt - 1;
            flags |= TcpHeader.FIN;
        }
        emitter.emitBare(now, c, seq, flags, StackObserver.SENT_NEW);
    }

    /**
     * The ACK that makes an honest peer tell us what is wrong (RFC 5961).
     *
     * @param reflects tells with accurate ECN what ECN field the peer's SYN or SYN-ACK had
     */
    void sendChallenge(long now, TcpConnection c, boolean reflects) {
        int flags = TcpHeader.ACK | (reflects ? reflected(c) : 0);
        emitter.emitBare(now, c, acceptableSeq(c), flags, StackObserver.SENT_NEW);
    }

    /** The ACK that ends the handshake. */
    void sendThirdAck(long now, TcpConnection c) {
        emitter.emitBare(
                now, c, acceptableSeq(c), TcpHeader.ACK | reflected(c), StackObserver.SENT_NEW);
    }

    private static int reflected(TcpConnection c) {
        return Ecn.isAccurate(c.ecn) ? c.accurateEcn.reflectedFlags() : 0;
    }

    /**
     * SND.NXT, unless the peer took back so much of its window that it would not accept that
     * number: then the right edge of what it still accepts.
     */
    private static long acceptableSeq(TcpConnection c) {
        SendWindow w = c.sendWindow;
        long beyond = w.sndNxt - w.windowEnd();
        boolean rounding = c.windowScaling && beyond < 1L << c.receiveWindow.rcvWindShift;
        return beyond <= 0 || rounding ? w.sndNxt : w.windowEnd();
    }

    /**
     * A bare ACK of less than could be acknowledged, about the data before a change of the
     * congestion mark; what is owed beyond it remains owed (B-1.2.7).
     */
    void sendAckOf(long now, TcpConnection c, long rcvNxt) {
        emitter.emitAck(now, c, c.sendWindow.sndNxt, rcvNxt, TcpHeader.ACK, StackObserver.SENT_NEW);
    }

    /** A reset of our own accord: close with unread data, linger 0, give-up (B-10.7). */
    void sendReset(long now, TcpConnection c) {
        c.context.count(Counter.TCP_OUT_RSTS);
        emitter.emitBare(
                now, c, acceptableSeq(c), TcpHeader.RST | TcpHeader.ACK, StackObserver.SENT_NEW);
    }

    /** The reset that an unacceptable segment draws (RFC 9293 section 3.10.7.1). */
    void sendResetFor(long now, TcpConnection c, IncomingSegment s) {
        c.context.replies.reset(
                c.route, c.localHi, c.localLo, c.remoteHi, c.remoteLo, s.header, s.payloadLength);
    }

    /** SYN, or SYN-ACK of a simultaneous open; first transmission or repetition. */
    boolean sendSyn(long now, TcpConnection c, boolean again) {
        boolean withAck = c.state() == TcpState.SYN_RECEIVED;
        int flags = TcpHeader.SYN | (withAck ? TcpHeader.ACK : 0);
        // Something on the path may dislike what asks for ECN, so a lost SYN goes without (RFC 3168
        // section 6.1.1.1); one that asks for accurate ECN is tried once more (RFC 9768 section
        // 3.1.4.1).
        boolean tried = again && ((c.ecn & Ecn.ASKED_ACCURATE) == 0 || c.retransmits > 1);
        if (withAck && Ecn.isAccurate(c.ecn)) {
            flags |= c.accurateEcn.reflectedFlags();
        } else if (withAck || !tried || !c.context.config.ecnFallback) {
            flags |= Ecn.handshakeFlags(c.ecn, withAck);
        }
        int kind = again ? StackObserver.SENT_RETRANSMISSION : StackObserver.SENT_NEW;
        return emitter.emitSyn(now, c, flags, 0, kind);
    }

    /** The first SYN of a connection that may use Fast Open, with {@code length} bytes of data. */
    boolean sendFirstSyn(long now, TcpConnection c, int length) {
        return emitter.emitSyn(now, c, TcpHeader.SYN, length, StackObserver.SENT_NEW);
    }
}
