package dev.sluice.lab.packetdrill;

import dev.sluice.wire.IpAddress;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Makes the bytes of the packets a script injects, checksums included. */
final class PacketBuilder {
    private static final int IPV4_HEADER_BYTES = 20;
    private static final int IPV6_HEADER_BYTES = 40;
    private static final int TCP_HEADER_BYTES = 20;
    private static final int UDP_HEADER_BYTES = 8;
    private static final int ICMP_HEADER_BYTES = 8;
    private static final int DEFAULT_HOP_LIMIT = 255;

    /** Bytes of the quoted packet's transport header that an ICMP message carries (RFC 792). */
    private static final int QUOTED_BYTES = 8;

    private final boolean scaledEchoReply;

    PacketBuilder(boolean scaledEchoReply) {
        this.scaledEchoReply = scaledEchoReply;
    }

    /** An IP packet from the script's side to the stack. */
    byte[] build(PacketSpec packet, Conversation conversation) {
        requirePlain(packet);
        return switch (packet) {
            case PacketSpec.Tcp tcp -> tcp(tcp, conversation);
            case PacketSpec.Udp udp -> udp(udp, conversation);
            case PacketSpec.Icmp icmp -> icmp(icmp, conversation);
        };
    }

    private static void requirePlain(PacketSpec packet) {
        if (!packet.envelope().outer().isEmpty()) {
            PacketSpec.OuterHeader outer = packet.envelope().outer().getFirst();
            throw new UnsupportedScriptException(
                    outer.position(), "encapsulation in " + outer.kind());
        }
        if (packet.envelope().pspSpi().isPresent()) {
            throw new UnsupportedScriptException(packet.position(), "PSP encapsulation");
        }
        if (packet instanceof PacketSpec.Tcp tcp && tcp.udpEncapsulation().isPresent()) {
            throw new UnsupportedScriptException(packet.position(), "encapsulation in UDP");
        }
    }

    private byte[] tcp(PacketSpec.Tcp tcp, Conversation conversation) {
        List<OptionSpec> live = conversation.liveOptions(tcp, scaledEchoReply);
        byte[] options = encode(tcp, live);
        int size = TCP_HEADER_BYTES + options.length + tcp.sequence().length();
        byte[] packet = ip(tcp, conversation, LivePacket.PROTOCOL_TCP, size);
        int at = packet.length - size;
        int sourcePort =
                tcp.ports().map(PacketSpec.Ports::source).orElse(conversation.remotePort());
        int destinationPort =
                tcp.ports().map(PacketSpec.Ports::destination).orElse(conversation.localPort());
        Bytes.put16(packet, at, sourcePort);
        Bytes.put16(packet, at + 2, destinationPort);
        Bytes.put32(packet, at + 4, conversation.liveSequence(tcp));
        Bytes.put32(packet, at + 8, conversation.liveAck(tcp));
        Bytes.put16(packet, at + 12, (TCP_HEADER_BYTES + options.length) / 4 << 12 | tcp.flags());
        Bytes.put16(packet, at + 14, tcp.window().orElse(0));
        Bytes.put16(packet, at + 18, tcp.urgent().orElse(0));
        System.arraycopy(options, 0, packet, at + TCP_HEADER_BYTES, options.length);
        putChecksum(packet, at, at + 16, LivePacket.PROTOCOL_TCP, conversation);
        return packet;
    }

    private static byte[] encode(PacketSpec.Tcp tcp, List<OptionSpec> options) {
        for (OptionSpec option : options) {
            if (option instanceof OptionSpec.Md5 md5 && md5.digest().equals("valid")) {
                throw new UnsupportedScriptException(tcp.position(), "a computed MD5 digest");
            }
        }
        try {
            return OptionCodec.encode(options);
        } catch (IllegalArgumentException tooLong) {
            throw new ScriptFailure(tcp.position(), "cannot be sent: " + tooLong.getMessage());
        }
    }

    private byte[] udp(PacketSpec.Udp udp, Conversation conversation) {
        int size = UDP_HEADER_BYTES + udp.length();
        byte[] packet = ip(udp, conversation, LivePacket.PROTOCOL_UDP, size);
        int at = packet.length - size;
        Bytes.put16(
                packet,
                at,
                udp.ports().map(PacketSpec.Ports::source).orElse(conversation.remotePort()));
        Bytes.put16(
                packet,
                at + 2,
                udp.ports().map(PacketSpec.Ports::destination).orElse(conversation.localPort()));
        Bytes.put16(packet, at + 4, size);
        putChecksum(packet, at, at + 6, LivePacket.PROTOCOL_UDP, conversation);
        return packet;
    }

    private byte[] icmp(PacketSpec.Icmp icmp, Conversation conversation) {
        boolean ipv4 = conversation.localAddress().isIpv4();
        IcmpNames.TypeAndCode names = IcmpNames.find(icmp, ipv4);
        PacketSpec.Echoed echoed =
                icmp.echoed()
                        .orElse(
                                new PacketSpec.Echoed.TcpSegment(
                                        new PacketSpec.Sequence(0, 0, 0, false, false),
                                        Optional.empty()));
        byte[] quoted = quoted(icmp, echoed, conversation);
        int protocol = ipv4 ? LivePacket.PROTOCOL_ICMP : LivePacket.PROTOCOL_ICMPV6;
        int size = ICMP_HEADER_BYTES + quoted.length;
        byte[] packet = ip(icmp, conversation, protocol, size);
        int at = packet.length - size;
        Bytes.put8(packet, at, names.type());
        Bytes.put8(packet, at + 1, names.code());
        icmp.mtu().ifPresent(mtu -> Bytes.put32(packet, at + 4, mtu));
        icmp.id().ifPresent(id -> Bytes.put16(packet, at + 4, id));
        System.arraycopy(quoted, 0, packet, at + ICMP_HEADER_BYTES, quoted.length);
        long sum = Bytes.sum(packet, at, size);
        if (!ipv4) {
            sum +=
                    Bytes.pseudoHeaderSum(
                            conversation.remoteAddress(),
                            conversation.localAddress(),
                            protocol,
                            size);
        }
        Bytes.put16(packet, at + 2, Bytes.checksum(sum));
        return packet;
    }

    /** The beginning of a packet of the stack, as a router on the path would quote it. */
    private byte[] quoted(
            PacketSpec.Icmp icmp, PacketSpec.Echoed echoed, Conversation conversation) {
        return switch (echoed) {
            case PacketSpec.Echoed.Raw raw ->
                    new byte[Math.max(0, raw.length() - ICMP_HEADER_BYTES)];
            case PacketSpec.Echoed.UdpDatagram udp ->
                    quoted(
                            LivePacket.PROTOCOL_UDP,
                            UDP_HEADER_BYTES + udp.length(),
                            UDP_HEADER_BYTES + udp.length(),
                            conversation);
            case PacketSpec.Echoed.TcpSegment tcp -> {
                if (tcp.udpEncapsulation().isPresent()) {
                    throw new UnsupportedScriptException(icmp.position(), "encapsulation in UDP");
                }
                int length = TCP_HEADER_BYTES + tcp.sequence().length();
                int sequence = (int) conversation.liveQuoted(tcp.sequence().start());
                yield quoted(LivePacket.PROTOCOL_TCP, length, sequence, conversation);
            }
        };
    }

    /** An IP header of the stack and eight bytes: two ports and {@code word}. */
    private static byte[] quoted(int protocol, int length, int word, Conversation conversation) {
        IpAddress source = conversation.localAddress();
        int header = source.isIpv4() ? IPV4_HEADER_BYTES : IPV6_HEADER_BYTES;
        byte[] packet = new byte[header + QUOTED_BYTES];
        putIpHeader(packet, source, conversation.remoteAddress(), protocol, length, 0, 0, 64);
        Bytes.put16(packet, header, conversation.localPort());
        Bytes.put16(packet, header + 2, conversation.remotePort());
        Bytes.put32(packet, header + 4, protocol == LivePacket.PROTOCOL_UDP ? word << 16 : word);
        return packet;
    }

    /** A packet with the IP header filled in and room for {@code size} bytes after it. */
    private static byte[] ip(PacketSpec packet, Conversation conversation, int protocol, int size) {
        PacketSpec.IpFields fields = packet.envelope().ip();
        IpAddress source = conversation.remoteAddress();
        int header = source.isIpv4() ? IPV4_HEADER_BYTES : IPV6_HEADER_BYTES;
        byte[] bytes = new byte[header + size];
        OptionalInt written = fields.trafficClass();
        int trafficClass = written.orElse(fields.ecn().map(Enum::ordinal).orElse(0));
        putIpHeader(
                bytes,
                source,
                conversation.localAddress(),
                protocol,
                size,
                trafficClass,
                fields.flowLabel().orElse(0),
                fields.hopLimit().orElse(DEFAULT_HOP_LIMIT));
        return bytes;
    }

    private static void putIpHeader(
            byte[] bytes,
            IpAddress source,
            IpAddress destination,
            int protocol,
            int size,
            int trafficClass,
            int flowLabel,
            int hopLimit) {
        if (source.isIpv4()) {
            Bytes.put8(bytes, 0, 0x45);
            Bytes.put8(bytes, 1, trafficClass);
            Bytes.put16(bytes, 2, IPV4_HEADER_BYTES + size);
            Bytes.put8(bytes, 8, hopLimit);
            Bytes.put8(bytes, 9, protocol);
            Bytes.putAddress(bytes, 12, source);
            Bytes.putAddress(bytes, 16, destination);
            Bytes.put16(bytes, 10, Bytes.checksum(Bytes.sum(bytes, 0, IPV4_HEADER_BYTES)));
        } else {
            Bytes.put32(bytes, 0, 0x6000_0000L | (long) trafficClass << 20 | flowLabel);
            Bytes.put16(bytes, 4, size);
            Bytes.put8(bytes, 6, protocol);
            Bytes.put8(bytes, 7, hopLimit);
            Bytes.putAddress(bytes, 8, source);
            Bytes.putAddress(bytes, 24, destination);
        }
    }

    private static void putChecksum(
            byte[] packet, int from, int field, int protocol, Conversation conversation) {
        int size = packet.length - from;
        long sum = Bytes.sum(packet, from, size);
        sum +=
                Bytes.pseudoHeaderSum(
                        conversation.remoteAddress(), conversation.localAddress(), protocol, size);
        Bytes.put16(packet, field, Bytes.checksum(sum));
    }
}
