package dev.sluice.tcp;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.trace.Counter;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.EcnCodepoint;
import dev.sluice.wire.TcpHeader;
import dev.sluice.wire.TcpOptionWriter;

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
        if (segments == 1 || c.route.segmentation() && !carriesCount(c)) {
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

    /**
     * A device that splits segments clears CWR on all but the first, as RFC 3168 has it; with
     * accurate ECN it is a digit of a number.
     */
    private static boolean carriesCount(TcpConnection c) {
        return Ecn.isAccurate(c.ecn) && (c.accurateEcn.flags() & TcpHeader.CWR) != 0;
    }

    private static int ecnFlags(TcpConnection c, int flags, boolean newData) {
        if (!Ecn.isAccurate(c.ecn)) {
            return Ecn.flags(c.ecn, newData);
        }
        boolean reflects = (flags & (TcpHeader.AE | TcpHeader.CWR | TcpHeader.ECE)) != 0;
        return reflects ? 0 : c.accurateEcn.flags();
    }

    private static int codepoint(TcpConnection c, boolean newData) {
        return Ecn.isAccurate(c.ecn) ? c.accurateEcn.codepoint() : Ecn.codepoint(c.ecn, newData);
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
        int wireFlags = flags | urg | ecnFlags(c, flags, newData);
        SegmentBuilder b = c.context.builder;
        b.urgentPointer = pointer;
        b.to(c);
        b.tos |= codepoint(c, newData);
        b.seq = c.sequence.wireSend(start);
        b.flags = wireFlags;
        options(now, c, b, length);
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
        int wireFlags = flags | (urg ? TcpHeader.URG : 0) | ecnFlags(c, flags, false);
        SegmentBuilder b = c.context.builder;
        b.urgentPointer = urg ? pointer : 0;
        b.to(c);
        b.tos |= codepoint(c, false);
        b.seq = c.sequence.wireSend(seq);
        b.flags = wireFlags;
        options(now, c, b, 0);
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

    private void options(long now, TcpConnection c, SegmentBuilder b, int length) {
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
        if (Ecn.isAccurate(c.ecn)) {
            accurateEcnOption(now, c, b.options, length);
        }
    }

    /** The option of accurate ECN, if it is wanted and fits beside the payload. */
    private static void accurateEcnOption(
            long now, TcpConnection c, TcpOptionWriter options, int length) {
        AccurateEcn a = c.accurateEcn;
        int used = options.length();
        int fit =
                wantsOption(now, c)
                        ? a.fit(TcpHeader.MAX_OPTIONS - used, options.sackBlocks())
                        : -1;
        boolean duplicate = c.receiveQueue != null && c.receiveQueue.hasDuplicate();
        if (fit >= 0) {
            int fields = fit & 15;
            int dropped = fit >> 4;
            int added = AccurateEcn.bytes(fields, options.sackBlocks() > 0) - 8 * dropped;
            int room = c.sendMss + Handshake.fixedOptions(c) - used - added;
            if (length > 0 && length > room) {
                fit = -1; // a beacon that comes due while a full segment leaves waits for the next
            } else {
                options.limitSackTo(used - 8 * dropped);
                options.accEcn(
                        fields,
                        false,
                        a.optionCounter(EcnCodepoint.ECT_0),
                        a.optionCounter(EcnCodepoint.CE),
                        a.optionCounter(EcnCodepoint.ECT_1));
            }
        }
        a.sent(now, fit >= 0, duplicate);
    }

    private static boolean wantsOption(long now, TcpConnection c) {
        return c.accurateEcn.wantsOption(
                now,
                c.context.config.ecnOptionMode,
                c.context.config.ecnOptionBeaconsPerRtt,
                c.rtt.srttNanos());
    }

    /** Bytes that the option takes from the payload of each segment while SACK takes so many. */
    static int accurateEcnBytes(TcpConnection c, int sackBlocks) {
        if (!Ecn.isAccurate(c.ecn)) {
            return 0;
        }
        boolean wanted =
                c.accurateEcn.wantsOption(0, c.context.config.ecnOptionMode, 0, c.rtt.srttNanos());
        int used = Handshake.fixedOptions(c) + (sackBlocks > 0 ? 4 + 8 * sackBlocks : 0);
        int fit = wanted ? c.accurateEcn.fit(TcpHeader.MAX_OPTIONS - used, sackBlocks) : -1;
        return fit < 0 ? 0 : AccurateEcn.bytes(fit & 15, sackBlocks > 0) - 8 * (fit >> 4);
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
