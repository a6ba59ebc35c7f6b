package dev.sluice.stack;

import static dev.sluice.testkit.Setup.ipv6;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.socket.DatagramSocket;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.UdpTest;
import dev.sluice.trace.Counter;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.IpProtocol;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;

/** Extension headers on the way in: walked, or refused, counted and reported. */
class Ipv6ExtensionsTest {
    /** Bytes from the start of the packet to its first extension header. */
    private static final int FIRST = 40;

    private static final byte[] PADDING = {0, 0, 1, 4, 0, 0, 0, 0};

    /** Headers in front of a datagram; the first byte of each is filled in. */
    private static byte[] packet(UdpTest udp, int[] protocols, byte[]... headers) {
        byte[] plain = UdpTest.datagram(udp.remote, 1, udp.local, 5000, "through".getBytes());
        var payload = new ByteArrayOutputStream();
        for (int i = 0; i < headers.length; i++) {
            byte[] header = headers[i].clone();
            header[0] = (byte) (i + 1 < headers.length ? protocols[i + 1] : IpProtocol.UDP);
            payload.writeBytes(header);
        }
        payload.write(plain, FIRST, plain.length - FIRST);
        return UdpTest.packet(udp.remote, udp.local, protocols[0], payload.toByteArray());
    }

    private static byte[] one(UdpTest udp, int protocol, int... header) {
        byte[] bytes = new byte[header.length];
        for (int i = 0; i < header.length; i++) {
            bytes[i] = (byte) header[i];
        }
        return packet(udp, new int[] {protocol}, bytes);
    }

    private static void expectReport(UdpTest udp, int code, int pointer) {
        UdpTest.Packet report = udp.takeOne();
        assertThat(report.icmpType()).isEqualTo(4);
        assertThat(report.icmpCode()).isEqualTo(code);
        assertThat(report.payload()[7]).isEqualTo((byte) pointer);
    }

    @Test
    @Rfc("RFC 8200 section 4")
    void options_and_used_up_routes_are_walked() {
        try (var udp = UdpTest.start(ipv6())) {
            DatagramSocket socket = udp.bound(5000);
            int[] chain = {
                IpProtocol.HOP_BY_HOP,
                IpProtocol.DESTINATION_OPTIONS,
                IpProtocol.ROUTING,
                IpProtocol.FRAGMENT,
                IpProtocol.DESTINATION_OPTIONS
            };
            byte[] route = {0, 0, 2, 0, 0, 0, 0, 0};
            byte[] atomic = {0, 0, 0, 0, 0, 0, 0, 9};
            udp.deliver(packet(udp, chain, PADDING, PADDING, route, atomic, PADDING));
            assertThat(udp.read(socket)).isEqualTo("through");
        }
    }

    @Test
    @Rfc("RFC 8200 section 4.2")
    void an_unknown_option_says_what_to_do_with_it() {
        for (int protocol : List.of(IpProtocol.HOP_BY_HOP, IpProtocol.DESTINATION_OPTIONS)) {
            for (int action = 0; action < 4; action++) {
                try (var udp = UdpTest.start(ipv6())) {
                    DatagramSocket socket = udp.bound(5000);
                    udp.deliver(one(udp, protocol, 0, 0, 0, action << 6 | 0x1e, 3, 1, 2, 3));
                    assertThat(udp.read(socket)).isEqualTo(action == 0 ? "through" : null);
                    if (action >= 2) {
                        expectReport(udp, 2, FIRST + 3);
                    }
                    assertThat(udp.take()).isEmpty();
                    assertThat(udp.counted(Counter.IP6_IN_HDR_ERRORS))
                            .isEqualTo(action == 0 ? 0 : 1);
                }
            }
        }
    }

    @Test
    @Rfc("RFC 5095")
    void a_route_that_is_not_used_up_is_refused() {
        for (int type = 0; type < 6; type++) {
            try (var udp = UdpTest.start(ipv6())) {
                DatagramSocket socket = udp.bound(5000);
                udp.deliver(one(udp, IpProtocol.ROUTING, 0, 0, type, 1, 0, 0, 0, 0));
                assertThat(udp.read(socket)).isNull();
                expectReport(udp, 0, FIRST + 2);
            }
        }
    }

    @Test
    @Rfc("RFC 4443 section 3.4")
    void what_nobody_here_processes_is_reported() {
        try (var udp = UdpTest.start(ipv6())) {
            for (int protocol : List.of(IpProtocol.ESP, IpProtocol.AUTHENTICATION, 200)) {
                udp.deliver(one(udp, protocol, 0, 0, 0, 0, 0, 0, 0, 0));
                expectReport(udp, 1, 6);
            }
            udp.deliver(
                    packet(
                            udp,
                            new int[] {IpProtocol.DESTINATION_OPTIONS, IpProtocol.HOP_BY_HOP},
                            PADDING,
                            PADDING));
            expectReport(udp, 1, FIRST);
            assertThat(udp.counted(Counter.IP6_IN_UNKNOWN_PROTOS)).isEqualTo(3);
        }
    }

    @Test
    @Rfc("RFC 8200 section 4.7")
    void nothing_follows_no_next_header() {
        try (var udp = UdpTest.start(ipv6())) {
            udp.deliver(one(udp, IpProtocol.NO_NEXT_HEADER, 0, 0, 0, 0, 0, 0, 0, 0));
            assertThat(udp.take()).isEmpty();
        }
    }

    @Test
    void headers_behind_the_fragment_header_are_walked_when_the_packet_is_whole() {
        try (var udp = UdpTest.start(ipv6())) {
            DatagramSocket socket = udp.bound(5000);
            byte[] whole = packet(udp, new int[] {IpProtocol.DESTINATION_OPTIONS}, PADDING);
            for (byte[] fragment : UdpTest.fragments(whole, 9, 8, 16)) {
                udp.deliver(fragment);
            }
            assertThat(udp.read(socket)).isEqualTo("through");
        }
    }

    @Test
    void fragments_of_fragments_are_refused() {
        try (var udp = UdpTest.start(ipv6())) {
            DatagramSocket socket = udp.bound(5000);
            byte[] inner = {0, 0, 0, 1, 0, 0, 0, 5};
            byte[] whole = packet(udp, new int[] {IpProtocol.FRAGMENT}, inner);
            for (byte[] fragment : UdpTest.fragments(whole, 9, 16)) {
                udp.deliver(fragment);
            }
            assertThat(udp.read(socket)).isNull();
            assertThat(udp.counted(Counter.IP6_IN_HDR_ERRORS)).isEqualTo(1);
            assertThat(udp.outstanding()).isZero();
        }
    }

    @Test
    @Rfc("RFC 4942 section 2.2")
    void an_ipv6_packet_with_ipv4_addresses_is_refused() {
        IpAddress ours = IpAddress.parse("192.0.2.1").address();
        IpAddress theirs = IpAddress.parse("192.0.2.2").address();
        try (var udp = UdpTest.start(ipv6())) {
            udp.iface.addAddress(ours, 24);
            DatagramSocket socket = udp.bound(5000);
            byte[] model = UdpTest.datagram(udp.remote, 1, udp.local, 5000, "mapped".getBytes());
            for (int from = 0; from < 2; from++) {
                for (int to = 0; to < 2; to++) {
                    byte[] packet = model.clone();
                    IpAddress source = from == 0 ? udp.remote : theirs;
                    IpAddress destination = to == 0 ? udp.local : ours;
                    ByteBuffer.wrap(packet)
                            .putLong(8, source.hi())
                            .putLong(16, source.lo())
                            .putLong(24, destination.hi())
                            .putLong(32, destination.lo());
                    udp.deliver(packet, PacketBuffer.CHECKSUM_VERIFIED);
                    assertThat(udp.read(socket)).isEqualTo(from + to == 0 ? "mapped" : null);
                }
            }
            assertThat(udp.take()).isEmpty();
            assertThat(udp.counted(Counter.IP6_IN_ADDR_ERRORS)).isEqualTo(3);
        }
    }

    @Test
    void nobody_is_told_of_packets_that_are_not_for_us() {
        try (var udp = UdpTest.start(ipv6())) {
            byte[] packet = one(udp, IpProtocol.ROUTING, 0, 0, 0, 1, 0, 0, 0, 0);
            packet[39] ^= 0x40;
            udp.deliver(packet);
            assertThat(udp.take()).isEmpty();
        }
    }
}
