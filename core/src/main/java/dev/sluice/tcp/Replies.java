package dev.sluice.tcp;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.trace.Counter;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.TcpHeader;

/**
 * Segments sent for no connection: resets and acknowledgments built from what arrived (B-10.7,
 * B-10.9).
 */
public final class Replies {
    private final TcpContext context;

    Replies(TcpContext context) {
        this.context = context;
    }

    /**
     * The reset of RFC 9293 section 3.10.7.1. Never sent for a reset, or to or from an address that
     * is not one host's.
     *
     * @param localHi where the segment was sent to, and where the reset comes from
     */
    public void reset(
            Route route,
            long localHi,
            long localLo,
            long remoteHi,
            long remoteLo,
            TcpHeader header,
            int payloadLength) {
        if (header.isRst() || !isUnicast(localHi, localLo) || !isUnicast(remoteHi, remoteLo)) {
            return;
        }
        SegmentBuilder b = addressed(route, localHi, localLo, remoteHi, remoteLo);
        b.localPort = header.destinationPort();
        b.remotePort = header.sourcePort();
        if (header.isAck()) {
            b.seq = header.segAck();
            b.ack = 0;
            b.flags = TcpHeader.RST;
        } else {
            int length = payloadLength + (header.isSyn() ? 1 : 0) + (header.isFin() ? 1 : 0);
            b.seq = 0;
            b.ack = header.segSeq() + length;
            b.flags = TcpHeader.RST | TcpHeader.ACK;
        }
        b.window = 0;
        context.count(Counter.TCP_OUT_RSTS);
        emit(b);
    }

    /** A bare ACK for a half-open row or a TIME_WAIT row. */
    void acknowledge(
            Route route,
            long localHi,
            long localLo,
            long remoteHi,
            long remoteLo,
            int localPort,
            int remotePort,
            int seq,
            int ack,
            int window,
            boolean timestamps,
            int tsVal,
            int tsEcr) {
        SegmentBuilder b = addressed(route, localHi, localLo, remoteHi, remoteLo);
        b.localPort = localPort;
        b.remotePort = remotePort;
        b.seq = seq;
        b.ack = ack;
        b.flags = TcpHeader.ACK;
        b.window = window;
        if (timestamps) {
            b.options.timestamps(tsVal, tsEcr);
        }
        emit(b);
    }

    private SegmentBuilder addressed(
            Route route, long localHi, long localLo, long remoteHi, long remoteLo) {
        SegmentBuilder b = context.builder;
        b.route = route;
        b.localHi = localHi;
        b.localLo = localLo;
        b.remoteHi = remoteHi;
        b.remoteLo = remoteLo;
        b.tos = 0;
        b.ttl = context.defaults.ttl;
        b.dontFragment = true;
        b.ipId = 0;
        return b;
    }

    private void emit(SegmentBuilder b) {
        PacketBuffer packet = b.build();
        if (packet != null) {
            context.count(Counter.TCP_OUT_SEGS);
            context.emit(packet);
        }
    }

    private static boolean isUnicast(long hi, long lo) {
        return !IpAddress.isMulticast(hi, lo)
                && !IpAddress.isBroadcast(hi, lo)
                && !IpAddress.isUnspecified(hi, lo);
    }
}
