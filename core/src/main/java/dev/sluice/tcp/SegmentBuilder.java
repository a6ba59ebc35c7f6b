package dev.sluice.tcp;

import dev.sluice.memory.ByteStream;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;
import dev.sluice.wire.Checksum;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.IpProtocol;
import dev.sluice.wire.Ipv4Header;
import dev.sluice.wire.Ipv6Header;
import dev.sluice.wire.TcpHeader;
import dev.sluice.wire.TcpOptionWriter;

/**
 * Lays out one outgoing TCP packet: IP header, TCP header, options, payload, checksum. A flyweight:
 * set the fields, call {@link #build}, and everything is back at its default.
 */
final class SegmentBuilder {
    /** Room in front of the IP header for whatever the device puts there, in bytes. */
    static final int HEADROOM = 32;

    static final int MAX_HEADERS = HEADROOM + 40 + 60;

    private final PacketPool packets;
    private final Counters counters;
    private final TcpOptionWriter.SynOrder synOrder;

    /** The options of the next segment. */
    final TcpOptionWriter options = new TcpOptionWriter();

    // The next segment.
    Route route;
    long localHi;
    long localLo;
    long remoteHi;
    long remoteLo;
    int localPort;
    int remotePort;
    int seq;
    int ack;
    int flags;
    int window;
    int urgentPointer;
    int tos;
    int ttl = 64;
    boolean dontFragment = true;
    int ipId;

    /** Where the payload is, from {@code payloadStart}; null if there is none. */
    ByteStream payload;

    long payloadStart;
    int payloadLength;

    /** Payload of each segment but the last, and how many there are. */
    int segmentSize;

    int segments = 1;

    SegmentBuilder(PacketPool packets, Counters counters, TcpOptionWriter.SynOrder synOrder) {
        this.packets = packets;
        this.counters = counters;
        this.synOrder = synOrder;
    }

    /** Addresses and route of a connection. */
    void to(TcpConnection c) {
        route = c.route;
        localHi = c.localHi;
        localLo = c.localLo;
        remoteHi = c.remoteHi;
        remoteLo = c.remoteLo;
        localPort = c.localPort;
        remotePort = c.remotePort;
        ttl = c.settings.ttl;
        tos = c.settings.tos;
        dontFragment = c.settings.dontFragment;
        ipId = c.ipId;
    }

    /** The finished packet, or null if the pool has none; either way the builder is empty again. */
    PacketBuffer build() {
        boolean synthetic = payload != null && payload.isSynthetic();
        int stored = synthetic ? 0 : payloadLength;
        PacketBuffer packet = packets.acquire(MAX_HEADERS + stored);
        if (packet == null) {
            counters.increment(Counter.PACKET_POOL_EMPTY);
        } else {
            fill(packet, synthetic, stored);
        }
        payload = null;
        payloadLength = 0;
        segments = 1;
        segmentSize = 0;
        urgentPointer = 0;
        options.clear();
        return packet;
    }

    private void fill(PacketBuffer packet, boolean synthetic, int stored) {
        boolean ipv4 = IpAddress.isIpv4(remoteHi, remoteLo);
        long ip = packet.base() + HEADROOM;
        long tcp = ip + PathMtu.networkHeader(ipv4);
        int optionBytes = options.write(packet.segment(), tcp + TcpHeader.LENGTH, synOrder);
        int tcpHeader = TcpHeader.LENGTH + optionBytes;
        int tcpLength = tcpHeader + payloadLength;
        TcpHeader.write(
                packet.segment(),
                tcp,
                localPort,
                remotePort,
                seq,
                ack,
                tcpHeader,
                flags,
                window,
                urgentPointer);
        if (stored > 0) {
            payload.copyOut(payloadStart, stored, packet.segment(), tcp + tcpHeader);
        } else if (synthetic) {
            packet.synthetic(payloadStart, payloadLength);
        }
        packet.window(HEADROOM, PathMtu.networkHeader(ipv4) + tcpHeader + stored);
        if (segments > 1) {
            packet.segments(segmentSize, segments);
        }
        int pseudo =
                Checksum.pseudoHeader(
                        localHi, localLo, remoteHi, remoteLo, IpProtocol.TCP, tcpLength);
        if (route.checksumOffload() || synthetic) {
            TcpHeader.writePartialChecksum(packet.segment(), tcp, pseudo);
            packet.checksum(PacketBuffer.CHECKSUM_PARTIAL);
        } else {
            TcpHeader.writeChecksum(packet.segment(), tcp, tcpLength, pseudo);
        }
        counters.increment(ipv4 ? Counter.IP_OUT_REQUESTS : Counter.IP6_OUT_REQUESTS);
        counters.add(ipv4 ? Counter.IP_OUT_OCTETS : Counter.IP6_OUT_OCTETS, packet.wireLength());
        if (ipv4) {
            Ipv4Header.write(
                    packet.segment(),
                    ip,
                    tos,
                    Ipv4Header.LENGTH + tcpLength,
                    ipId,
                    dontFragment,
                    ttl,
                    IpProtocol.TCP,
                    localLo,
                    remoteLo);
        } else {
            Ipv6Header.write(
                    packet.segment(),
                    ip,
                    tos,
                    0,
                    tcpLength,
                    IpProtocol.TCP,
                    ttl,
                    localHi,
                    localLo,
                    remoteHi,
                    remoteLo);
        }
        packet.interfaceIndex(route.interfaceIndex());
    }
}
