package dev.sluice.stack;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.DropReason;
import dev.sluice.wire.IcmpHeader;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.IpProtocol;
import dev.sluice.wire.Ipv4Header;
import dev.sluice.wire.Ipv6Header;

import java.lang.foreign.ValueLayout;

/**
 * A packet's way through IP: header, addresses, reassembly, and to the protocol it carries (RFC
 * 1122 section 3.2, RFC 8200).
 */
final class IpInput {
    private final NetworkStack stack;
    private final Counters counters;
    private final StackObserver observer;
    private final TcpInput tcp;
    private final Udp udp;
    private final Icmp icmp;
    private final PacketPool packets;
    private final IpReassembly reassembly;

    // Flyweights of the packet at hand.
    private final Ipv4Header ipv4 = new Ipv4Header();
    private final Ipv6Header ipv6 = new Ipv6Header();
    private final ReceivedPacket received = new ReceivedPacket();

    IpInput(NetworkStack stack, TcpInput tcp, Udp udp, Icmp icmp, IpReassembly reassembly) {
        this.stack = stack;
        this.counters = stack.counters();
        this.observer = stack.observer();
        this.tcp = tcp;
        this.udp = udp;
        this.icmp = icmp;
        this.packets = stack.packets();
        this.reassembly = reassembly;
    }

    /** Returns whether somebody kept the packet. */
    boolean receive(long now, Interface iface, PacketBuffer packet) {
        if (packet.length() == 0) {
            counters.increment(Counter.IP_IN_HDR_ERRORS);
            return false;
        }
        received.buffer = packet;
        received.iface = iface;
        int version = packet.segment().get(ValueLayout.JAVA_BYTE, packet.start()) >>> 4 & 0xf;
        return switch (version) {
            case 4 -> receiveIpv4(now, iface, packet);
            case 6 -> receiveIpv6(now, iface, packet);
            default -> {
                counters.increment(Counter.IP_IN_HDR_ERRORS);
                yield refuse(now, DropReason.IPV4_VERSION, packet);
            }
        };
    }

    private boolean refuse(long now, DropReason reason, PacketBuffer packet) {
        observer.dropped(now, StackObserver.NO_CONNECTION, reason.ordinal(), packet.wireLength());
        return false;
    }

    private boolean receiveIpv4(long now, Interface iface, PacketBuffer packet) {
        counters.increment(Counter.IP_IN_RECEIVES);
        counters.add(Counter.IP_IN_OCTETS, packet.wireLength());
        DropReason bad =
                ipv4.wrap(packet.segment(), packet.start(), packet.length(), packet.wireLength());
        if (bad != null) {
            counters.increment(
                    bad == DropReason.IPV4_CHECKSUM
                            ? Counter.IP_IN_CSUM_ERRORS
                            : Counter.IP_IN_HDR_ERRORS);
            return refuse(now, bad, packet);
        }
        fillIpv4();
        if (!isForUs() || !isHonestSource(iface)) {
            counters.increment(Counter.IP_IN_ADDR_ERRORS);
            return false;
        }
        countEcn(Counter.IP_IN_NO_ECT_PKTS, packet.segmentCount());
        if (ipv4.isFragment()) {
            deliverWhole(now, reassembly.ipv4(now, ipv4, received));
            return true;
        }
        counters.increment(Counter.IP_IN_DELIVERS);
        return transport(now);
    }

    /** A packet of ours now, made of fragments; null if it is not complete. */
    private void deliverWhole(long now, PacketBuffer whole) {
        if (whole == null) {
            return;
        }
        received.buffer = whole;
        boolean kept = received.ipv6 ? wholeIpv6(now, whole) : wholeIpv4(now, whole);
        if (!kept) {
            packets.release(whole);
        }
    }

    private boolean wholeIpv4(long now, PacketBuffer whole) {
        DropReason bad = ipv4.wrap(whole.segment(), whole.start(), whole.length());
        if (bad != null) {
            counters.increment(Counter.IP_IN_HDR_ERRORS);
            return refuse(now, bad, whole);
        }
        fillIpv4();
        counters.increment(Counter.IP_IN_DELIVERS);
        return transport(now);
    }

    private boolean wholeIpv6(long now, PacketBuffer whole) {
        DropReason bad = ipv6.wrap(whole.segment(), whole.start(), whole.length());
        if (bad == null && ipv6.isFragment()) {
            bad = DropReason.IPV6_EXTENSION_ORDER;
        }
        if (bad != null) {
            return refuseIpv6(now, bad);
        }
        fillIpv6();
        counters.increment(Counter.IP6_IN_DELIVERS);
        return transport(now);
    }

    private void fillIpv4() {
        received.ipv6 = false;
        received.sourceHi = ipv4.sourceHi();
        received.sourceLo = ipv4.sourceLo();
        received.destinationHi = ipv4.destinationHi();
        received.destinationLo = ipv4.destinationLo();
        received.tos = ipv4.tos();
        received.protocol = ipv4.protocol();
        received.protocolPointer = 0;
        received.transport = ipv4.payloadOffset();
        received.stored = ipv4.storedPayloadLength();
        received.length = ipv4.payloadLength();
    }

    private boolean receiveIpv6(long now, Interface iface, PacketBuffer packet) {
        counters.increment(Counter.IP6_IN_RECEIVES);
        counters.add(Counter.IP6_IN_OCTETS, packet.wireLength());
        DropReason bad =
                ipv6.wrap(packet.segment(), packet.start(), packet.length(), packet.wireLength());
        if (bad != null) {
            return refuseIpv6(now, bad);
        }
        fillIpv6();
        if (!isForUs() || !isHonestSource(iface)) {
            counters.increment(Counter.IP6_IN_ADDR_ERRORS);
            return false;
        }
        countEcn(Counter.IP6_IN_NO_ECT_PKTS, packet.segmentCount());
        if (ipv6.isFragment()) {
            if (ipv6.moreFragments() && (ipv6.payloadLength() & 7) != 0) {
                counters.increment(Counter.IP6_IN_HDR_ERRORS);
                icmp.parameterProblem(
                        now, received, IcmpHeader.V6_ERRONEOUS_FIELD, Ipv6Header.PAYLOAD_LENGTH);
                return false;
            }
            deliverWhole(now, reassembly.ipv6(now, ipv6, received));
            return true;
        }
        counters.increment(Counter.IP6_IN_DELIVERS);
        return transport(now);
    }

    /** Bad, and its sender may want to know which byte of it is. */
    private boolean refuseIpv6(long now, DropReason reason) {
        counters.increment(
                reason == DropReason.IPV6_EXTENSION_UNSUPPORTED
                        ? Counter.IP6_IN_UNKNOWN_PROTOS
                        : Counter.IP6_IN_HDR_ERRORS);
        if (ipv6.problemPointer() >= 0) {
            fillIpv6();
            if (isForUs() && isHonestSource(received.iface)) {
                icmp.parameterProblem(now, received, ipv6.problemCode(), ipv6.problemPointer());
            }
        }
        return refuse(now, reason, received.buffer);
    }

    private void fillIpv6() {
        received.ipv6 = true;
        received.sourceHi = ipv6.sourceHi();
        received.sourceLo = ipv6.sourceLo();
        received.destinationHi = ipv6.destinationHi();
        received.destinationLo = ipv6.destinationLo();
        received.tos = ipv6.trafficClass();
        received.protocol = ipv6.protocol();
        received.protocolPointer = (int) (ipv6.protocolOffset() - ipv6.start());
        received.transport = ipv6.payloadOffset();
        received.stored = ipv6.storedPayloadLength();
        received.length = ipv6.payloadLength();
    }

    /** The four counters stand in the order of the codepoints. */
    private void countEcn(Counter notEct, int segments) {
        boolean v4 = notEct == Counter.IP_IN_NO_ECT_PKTS;
        Counter counter =
                switch (received.ecn()) {
                    case 1 -> v4 ? Counter.IP_IN_ECT1_PKTS : Counter.IP6_IN_ECT1_PKTS;
                    case 2 -> v4 ? Counter.IP_IN_ECT0_PKTS : Counter.IP6_IN_ECT0_PKTS;
                    case 3 -> v4 ? Counter.IP_IN_CE_PKTS : Counter.IP6_IN_CE_PKTS;
                    default -> notEct;
                };
        counters.add(counter, segments);
    }

    private boolean isForUs() {
        long hi = received.destinationHi;
        long lo = received.destinationLo;
        received.broadcast = false;
        boolean elsewhere = IpAddress.isLoopback(hi, lo) && !received.iface.isLoopback();
        if (stack.isLocal(hi, lo) && !elsewhere) {
            return true;
        }
        received.broadcast = received.iface.isBroadcast(hi, lo);
        return received.broadcast;
    }

    /**
     * Sources nobody can have: multicast, broadcast, ourselves (RFC 1122 section 3.2.1.3, "land"),
     * and IPv4 addresses in an IPv6 packet, which would pass for an IPv4 packet from here on.
     */
    private boolean isHonestSource(Interface iface) {
        long hi = received.sourceHi;
        long lo = received.sourceLo;
        if (received.ipv6
                && (IpAddress.isIpv4(hi, lo)
                        || IpAddress.isIpv4(received.destinationHi, received.destinationLo))) {
            return false;
        }
        return iface.isLoopback()
                || !IpAddress.isMulticast(hi, lo)
                        && !IpAddress.isReserved(hi, lo)
                        && !IpAddress.isUnspecified(hi, lo)
                        && !IpAddress.isLoopback(hi, lo)
                        && !iface.hasAddress(hi, lo)
                        && !iface.isBroadcast(hi, lo);
    }

    private boolean transport(long now) {
        switch (received.protocol) {
            case IpProtocol.UDP -> {
                return udp.receive(now, received);
            }
            case IpProtocol.TCP -> {
                // Nothing but datagrams may be for everybody (RFC 1122 section 4.2.3.10).
                return !received.broadcast && tcp.receive(now, received);
            }
            case IpProtocol.ICMP, IpProtocol.ICMPV6 -> {
                if (received.ipv6 != (received.protocol == IpProtocol.ICMPV6)) {
                    return unknown(now);
                }
                icmp.receive(now, received);
                return false;
            }
            case IpProtocol.NO_NEXT_HEADER -> {
                return received.ipv6 ? false : unknown(now);
            }
            default -> {
                return unknown(now);
            }
        }
    }

    private boolean unknown(long now) {
        counters.increment(
                received.ipv6 ? Counter.IP6_IN_UNKNOWN_PROTOS : Counter.IP_IN_UNKNOWN_PROTOS);
        icmp.protocolUnreachable(now, received);
        return false;
    }
}
