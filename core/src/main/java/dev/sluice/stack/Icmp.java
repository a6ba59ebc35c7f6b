package dev.sluice.stack;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.tcp.DisconnectReason;
import dev.sluice.tcp.Endpoint;
import dev.sluice.tcp.HalfOpen;
import dev.sluice.tcp.Route;
import dev.sluice.tcp.TcpConnection;
import dev.sluice.tcp.TcpContext;
import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;
import dev.sluice.wire.DropReason;
import dev.sluice.wire.IcmpHeader;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.IpProtocol;
import dev.sluice.wire.Ipv4Header;
import dev.sluice.wire.Ipv6Header;
import dev.sluice.wire.QuotedPacket;

/**
 * ICMP and ICMPv6: answers echo requests, reports what cannot be delivered, and turns errors about
 * our own packets into what they mean for a connection (RFC 792, RFC 1122 section 3.2.2, RFC 4443).
 */
final class Icmp {
    private static final int HEADROOM = Fragmenter.HEADROOM;
    private static final int ERROR_TTL = 64;

    private final NetworkStack stack;
    private final TcpContext tcp;
    private final PacketPool packets;
    private final Counters counters;
    private final Fragmenter fragmenter;
    private final IcmpHeader header = new IcmpHeader();
    private final QuotedPacket quoted = new QuotedPacket();

    // Token bucket of errors we send (net.ipv4.icmp_msgs_per_sec and icmp_msgs_burst).
    private long tokens;
    private long refilledAt;

    /** Knows where errors about datagrams go; it needs us to report closed ports. */
    private Udp udp;

    Icmp(NetworkStack stack, TcpContext tcp, Fragmenter fragmenter) {
        this.stack = stack;
        this.tcp = tcp;
        this.packets = stack.packets();
        this.counters = stack.counters();
        this.fragmenter = fragmenter;
        this.tokens = stack.config().icmpMessagesBurst;
    }

    void udp(Udp protocol) {
        udp = protocol;
    }

    void receive(long now, ReceivedPacket p) {
        PacketBuffer packet = p.buffer;
        boolean ipv6 = p.protocol == IpProtocol.ICMPV6;
        counters.increment(ipv6 ? Counter.ICMP6_IN_MSGS : Counter.ICMP_IN_MSGS);
        DropReason bad =
                p.stored < p.length
                        ? DropReason.ICMP_TRUNCATED
                        : ipv6
                                ? header.wrapV6(
                                        packet.segment(),
                                        p.transport,
                                        p.length,
                                        p.sourceHi,
                                        p.sourceLo,
                                        p.destinationHi,
                                        p.destinationLo)
                                : header.wrapV4(packet.segment(), p.transport, p.length);
        if (bad != null) {
            counters.increment(ipv6 ? Counter.ICMP6_IN_ERRORS : Counter.ICMP_IN_ERRORS);
            if (bad == DropReason.ICMP_CHECKSUM) {
                counters.increment(
                        ipv6 ? Counter.ICMP6_IN_CSUM_ERRORS : Counter.ICMP_IN_CSUM_ERRORS);
            }
            return;
        }
        switch (header.kind()) {
            case ECHO_REQUEST -> echo(p, ipv6);
            case ECHO_REPLY ->
                    counters.increment(
                            ipv6 ? Counter.ICMP6_IN_ECHO_REPLIES : Counter.ICMP_IN_ECHO_REPS);
            case DESTINATION_UNREACHABLE, PACKET_TOO_BIG, TIME_EXCEEDED, PARAMETER_PROBLEM ->
                    error(now, packet, ipv6);
            case OTHER -> {
                // Nothing that concerns a host without neighbours.
            }
        }
    }

    // ---- errors about our packets ------------------------------------------------------------

    private void error(long now, PacketBuffer packet, boolean ipv6) {
        counters.increment(
                switch (header.kind()) {
                    case PACKET_TOO_BIG ->
                            ipv6 ? Counter.ICMP6_IN_PKT_TOO_BIGS : Counter.ICMP_IN_DEST_UNREACHS;
                    case TIME_EXCEEDED ->
                            ipv6 ? Counter.ICMP6_IN_TIME_EXCDS : Counter.ICMP_IN_TIME_EXCDS;
                    case PARAMETER_PROBLEM ->
                            ipv6 ? Counter.ICMP6_IN_PARM_PROBLEMS : Counter.ICMP_IN_PARM_PROBS;
                    default ->
                            ipv6 ? Counter.ICMP6_IN_DEST_UNREACHS : Counter.ICMP_IN_DEST_UNREACHS;
                });
        if (quoted.wrap(packet.segment(), header.bodyOffset(), header.bodyLength()) != null
                || IpAddress.isIpv4(quoted.sourceHi(), quoted.sourceLo()) == ipv6) {
            return;
        }
        if (quoted.protocol() == IpProtocol.UDP) {
            udp.onIcmpError(now, header, quoted);
        } else if (quoted.protocol() == IpProtocol.TCP) {
            tcpError(now, ipv6);
        }
    }

    private void tcpError(long now, boolean ipv6) {
        Endpoint endpoint =
                stack.endpoint(
                        quoted.sourceHi(),
                        quoted.sourceLo(),
                        quoted.sourcePort(),
                        quoted.destinationHi(),
                        quoted.destinationLo(),
                        quoted.destinationPort());
        if (endpoint instanceof HalfOpen row && header.kind() != IcmpHeader.Kind.PACKET_TOO_BIG) {
            tcp.onUnreachable(row, quoted.seq(), reason(ipv6));
            return;
        }
        if (!(endpoint instanceof TcpConnection c)) {
            counters.increment(ipv6 ? Counter.ICMP6_IN_ERRORS : Counter.ICMP_IN_ERRORS);
            return;
        }
        if (header.kind() == IcmpHeader.Kind.PACKET_TOO_BIG) {
            tcp.onPacketTooBig(now, c, quoted.seq(), header.mtu());
        } else {
            tcp.onUnreachable(now, c, quoted.seq(), reason(ipv6), isHard(ipv6));
        }
    }

    /** What the socket will see (Linux {@code icmp_err_convert}). */
    private DisconnectReason reason(boolean ipv6) {
        if (header.kind() == IcmpHeader.Kind.PARAMETER_PROBLEM) {
            return DisconnectReason.PROTOCOL_UNREACHABLE;
        }
        if (header.kind() == IcmpHeader.Kind.TIME_EXCEEDED) {
            return DisconnectReason.HOST_UNREACHABLE;
        }
        if (header.isPortUnreachable()) {
            return DisconnectReason.REFUSED;
        }
        if (ipv6) {
            return header.code() == IcmpHeader.V6_NO_ROUTE
                    ? DisconnectReason.NETWORK_UNREACHABLE
                    : DisconnectReason.HOST_UNREACHABLE;
        }
        return switch (header.code()) {
            case IcmpHeader.V4_NET_UNREACHABLE,
                    IcmpHeader.V4_NET_UNKNOWN,
                    IcmpHeader.V4_NET_PROHIBITED,
                    IcmpHeader.V4_NET_UNREACHABLE_FOR_TOS ->
                    DisconnectReason.NETWORK_UNREACHABLE;
            case IcmpHeader.V4_PROTOCOL_UNREACHABLE -> DisconnectReason.PROTOCOL_UNREACHABLE;
            default -> DisconnectReason.HOST_UNREACHABLE;
        };
    }

    /** Errors that end an attempt to connect at once (RFC 1122 section 4.2.3.9, RFC 5461). */
    private boolean isHard(boolean ipv6) {
        return switch (header.kind()) {
            case TIME_EXCEEDED -> false;
            case PARAMETER_PROBLEM -> true;
            default -> true;
        };
    }

    // ---- what we send ------------------------------------------------------------------------

    private void echo(ReceivedPacket p, boolean ipv6) {
        counters.increment(ipv6 ? Counter.ICMP6_IN_ECHOS : Counter.ICMP_IN_ECHOS);
        boolean ignore =
                ipv6 ? stack.config().icmp6EchoIgnoreAll : stack.config().icmpEchoIgnoreAll;
        if (ignore || p.broadcast && stack.config().icmpEchoIgnoreBroadcasts) {
            return;
        }
        Route route = stack.routeTo(p.sourceHi, p.sourceLo);
        IpAddress from = p.broadcast ? stack.sourceFor(p.sourceHi, p.sourceLo) : null;
        if (route == null || p.broadcast && from == null) {
            return;
        }
        PacketBuffer reply = packets.acquire(HEADROOM + Ipv6Header.LENGTH + p.length);
        if (reply == null) {
            counters.increment(Counter.PACKET_POOL_EMPTY);
            return;
        }
        long at = reply.base() + HEADROOM + (ipv6 ? Ipv6Header.LENGTH : Ipv4Header.LENGTH);
        IcmpHeader.writeEchoReply(
                p.buffer.segment(), p.transport, p.length, reply.segment(), at, ipv6);
        counters.increment(ipv6 ? Counter.ICMP6_OUT_ECHO_REPLIES : Counter.ICMP_OUT_ECHO_REPS);
        send(
                reply,
                route,
                ipv6,
                p.length,
                from == null ? p.destinationHi : from.hi(),
                from == null ? p.destinationLo : from.lo(),
                p.sourceHi,
                p.sourceLo);
    }

    /** Nobody has the port that a datagram was for (RFC 1122 section 4.1.3.1). */
    void portUnreachable(long now, ReceivedPacket p) {
        report(
                now,
                p,
                p.ipv6 ? IcmpHeader.V6_UNREACHABLE : IcmpHeader.V4_UNREACHABLE,
                p.ipv6 ? IcmpHeader.V6_PORT_UNREACHABLE : IcmpHeader.V4_PORT_UNREACHABLE,
                0);
    }

    /** Nobody here speaks the protocol that the packet carries. */
    void protocolUnreachable(long now, ReceivedPacket p) {
        report(
                now,
                p,
                p.ipv6 ? IcmpHeader.V6_PARAMETER_PROBLEM : IcmpHeader.V4_UNREACHABLE,
                p.ipv6 ? IcmpHeader.V6_UNKNOWN_NEXT_HEADER : IcmpHeader.V4_PROTOCOL_UNREACHABLE,
                p.protocolPointer);
    }

    /**
     * The rest of a packet did not come in time (RFC 792, RFC 8200 section 4.5).
     *
     * @param p filled with the addresses of the first fragment, which is its buffer
     */
    void reassemblyTimeExceeded(long now, ReceivedPacket p) {
        report(
                now,
                p,
                p.ipv6 ? IcmpHeader.V6_TIME_EXCEEDED : IcmpHeader.V4_TIME_EXCEEDED,
                IcmpHeader.REASSEMBLY_TIME_EXCEEDED,
                0);
    }

    /**
     * A field of an IPv6 packet makes no sense (RFC 4443 section 3.4).
     *
     * @param pointer where it is, in bytes from the start of the packet
     */
    void parameterProblem(long now, ReceivedPacket p, int code, int pointer) {
        report(now, p, IcmpHeader.V6_PARAMETER_PROBLEM, code, pointer);
    }

    /** No error about a packet for everybody: they would all send it (RFC 1122 3.2.2). */
    private void report(long now, ReceivedPacket p, int type, int code, int rest) {
        if (p.broadcast) {
            return;
        }
        Route route = stack.routeTo(p.sourceHi, p.sourceLo);
        if (route == null || !takeToken(now)) {
            return;
        }
        PacketBuffer error = packets.acquire(PacketPool.MEDIUM);
        if (error == null) {
            counters.increment(Counter.PACKET_POOL_EMPTY);
            return;
        }
        PacketBuffer about = p.buffer;
        long at = error.base() + HEADROOM + (p.ipv6 ? Ipv6Header.LENGTH : Ipv4Header.LENGTH);
        int length =
                p.ipv6
                        ? IcmpHeader.writeErrorV6(
                                error.segment(),
                                at,
                                type,
                                code,
                                rest,
                                about.segment(),
                                about.start(),
                                about.length(),
                                p.destinationHi,
                                p.destinationLo,
                                p.sourceHi,
                                p.sourceLo)
                        : IcmpHeader.writeErrorV4(
                                error.segment(),
                                at,
                                type,
                                code,
                                rest,
                                about.segment(),
                                about.start(),
                                about.length());
        counters.increment(p.ipv6 ? sentV6(type) : sentV4(type));
        send(
                error,
                route,
                p.ipv6,
                length,
                p.destinationHi,
                p.destinationLo,
                p.sourceHi,
                p.sourceLo);
    }

    private static Counter sentV4(int type) {
        return type == IcmpHeader.V4_TIME_EXCEEDED
                ? Counter.ICMP_OUT_TIME_EXCDS
                : Counter.ICMP_OUT_DEST_UNREACHS;
    }

    private static Counter sentV6(int type) {
        return switch (type) {
            case IcmpHeader.V6_TIME_EXCEEDED -> Counter.ICMP6_OUT_TIME_EXCDS;
            case IcmpHeader.V6_PARAMETER_PROBLEM -> Counter.ICMP6_OUT_PARM_PROBLEMS;
            default -> Counter.ICMP6_OUT_DEST_UNREACHS;
        };
    }

    private void send(
            PacketBuffer packet,
            Route route,
            boolean ipv6,
            int length,
            long fromHi,
            long fromLo,
            long toHi,
            long toLo) {
        long ip = packet.base() + HEADROOM;
        if (ipv6) {
            Ipv6Header.write(
                    packet.segment(),
                    ip,
                    0,
                    0,
                    length,
                    IpProtocol.ICMPV6,
                    ERROR_TTL,
                    fromHi,
                    fromLo,
                    toHi,
                    toLo);
            packet.window(HEADROOM, Ipv6Header.LENGTH + length);
            counters.increment(Counter.ICMP6_OUT_MSGS);
        } else {
            Ipv4Header.write(
                    packet.segment(),
                    ip,
                    0,
                    Ipv4Header.LENGTH + length,
                    fragmenter.nextId(fromLo, toHi, toLo, IpProtocol.ICMP),
                    false,
                    ERROR_TTL,
                    IpProtocol.ICMP,
                    fromLo,
                    toLo);
            packet.window(HEADROOM, Ipv4Header.LENGTH + length);
            counters.increment(Counter.ICMP_OUT_MSGS);
        }
        packet.interfaceIndex(route.interfaceIndex());
        fragmenter.send(packet, !ipv6, route.mtu());
    }

    private boolean takeToken(long now) {
        long perSecond = stack.config().icmpMessagesPerSecond;
        long earned = (now - refilledAt) / 1_000_000 * perSecond / 1000;
        if (earned > 0) {
            tokens = Math.min(stack.config().icmpMessagesBurst, tokens + earned);
            refilledAt = now;
        }
        if (tokens <= 0) {
            counters.increment(Counter.ICMP_OUT_RATE_LIMIT_GLOBAL);
            return false;
        }
        tokens--;
        return true;
    }
}
