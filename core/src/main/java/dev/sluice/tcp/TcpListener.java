package dev.sluice.tcp;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.trace.Counter;
import dev.sluice.wire.TcpHeader;
import dev.sluice.wire.TcpOptions;

/**
 * A listening port: the SYN queue, the accept queue and what happens when either is full (B-10.1).
 *
 * <p>Half-open rows live in the stack's table like connections; the listener counts them and owns
 * their timer.
 */
public final class TcpListener {
    /** What arrived for a half-open row led to this connection; see {@link #onSegment}. */
    final TcpContext context;

    private static final long NEVER = Long.MIN_VALUE / 2;

    /** {@code tcp_syncookies}: cookies without need. */
    private static final int ALWAYS = 2;

    TcpSettings settings;
    private final long localHi;
    private final long localLo;
    private final int localPort;
    private int backlog;
    private int halfOpen;
    private boolean closed;

    /** When a SYN was last answered with a cookie: nobody has older ones. */
    long lastCookieNanos = NEVER;

    /** Connections that are open before their handshake is complete. */
    final FastOpenQueue fastOpenQueue = new FastOpenQueue();

    // Accept queue, in the order the handshakes completed.
    private TcpConnection acceptHead;
    private TcpConnection acceptTail;
    private int acceptCount;

    private SocketSignals signals;

    /**
     * @param localHi local address, unspecified for any
     * @param backlog as given to {@code listen}; bounded by {@code somaxconn}
     */
    public TcpListener(
            TcpContext context,
            TcpSettings settings,
            long localHi,
            long localLo,
            int localPort,
            int backlog) {
        this.context = context;
        this.settings = settings;
        this.localHi = localHi;
        this.localLo = localLo;
        this.localPort = localPort;
        backlog(backlog);
        settings(settings);
        boolean every = context.fastOpen.has(FastOpen.SERVER | FastOpen.EVERY_LISTENER);
        if (every && fastOpenQueue.limit() == 0) {
            fastOpenQueue.limit(this.backlog);
        }
    }

    /** The options of the socket changed. */
    public void settings(TcpSettings changed) {
        settings = changed;
        if (changed.fastOpenQueue > 0) {
            fastOpenQueue.limit(Math.min(changed.fastOpenQueue, context.config.somaxconn));
        }
    }

    /** Switches Fast Open off for new connections: TCP_FASTOPEN of 0. */
    public void withoutFastOpen() {
        fastOpenQueue.limit(0);
    }

    /** Changes the limit of the accept queue, as a second {@code listen} does. */
    public void backlog(int limit) {
        backlog = Math.min(limit < 0 ? Integer.MAX_VALUE : limit, context.config.somaxconn);
    }

    public long localHi() {
        return localHi;
    }

    public long localLo() {
        return localLo;
    }

    public int localPort() {
        return localPort;
    }

    public void signals(SocketSignals target) {
        signals = target;
    }

    SocketSignals signals() {
        return signals;
    }

    /** Connections waiting in the accept queue (Linux {@code tcpi_unacked} of a listener). */
    public int waiting() {
        return acceptCount;
    }

    public int backlog() {
        return backlog;
    }

    boolean acceptQueueFull() {
        return acceptCount > backlog;
    }

    // ---- LISTEN: RFC 9293 section 3.10.7.2 ---------------------------------------------------

    /**
     * A segment for this port that belongs to no connection.
     *
     * @param packet the segment's; its window is the payload
     * @param ecn the ECN field of its IP header
     * @return the new row, or with Fast Open the new connection, to put into the stack's table;
     *     null if there is none
     */
    public Endpoint onSegment(
            long now,
            Route route,
            long localHi,
            long localLo,
            long remoteHi,
            long remoteLo,
            TcpHeader header,
            PacketBuffer packet,
            int ecn) {
        if (header.isRst()) {
            return null;
        }
        if (header.isAck()) {
            if (header.isSyn() && !context.customs.rejectsStraySynAck()) {
                return null;
            }
            return context.cookieHandshake.onAck(
                    now, this, route, localHi, localLo, remoteHi, remoteLo, header, packet, ecn);
        }
        if (!header.isSyn() || header.isFin() && !context.customs.synFinOpens()) {
            return null;
        }
        boolean full = halfOpen > Math.min(backlog, context.config.maxSynBacklog);
        int cookies = context.config.synCookiesMode;
        boolean cookie = cookies == ALWAYS || full && cookies > 0;
        if (cookie) {
            context.count(Counter.TCP_REQ_Q_FULL_DO_COOKIES);
        } else if (full) {
            context.count(Counter.TCP_REQ_Q_FULL_DROP);
            context.count(Counter.LISTEN_DROPS);
            return null;
        }
        if (acceptQueueFull()) {
            context.count(Counter.LISTEN_OVERFLOWS);
            context.count(Counter.LISTEN_DROPS);
            return null;
        }
        if (cookie) {
            context.cookieHandshake.answer(
                    now, this, route, localHi, localLo, remoteHi, remoteLo, header, ecn);
            return null;
        }
        return answer(now, route, localHi, localLo, remoteHi, remoteLo, header, packet, ecn, -1);
    }

    /** A SYN that a TIME_WAIT row lets through, with the ISS it asks for (B-10.9). */
    public Endpoint onSynAfterTimeWait(
            long now,
            Route route,
            long localHi,
            long localLo,
            long remoteHi,
            long remoteLo,
            TcpHeader header,
            PacketBuffer packet,
            int ecn,
            int iss) {
        return answer(
                now,
                route,
                localHi,
                localLo,
                remoteHi,
                remoteLo,
                header,
                packet,
                ecn,
                iss & 0xffff_ffffL);
    }

    private Endpoint answer(
            long now,
            Route route,
            long localHi,
            long localLo,
            long remoteHi,
            long remoteLo,
            TcpHeader header,
            PacketBuffer packet,
            int ecn,
            long wantedIss) {
        int ports = header.destinationPort() << 16 | header.sourcePort();
        int iss =
                wantedIss >= 0
                        ? (int) wantedIss
                        : context.initialSequence.next(
                                now, localHi, localLo, remoteHi, remoteLo, ports);
        HalfOpen row = row(route, localHi, localLo, remoteHi, remoteLo, header, iss);
        row.sequence.irs(header.segSeq());
        negotiate(now, row, header);
        acceptEcn(row, header.flags(), ecn);
        row.synAckNanos = now;
        if (context.fastOpenHandshake.admits(now, row, header)) {
            TcpConnection c = context.fastOpenHandshake.open(now, row, header, packet, ecn);
            sendSynAck(now, row);
            row.gone = true;
            context.depart(row);
            enqueue(c);
            return c;
        }
        halfOpen++;
        sendSynAck(now, row);
        row.deadline = now + context.config.initialRtoNanos;
        context.deadlineMoved(row.number(), row.deadline);
        return row;
    }

    HalfOpen row(
            Route route,
            long localHi,
            long localLo,
            long remoteHi,
            long remoteLo,
            TcpHeader header,
            int iss) {
        HalfOpen row = new HalfOpen(context, this, iss);
        row.route = route;
        row.localHi = localHi;
        row.localLo = localLo;
        row.remoteHi = remoteHi;
        row.remoteLo = remoteLo;
        row.localPort = header.destinationPort();
        row.remotePort = header.sourcePort();
        return row;
    }

    void acceptEcn(HalfOpen row, int flags, int ecn) {
        boolean needsEcn = context.controllers.needsEcn(settings.congestionControl);
        row.ecn = (byte) Ecn.accept(context.config.ecnMode, needsEcn, flags, ecn);
        if (Ecn.isAccurate(row.ecn)) {
            row.accurateEcn = new AccurateEcn();
            row.accurateEcn.synReceived(ecn);
            row.accurateEcn.synSent(Ecn.codepoint(row.ecn, false));
        }
    }

    int offeredMss(TcpHeader header, boolean ipv4) {
        int unsaid = ipv4 ? PathMtu.DEFAULT_MSS_IPV4 : PathMtu.DEFAULT_MSS_IPV6;
        int offered = header.options().mss() > 0 ? header.options().mss() : unsaid;
        return settings.maxSegment > 0 ? Math.min(offered, settings.maxSegment) : offered;
    }

    void startTimestamps(HalfOpen row) {
        row.timestamps.start(
                context.config.timestampsMode == 1
                        ? context.initialSequence.timestampOffset(
                                row.localHi, row.localLo, row.remoteHi, row.remoteLo)
                        : 0);
    }

    void negotiate(long now, HalfOpen row, TcpHeader header) {
        TcpOptions o = header.options();
        boolean ipv4 = dev.sluice.wire.IpAddress.isIpv4(row.remoteHi, row.remoteLo);
        row.peerMss = offeredMss(header, ipv4);
        startTimestamps(row);
        row.timestamps.enabled = context.config.timestampsMode > 0 && o.hasTimestamps();
        if (row.timestamps.enabled) {
            row.timestamps.onSyn(now, o.tsVal());
        }
        // A cookie has room for the MSS alone; the rest would have to come back in a timestamp.
        boolean remembered = !row.stateless || row.timestamps.enabled;
        row.sackOk = context.config.sack && o.sackPermitted() && remembered;
        row.windowScaling = context.config.windowScaling && o.hasWindowScale() && remembered;
        row.sndWindShift = row.windowScaling ? (byte) o.windowScale() : 0;
        row.sndWnd = header.segWnd();
        selectWindow(row, ipv4);
    }

    void selectWindow(HalfOpen row, boolean ipv4) {
        row.advertisedMss = PathMtu.advertised(row.route, ipv4, settings.maxSegment);
        int rcvBuf = settings.lockedRcvBuf > 0 ? settings.lockedRcvBuf : context.config.rmemInitial;
        row.receiveWindow.start(context.windowFromSpace, rcvBuf);
        row.receiveWindow.selectInitial(
                row.advertisedMss - (row.timestamps.enabled ? 12 : 0),
                settings.windowClamp,
                settings.lockedRcvBuf > 0,
                row.windowScaling,
                context.largestReceiveBuffer(),
                context.config.workaroundSignedWindows);
        row.receiveWindow.onSyn();
        row.window = row.receiveWindow.synWindow();
    }

    void sendSynAck(long now, HalfOpen row) {
        SegmentBuilder b = context.builder;
        b.route = row.route;
        b.localHi = row.localHi;
        b.localLo = row.localLo;
        b.remoteHi = row.remoteHi;
        b.remoteLo = row.remoteLo;
        b.localPort = row.localPort;
        b.remotePort = row.remotePort;
        b.seq = row.sequence.iss();
        b.ack = row.sequence.wireReceive(row.rcvNxt);
        b.flags = TcpHeader.SYN | TcpHeader.ACK | ecnFlags(row);
        b.window = row.window;
        b.tos = settings.tos | Ecn.codepoint(row.ecn, false);
        b.ttl = settings.ttl;
        b.dontFragment = settings.dontFragment;
        b.ipId = 0;
        b.options.mss(row.advertisedMss);
        if (row.timestamps.enabled) {
            b.options.timestamps(CookieHandshake.stamp(now, row), row.timestamps.tsRecent);
        }
        if (row.sackOk) {
            b.options.sackPermitted();
        }
        if (row.windowScaling) {
            b.options.windowScale(row.receiveWindow.rcvWindShift);
        }
        if (row.offersCookie) {
            b.options.fastOpen(FastOpen.COOKIE_LENGTH, row.cookie, 0, row.experimentalCookie);
            row.offersCookie = false; // repetitions go without
        }
        if (row.accurateEcn != null && row.repeats == 0 && context.config.ecnOptionMode > 0) {
            Handshake.accurateEcnOption(b.options);
        }
        PacketBuffer packet = b.build();
        if (packet != null) {
            context.count(Counter.TCP_OUT_SEGS);
            context.emit(packet);
        }
    }

    /** A SYN-ACK that times out more than once goes without: the path may dislike it. */
    private static int ecnFlags(HalfOpen row) {
        if (row.accurateEcn == null) {
            return Ecn.handshakeFlags(row.ecn, true);
        }
        return row.repeats > 0 && row.retries > 0 ? 0 : row.accurateEcn.reflectedFlags();
    }

    // ---- SYN_RECEIVED rows -------------------------------------------------------------------

    /**
     * A segment for a half-open row: RFC 9293 section 3.10.7.4 in state SYN_RECEIVED.
     *
     * @return the connection the row became, to take its place in the stack's table and then to be
     *     given the segment; null if there is none
     */
    TcpConnection onSegment(long now, HalfOpen row, IncomingSegment s) {
        boolean old =
                row.timestamps.enabled && s.hasTimestamp && row.timestamps.isOld(now, s.tsVal);
        if (s.has(TcpHeader.SYN) && !s.has(TcpHeader.ACK | TcpHeader.RST) && s.seq == 0) {
            if (mayReply(now, row)) {
                synRepeated(row, s);
                repeatSynAck(now, row);
                row.deadline = now + timeout(row);
                context.deadlineMoved(row.number(), row.deadline);
            } else {
                context.count(Counter.TCP_ACK_SKIPPED_SYN_RECV);
            }
            return null;
        }
        boolean ack = s.has(TcpHeader.ACK);
        if (ack && s.ack != 1 && !s.has(TcpHeader.RST)) {
            resetFor(row, s);
            return null;
        }
        boolean inWindow = s.end > 1 || s.seq == 1;
        long edge = 1L + row.receiveWindow.rcvWnd;
        boolean beyond = context.customs.exactWindow() ? s.seq >= edge : s.seq > edge;
        if (old || !inWindow || beyond) {
            if (!s.has(TcpHeader.RST) && mayReply(now, row)) {
                acknowledge(now, row);
            }
            if (old) {
                context.count(Counter.PAWS_ESTAB);
            }
            return null;
        }
        if (s.has(TcpHeader.RST) && s.seq != 1 && !context.config.insecureRst) {
            // In the window and not exact: ask, do not believe (RFC 5961 section 3.2).
            if (mayReply(now, row)) {
                acknowledge(now, row);
            }
            return null;
        }
        if (s.has(TcpHeader.RST | TcpHeader.SYN)) {
            if (s.has(TcpHeader.SYN)) {
                context.count(Counter.TCP_ATTEMPT_FAILS);
                resetFor(row, s);
            }
            context.count(Counter.EMBRYONIC_RSTS);
            drop(row);
            return null;
        }
        if (!ack) {
            return null;
        }
        return complete(now, row, s);
    }

    private TcpConnection complete(long now, HalfOpen row, IncomingSegment s) {
        if (closed) {
            resetFor(row, s);
            drop(row);
            return null;
        }
        if (settings.deferAcceptSeconds > 0
                && s.payloadLength == 0
                && !s.has(TcpHeader.FIN)
                && now - row.synAckNanos < settings.deferAcceptSeconds * 1_000_000_000L) {
            row.acked = true;
            context.count(Counter.TCP_DEFER_ACCEPT_DROP);
            return null;
        }
        if (acceptQueueFull()) {
            context.count(Counter.LISTEN_OVERFLOWS);
            context.count(Counter.LISTEN_DROPS);
            if (context.config.abortOnOverflow) {
                resetFor(row, s);
                drop(row);
            } else {
                row.acked = true;
            }
            return null;
        }
        forget(row);
        TcpConnection c = context.handshake.accept(now, row, s);
        enqueue(c);
        return c;
    }

    void enqueue(TcpConnection c) {
        c.listener = this;
        c.nextAccept = null;
        if (acceptTail == null) {
            acceptHead = c;
        } else {
            acceptTail.nextAccept = c;
        }
        acceptTail = c;
        acceptCount++;
        context.signalListener(this);
    }

    boolean mayReply(long now, HalfOpen row) {
        if (now - row.lastReplyNanos < context.config.invalidRatelimitNanos) {
            return false;
        }
        row.lastReplyNanos = now;
        return true;
    }

    void resetFor(HalfOpen row, IncomingSegment s) {
        context.replies.reset(
                row.route,
                row.localHi,
                row.localLo,
                row.remoteHi,
                row.remoteLo,
                s.header,
                s.payloadLength);
    }

    private void acknowledge(long now, HalfOpen row) {
        context.replies.acknowledge(
                row.route,
                row.localHi,
                row.localLo,
                row.remoteHi,
                row.remoteLo,
                row.localPort,
                row.remotePort,
                row.sequence.wireSend(1),
                row.sequence.wireReceive(1),
                row.receiveWindow.rcvWnd >> row.receiveWindow.rcvWindShift,
                row.timestamps.enabled,
                row.timestamps.clock(now),
                row.timestamps.tsRecent);
    }

    void repeatSynAck(long now, HalfOpen row) {
        context.count(Counter.TCP_RETRANS_SEGS);
        context.count(Counter.TCP_SYN_RETRANS);
        row.repeats++;
        sendSynAck(now, row);
        if (row.accurateEcn != null && row.repeats > 1) {
            row.accurateEcn.fails(AccurateEcn.ACE_FAIL_SEND);
        }
    }

    /** A SYN came once more, perhaps with another ECN field, or without what it asked for. */
    static void synRepeated(HalfOpen row, IncomingSegment s) {
        if (row.accurateEcn == null) {
            return;
        }
        row.accurateEcn.synReceived(s.ecn);
        if (!s.has(TcpHeader.AE | TcpHeader.CWR | TcpHeader.ECE)) {
            row.accurateEcn.fails(AccurateEcn.ACE_FAIL_RECV);
        }
    }

    long timeout(HalfOpen row) {
        return Math.min(
                context.config.initialRtoNanos << Math.min(row.retries, 12), settings.rtoMaxNanos);
    }

    /** The SYN-ACK timer of a row (B-10.1). */
    void onTimeout(long now, HalfOpen row) {
        if (row.gone) {
            return;
        }
        if (row.retries >= context.config.synackRetries) {
            context.count(Counter.TCP_ATTEMPT_FAILS);
            drop(row);
            return;
        }
        context.count(Counter.TCP_TIMEOUTS);
        repeatSynAck(now, row);
        row.retries++;
        row.deadline = now + timeout(row);
        context.deadlineMoved(row.number(), row.deadline);
    }

    void drop(HalfOpen row) {
        forget(row);
    }

    private void forget(HalfOpen row) {
        if (!row.gone) {
            row.gone = true;
            halfOpen--;
            context.depart(row);
        }
    }

    // ---- accept and close --------------------------------------------------------------------

    /** The oldest completed connection, taken off the queue; null if there is none. */
    public TcpConnection accept() {
        TcpConnection c = acceptHead;
        if (c != null) {
            acceptHead = c.nextAccept;
            if (acceptHead == null) {
                acceptTail = null;
            }
            c.nextAccept = null;
            c.listener = null;
            acceptCount--;
        }
        return c;
    }

    /** Nobody accepts any more: what waits is reset (RFC 9293 section 3.10.4, B-10.7). */
    public void close(long now) {
        closed = true;
        signals = null;
        for (TcpConnection c = accept(); c != null; c = accept()) {
            c.orphaned = true;
            context.userCalls.abort(now, c);
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** A connection died in the queue: it stays and is accepted with its error, as Linux does. */
    void onConnectionGone(TcpConnection c) {
        context.signalListener(this);
    }
}
