package dev.sluice.tcp;

import dev.sluice.trace.Counter;
import dev.sluice.wire.TcpHeader;
import dev.sluice.wire.TcpOptionWriter;
import dev.sluice.wire.TcpOptions;

/**
 * Opening: what our SYN offers, what the peer's SYN or SYN-ACK settles, simultaneous open, and the
 * step into ESTABLISHED (RFC 9293 sections 3.5 and 3.10.7.3, B-10.1, B-10.4).
 */
final class Handshake {
    /** Until the SYN is repeated after an answer to something else: two ticks of 1 ms. */
    private static final long SYN_AGAIN_NANOS = 2_000_000L;

    /** RTO after a handshake that gave no RTT sample (RFC 6298 section 5.7). */
    private static final long RTO_WITHOUT_SAMPLE_NANOS = 3_000_000_000L;

    /**
     * Into SYN_SENT, with the SYN still to be sent; addresses, ports, route and settings of {@code
     * c} are in place.
     */
    void begin(long now, TcpConnection c) {
        prepare(c);
        c.timestamps.enabled = c.context.config.timestampsMode > 0;
        c.sackOk = c.context.config.sack;
        c.ecn = (byte) Ecn.request(c.context.config.ecnMode, needsEcn(c));
        if ((c.ecn & Ecn.ASKED_ACCURATE) != 0) {
            c.accurateEcn = new AccurateEcn();
            c.accurateEcn.synSent(Ecn.codepoint(c.ecn, false));
        }
        // As in Linux, a SYN counts in segments without options, a SYN-ACK does not.
        c.receiveWindow.selectInitial(
                c.advertisedMss,
                c.settings.windowClamp,
                c.settings.lockedRcvBuf > 0,
                c.context.config.windowScaling,
                c.context.largestReceiveBuffer(),
                c.context.config.workaroundSignedWindows);
        c.transition(now, TcpState.SYN_SENT, 0);
        c.context.count(Counter.TCP_ACTIVE_OPENS);
        c.context.observer.connectionOpened(
                now,
                c.id(),
                false,
                c.localHi,
                c.localLo,
                c.localPort,
                c.remoteHi,
                c.remoteLo,
                c.remotePort);
    }

    void sendFirstSyn(long now, TcpConnection c) {
        c.flight().scoreboard.append(0, 1, c.sendMss, Scoreboard.SYN, now);
        c.sendWindow.sndNxt = 1;
        c.rechargeSend(now);
        c.context.transmitter.sendSyn(now, c, false);
        c.arm(TcpTimer.RETRANSMIT, now + c.rtt.rtoNanos);
    }

    private static boolean needsEcn(TcpConnection c) {
        return c.context.controllers.needsEcn(c.settings.congestionControl);
    }

    /** Sizes and buffers before the peer has said anything. */
    static void prepare(TcpConnection c) {
        c.pathMtu = c.route.mtu();
        c.advertisedMss = (char) PathMtu.advertised(c.route, c.isIpv4(), c.settings.maxSegment);
        c.peerMss = (char) (c.isIpv4() ? PathMtu.DEFAULT_MSS_IPV4 : PathMtu.DEFAULT_MSS_IPV6);
        c.sendMss = c.peerMss;
        c.sndBuf =
                c.settings.lockedSndBuf > 0
                        ? c.settings.lockedSndBuf
                        : c.context.config.wmemInitial;
        int rcvBuf =
                c.settings.lockedRcvBuf > 0
                        ? c.settings.lockedRcvBuf
                        : c.context.config.rmemInitial;
        c.receiveWindow.start(c.context.windowFromSpace, rcvBuf);
        c.timestamps.start(
                c.context.config.timestampsMode == 1
                        ? c.context.initialSequence.timestampOffset(
                                c.localHi, c.localLo, c.remoteHi, c.remoteLo)
                        : 0);
        c.rtt.rtoNanos = c.context.config.initialRtoNanos;
    }

    /** Bytes of options on every segment of an established connection. */
    static int fixedOptions(TcpConnection c) {
        return c.timestamps.enabled ? TcpOptionWriter.TIMESTAMPS_LENGTH : 0;
    }

    /**
     * The options of our SYN, and of our SYN-ACK after the peer's SYN crossed it: that is our SYN
     * once more and offers all of it, whatever the peer's did not.
     */
    void synOptions(long now, TcpConnection c, TcpOptionWriter options) {
        options.mss(c.advertisedMss);
        boolean crossed = c.state() == TcpState.SYN_RECEIVED;
        if (crossed && c.context.config.tcpSynOptions.equals("freebsd")) {
            onlyAgreed(now, c, options);
            return;
        }
        if (c.context.config.timestampsMode > 0) {
            options.timestamps(c.timestamps.clock(now), c.timestamps.tsRecent);
        }
        if (c.context.config.sack) {
            options.sackPermitted();
        }
        if (c.context.config.windowScaling) {
            options.windowScale(c.receiveWindow.rcvWindShift);
        }
        if (crossed && Ecn.isAccurate(c.ecn) && c.context.config.ecnOptionMode > 0) {
            if (c.retransmits < 2) {
                accurateEcnOption(options);
            }
        }
    }

    /** The option of a SYN-ACK with accurate ECN: as many counters as fit, all at their start. */
    static void accurateEcnOption(TcpOptionWriter options) {
        int fields = 3;
        do {
            options.accEcn(fields, false, 1, 0, 1);
            fields--;
        } while (options.length() > TcpHeader.MAX_OPTIONS && fields >= 0);
        if (options.length() > TcpHeader.MAX_OPTIONS) {
            options.accEcn(-1, false, 0, 0, 0);
        }
    }

    /** What the peer's crossing SYN had too. */
    private static void onlyAgreed(long now, TcpConnection c, TcpOptionWriter options) {
        if (c.timestamps.enabled) {
            options.timestamps(c.timestamps.clock(now), c.timestamps.tsRecent);
        }
        if (c.sackOk) {
            options.sackPermitted();
        }
        if (c.windowScaling) {
            options.windowScale(c.receiveWindow.rcvWindShift);
        }
    }

    /** The SYN or SYN-ACK was not answered in time. */
    void onSynTimeout(long now, TcpConnection c) {
        c.context.count(Counter.TCP_TIMEOUTS);
        if (c.retransmits > c.context.config.synLinearTimeouts) {
            c.rtt.backOff(c.settings.rtoMaxNanos);
        }
        repeatSyn(now, c);
    }

    void repeatSyn(long now, TcpConnection c) {
        c.context.count(Counter.TCP_SYN_RETRANS);
        c.context.count(Counter.TCP_RETRANS_SEGS);
        c.totalRetransmits++;
        c.context.transmitter.sendSyn(now, c, true);
    }

    // ---- SYN_SENT ----------------------------------------------------------------------------

    /** RFC 9293 section 3.10.7.3. */
    void inSynSent(long now, TcpConnection c, IncomingSegment s) {
        if (c.isConnectDeferred()) {
            return; // nobody can know of us yet
        }
        boolean ack = s.has(TcpHeader.ACK);
        if (ack && (s.ack <= c.sendWindow.sndUna || s.ack > c.sendWindow.sndNxt)) {
            if (c.retransmits == 0 && c.context.customs.repeatsSynSoon()) {
                // An old connection of the peer's answered; our reset ends it, so ask again now.
                c.arm(TcpTimer.RETRANSMIT, now + SYN_AGAIN_NANOS);
            }
            if (!s.has(TcpHeader.RST)) {
                c.context.transmitter.sendResetFor(now, c, s);
            }
            return;
        }
        if (ack && s.hasTimestamp && c.timestamps.enabled && !echoesOurSyn(now, c, s)) {
            c.context.count(Counter.PAWS_ACTIVE);
            if (!s.has(TcpHeader.RST)) {
                c.context.transmitter.sendResetFor(now, c, s);
            }
            return;
        }
        if (s.has(TcpHeader.RST)) {
            if (ack) {
                c.context.segmentArrives.reset(now, c);
            }
            return;
        }
        if (!s.has(TcpHeader.SYN)) {
            return;
        }
        acceptOptions(now, c, s);
        if (ack) {
            synAckArrived(now, c, s);
        } else {
            synCrossed(now, c, s);
        }
    }

    /** When our SYN was first sent. */
    static long synSent(TcpConnection c) {
        return c.flight.scoreboard.sentNanos(c.flight.scoreboard.first());
    }

    /** RFC 7323 section 3.2: TSecr of a SYN-ACK must be one of ours. */
    private static boolean echoesOurSyn(long now, TcpConnection c, IncomingSegment s) {
        if (s.tsEcr == 0) {
            return true;
        }
        int first = c.timestamps.clock(synSent(c));
        int last = c.timestamps.clock(now);
        return s.tsEcr - first >= 0 && last - s.tsEcr >= 0;
    }

    /** What the peer's SYN or SYN-ACK offers, limited to what ours did. */
    private static void acceptOptions(long now, TcpConnection c, IncomingSegment s) {
        TcpOptions o = s.header.options();
        c.sequence.irs(s.header.segSeq());
        if (o.mss() > 0) {
            c.peerMss = (char) o.mss();
        }
        if (c.settings.maxSegment > 0) {
            c.peerMss = (char) Math.min(c.peerMss, c.settings.maxSegment);
        }
        c.receiveWindow.onSegmentSize(Math.min(c.advertisedMss, c.peerMss));
        c.timestamps.enabled &= o.hasTimestamps();
        if (c.timestamps.enabled) {
            c.timestamps.onSyn(now, o.tsVal());
        }
        c.sackOk &= o.sackPermitted();
        acceptEcn(c, s, o);
        if (o.hasWindowScale() && c.windowScaling) {
            c.sendWindow.sndWindShift = (byte) o.windowScale();
        } else {
            c.windowScaling = false;
            if (s.has(TcpHeader.ACK)) {
                c.receiveWindow.withoutScaling();
            }
        }
        c.receiveWindow.onSyn();
        c.sendWindow.sndWnd = s.header.segWnd();
        c.sendWindow.maxWindow = c.sendWindow.sndWnd;
        c.sendWindow.sndWl1 = 0;
    }

    private static void acceptEcn(TcpConnection c, IncomingSegment s, TcpOptions o) {
        c.ecn = (byte) Ecn.answered(c.ecn, s.flags);
        if (!Ecn.isAccurate(c.ecn)) {
            c.accurateEcn = null;
        } else if (s.has(TcpHeader.ACK)) {
            c.accurateEcn.synAckArrived(s.flags, s.ecn, o, c.context.config.ecnFallback);
        } else {
            c.accurateEcn.synReceived(s.ecn);
        }
    }

    /** The ACK of our SYN-ACK tells what became of its ECN field, and ours of the SYN's. */
    static void thirdAck(TcpConnection c, IncomingSegment s) {
        if (c.accurateEcn == null) {
            return;
        }
        boolean marked =
                c.accurateEcn.thirdAckArrived(
                        s.flags,
                        s.payloadLength == 0 && !s.has(TcpHeader.FIN),
                        s.header.options(),
                        c.context.config.ecnFallback);
        if (marked) {
            c.congestion.deliveredCe = 1;
        }
    }

    private void synAckArrived(long now, TcpConnection c, IncomingSegment s) {
        if (c.retransmits == 0) {
            sampleHandshake(now, c, synSent(c));
        } else if (c.timestamps.enabled && s.tsEcr != 0) {
            long millis = c.timestamps.clock(now) - s.tsEcr;
            sampleHandshake(now, c, now - millis * 1_000_000L);
        }
        boolean spurious = c.timestamps.enabled && s.tsEcr == c.timestamps.clock(synSent(c));
        long sent = synSent(c);
        establish(now, c);
        c.context.mtuSearch.onEstablished(now, c);
        if (c.totalRetransmits > 1 && !spurious) {
            c.congestion.cwnd = 1; // RFC 5681 section 3.1: the SYN was lost, more than once
        }
        if (s.payloadLength > 0 && c.context.customs.keepsSynAckData()) {
            c.context.dataArrives.onData(now, c, s);
        }
        boolean again =
                (c.fastOpenFlags & FastOpenClient.USED) != 0
                        && c.context.fastOpenClient.onSynAck(now, c, s, c.sendWindow.sndNxt, sent);
        c.signal(Readiness.OUT);
        if ((c.fastOpenFlags & FastOpenClient.WRITER_WAITS) != 0 && !again) {
            c.writerWaits(false);
            c.context.dataArrives.expectReply(now, c);
        } else if (again || c.hasUnsent() || c.ackPolicy.inPingPong()) {
            // Data that waits carries the acknowledgment.
            c.ackPolicy.schedule();
            c.context.transmitter.output(now, c);
            if (c.ackPolicy.isScheduled()) {
                c.context.transmitter.sendThirdAck(now, c);
            }
        } else {
            c.context.transmitter.sendThirdAck(now, c);
        }
    }

    /** Simultaneous open: the peer's SYN instead of a SYN-ACK (RFC 9293 figure 8). */
    private static void synCrossed(long now, TcpConnection c, IncomingSegment s) {
        c.transition(now, TcpState.SYN_RECEIVED, TcpHeader.SYN);
        if (c.retransmits > 0 && c.context.config.ecnFallback) {
            c.ecn = 0; // which of our SYNs the peer has seen, nobody knows
            c.accurateEcn = null;
        }
        c.context.transmitter.sendSyn(now, c, false);
        c.arm(TcpTimer.RETRANSMIT, now + c.rtt.rtoNanos);
    }

    /** The ACK of our SYN arrived in SYN_RECEIVED; it is acceptable. */
    void completeSimultaneous(long now, TcpConnection c, IncomingSegment s) {
        if (c.retransmits == 0) {
            sampleHandshake(now, c, synSent(c));
        }
        if (!c.windowScaling) {
            c.receiveWindow.withoutScaling();
        }
        long sent = synSent(c);
        establish(now, c);
        c.context.mtuSearch.onEstablished(now, c);
        thirdAck(c, s);
        c.context.fastOpenClient.settle(now, c, s.ack, c.sendWindow.sndNxt, sent);
        c.sendWindow.sndWnd = s.wnd;
        c.sendWindow.maxWindow = Math.max(c.sendWindow.maxWindow, s.wnd);
        c.signal(Readiness.OUT);
        if (c.sendShutdown) {
            // Closed while the handshake ran: the FIN had to wait until now.
            c.flight();
            c.transition(now, TcpState.FIN_WAIT_1, 0);
            c.context.wantsOutput(c);
        }
    }

    // ---- passive open ------------------------------------------------------------------------

    /** The ACK that completes a passive open: the row becomes a connection in SYN_RECEIVED. */
    TcpConnection accept(long now, HalfOpen row, IncomingSegment s) {
        TcpConnection c = openPassive(now, row);
        thirdAck(c, s);
        c.sendWindow.sndWl1 = s.seq;
        if (row.retries == 0 && !row.stateless) {
            sampleHandshake(now, c, row.synAckNanos);
        }
        establish(now, c);
        if (row.retries > 1) {
            c.congestion.cwnd = 1; // RFC 5681 section 3.1: the SYN-ACK was lost, more than once
        }
        c.sendWindow.sndWnd = s.wnd;
        c.sendWindow.maxWindow = s.wnd;
        c.sendMss = sendingMss(c);
        c.context.mtuSearch.onEstablished(now, c);
        return c;
    }

    /** A connection in SYN_RECEIVED, with what the SYN settled. */
    TcpConnection openPassive(long now, HalfOpen row) {
        TcpConnection c = new TcpConnection(row);
        c.passive = true;
        // The SYN, which came for the row.
        c.segsIn = 1;
        c.pathMtu = c.route.mtu();
        c.advertisedMss = (char) row.advertisedMss;
        c.peerMss = (char) row.peerMss;
        c.receiveWindow.onSegmentSize(Math.min(c.advertisedMss, c.peerMss));
        c.sackOk = row.sackOk;
        c.ecn = row.ecn;
        c.accurateEcn = row.accurateEcn;
        c.windowScaling = row.windowScaling;
        c.sendWindow.sndWindShift = row.sndWindShift;
        c.sendWindow.sndUna = 0;
        c.sendWindow.sndNxt = 1;
        c.sndBuf =
                c.settings.lockedSndBuf > 0
                        ? c.settings.lockedSndBuf
                        : c.context.config.wmemInitial;
        c.rtt.rtoNanos = c.context.config.initialRtoNanos;
        c.transition(now, TcpState.SYN_RECEIVED, TcpHeader.SYN);
        c.context.count(Counter.TCP_PASSIVE_OPENS);
        c.context.observer.connectionOpened(
                now,
                c.id(),
                true,
                c.localHi,
                c.localLo,
                c.localPort,
                c.remoteHi,
                c.remoteLo,
                c.remotePort);
        c.sendWindow.sndWnd = row.sndWnd;
        c.sendWindow.maxWindow = row.sndWnd;
        return c;
    }

    /** Into ESTABLISHED: everything that waits for both sides' numbers (Linux init_transfer). */
    private static void establish(long now, TcpConnection c) {
        c.congestion.delivered = 1;
        if (c.flight != null) {
            c.context.giveBack(c.flight);
            c.flight = null;
        }
        c.disarm(TcpTimer.RETRANSMIT);
        if (c.rtt.srttNanos() == 0) {
            c.rtt.rtoNanos = Math.min(RTO_WITHOUT_SAMPLE_NANOS, c.settings.rtoMaxNanos);
        }
        c.retransmits = 0;
        initialize(now, c);
        c.transition(now, TcpState.ESTABLISHED, TcpHeader.ACK);
        c.receiveWindow.onEstablished(now, c.advertisedMss);
        c.context.userCalls.expandSendBuffer(c);
        c.context.timerExpiry.armKeepAlive(now, c);
        if (c.out != null && c.out.end() > Math.max(1, c.sendWindow.sndNxt)) {
            // Written while connecting: becomes records now that the sizes are known.
            c.flight().sendQueue.append(c.out.end());
            c.flight.sendQueue.markPush(c.out.end());
        }
        c.rechargeSend(now);
    }

    /** What depends on both sides' numbers, and not on the state. */
    static void initialize(long now, TcpConnection c) {
        c.sendWindow.sndUna = 1;
        c.sendWindow.sndSml = 1;
        c.lastReceiveNanos = now;
        c.lastDataSendNanos = now;
        c.sendMss = sendingMss(c);
        c.ackPolicy.start(
                now,
                c.context.config.pingpongThresh,
                c.context.config.delackMinNanos,
                c.context.config.quickAcks);
        c.ackPolicy.initRcvMss(c.advertisedMss, c.sendMss, c.receiveWindow.rcvWnd);
        c.congestion.cwnd = c.context.config.initialCwnd;
        c.congestion.reordering = c.context.config.reorderingSegments;
    }

    /** The handshake is the first RTT sample, unless something was repeated in it (Karn). */
    static void sampleHandshake(long now, TcpConnection c, long sentNanos) {
        long rtt = Math.max(1, now - sentNanos);
        c.rtt.sampleMinimum(now, rtt, c.context.config.minRttWindowNanos);
        c.rtt.sample(rtt, 0, 1, c.settings.rtoMinNanos, c.settings.rtoMaxNanos);
    }

    /** Payload of a full segment, from what is known of path, peer and options (B-11.2). */
    static int sendingMss(TcpConnection c) {
        int mss =
                PathMtu.sending(
                        c.pathMtu, c.isIpv4(), c.peerMss, fixedOptions(c), c.sendWindow.maxWindow);
        if (c.mtuProbing == null) {
            return mss;
        }
        c.mtuProbing.bound(c.pathMtu);
        return Math.min(mss, MtuSearch.mssOf(c, c.mtuProbing.low()));
    }
}
