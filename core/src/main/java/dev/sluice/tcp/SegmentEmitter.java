package dev.sluice.tcp;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.trace.Counter;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.TcpHeader;

/**
 * Turns a decision of the {@link Transmitter} into a packet: numbers onto the wire, options,
 * window, and the bookkeeping that every segment with an ACK entails.
 */
final class SegmentEmitter {
    private final long[] sackStart = new long[IncomingSegment.MAX_SACK];
    private final long[] sackEnd = new long[IncomingSegment.MAX_SACK];

    /**
     * Payload or FIN, as one super-segment where the device splits it, else as so many packets;
     * false if no buffer was to be had for the first. What could not leave after that counts as
     * lost on the way.
     */
    boolean emitData(
            long now,
            TcpConnection c,
            long start,
            int length,
            int mss,
            int segments,
            int flags,
            int kind) {
        if (c.route.queue().isFull()) {
            c.context.ackArrives.enterCwr(now, c);
            return false;
        }
        // Super-segments are pushed, so that the receiver's coalescing ends with them (B-2.3).
        int lastFlags = segments > 1 ? flags | TcpHeader.PSH : flags;
        if (segments == 1 || c.route.segmentation()) {
            return emitPart(now, c, start, length, mss, segments, lastFlags, kind);
        }
        int middleFlags = flags & ~(TcpHeader.PSH | TcpHeader.FIN);
        int sent = 0;
        while (sent < length) {
            int part = Math.min(mss, length - sent);
            boolean last = sent + part == length;
            if (!emitPart(
                    now, c, start + sent, part, mss, 1, last ? lastFlags : middleFlags, kind)) {
                return sent > 0;
            }
            sent += part;
        }
        return true;
    }

    private boolean emitPart(
            long now,
            TcpConnection c,
            long start,
            int length,
            int mss,
            int segments,
            int flags,
            int kind) {
        boolean fresh = kind == StackObserver.SENT_NEW || kind == StackObserver.SENT_MTU_PROBE;
        boolean newData = length > 0 && fresh;
        int pointer = c.urgent == null ? 0 : c.urgent.pointer(start, c.sendWindow.sndNxt);
        int urg = pointer > 0 ? TcpHeader.URG : 0;
        int wireFlags = flags | urg | Ecn.flags(c.ecn, newData);
        SegmentBuilder b = c.context.builder;
        b.urgentPointer = pointer;
        b.to(c);
        b.tos |= Ecn.codepoint(c.ecn, newData);
        b.seq = c.sequence.wireSend(start);
        b.flags = wireFlags;
        options(now, c, b);
        if (length > 0) {
            b.payload = c.out;
            b.payloadStart = start;
            b.payloadLength = length;
            b.segments = segments;
            b.segmentSize = segments > 1 ? mss : 0;
        }
        PacketBuffer packet = finish(now, c, b, c.receiveWindow.rcvNxt);
        if (packet == null) {
            return false;
        }
        if (newData) {
            c.ecn = (byte) Ecn.sentNewData(c.ecn);
        }
        if (length > 0) {
            if (!c.route.transmitsAtOnce()) {
                packet.truesize(Transmitter.truesize(length));
                packet.owner(c);
                c.flight.smallQueue.handedToDevice(packet.truesize());
            }
            c.ackPolicy.onDataSent(now);
        }
        sent(now, c, packet, start, length, wireFlags, segments, kind);
        return true;
    }

    /** A segment without payload: ACK, probe or reset, at {@code seq}. */
    boolean emitBare(long now, TcpConnection c, long seq, int flags, int kind) {
        if (kind == StackObserver.SENT_WINDOW_PROBE && c.route.queue().isFull()) {
            return false;
        }
        return emitAck(now, c, seq, c.receiveWindow.rcvNxt, flags, kind);
    }

    /** The same, acknowledging up to {@code ack}. */
    boolean emitAck(long now, TcpConnection c, long seq, long ack, int flags, int kind) {
        int pointer = c.urgent == null ? 0 : c.urgent.pointer(seq, c.sendWindow.sndNxt);
        boolean urg = pointer > 0 && (flags & TcpHeader.RST) == 0;
        int wireFlags = flags | (urg ? TcpHeader.URG : 0) | Ecn.flags(c.ecn, false);
        SegmentBuilder b = c.context.builder;
        b.urgentPointer = urg ? pointer : 0;
        b.to(c);
        b.tos |= Ecn.codepoint(c.ecn, false);
        b.seq = c.sequence.wireSend(seq);
        b.flags = wireFlags;
        options(now, c, b);
        PacketBuffer packet = finish(now, c, b, ack);
        if (packet == null) {
            return false;
        }
        sent(now, c, packet, seq, 0, wireFlags, 1, kind);
        return true;
    }

    /**
     * SYN or SYN-ACK of a connection (not of a half-open row), with the first {@code length} bytes.
     */
    boolean emitSyn(long now, TcpConnection c, int flags, int length, int kind) {
        SegmentBuilder b = c.context.builder;
        b.to(c);
        b.tos |= Ecn.codepoint(c.ecn, false);
        b.seq = c.sequence.iss();
        b.flags = flags;
        b.ack = (flags & TcpHeader.ACK) != 0 ? c.sequence.wireReceive(c.receiveWindow.rcvNxt) : 0;
        b.window = c.receiveWindow.synWindow();
        c.context.handshake.synOptions(now, c, b.options);
        if (length > 0) {
            b.payload = c.out;
            b.payloadStart = 1;
            b.payloadLength = length;
        }
        PacketBuffer packet = b.build();
        if (packet == null) {
            return false;
        }
        if ((flags & TcpHeader.ACK) != 0) {
            c.context.dataArrives.onAckSent(now, c, c.receiveWindow.rcvNxt);
        }
        sent(now, c, packet, 0, length, flags, 1, kind);
        return true;
    }

    private void options(long now, TcpConnection c, SegmentBuilder b) {
        if (c.timestamps.enabled) {
            b.options.timestamps(c.timestamps.clock(now), c.timestamps.tsRecent);
        }
        if (c.receiveQueue != null && c.sackOk) {
            int max = c.timestamps.enabled ? 3 : 4;
            int blocks = c.receiveQueue.sackBlocks(sackStart, sackEnd, max);
            for (int i = 0; i < blocks; i++) {
                b.options.sackBlock(
                        c.sequence.wireReceive(sackStart[i]), c.sequence.wireReceive(sackEnd[i]));
            }
        }
    }

    /** Window and ACK number last, because selecting the window commits to it. */
    private PacketBuffer finish(long now, TcpConnection c, SegmentBuilder b, long ack) {
        b.ack = c.sequence.wireReceive(ack);
        b.window = c.context.dataArrives.selectWindow(now, c);
        PacketBuffer packet = b.build();
        if (packet != null) {
            c.context.dataArrives.onAckSent(now, c, ack);
        }
        return packet;
    }

    private void sent(
            long now,
            TcpConnection c,
            PacketBuffer packet,
            long seq,
            int length,
            int flags,
            int segments,
            int kind) {
        c.segsOut += segments;
        c.ipId += (char) segments;
        if (kind != StackObserver.SENT_RETRANSMISSION) {
            c.context.counters.add(Counter.TCP_OUT_SEGS, segments);
        }
        c.context.observer.segmentSent(
                now,
                c.id(),
                seq,
                length,
                c.receiveWindow.rcvNxt,
                c.receiveWindow.rcvWnd,
                flags,
                segments,
                kind);
        c.context.emit(packet);
    }
}
