package dev.sluice.tcp;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketStream;
import dev.sluice.tcp.policy.EcnAckPolicy;
import dev.sluice.trace.Counter;
import dev.sluice.wire.TcpHeader;

/**
 * What a segment's payload and FIN mean (RFC 9293 section 3.10.7.4, seventh and eighth check), and
 * when they are acknowledged (B-3).
 *
 * <p>On entry to {@link #onData}, the window of {@code s.packet} is the TCP payload and nothing
 * else, see {@link Payload}; {@code s.payloadLength} is its length. A packet that is kept is marked
 * in {@code s.kept}.
 */
final class DataArrives {
    /** A segment with one of these may be short for that reason (B-3.8). */
    private static final int SHORTENING_FLAGS =
            TcpHeader.FIN | TcpHeader.URG | TcpHeader.SYN | TcpHeader.PSH;

    private static final int FIXED_TIMESTAMP_OPTION = 12;

    private final ReceiveMemory memory = new ReceiveMemory();

    // ---- data --------------------------------------------------------------------------------

    /** The SYN of the peer's crossing SYN-ACK is old data of one byte, and answered as such. */
    void onRepeatedSyn(TcpConnection c) {
        c.context.count(Counter.DELAYED_ACK_LOST);
        reportDuplicate(c, 0, 1);
        outOfWindow(c);
    }

    /** Queues payload and FIN and schedules their acknowledgment. */
    void onData(long now, TcpConnection c, IncomingSegment s) {
        ReceiveWindow w = c.receiveWindow;
        boolean fin = s.has(TcpHeader.FIN);
        if (s.payloadLength == 0 && !fin) {
            return;
        }
        long start = s.has(TcpHeader.SYN) ? s.seq + 1 : s.seq;
        if (s.end <= w.rcvNxt) {
            c.context.count(Counter.DELAYED_ACK_LOST);
            reportDuplicate(c, start, s.end);
            outOfWindow(c);
            return;
        }
        if (w.isFinReceived()) {
            // Nothing can follow a FIN; an honest peer sends nothing there.
            return;
        }
        long edge = w.windowEnd();
        if (start > w.rcvNxt) {
            if (start >= edge) {
                outOfWindow(c);
            } else {
                sampleRoundTrip(now, c, s);
                outOfOrder(now, c, s, start, fin);
            }
            return;
        }
        if (start < w.rcvNxt) {
            reportDuplicate(c, start, w.rcvNxt);
            c.ackPolicy.scheduleForNotableSegment();
        }
        if (edge <= w.rcvNxt && s.payloadLength > 0) {
            c.context.count(Counter.TCP_ZERO_WINDOW_DROP);
            outOfWindow(c);
            return;
        }
        sampleRoundTrip(now, c, s);
        inOrder(now, c, s, start, fin);
    }

    /** Data and FIN that came with a SYN or SYN-ACK and that Fast Open lets in. */
    void onSynData(long now, TcpConnection c, IncomingSegment s) {
        ReceiveWindow w = c.receiveWindow;
        if (s.payloadLength > 0) {
            s.kept = true;
            PacketBuffer packet = Payload.fit(c.context.packets, s.packet);
            memory.force(c, Payload.truesize(packet));
            memory.charge(now, c, Payload.truesize(packet));
            deliver(c, packet);
            w.rcvNxt += s.payloadLength;
            w.rcvWup = w.rcvNxt;
            FastOpenClient.mark(c, FastOpenClient.DATA_ACKED);
            c.signalReadable(now);
            observe(now, c);
        }
        if (s.has(TcpHeader.FIN)) {
            w.rcvNxt = s.end;
            finInOrder(now, c);
        }
    }

    /** The acknowledgment owed may wait for data that is about to be written. */
    void expectReply(long now, TcpConnection c) {
        c.ackPolicy.schedule();
        c.ackPolicy.enterQuickAck(c.context.config.quickAcks, c.receiveWindow.rcvWnd);
        // RFC 5681 section 4.2: whatever the budget, a duplicate is answered at once.
        c.ackPolicy.scheduleNow();
        c.arm(TcpTimer.DELAYED_ACK, now + c.settings.delackMaxNanos);
    }

    /** What cannot be used is answered, in case an ACK of ours was lost (B-3.6). */
    private static void outOfWindow(TcpConnection c) {
        c.ackPolicy.enterQuickAck(AckPolicy.MAX_QUICK_ACKS, c.receiveWindow.rcvWnd);
        c.ackPolicy.schedule();
    }

    private void inOrder(long now, TcpConnection c, IncomingSegment s, long start, boolean fin) {
        ReceiveWindow w = c.receiveWindow;
        TcpContext context = c.context;
        int known = (int) (w.rcvNxt - start);
        int payload = s.payloadLength - known;
        if (payload > 0) {
            int truesize = Payload.truesize(s.packet);
            if (!memory.makeRoom(now, c, truesize, start)) {
                c.ackPolicy.scheduleNoMemory();
                c.signalReadable(now);
                if (c.available() > 0) {
                    context.count(Counter.TCP_RCV_Q_DROP);
                    return;
                }
                // The application waits for just this segment, so it is kept whatever the limits
                // say.
                memory.force(c, truesize);
            } else if (known == 0 && c.receiveQueue == null && !fin) {
                context.count(Counter.TCP_HP_HITS);
            }
            dataEvent(now, c, s, truesize);
            if (w.offered() == 0) {
                // A probe, into what rounding hid of the window: it waits for its answer.
                c.ackPolicy.scheduleNow();
            }
            s.kept = true;
            PacketBuffer packet = s.packet;
            if (known > 0) {
                packet = Payload.dropFirst(context.packets, packet, known);
            }
            packet = Payload.fit(context.packets, packet);
            memory.charge(now, c, Payload.truesize(packet));
            deliver(c, packet);
            w.rcvNxt += payload;
            congestionMark(now, c, s, w.rcvNxt - payload);
            growWindow(c, s, truesize);
        } else {
            c.ackPolicy.schedule();
        }
        if (fin) {
            w.rcvNxt = s.end;
            finInOrder(now, c);
        } else if (c.receiveQueue != null && !c.receiveQueue.isEmpty()) {
            fillHole(now, c);
        }
        if (payload > 0) {
            c.signalReadable(now);
            observe(now, c);
        }
    }

    private static void deliver(TcpConnection c, PacketBuffer packet) {
        if (c.in == null) {
            c.in = new PacketStream();
        }
        if (c.in.append(packet) != 0) {
            c.context.count(Counter.INVARIANT_FAILURES);
        }
    }

    /** RCV.NXT moved while data was queued beyond it: some of that may be in order now. */
    private void fillHole(long now, TcpConnection c) {
        ReceiveQueue queue = c.receiveQueue;
        ReceiveWindow w = c.receiveWindow;
        int before = queue.truesize();
        int bits = queue.advance(c.context.packets, w.rcvNxt, reportsDuplicates(c));
        memory.charge(now, c, queue.truesize() - before);
        countDuplicate(c, bits, true);
        if ((bits & ReceiveQueue.KEPT) == 0) {
            if (queue.isEmpty()) {
                c.ackPolicy.scheduleNow(); // all of it had come again: no gap is left either
            }
            return;
        }
        boolean fin = queue.finAt() >= 0;
        PacketBuffer packet = queue.takeFirst();
        while (packet != null) {
            deliver(c, packet);
            packet = queue.takeFirst();
        }
        long end = queue.finishFirst();
        w.rcvNxt = end;
        if (queue.isEmpty()) {
            // RFC 5681 section 4.2: say at once that the last gap is filled.
            c.ackPolicy.scheduleNow();
        }
        if (fin && queue.finAt() < end && queue.finAt() >= 0) {
            finInOrder(now, c);
        }
    }

    /** RFC 9293 section 3.10.7.4, eighth check. RCV.NXT has passed over the FIN. */
    private void finInOrder(long now, TcpConnection c) {
        c.receiveWindow.onFin();
        c.ackPolicy.scheduleForNotableSegment();
        if (c.state() == TcpState.ESTABLISHED || c.state() == TcpState.SYN_RECEIVED) {
            // The application is likely to answer with data or its own FIN.
            c.ackPolicy.enterPingPong();
        }
        memory.discardQueue(now, c);
        c.onFinReceived(now);
    }

    private void outOfOrder(long now, TcpConnection c, IncomingSegment s, long start, boolean fin) {
        TcpContext context = c.context;
        congestionMark(now, c, s, c.receiveWindow.rcvNxt);
        int truesize = s.payloadLength == 0 ? 0 : Payload.truesize(s.packet);
        if (!memory.makeRoom(now, c, truesize, start)) {
            context.count(Counter.TCP_OFO_DROP);
            c.signalReadable(now);
            return;
        }
        measure(c, s, truesize);
        c.ackPolicy.schedule();
        context.count(Counter.TCP_OFO_QUEUE);
        ReceiveQueue queue = c.receiveQueue();
        int before = queue.truesize();
        int bits =
                queue.insert(
                        context.packets,
                        s.packet,
                        start,
                        s.end,
                        fin,
                        reportsDuplicates(c),
                        context.config.maxHoles);
        memory.charge(now, c, queue.truesize() - before);
        if ((bits & ReceiveQueue.FULL) != 0) {
            context.count(Counter.HOLES_LIMIT);
            context.count(Counter.TCP_OFO_DROP);
            return;
        }
        countDuplicate(c, bits, false);
        if ((bits & (ReceiveQueue.DUPLICATE | ReceiveQueue.OVERLAPPED)) != 0) {
            context.count(Counter.TCP_OFO_MERGE);
        }
        if ((bits & ReceiveQueue.COALESCED) != 0) {
            context.count(Counter.TCP_RCV_COALESCE);
        }
        if ((bits & ReceiveQueue.DISTANT_BLOCK) != 0 && c.ackPolicy.compressed() > 0) {
            c.ackPolicy.scheduleNow();
        }
        if ((bits & ReceiveQueue.KEPT) != 0) {
            s.kept = true;
            growWindow(c, s, truesize);
            if (mayGrowBuffer(c) && !c.orphaned) {
                c.receiveWindow.tuneForGap(
                        gapSpan(c), context.config.rmemMax, context.config.rcvbufLowRttNanos);
            }
        }
        observe(now, c);
    }

    /** What every arrival of in-order data teaches (Linux tcp_event_data_recv). */
    private static void dataEvent(long now, TcpConnection c, IncomingSegment s, int truesize) {
        c.ackPolicy.schedule();
        measure(c, s, truesize);
        if (!c.timestamps.enabled) {
            c.receiveWindow.sampleByWindow(now);
        }
        c.ackPolicy.onDataReceived(now, c.rtt.rtoNanos, c.receiveWindow.rcvWnd);
    }

    /**
     * What the ECN field of new data obliges us to (B-1.2.7, B-6.3).
     *
     * @param priorRcvNxt RCV.NXT before this data
     */
    private static void congestionMark(
            long now, TcpConnection c, IncomingSegment s, long priorRcvNxt) {
        if (!Ecn.isNegotiated(c.ecn)) {
            return;
        }
        EcnAckPolicy policy = c.context.ecnAckPolicy;
        if (Ecn.changesMark(c.ecn, s.ecn)) {
            if (c.isArmed(TcpTimer.DELAYED_ACK)) {
                c.ecn = (byte) Ecn.echoLast(c.ecn);
                c.context.count(Counter.SPECIAL_ECN_ACKS);
                c.context.transmitter.sendAckOf(now, c, priorRcvNxt);
                if (policy.priorAckSettlesAll()) {
                    c.context.dataArrives.onAckSent(now, c, c.receiveWindow.rcvNxt);
                }
            }
            if (policy.acknowledgesChange()) {
                c.ackPolicy.hurry();
            }
        }
        c.ecn = (byte) Ecn.echoThis(c.ecn, s.ecn);
        if (Ecn.wantsQuickAcks(c.ecn, s.ecn)) {
            c.ackPolicy.enterQuickAck(policy.quickAcks(), c.receiveWindow.rcvWnd);
        }
        c.ecn = (byte) Ecn.dataArrived(c.ecn, s.ecn);
    }

    /** CWR arrived, also on a pure ACK, as some senders have it (B-6.3). */
    void onCwr(TcpConnection c, IncomingSegment s) {
        c.ecn = (byte) Ecn.cwrArrived(c.ecn);
        if (s.end != s.seq && c.context.ecnAckPolicy.acknowledgesReduction()) {
            // Its window may be a single segment.
            c.ackPolicy.hurry();
        }
    }

    /** Segment size and, when it grows, the ratio of payload to memory (B-3.8, B-7.3). */
    private static void measure(TcpConnection c, IncomingSegment s, int truesize) {
        if (s.payloadLength == 0) {
            return;
        }
        int size = s.packet.segmentSize();
        boolean grown =
                c.ackPolicy.measureSegment(
                        size > 0 ? size : s.payloadLength,
                        s.header.optionsLength(),
                        c.timestamps.enabled ? FIXED_TIMESTAMP_OPTION : 0,
                        s.has(TcpHeader.PSH),
                        (s.flags & SHORTENING_FLAGS) != 0,
                        c.advertisedMss);
        if (grown) {
            c.receiveWindow.measureRatio(s.payloadLength, truesize);
        }
    }

    private static void growWindow(TcpConnection c, IncomingSegment s, int truesize) {
        TcpContext context = c.context;
        if (context.memory.pressure()) {
            c.receiveWindow.onPressure(c.advertisedMss);
        } else if (c.receiveWindow.grow(
                s.payloadLength,
                truesize,
                c.ackPolicy.rcvMss,
                c.advertisedMss,
                context.config.rmemMax)) {
            c.ackPolicy.onWindowGrown();
        }
    }

    /** A round trip as the receiver sees it, from the echo on a full-sized segment (B-7.10). */
    private static void sampleRoundTrip(long now, TcpConnection c, IncomingSegment s) {
        if (!s.hasTimestamp
                || !c.timestamps.enabled
                || s.tsEcr == 0
                || s.payloadLength < c.ackPolicy.rcvMss
                || !c.receiveWindow.isNewEcho(s.tsEcr)) {
            return;
        }
        long nanos = c.timestamps.echoNanos(now, s.tsEcr);
        if (nanos >= 0) {
            c.receiveWindow.sampleByTimestamp(nanos, c.available() == 0);
        }
    }

    // ---- acknowledgment ----------------------------------------------------------------------

    /** After a segment was processed and output had its chance to carry the ACK (B-3.1, B-3.6). */
    void acknowledge(long now, TcpConnection c, IncomingSegment s) {
        AckPolicy ack = c.ackPolicy;
        if (!ack.isScheduled()) {
            return;
        }
        boolean second =
                isSecondSegment(c)
                        || c.context.customs.anySecondSegment() && c.isArmed(TcpTimer.DELAYED_ACK);
        if (ack.isImmediate() || second) {
            c.context.transmitter.sendAck(now, c);
        } else if (c.receiveQueue == null || c.receiveQueue.isEmpty()) {
            delay(now, c);
        } else if (!c.sackOk
                || ack.sendsDuplicate(c.receiveWindow.rcvNxt, c.context.config.compSackMaxAcks)) {
            c.context.transmitter.sendAck(now, c);
        } else if (!c.isArmed(TcpTimer.SACK_COMPRESSION)) {
            c.arm(TcpTimer.SACK_COMPRESSION, now + compressionNanos(c));
        }
    }

    /** More than a segment is unacknowledged, and an ACK now would not offer less than before. */
    private static boolean isSecondSegment(TcpConnection c) {
        ReceiveWindow w = c.receiveWindow;
        if (w.rcvNxt - w.rcvWup <= c.ackPolicy.rcvMss) {
            return false;
        }
        return w.unread() < c.settings.rcvLowat || wish(c) >= w.rcvWnd;
    }

    private static void delay(long now, TcpConnection c) {
        long delay =
                c.ackPolicy.delayNanos(
                        c.rtt.srttNanos(), c.settings.delackMaxNanos, c.settings.rtoMinNanos);
        long pending = c.deadline(TcpTimer.DELAYED_ACK);
        if (pending != TcpTimers.UNARMED && pending <= now + delay / 4) {
            c.context.transmitter.sendAck(now, c);
        } else if (pending > now + delay) {
            c.arm(TcpTimer.DELAYED_ACK, now + delay);
        }
    }

    private static long compressionNanos(TcpConnection c) {
        long rtt = c.receiveWindow.receiverRttNanos();
        long srtt = c.rtt.srttNanos();
        if (srtt > 0 && (rtt == 0 || srtt < rtt)) {
            rtt = srtt;
        }
        if (rtt == 0) {
            return c.context.config.compSackDelayNanos;
        }
        long share = rtt * c.context.config.compSackRttPercent / 100;
        return Math.min(share, c.context.config.compSackDelayNanos);
    }

    /**
     * The 16-bit window field of a segment that leaves now; the window it offers is binding from
     * here.
     */
    int selectWindow(long now, TcpConnection c) {
        ReceiveWindow w = c.receiveWindow;
        TcpContext context = c.context;
        if (c.ackPolicy.isOutOfMemory()) {
            w.close();
            return 0;
        }
        int before = w.rcvWnd;
        noteLowSpace(c);
        int selected =
                w.select(
                        c.ackPolicy.rcvMss,
                        context.config.shrinkWindow,
                        context.config.workaroundSignedWindows,
                        context.receivePromise);
        if ((selected & ReceiveWindow.WANTED_ZERO) != 0) {
            context.count(Counter.TCP_WANT_ZERO_WINDOW_ADV);
        }
        int field = selected & 0xffff;
        if (field == 0 && before > 0) {
            context.count(Counter.TCP_TO_ZERO_WINDOW_ADV);
        } else if (field > 0 && before == 0) {
            context.count(Counter.TCP_FROM_ZERO_WINDOW_ADV);
        }
        return field;
    }

    private static int wish(TcpConnection c) {
        noteLowSpace(c);
        return c.receiveWindow.wish(c.ackPolicy.rcvMss, c.context.config.shrinkWindow);
    }

    private static void noteLowSpace(TcpConnection c) {
        if (c.receiveWindow.isLowOnSpace()) {
            c.ackPolicy.dropQuickAcks();
            if (c.context.memory.pressure()) {
                c.receiveWindow.onPressure(c.advertisedMss);
            }
        }
    }

    /** A segment with the ACK bit left: settles what is owed (B-3.9). */
    void onAckSent(long now, TcpConnection c, long ackOffset) {
        AckPolicy ack = c.ackPolicy;
        if (ack.compressed() > 0) {
            c.context.counters.add(Counter.TCP_ACK_COMPRESSED, ack.compressed());
        }
        ack.onAckSent(ackOffset, c.receiveWindow.rcvNxt);
        c.disarm(TcpTimer.SACK_COMPRESSION);
        if (ackOffset == c.receiveWindow.rcvNxt) {
            c.disarm(TcpTimer.DELAYED_ACK);
        }
        ReceiveQueue queue = c.receiveQueue;
        if (queue != null) {
            queue.onSent();
            if (queue.isIdle()) {
                c.receiveQueue = null;
                c.context.giveBack(queue);
            }
        }
    }

    void onDelayedAckTimer(long now, TcpConnection c) {
        AckPolicy ack = c.ackPolicy;
        if (!c.state().isSynchronized() || !ack.isScheduled()) {
            return;
        }
        if (ack.compressed() > 0) {
            onSackCompressionTimer(now, c);
            return;
        }
        ack.onDelayExpired(c.rtt.rtoNanos);
        c.context.count(Counter.DELAYED_ACKS);
        c.context.transmitter.sendAck(now, c);
    }

    void onSackCompressionTimer(long now, TcpConnection c) {
        if (c.ackPolicy.compressed() > 0) {
            c.ackPolicy.releaseCompressed();
            c.context.transmitter.sendAck(now, c);
        }
    }

    // ---- the application ---------------------------------------------------------------------

    /**
     * The application took bytes out of {@code c.in}: memory, auto-tuning, window update (B-3.7).
     */
    void onRead(long now, TcpConnection c, int bytesRead) {
        c.receiveWindow.readEnd += bytesRead;
        if (c.urgent != null) {
            c.urgent.readTo(c.receiveWindow.readEnd);
        }
        memory.reclaim(now, c);
        if (bytesRead <= 0) {
            return;
        }
        c.receiveWindow.tune(
                now,
                mayGrowBuffer(c),
                gapSpan(c),
                c.context.config.rmemMax,
                c.context.config.rcvbufLowRttNanos);
        acknowledgeRead(now, c);
        observe(now, c);
    }

    private static void acknowledgeRead(long now, TcpConnection c) {
        if (!c.state().isSynchronized()) {
            return;
        }
        ReceiveWindow w = c.receiveWindow;
        AckPolicy ack = c.ackPolicy;
        boolean owed =
                ack.isScheduled()
                        && (w.rcvNxt - w.rcvWup > ack.rcvMss
                                || (ack.pushDeservesAck() && w.rmemAlloc == 0));
        if (owed || (!w.isFinReceived() && opensWindow(c))) {
            c.context.transmitter.sendAck(now, c);
        }
    }

    /** Whether the reader has freed so much that the sender must hear of it. */
    private static boolean opensWindow(TcpConnection c) {
        ReceiveWindow w = c.receiveWindow;
        int offered = w.offered();
        if (2L * offered > w.windowClamp) {
            return false;
        }
        int wish = wish(c);
        if (wish == 0 || wish <= offered) {
            return false;
        }
        return wish >= 2L * offered
                || c.context.receivePromise.announces(
                        wish,
                        offered,
                        c.available() == 0,
                        Math.min(w.windowClamp, w.fullSpace()) / 2,
                        c.ackPolicy.rcvMss);
    }

    /** setsockopt TCP_QUICKACK (B-3.5). */
    void onQuickAckOption(long now, TcpConnection c, int value) {
        AckPolicy ack = c.ackPolicy;
        if (value == 0) {
            ack.enterPingPong();
            return;
        }
        ack.leavePingPong();
        boolean open = c.state() == TcpState.ESTABLISHED || c.state() == TcpState.CLOSE_WAIT;
        if (open && ack.isScheduled()) {
            ack.markPushed();
            acknowledgeRead(now, c);
            if ((value & 1) == 0) {
                ack.enterPingPong();
            }
        }
    }

    // ---- the end -----------------------------------------------------------------------------

    /**
     * The connection ends: what is out of order will never be delivered; what is in order stays.
     */
    void onDisconnect(long now, TcpConnection c) {
        memory.discardQueue(now, c);
    }

    /** The socket is gone too: nobody will read any more. */
    void release(long now, TcpConnection c) {
        memory.discardQueue(now, c);
        memory.discardStream(now, c);
    }

    // ---- duplicates --------------------------------------------------------------------------

    private static boolean reportsDuplicates(TcpConnection c) {
        return c.sackOk && c.context.config.dsack;
    }

    /** Data below RCV.NXT arrived again (RFC 2883 section 4). */
    static void reportDuplicate(TcpConnection c, long from, long to) {
        if (reportsDuplicates(c)) {
            if (c.accurateEcn != null) {
                c.accurateEcn.duplicateArrived(c.receiveQueue().duplicateBegan(from));
            }
            c.receiveQueue().replaceDuplicate(from, to);
            c.context.count(Counter.TCP_DSACK_OLD_SENT);
        }
    }

    private static void countDuplicate(TcpConnection c, int bits, boolean old) {
        if ((bits & ReceiveQueue.DUPLICATE_REPORTED) != 0) {
            c.context.count(old ? Counter.TCP_DSACK_OLD_SENT : Counter.TCP_DSACK_OFO_SENT);
        }
    }

    private static boolean mayGrowBuffer(TcpConnection c) {
        return c.context.config.moderateRcvbuf && c.settings.lockedRcvBuf == 0;
    }

    private static int gapSpan(TcpConnection c) {
        ReceiveQueue queue = c.receiveQueue;
        return queue == null || queue.isEmpty()
                ? 0
                : (int) (queue.highestEnd() - c.receiveWindow.rcvNxt);
    }

    private static void observe(long now, TcpConnection c) {
        ReceiveWindow w = c.receiveWindow;
        c.context.observer.receiveWindowChanged(
                now, c.id(), w.rcvNxt, w.rcvWnd, w.rmemAlloc, w.rcvBuf);
    }
}
