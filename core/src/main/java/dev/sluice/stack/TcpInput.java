package dev.sluice.stack;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.tcp.Endpoint;
import dev.sluice.tcp.HalfOpen;
import dev.sluice.tcp.Route;
import dev.sluice.tcp.TcpConnection;
import dev.sluice.tcp.TcpContext;
import dev.sluice.tcp.TcpListener;
import dev.sluice.tcp.TimeWaitTable;
import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.DropReason;
import dev.sluice.wire.TcpHeader;

/** From a packet with a TCP segment in it to the connection, row or listener it is for. */
final class TcpInput {
    private final NetworkStack stack;
    private final TcpContext tcp;
    private final Demux demux;
    private final Counters counters;
    private final TcpHeader header = new TcpHeader();

    TcpInput(NetworkStack stack, TcpContext tcp, Demux demux, Counters counters) {
        this.stack = stack;
        this.tcp = tcp;
        this.demux = demux;
        this.counters = counters;
    }

    /** Returns whether somebody kept the packet. */
    boolean receive(long now, ReceivedPacket p) {
        PacketBuffer packet = p.buffer;
        counters.add(Counter.TCP_IN_SEGS, packet.segmentCount());
        DropReason bad = header.wrap(packet.segment(), p.transport, p.stored, p.length);
        if (bad != null) {
            return refuse(now, bad, packet);
        }
        if (!p.checksumOk(p.length)) {
            counters.increment(Counter.TCP_IN_CSUM_ERRORS);
            return refuse(now, DropReason.TCP_CHECKSUM, packet);
        }
        if (header.isSyn() && header.isFin() && stack.config().dropSynFin) {
            return false;
        }
        packet.window((int) (header.payloadOffset() - packet.base()), header.storedPayloadLength());
        Endpoint endpoint =
                demux.find(
                        p.destinationHi,
                        p.destinationLo,
                        header.destinationPort(),
                        p.sourceHi,
                        p.sourceLo,
                        header.sourcePort());
        return switch (endpoint) {
            case TcpConnection c -> tcp.onSegment(now, c, header, packet, p.ecn());
            case HalfOpen row -> receiveHalfOpen(now, row, p);
            case null -> receiveUnknown(now, p);
        };
    }

    private boolean refuse(long now, DropReason reason, PacketBuffer packet) {
        counters.increment(Counter.TCP_IN_ERRS);
        stack.observer()
                .dropped(now, StackObserver.NO_CONNECTION, reason.ordinal(), packet.wireLength());
        return false;
    }

    private boolean receiveHalfOpen(long now, HalfOpen row, ReceivedPacket p) {
        TcpConnection c = tcp.onSegment(now, row, header, p.buffer, p.ecn());
        if (c == null) {
            return false;
        }
        stack.settle();
        demux.add(c);
        return tcp.onSegment(now, c, header, p.buffer, p.ecn());
    }

    /** No connection: a TIME_WAIT row, a listener, or a reset. */
    private boolean receiveUnknown(long now, ReceivedPacket p) {
        Route route = stack.routeTo(p.sourceHi, p.sourceLo);
        if (route == null) {
            return false;
        }
        TcpListener listener =
                demux.findListener(p.destinationHi, p.destinationLo, header.destinationPort());
        TimeWaitTable timeWait = tcp.timeWait();
        int row =
                timeWait.find(
                        p.destinationHi,
                        p.destinationLo,
                        header.destinationPort(),
                        p.sourceHi,
                        p.sourceLo,
                        header.sourcePort());
        if (row != TimeWaitTable.NONE
                && timeWait.onSegment(now, row, header, header.payloadLength())
                        != TimeWaitTable.NEW_INCARNATION) {
            return false;
        }
        if (listener == null) {
            reset(route, p);
            return false;
        }
        Endpoint opened =
                row == TimeWaitTable.NONE
                        ? listener.onSegment(
                                now,
                                route,
                                p.destinationHi,
                                p.destinationLo,
                                p.sourceHi,
                                p.sourceLo,
                                header,
                                p.buffer,
                                p.ecn())
                        : listener.onSynAfterTimeWait(
                                now,
                                route,
                                p.destinationHi,
                                p.destinationLo,
                                p.sourceHi,
                                p.sourceLo,
                                header,
                                p.buffer,
                                p.ecn(),
                                timeWait.nextIss());
        return opened != null && opened(now, opened, p);
    }

    private boolean opened(long now, Endpoint opened, ReceivedPacket p) {
        stack.settle();
        demux.add(opened);
        if (!(opened instanceof TcpConnection c)) {
            return false;
        }
        // A SYN has been dealt with; the ACK that brought a cookie back may carry data.
        return header.isSyn() ? tcp.keptPacket() : tcp.onSegment(now, c, header, p.buffer, p.ecn());
    }

    private void reset(Route route, ReceivedPacket p) {
        counters.increment(Counter.DEMUX_NO_MATCH);
        tcp.replies()
                .reset(
                        route,
                        p.destinationHi,
                        p.destinationLo,
                        p.sourceHi,
                        p.sourceLo,
                        header,
                        header.payloadLength());
    }
}
