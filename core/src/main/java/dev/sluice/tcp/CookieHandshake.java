package dev.sluice.tcp;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.trace.Counter;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.TcpHeader;
import dev.sluice.wire.TcpOptions;

/**
 * A handshake with a SYN cookie (RFC 4987 section 3.6, B-10.2): the SYN-ACK that leaves nothing
 * behind, and the ACK that becomes a connection all the same. A row exists only for the time of the
 * call.
 */
final class CookieHandshake {
    /** Nothing is kept; the ACK will say again what has to be known (B-10.2). */
    void answer(
            long now,
            TcpListener listener,
            Route route,
            long localHi,
            long localLo,
            long remoteHi,
            long remoteLo,
            TcpHeader header,
            int ecn) {
        TcpContext context = listener.context;
        int iss =
                context.synCookies.sequence(
                        now,
                        localHi,
                        localLo,
                        remoteHi,
                        remoteLo,
                        header.destinationPort() << 16 | header.sourcePort(),
                        header.segSeq(),
                        listener.offeredMss(header, IpAddress.isIpv4(remoteHi, remoteLo)));
        HalfOpen row = listener.row(route, localHi, localLo, remoteHi, remoteLo, header, iss);
        row.sequence.irs(header.segSeq());
        row.stateless = true;
        listener.negotiate(now, row, header);
        if (row.timestamps.enabled) {
            listener.acceptEcn(row, header.flags(), ecn);
        }
        listener.lastCookieNanos = now;
        context.count(Counter.SYNCOOKIES_SENT);
        listener.sendSynAck(now, row);
        forgetStateless(row);
    }

    /** An ACK for nothing we know: the end of a handshake with a cookie, or a mistake. */
    Endpoint onAck(
            long now,
            TcpListener listener,
            Route route,
            long localHi,
            long localLo,
            long remoteHi,
            long remoteLo,
            TcpHeader header,
            PacketBuffer packet,
            int ecn) {
        TcpContext context = listener.context;
        boolean mayBe =
                context.config.synCookiesMode > 0
                        && !header.isSyn()
                        && now - listener.lastCookieNanos < SynCookies.VALID_NANOS;
        HalfOpen row = null;
        if (mayBe) {
            row =
                    listener.row(
                            route,
                            localHi,
                            localLo,
                            remoteHi,
                            remoteLo,
                            header,
                            header.segAck() - 1);
            row.sequence.irs(header.segSeq() - 1);
            row.stateless = true;
            if (!restore(now, row, header)) {
                forgetStateless(row);
                row = null;
            }
        }
        if (row == null) {
            context.replies.reset(
                    route, localHi, localLo, remoteHi, remoteLo, header, header.payloadLength());
            return null;
        }
        forgetStateless(row);
        if (listener.acceptQueueFull()) {
            context.count(Counter.LISTEN_OVERFLOWS);
            context.count(Counter.LISTEN_DROPS);
            return null;
        }
        TcpConnection c =
                context.handshake.accept(now, row, context.segmentFor(row, header, packet, ecn));
        listener.enqueue(c);
        return c;
    }

    /** What the SYN had offered, from cookie and timestamp; false if they are not ours. */
    private static boolean restore(long now, HalfOpen row, TcpHeader header) {
        TcpListener listener = row.listener;
        TcpContext context = row.context;
        TcpOptions o = header.options();
        boolean ipv4 = IpAddress.isIpv4(row.remoteHi, row.remoteLo);
        row.peerMss =
                context.synCookies.mss(
                        now,
                        row.localHi,
                        row.localLo,
                        row.remoteHi,
                        row.remoteLo,
                        row.localPort << 16 | row.remotePort,
                        row.sequence.irs(),
                        row.sequence.iss());
        if (row.peerMss == SynCookies.INVALID) {
            context.count(Counter.SYNCOOKIES_FAILED);
            return false;
        }
        context.count(Counter.SYNCOOKIES_RECV);
        listener.startTimestamps(row);
        if (o.hasTimestamps()) {
            int echoed = o.tsEcr() - row.timestamps.clock(0);
            int shift = SynCookies.windowScale(echoed);
            row.sackOk = SynCookies.sack(echoed);
            row.windowScaling = shift >= 0;
            row.sndWindShift = row.windowScaling ? (byte) shift : 0;
            boolean possible =
                    context.config.timestampsMode > 0
                            && (!row.sackOk || context.config.sack)
                            && (!row.windowScaling || context.config.windowScaling);
            if (!possible) {
                return false;
            }
            row.timestamps.onSyn(now, o.tsVal());
            if (SynCookies.ecn(echoed)) {
                // A third ACK with more than ECE in its ACE field is of accurate ECN.
                boolean accurate = header.has(TcpHeader.AE | TcpHeader.CWR);
                int asked = TcpHeader.SYN | TcpHeader.ECE | TcpHeader.CWR;
                listener.acceptEcn(row, accurate ? asked | TcpHeader.AE : asked, 0);
            }
        }
        if (listener.settings.maxSegment > 0) {
            row.peerMss = Math.min(row.peerMss, listener.settings.maxSegment);
        }
        row.sndWnd = header.segWnd();
        listener.selectWindow(row, ipv4);
        return true;
    }

    private static void forgetStateless(HalfOpen row) {
        row.gone = true;
        row.context.depart(row);
    }

    /** TSval of a SYN-ACK; with a cookie its low bits are what the SYN offered. */
    static int stamp(long now, HalfOpen row) {
        int clock = row.timestamps.clock(now);
        if (!row.stateless) {
            return clock;
        }
        int base = Timestamps.baseClock(now);
        int shift = row.windowScaling ? row.sndWindShift : -1;
        return clock - base + SynCookies.timestamp(base, shift, row.sackOk, row.ecn != 0);
    }
}
