package dev.sluice.testkit;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.SyntheticContent;
import dev.sluice.wire.Checksum;
import dev.sluice.wire.IcmpHeader;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.IpProtocol;
import dev.sluice.wire.Ipv4Header;
import dev.sluice.wire.Ipv6Header;
import dev.sluice.wire.SegmentNotation;
import dev.sluice.wire.TcpHeader;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** From segment notation to packets and back. */
final class Wire {
    static final int LOCAL_PORT = 8080;

    final IpAddress local;
    final IpAddress remote;
    private final Ipv4Header ipv4 = new Ipv4Header();
    private final Ipv6Header ipv6 = new Ipv6Header();
    private final TcpHeader tcp = new TcpHeader();

    Wire(boolean v6) {
        this.local = IpAddress.parse(v6 ? "2001:db8::1" : "192.0.2.1").address();
        this.remote = IpAddress.parse(v6 ? "2001:db8::2" : "192.0.2.2").address();
    }

    private int ipLength() {
        return local.isIpv4() ? Ipv4Header.LENGTH : Ipv6Header.LENGTH;
    }

    private void writeIp(
            MemorySegment packet,
            int payload,
            int protocol,
            int tos,
            int ttl,
            IpAddress from,
            IpAddress to) {
        if (local.isIpv4()) {
            Ipv4Header.write(
                    packet, 0, tos, 20 + payload, 7, true, ttl, protocol, from.lo(), to.lo());
        } else {
            Ipv6Header.write(
                    packet, 0, tos, 0, payload, protocol, ttl, from.hi(), from.lo(), to.hi(),
                    to.lo());
        }
    }

    /**
     * The packet of a segment in the notation, from the peer or, as it is quoted in errors, from
     * us.
     */
    byte[] encode(SegmentNotation.Segment text, Peer peer, int localPort, boolean fromUs) {
        byte[] bytes = new byte[ipLength() + 60 + text.length()];
        MemorySegment packet = MemorySegment.ofArray(bytes);
        int start = ipLength();
        SegmentNotation.Segment absolute = fromUs ? text : peer.relative(text, false);
        int header =
                SegmentNotation.encode(
                        absolute,
                        packet,
                        start,
                        fromUs ? localPort : peer.port,
                        fromUs ? peer.port : localPort,
                        fromUs ? peer.localIss : peer.iss,
                        fromUs ? peer.iss : peer.localIss);
        if (header % 4 != 0 || header > 60) {
            throw new IllegalArgumentException("options of " + text + " fill no words");
        }
        SyntheticContent.fill(bytes, start + header, text.seq(), text.length());
        int length = header + text.length();
        IpAddress from = fromUs ? local : remote;
        IpAddress to = fromUs ? remote : local;
        int pseudo =
                Checksum.pseudoHeader(
                        from.hi(), from.lo(), to.hi(), to.lo(), IpProtocol.TCP, length);
        TcpHeader.writeChecksum(packet, start, length, pseudo);
        int tos = Math.max(0, text.ip().tos()) | Math.max(0, text.ip().ecn());
        int ttl = text.ip().ttl() < 0 ? 64 : text.ip().ttl();
        writeIp(packet, length, IpProtocol.TCP, tos, ttl, from, to);
        return java.util.Arrays.copyOf(bytes, start + length);
    }

    /** An ICMP message with the given first eight bytes and body. */
    byte[] icmp(int type, int code, int rest, byte[] body) {
        int length = IcmpHeader.LENGTH + body.length;
        byte[] bytes = new byte[ipLength() + length];
        MemorySegment packet = MemorySegment.ofArray(bytes);
        int start = ipLength();
        bytes[start] = (byte) type;
        bytes[start + 1] = (byte) code;
        for (int i = 0; i < 4; i++) {
            bytes[start + 4 + i] = (byte) (rest >>> 24 - 8 * i);
        }
        System.arraycopy(body, 0, bytes, start + IcmpHeader.LENGTH, body.length);
        if (local.isIpv4()) {
            IcmpHeader.writeChecksumV4(packet, start, length);
            writeIp(packet, length, IpProtocol.ICMP, 0, 64, remote, local);
        } else {
            int pseudo =
                    Checksum.pseudoHeader(
                            remote.hi(),
                            remote.lo(),
                            local.hi(),
                            local.lo(),
                            IpProtocol.ICMPV6,
                            length);
            IcmpHeader.writeChecksumV6(packet, start, length, pseudo);
            writeIp(packet, length, IpProtocol.ICMPV6, 0, 64, remote, local);
        }
        return bytes;
    }

    /** A UDP datagram for a port of ours. */
    byte[] udp(int port, int payload) {
        byte[] bytes = new byte[ipLength() + 8 + payload];
        int start = ipLength();
        bytes[start] = 0x30;
        bytes[start + 2] = (byte) (port >>> 8);
        bytes[start + 3] = (byte) port;
        bytes[start + 4] = (byte) (8 + payload >>> 8);
        bytes[start + 5] = (byte) (8 + payload);
        MemorySegment packet = MemorySegment.ofArray(bytes);
        int pseudo =
                Checksum.pseudoHeader(
                        remote.hi(),
                        remote.lo(),
                        local.hi(),
                        local.lo(),
                        IpProtocol.UDP,
                        8 + payload);
        int field = Checksum.finish(pseudo + Checksum.sum(packet, start, 8 + payload));
        bytes[start + 6] = (byte) (field >>> 8);
        bytes[start + 7] = (byte) field;
        writeIp(packet, 8 + payload, IpProtocol.UDP, 0, 64, remote, local);
        return bytes;
    }

    static PacketBuffer buffer(PacketPool pool, byte[] bytes, int truesize) {
        PacketBuffer buffer = pool.acquire(bytes.length);
        buffer.window(0, bytes.length);
        MemorySegment.copy(
                bytes, 0, buffer.segment(), ValueLayout.JAVA_BYTE, buffer.start(), bytes.length);
        buffer.truesize(truesize);
        return buffer;
    }

    /** Reads one packet of ours; an ill-formed one is an {@link IllegalStateException}. */
    Sent decode(PacketBuffer buffer, java.util.function.IntFunction<Peer> peers) {
        byte[] bytes = new byte[buffer.length()];
        MemorySegment.copy(
                buffer.segment(), ValueLayout.JAVA_BYTE, buffer.start(), bytes, 0, bytes.length);
        MemorySegment packet = MemorySegment.ofArray(bytes);
        boolean v4 = (bytes[0] >>> 4 & 0xf) == 4;
        Object bad =
                v4
                        ? ipv4.wrap(packet, 0, bytes.length, buffer.wireLength())
                        : ipv6.wrap(packet, 0, bytes.length, buffer.wireLength());
        require(bad == null, "bad IP header: " + bad);
        int protocol = v4 ? ipv4.protocol() : ipv6.protocol();
        int start = (int) (v4 ? ipv4.payloadOffset() : ipv6.payloadOffset());
        int length = v4 ? ipv4.payloadLength() : ipv6.payloadLength();
        int ttl = v4 ? ipv4.ttl() : ipv6.hopLimit();
        if (protocol != IpProtocol.TCP) {
            String name = "icmp " + (bytes[start] & 0xff) + "." + (bytes[start + 1] & 0xff);
            return new Sent(null, name, 1, 0, ttl, bytes);
        }
        require(tcp.wrap(packet, start, bytes.length - start, length) == null, "bad TCP header");
        if (buffer.checksum() == PacketBuffer.CHECKSUM_PARTIAL) {
            if (buffer.syntheticLength() == 0) {
                Checksum.completePartial(packet, start, length, TcpHeader.CHECKSUM_FIELD);
            }
        }
        require(
                buffer.syntheticLength() > 0
                        || Checksum.verifyTransport(
                                packet,
                                start,
                                length,
                                protocol,
                                v4 ? ipv4.sourceHi() : ipv6.sourceHi(),
                                v4 ? ipv4.sourceLo() : ipv6.sourceLo(),
                                v4 ? ipv4.destinationHi() : ipv6.destinationHi(),
                                v4 ? ipv4.destinationLo() : ipv6.destinationLo()),
                "bad TCP checksum");
        Peer peer = peers.apply(tcp.destinationPort());
        learn(peer);
        SegmentNotation.Segment s = SegmentNotation.decode(packet, tcp, peer.localIss, peer.iss);
        checkPayload(s, bytes);
        int ecn = v4 ? ipv4.ecn() : ipv6.ecn();
        return new Sent(
                peer.relative(shown(s, ecn), true),
                null,
                buffer.segmentCount(),
                buffer.segmentSize(),
                ttl,
                bytes);
    }

    /** Our first SYN says where our relative numbers begin. */
    private void learn(Peer peer) {
        if (tcp.isSyn() && !peer.localIssKnown) {
            peer.localIss = tcp.segSeq();
            peer.localIssKnown = true;
        }
        if (tcp.options().hasTimestamps() && !peer.timestampKnown) {
            peer.timestampBase = tcp.options().tsVal() & 0xffff_ffffL;
            peer.timestampKnown = true;
        }
    }

    private void checkPayload(SegmentNotation.Segment s, byte[] bytes) {
        int at = (int) tcp.payloadOffset();
        for (int i = 0; i < tcp.storedPayloadLength(); i++) {
            require(
                    bytes[at + i] == SyntheticContent.byteAt(s.seq() + i),
                    "byte %d of the stream is wrong in %s".formatted(s.seq() + i, s));
        }
    }

    private SegmentNotation.Segment shown(SegmentNotation.Segment s, int ecn) {
        return new SegmentNotation.Segment(
                '>',
                ecn == 0 ? SegmentNotation.IpInfo.NONE : SegmentNotation.IpInfo.ofEcn(ecn),
                tcp.sourcePort(),
                tcp.destinationPort(),
                s.flags(),
                s.ace(),
                s.seq(),
                s.length(),
                s.ack(),
                s.window(),
                s.urgent(),
                s.options(),
                s.anyOptions());
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }
}
