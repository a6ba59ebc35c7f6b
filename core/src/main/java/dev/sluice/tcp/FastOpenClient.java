package dev.sluice.tcp;

import dev.sluice.tcp.congestion.CongestionState;
import dev.sluice.trace.Counter;
import dev.sluice.wire.TcpOptions;

/**
 * Fast Open at the client (RFC 7413 section 4.2, B-10.3): a SYN with a cookie and data, or with the
 * request for a cookie, and what the SYN-ACK then says about them. A SYN that is repeated carries
 * neither.
 */
final class FastOpenClient {
    // Bits of TcpConnection.fastOpenFlags.

    /** {@code connect} has returned and the SYN waits for the first write. */
    static final int DEFERRED = 1;

    /** Our SYN carried the option. */
    static final int OPTION = 1 << 1;

    /** It was the experimental one. */
    static final int EXPERIMENTAL = 1 << 2;

    /** Our SYN carried data. */
    static final int DATA = 1 << 3;

    /** The data of the SYN was acknowledged with it, ours or the peer's. */
    static final int DATA_ACKED = 1 << 4;

    /** The first attempt after a pause: its success ends the caution. */
    static final int TRIAL = 1 << 5;

    /** A writer waits for the connection with more data. */
    static final int WRITER_WAITS = 1 << 6;

    /** What of a connection may have upset a firewall. */
    static final int USED = OPTION | DATA | DATA_ACKED;

    /** Kept free for options that middleboxes add to a SYN, in bytes. */
    private static final int OPTION_SPACE = 40;

    /** How much data the SYN may carry, in bytes; -1 if Fast Open needs a cookie first. */
    int room(long now, TcpConnection c) {
        TcpContext x = c.context;
        int row = find(c);
        if (x.fastOpen.isPaused(now)) {
            return -1;
        }
        if (!needsNoCookie(c) && x.fastOpenCache.cookieLength(row) == 0) {
            return -1;
        }
        int mss = x.fastOpenCache.mss(row) > 0 ? x.fastOpenCache.mss(row) : c.advertisedMss;
        if (c.settings.maxSegment > 0) {
            mss = Math.min(mss, c.settings.maxSegment);
        }
        int path = c.pathMtu - PathMtu.networkHeader(c.isIpv4()) - 20;
        return Math.max(0, Math.min(mss, path) - OPTION_SPACE);
    }

    private static boolean needsNoCookie(TcpConnection c) {
        return c.settings.fastOpenNoCookie
                || c.context.fastOpen.has(FastOpen.CLIENT_WITHOUT_COOKIE);
    }

    static void mark(TcpConnection c, int bits) {
        c.fastOpenFlags = (byte) (c.fastOpenFlags | bits);
    }

    private static int find(TcpConnection c) {
        return c.context.fastOpenCache.find(c.localHi, c.localLo, c.remoteHi, c.remoteLo);
    }

    /**
     * Sends the SYN that was held back.
     *
     * @param bytes how many bytes of {@code c.out} go with it, at most {@link #room}
     */
    void connect(long now, TcpConnection c, int bytes) {
        TcpContext x = c.context;
        c.fastOpenFlags = (byte) (c.fastOpenFlags & ~DEFERRED);
        boolean paused = x.fastOpen.isPaused(now);
        if (!paused && x.fastOpen.wasPaused()) {
            mark(c, TRIAL);
        }
        Flight f = c.flight();
        f.scoreboard.append(0, 1, c.sendMss, Scoreboard.SYN, now);
        if (bytes > 0) {
            mark(c, DATA);
            f.scoreboard.append(1, 1 + bytes, bytes, Scoreboard.PUSH, now);
            f.sendQueue.append(1 + bytes);
            f.sendQueue.sent(1 + bytes);
            c.dataSegsOut++;
            c.lastDataSendNanos = now;
            x.count(Counter.TCP_ORIG_DATA_SENT);
        }
        c.sendWindow.sndNxt = 1 + bytes;
        c.rechargeSend(now);
        if (!paused && !needsNoCookie(c)) {
            int row = find(c);
            int length = x.fastOpenCache.cookieLength(row);
            boolean experimental = x.fastOpenCache.wantsExperimental(row);
            mark(c, experimental ? OPTION | EXPERIMENTAL : OPTION);
            x.builder.options.fastOpen(
                    length,
                    length > 0 ? x.fastOpenCache.cookieHi(row) : 0,
                    length > 0 ? x.fastOpenCache.cookieLo(row) : 0,
                    experimental);
        }
        x.transmitter.sendFirstSyn(now, c, bytes);
        c.arm(TcpTimer.RETRANSMIT, now + c.rtt.rtoNanos);
    }

    /**
     * The SYN-ACK of a connection that asked for Fast Open; the connection is established.
     *
     * @param end one past what our SYN carried
     * @param sentNanos when it left
     * @return whether its data has to be sent again
     */
    boolean onSynAck(long now, TcpConnection c, IncomingSegment s, long end, long sentNanos) {
        boolean data = (c.fastOpenFlags & DATA) != 0;
        boolean lost = data && s.ack < end;
        remember(c, s.header.options(), data);
        settle(now, c, s.ack, end, sentNanos);
        if (lost) {
            c.context.count(Counter.TCP_FAST_OPEN_ACTIVE_FAIL);
            sendAgain(now, c);
            return true;
        }
        if (data) {
            mark(c, DATA_ACKED);
            c.context.count(Counter.TCP_FAST_OPEN_ACTIVE);
        }
        c.context.dataArrives.onSynData(now, c, s);
        return false;
    }

    private static void remember(TcpConnection c, TcpOptions o, boolean data) {
        FastOpenCache cache = c.context.fastOpenCache;
        int row = cache.findOrAdd(c.localHi, c.localLo, c.remoteHi, c.remoteLo);
        if (o.mss() > 0) {
            cache.mss(row, o.mss());
        }
        if ((c.fastOpenFlags & OPTION) == 0) {
            return; // a cookie nobody asked for
        }
        if (o.fastOpenLength() > 0) {
            cache.cookie(
                    row,
                    o.fastOpenLength(),
                    o.fastOpenCookieHi(),
                    o.fastOpenCookieLo(),
                    o.fastOpenExperimental());
        } else if (c.totalRetransmits == 0 && o.fastOpenLength() < 0 && !data) {
            cache.unanswered(row, (c.fastOpenFlags & EXPERIMENTAL) != 0);
        }
    }

    /** Our SYN carried data up to {@code end}, of which the peer acknowledges up to {@code ack}. */
    void settle(long now, TcpConnection c, long ack, long end, long sentNanos) {
        if (end <= 1) {
            return;
        }
        c.sendWindow.sndUna = ack;
        c.onDataAcked(now, ack);
        if (ack < end) {
            c.flight().scoreboard.append(ack, end, c.sendMss, Scoreboard.PUSH, sentNanos);
            c.arm(TcpTimer.RETRANSMIT, now + c.rtt.rtoNanos);
        }
        c.rechargeSend(now);
    }

    /** Not congestion: what the server did not take goes again at once, and nothing is reduced. */
    private static void sendAgain(long now, TcpConnection c) {
        c.context.ackArrives.beforeFirstSend(now, c);
        Flight f = c.flight;
        f.scoreboard.markLost(f.scoreboard.first());
        f.recovery.recoveryPoint = c.sendWindow.sndNxt;
        f.recovery.undoMarker = Recovery.NO_UNDO;
        c.congestion.ssthresh = c.congestion.currentSsthresh();
        f.recovery.state = CongestionState.LOSS;
    }

    /** A timeout of a connection that used Fast Open: perhaps a firewall does not like it. */
    void onTimeout(long now, TcpConnection c, boolean givesUp) {
        if (c.retransmits == 2 || c.retransmits < 2 && givesUp) {
            pause(now, c);
        }
    }

    /** The end of such a connection: a FIN that came without the data before it is a sign too. */
    void onEnd(long now, TcpConnection c) {
        if ((c.fastOpenFlags & OPTION) == 0) {
            return;
        }
        if (c.dataSegsIn == 0) {
            if (c.receiveQueue != null && c.receiveQueue.finAt() >= 0) {
                pause(now, c);
            }
        } else if ((c.fastOpenFlags & TRIAL) != 0) {
            c.context.fastOpen.trust();
        }
    }

    private static void pause(long now, TcpConnection c) {
        if (c.context.fastOpen.pause(now)) {
            c.context.count(Counter.TCP_FAST_OPEN_BLACKHOLE);
        }
    }
}
