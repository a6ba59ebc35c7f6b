package dev.sluice.tcp;

import dev.sluice.memory.MemoryAccount;
import dev.sluice.tcp.congestion.CongestionState;
import dev.sluice.trace.Counter;
import dev.sluice.wire.Ipv6Header;

/**
 * What the application asks of a connection: SEND, RECEIVE, CLOSE, ABORT (RFC 9293 section 3.10.2
 * to 3.10.5), with the rules of Linux's {@code sendmsg} (B-2.1 to B-2.4, B-2.7) and of closing
 * (B-10.7, B-10.8). Socket semantics above that are {@code socket/StreamSocket}'s.
 */
final class UserCalls {
    // ---- SEND --------------------------------------------------------------------------------

    /**
     * How many of {@code wanted} bytes the next copy may take; 0 if the send buffer or the stack's
     * memory has no room. At most one record's worth, so callers loop.
     */
    int admit(long now, TcpConnection c, int wanted) {
        Flight f = c.flight();
        int goal = Transmitter.sizeGoal(c, Transmitter.currentMss(c));
        int room = f.sendQueue.tailRoom(goal);
        if (room > 0) {
            return admitPayload(now, c, Math.min(room, wanted));
        }
        if (!c.context.writeSpace.mayStartRecord(c)) {
            return 0;
        }
        boolean first = f.sendQueue.records() == 0 && f.scoreboard.isEmpty();
        int forward =
                first
                        ? c.context.memory.force(c.forwardAlloc, SendQueue.RECORD_OVERHEAD)
                        : admitRecord(now, c);
        if (forward == MemoryAccount.REFUSED) {
            return 0;
        }
        c.forwardAlloc = forward;
        // The record's own overhead is charged with the payload, once it exists.
        return admitPayload(now, c, Math.min(goal, wanted));
    }

    private static int admitRecord(long now, TcpConnection c) {
        int forward =
                c.context.memory.admitSend(
                        now,
                        c.forwardAlloc,
                        SendQueue.RECORD_OVERHEAD,
                        c.receiveWindow.rmemAlloc,
                        c.chargedSend,
                        c.sndBuf,
                        c.settings.lockedSndBuf > 0);
        shrinkIfSuppressed(c);
        return forward;
    }

    private static int admitPayload(long now, TcpConnection c, int bytes) {
        c.forwardAlloc =
                c.context.memory.admitPayload(
                        now,
                        c.forwardAlloc,
                        bytes,
                        c.receiveWindow.rmemAlloc,
                        c.chargedSend,
                        c.sndBuf,
                        c.settings.lockedSndBuf > 0);
        shrinkIfSuppressed(c);
        return Math.min(c.forwardAlloc, bytes);
    }

    /**
     * A refused charge shrinks an autotuned buffer, so that poll and write agree again (B-7.12).
     */
    private static void shrinkIfSuppressed(TcpConnection c) {
        if (c.context.memory.suppressed() && c.settings.lockedSndBuf == 0) {
            c.sndBuf = MemoryAccount.moderatedSendBuffer(c.sndBuf, c.chargedSend);
        }
    }

    /**
     * {@code bytes} were copied into the outgoing stream: extend the records and send while
     * copying.
     */
    void wrote(long now, TcpConnection c, int bytes, boolean first, boolean more) {
        Flight f = c.flight();
        if (first) {
            c.context.ackArrives.checkAppLimited(c, f, bytes);
        }
        SendQueue q = f.sendQueue;
        int mss = Transmitter.currentMss(c);
        int goal = Transmitter.sizeGoal(c, mss);
        long end = c.writeEnd();
        if (q.tailRoom(goal) >= bytes) {
            q.extendTail(end, first);
        } else {
            q.append(end);
            c.pushPending = false;
        }
        c.rechargeSend(now);
        if (!more || q.tailLength() < goal) {
            return;
        }
        // B-2.2: the record is full and more is coming.
        if (q.forcedPush(end, c.sendWindow.maxWindow)) {
            q.markPush(end);
            c.context.transmitter.push(now, c, Transmitter.NAGLE_PUSH, 0);
        } else if (q.records() == 1) {
            c.context.transmitter.push(now, c, Transmitter.NAGLE_PUSH, 1);
        }
    }

    /**
     * The end of a write (Linux {@code tcp_push}).
     *
     * @param more MSG_MORE: cork for this call
     * @param endOfRecord MSG_EOR: later writes start another record
     * @param cutShort the call found no more room: what there is goes, Nagle or not (B-2.4)
     */
    void push(long now, TcpConnection c, boolean more, boolean endOfRecord, boolean cutShort) {
        Flight f = c.flight;
        if (f == null || f.sendQueue.records() == 0) {
            return;
        }
        SendQueue q = f.sendQueue;
        if (!more || q.forcedPush(c.writeEnd(), c.sendWindow.maxWindow)) {
            q.markPush(c.writeEnd());
        }
        if (endOfRecord) {
            q.endRecord();
        }
        if (autocorks(c, f)) {
            return;
        }
        int nagle = more ? Transmitter.NAGLE_CORK : Transmitter.nagleMode(c);
        c.context.transmitter.push(now, c, cutShort ? Transmitter.NAGLE_PUSH : nagle, 0);
    }

    /** B-2.7: the device will call back, so a small tail may wait for company without a timer. */
    private static boolean autocorks(TcpConnection c, Flight f) {
        int goal = Transmitter.sizeGoal(c, Transmitter.currentMss(c));
        int truesize = (int) f.sendQueue.tailLength() + SendQueue.RECORD_OVERHEAD;
        if (f.sendQueue.tailLength() >= goal
                || !c.context.config.autocorking
                || f.scoreboard.isEmpty()
                || f.smallQueue.bytesInDevice() <= truesize
                || f.sendQueue.tailRoom(goal) == 0) {
            return false;
        }
        if (!f.smallQueue.throttled()) {
            c.context.count(Counter.TCP_AUTO_CORKING);
            f.smallQueue.throttle();
        }
        return f.smallQueue.bytesInDevice() > truesize;
    }

    /**
     * B-2.4: no room for more. With nothing queued no ACK will ever come, so the writer is told at
     * once.
     */
    void outOfSpace(long now, TcpConnection c) {
        c.noSpace = true;
        if (c.flight == null
                || (c.flight.sendQueue.records() == 0 && c.flight.scoreboard.isEmpty())) {
            wakeWriter(now, c);
            return;
        }
        if (c.context.writeSpace.heldByPressure(c)) {
            c.context.waitForMemory(c);
        }
    }

    void pushNow(long now, TcpConnection c) {
        if (c.flight != null && c.hasUnsent()) {
            c.pushPending = true;
            c.context.transmitter.output(now, c);
        }
    }

    void sendBufferChanged(long now, TcpConnection c) {
        if (c.settings.lockedSndBuf > 0) {
            c.sndBuf = c.settings.lockedSndBuf;
        }
        wakeWriter(now, c);
    }

    // ---- readiness ---------------------------------------------------------------------------

    /** B-8.1, without pending errors, which are the socket's. */
    int readySet(TcpConnection c) {
        int ready = 0;
        boolean done = c.state() == TcpState.CLOSED;
        if (done || c.sendShutdown && c.receiveShutdown) {
            ready |= Readiness.HUP;
        }
        if (done || c.receiveShutdown) {
            ready |= Readiness.IN | Readiness.RDHUP;
        }
        if (c.state() == TcpState.SYN_SENT
                || c.state() == TcpState.SYN_RECEIVED && !c.isOpenEarly()) {
            // The first write is what a deferred connection waits for.
            return c.isConnectDeferred() ? ready | Readiness.OUT : ready;
        }
        if (isReadable(c)) {
            ready |= Readiness.IN;
        }
        if (c.urgent != null && c.urgent.isHere()) {
            ready |= Readiness.PRI;
        }
        if (done || c.sendShutdown) {
            ready |= Readiness.OUT;
        } else if (c.context.writeSpace.writable(c)) {
            ready |= Readiness.OUT;
        } else {
            c.noSpace = true;
            if (c.context.writeSpace.heldByPressure(c)) {
                c.context.waitForMemory(c);
            }
        }
        return ready;
    }

    private static boolean isReadable(TcpConnection c) {
        int unread = c.available();
        if (c.isAtUrgent() && !c.settings.urgentInline) {
            unread--; // an ordinary read passes over it
        }
        if (unread <= 0) {
            return false;
        }
        return unread >= Math.min(c.settings.rcvLowat, Math.max(1, c.receiveWindow.rcvBuf >> 1))
                || c.receiveWindow.rmemAlloc
                        > c.receiveWindow.rcvBuf - (c.receiveWindow.rcvBuf >> 3)
                || c.context.memory.pressure()
                || c.receiveWindow.offered() <= c.ackPolicy.rcvMss;
    }

    // ---- space -------------------------------------------------------------------------------

    /** An ACK freed space: grow an autotuned buffer and wake the writer (B-7.11, B-8.4). */
    void spaceFreed(long now, TcpConnection c) {
        c.rechargeSend(now);
        if (c.noSpace) {
            expandSendBuffer(c);
            wakeWriter(now, c);
        }
    }

    /** B-7.11. */
    void expandSendBuffer(TcpConnection c) {
        if (c.settings.lockedSndBuf != 0
                || c.context.memory.pressure()
                || c.context.memory.softPressure()
                || (c.flight != null && c.flight.scoreboard.inFlight() >= c.congestion.cwnd)) {
            return;
        }
        int segments = Math.max(10, Math.max(c.congestion.cwnd, c.congestion.reordering + 1));
        int perSegment = c.sendMss + 320 + 320;
        int rounded = Integer.highestOneBit(perSegment - 1) << 1;
        int windows = c.controller == null ? 2 : c.controller.sendBufferFactor();
        long wanted = (long) windows * segments * (rounded + 256);
        if (wanted > c.sndBuf) {
            c.sndBuf = (int) Math.min(wanted, c.context.config.wmemMax);
        }
    }

    /** Wakes whoever waits for space, if there is some (B-8.4). */
    void wakeWriter(long now, TcpConnection c) {
        if (!c.noSpace) {
            return;
        }
        if (c.context.writeSpace.writable(c)) {
            c.noSpace = false;
            if (c.busyTime != null) {
                c.busyTime.stop(now, BusyTime.SEND_BUFFER);
            }
            c.signal(Readiness.OUT);
        } else if (c.context.writeSpace.heldByPressure(c)) {
            c.context.waitForMemory(c);
        }
    }

    // ---- RECEIVE -----------------------------------------------------------------------------

    /** The application took {@code bytes} out of {@code c.in}. */
    void read(long now, TcpConnection c, int bytes) {
        c.context.dataArrives.onRead(now, c, bytes);
        c.context.observer.applicationRead(now, c.id(), c.in == null ? 1 : c.in.readPosition());
    }

    // ---- CLOSE, ABORT ------------------------------------------------------------------------

    /** No more data from us: FIN follows what is queued (RFC 9293 section 3.10.4). */
    void shutdownOutput(long now, TcpConnection c) {
        switch (c.state()) {
            case SYN_SENT -> disconnect(now, c, DisconnectReason.CLOSED);
            case SYN_RECEIVED, ESTABLISHED -> sendFin(now, c, TcpState.FIN_WAIT_1);
            case CLOSE_WAIT -> sendFin(now, c, TcpState.LAST_ACK);
            default -> {
                // FIN is on its way, or there is nobody to send it to.
            }
        }
    }

    private static void sendFin(long now, TcpConnection c, TcpState next) {
        // A Fast Open connection that is closed says so before its handshake is complete.
        boolean handshaking =
                c.state() == TcpState.SYN_RECEIVED && !(c.isOpenEarly() && c.orphaned);
        c.sendShutdown = true;
        c.flight();
        if (handshaking) {
            // The FIN follows once the handshake is through.
            return;
        }
        c.transition(now, next, 0);
        c.context.transmitter.push(now, c, Transmitter.NAGLE_PUSH, 0);
    }

    /**
     * The socket goes away (Linux {@code tcp_close}): orderly if nothing would be lost, else a
     * reset.
     */
    void close(long now, TcpConnection c) {
        boolean unread = c.available() > 0;
        c.receiveShutdown = true;
        c.orphaned = true;
        c.signals(null);
        if (c.state() == TcpState.CLOSED) {
            c.context.dataArrives.release(now, c);
            c.closeAccount(now);
            return;
        }
        if (unread && c.state() != TcpState.SYN_SENT) {
            // RFC 2525 section 2.17: the peer must learn that its data was not read.
            c.context.count(Counter.TCP_ABORT_ON_CLOSE);
            c.context.transmitter.sendReset(now, c);
            disconnect(now, c, DisconnectReason.ABORTED);
            return;
        }
        if (c.settings.lingerSeconds == 0) {
            c.context.count(Counter.TCP_ABORT_ON_DATA);
            abort(now, c);
            return;
        }
        shutdownOutput(now, c);
        if (c.state() == TcpState.FIN_WAIT_2) {
            c.context.timerExpiry.armFinWait2(now, c, null);
        }
    }

    /** ABORT (RFC 9293 section 3.10.5): reset where the peer knows of us, and forget. */
    void abort(long now, TcpConnection c) {
        if (c.state() == TcpState.CLOSED) {
            // It ended before; what nobody will read now goes back.
            c.context.dataArrives.release(now, c);
            c.closeAccount(now);
            return;
        }
        switch (c.state()) {
            case SYN_RECEIVED, ESTABLISHED, FIN_WAIT_1, FIN_WAIT_2, CLOSE_WAIT ->
                    c.context.transmitter.sendReset(now, c);
            default -> {
                // Nothing to reset.
            }
        }
        disconnect(now, c, DisconnectReason.ABORTED);
    }

    /** FIN_WAIT_2 lasted too long without an owner (B-10.8). */
    void finWait2Expired(long now, TcpConnection c) {
        if (c.state() == TcpState.FIN_WAIT_2 && c.orphaned) {
            disconnect(now, c, DisconnectReason.CLOSED);
        }
    }

    /** The end of every connection: leaves all tables, gives everything back, tells the socket. */
    void disconnect(long now, TcpConnection c, DisconnectReason reason) {
        if (c.state() == TcpState.CLOSED) {
            return;
        }
        c.reason = reason;
        c.transition(now, TcpState.CLOSED, 0);
        TcpContext context = c.context;
        if (c.timers != null) {
            context.giveBack(c.timers);
            c.timers = null;
        }
        if (c.fastOpenFlags != 0) {
            context.fastOpenClient.onEnd(now, c);
        }
        if (c.isOpenEarly()) {
            context.fastOpenHandshake.abandon(now, c, reason);
        }
        if (c.flight != null) {
            context.giveBack(c.flight);
            c.flight = null;
        }
        c.rechargeSend(now);
        if (c.out != null) {
            c.out.release(c.out.end());
        }
        context.dataArrives.onDisconnect(now, c);
        if (c.orphaned) {
            context.dataArrives.release(now, c);
            c.closeAccount(now);
        }
        c.sendShutdown = true;
        c.receiveShutdown = true;
        c.signal(
                Readiness.IN
                        | Readiness.OUT
                        | Readiness.HUP
                        | Readiness.RDHUP
                        | (isError(reason) ? Readiness.ERR : 0));
        context.observer.connectionClosed(now, c.id(), reason.ordinal());
        context.depart(c);
        if (c.listener != null) {
            c.listener.onConnectionGone(c);
        }
    }

    private static boolean isError(DisconnectReason reason) {
        return reason != DisconnectReason.CLOSED && reason != DisconnectReason.ABORTED;
    }

    /**
     * The path takes smaller packets than we send: segments shrink, and what was sent too large
     * goes out again without a reduction of the congestion window (B-11.4).
     */
    void pathMtuChanged(long now, TcpConnection c, int mtu) {
        if (!c.settings.dontFragment || c.state() == TcpState.CLOSED) {
            return;
        }
        if (!c.isIpv4() && mtu < Ipv6Header.MINIMUM_MTU) {
            // Every IPv6 link takes 1,280 bytes (RFC 8201 section 4); whoever says less is not a
            // router.
            return;
        }
        int bounded = Math.max(mtu, c.isIpv4() ? c.context.config.minPmtu : mtu);
        if (bounded >= c.pathMtu) {
            return;
        }
        c.pathMtu = bounded;
        if (c.state() == TcpState.SYN_SENT) {
            int most = bounded - PathMtu.networkHeader(c.isIpv4()) - 20;
            c.advertisedMss = (char) Math.min(c.advertisedMss, most);
            if ((c.fastOpenFlags & FastOpenClient.DATA) != 0) {
                c.context.handshake.repeatSyn(now, c); // what was too large was its data
            }
        }
        c.sendMss = Handshake.sendingMss(c);
        if (c.flight != null && c.state().isSynchronized()) {
            sendTooLargeAgain(c, c.flight);
            c.context.wantsOutput(c);
        }
    }

    /** The interface leads elsewhere than it did, or takes packets of another size. */
    void routeChanged(long now, TcpConnection c) {
        Route old = c.route;
        c.route = old.latest();
        if (c.route.mtu() < c.pathMtu) {
            pathMtuChanged(now, c, c.route.mtu());
        } else if (c.pathMtu == old.mtu()) {
            c.pathMtu = c.route.mtu();
            c.sendMss = Handshake.sendingMss(c);
        }
    }

    /** Not congestion: the window stays as it is, and there is nothing to undo. */
    static void sendTooLargeAgain(TcpConnection c, Flight f) {
        for (int row = f.scoreboard.first(); row != Scoreboard.NONE; row = f.scoreboard.next(row)) {
            boolean tooLarge = f.scoreboard.mss(row) > c.sendMss;
            if (tooLarge && f.scoreboard.end(row) - f.scoreboard.start(row) > c.sendMss) {
                f.scoreboard.markLost(row);
            }
        }
        if (f.scoreboard.lostOut() > 0 && f.recovery.state != CongestionState.LOSS) {
            f.recovery.recoveryPoint = c.sendWindow.sndNxt;
            f.recovery.undoMarker = Recovery.NO_UNDO;
            c.congestion.ssthresh = c.congestion.currentSsthresh();
            f.recovery.state = CongestionState.LOSS;
        }
    }
}
