package dev.sluice.tcp;

import dev.sluice.trace.Counter;
import dev.sluice.wire.TcpHeader;

/**
 * Whether a segment of a synchronized state may be looked at, and the reply if not (RFC 9293
 * section 3.10.7.4, first check; RFC 7323 section 5; RFC 5961; B-10.5, B-10.6).
 */
final class Acceptability {
    static final int ACCEPTABLE = 0;

    /** Ends before what we acknowledged last. */
    static final int OLD = 1;

    /** Starts or ends beyond the window. */
    static final int BEYOND_WINDOW = 2;

    /** PAWS rejects it. */
    static final int PAWS = 3;

    /** PAWS rejects it, and it is an old ACK without data: no reply is due. */
    static final int PAWS_OLD_ACK = 4;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** An ACK older than this many 1/1000 of the RTO is a replay (Linux tcp_tsval_replay). */
    private static final int REPLAY_PER_MILLE = 1200;

    // Host-wide limit of challenge ACKs (RFC 5961 section 7).
    private long challengeSecond = -1;
    private int challengesLeft;

    /** PAWS, then the sequence number (RFC 7323 section 5.3, B-10.5); counts what it rejects. */
    int verdict(long now, TcpConnection c, IncomingSegment s) {
        if (s.hasTimestamp
                && c.timestamps.enabled
                && !s.has(TcpHeader.RST)
                && c.timestamps.isOld(now, s.tsVal)) {
            int verdict = pawsVerdict(c, s);
            if (verdict != ACCEPTABLE) {
                return verdict;
            }
        }
        ReceiveWindow w = c.receiveWindow;
        if (s.end < w.rcvWup) {
            return OLD;
        }
        // RCV.NXT may be beyond the window if the segment before this one was.
        long edge = Math.max(w.windowEnd(), w.rcvNxt);
        if (s.end <= edge) {
            return ACCEPTABLE;
        }
        // A FIN may overhang by itself; and if nothing waits to be read, there is room for data
        // that
        // overhangs, so the peer need not send it again (Linux).
        boolean acceptable =
                s.seq <= edge
                        && (c.available() == 0 || (s.has(TcpHeader.FIN) && s.end - 1 <= edge));
        if (acceptable) {
            return ACCEPTABLE;
        }
        if (!s.has(TcpHeader.RST)) {
            c.context.count(Counter.BEYOND_WINDOW);
        }
        return BEYOND_WINDOW;
    }

    /**
     * An old timestamp may be a reordered pure ACK, which does no harm (Linux tcp_disordered_ack).
     */
    private static int pawsVerdict(TcpConnection c, IncomingSegment s) {
        boolean pureAck = s.end == s.seq && s.has(TcpHeader.ACK);
        if (pureAck && s.seq < c.receiveWindow.rcvNxt) {
            c.context.count(Counter.PAWS_OLD_ACK);
            return PAWS_OLD_ACK;
        }
        SendWindow w = c.sendWindow;
        boolean updatesWindow =
                s.seq > w.sndWl1 || (s.seq == w.sndWl1 && (s.wnd > w.sndWnd || s.wnd == 0));
        if (pureAck
                && s.seq == c.receiveWindow.rcvNxt
                && s.ack == w.sndUna
                && !updatesWindow
                && c.timestamps.ageNanos(s.tsVal) <= c.rtt.rtoNanos / 1000 * REPLAY_PER_MILLE) {
            return ACCEPTABLE;
        }
        c.context.count(Counter.PAWS_ESTAB);
        return PAWS;
    }

    /** The reply to an unacceptable segment: an ACK, with a D-SACK if it was old data. */
    void onUnacceptable(long now, TcpConnection c, IncomingSegment s, int verdict) {
        if (verdict == PAWS_OLD_ACK || isRateLimited(now, c, s, verdict)) {
            return;
        }
        ReceiveWindow w = c.receiveWindow;
        if (s.end != s.seq && s.seq < w.rcvNxt) {
            c.context.count(Counter.DELAYED_ACK_LOST);
            c.ackPolicy.enterQuickAck(c.context.config.quickAcks, w.rcvWnd);
            DataArrives.reportDuplicate(c, s.seq, Math.min(s.end, w.rcvNxt));
        }
        c.context.transmitter.sendAck(now, c);
    }

    /** Segments without data might answer each other forever; data is not part of such a loop. */
    private static boolean isRateLimited(
            long now, TcpConnection c, IncomingSegment s, int verdict) {
        if ((s.end != s.seq && !s.has(TcpHeader.SYN))
                || c.ackPolicy.mayReplyOutOfWindow(now, c.context.config.invalidRatelimitNanos)) {
            return false;
        }
        c.context.count(
                switch (c.state()) {
                    case SYN_RECEIVED -> Counter.TCP_ACK_SKIPPED_SYN_RECV;
                    case FIN_WAIT_2 -> Counter.TCP_ACK_SKIPPED_FIN_WAIT2;
                    case TIME_WAIT -> Counter.TCP_ACK_SKIPPED_TIME_WAIT;
                    default ->
                            verdict == PAWS
                                    ? Counter.TCP_ACK_SKIPPED_PAWS
                                    : Counter.TCP_ACK_SKIPPED_SEQ;
                });
        return true;
    }

    /** A challenge ACK (RFC 5961 sections 3 to 5 and 7), if the limits allow it. */
    void challenge(long now, TcpConnection c) {
        challenge(now, c, false);
    }

    /**
     * The same.
     *
     * @param reflects tells with accurate ECN what ECN field the peer's SYN had
     */
    void challenge(long now, TcpConnection c, boolean reflects) {
        TcpContext context = c.context;
        if (!c.ackPolicy.mayReplyOutOfWindow(now, context.config.invalidRatelimitNanos)) {
            context.count(Counter.TCP_ACK_SKIPPED_CHALLENGE);
            return;
        }
        int limit = context.config.challengeAckLimitPerSecond;
        if (limit != Integer.MAX_VALUE && !takeChallenge(now, limit)) {
            return;
        }
        context.count(Counter.TCP_CHALLENGE_ACK);
        context.transmitter.sendChallenge(now, c, reflects);
    }

    private boolean takeChallenge(long now, int limit) {
        long second = now / NANOS_PER_SECOND;
        if (second != challengeSecond) {
            challengeSecond = second;
            challengesLeft = limit;
        }
        if (challengesLeft == 0) {
            return false;
        }
        challengesLeft--;
        return true;
    }
}
