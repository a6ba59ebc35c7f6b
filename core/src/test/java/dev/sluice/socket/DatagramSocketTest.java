package dev.sluice.socket;

import static dev.sluice.testkit.Setup.ipv6;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.tso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.stack.Interface;
import dev.sluice.tcp.Readiness;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.UdpTest;
import dev.sluice.trace.Counter;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;

/** Datagrams out and in, and what the calls answer. */
class DatagramSocketTest {
    private static final Setup IPV4 = Setup.mtu(1500);
    private static final int IN = Readiness.IN;
    private static final int OUT = Readiness.OUT;
    private static final int ERR = Readiness.ERR;

    @Test
    @Rfc("RFC 768")
    void a_datagram_leaves_with_its_ports_and_a_checksum() {
        for (Setup family : List.of(IPV4, ipv6())) {
            try (var udp = UdpTest.start(family)) {
                DatagramSocket socket = udp.bound(5000);

                assertThat(udp.send(socket, 53, "query")).isEqualTo(5);
                UdpTest.Packet sent = udp.takeOne();

                assertThat(sent.from()).isEqualTo(udp.local);
                assertThat(sent.to()).isEqualTo(udp.remote);
                assertThat(sent.sourcePort()).isEqualTo(5000);
                assertThat(sent.destinationPort()).isEqualTo(53);
                assertThat(sent.text()).isEqualTo("query");
                assertThat(sent.ttl()).isEqualTo(64);
                assertThat(sent.dontFragment()).isTrue();
                Counter counter =
                        family == IPV4 ? Counter.UDP_OUT_DATAGRAMS : Counter.UDP6_OUT_DATAGRAMS;
                assertThat(udp.counted(counter)).isEqualTo(1);
            }
        }
    }

    @Test
    void the_device_completes_the_checksum_if_it_can() {
        for (Setup family : List.of(IPV4, ipv6())) {
            try (var udp = UdpTest.start(family, tso())) {
                udp.send(udp.bound(5000), 53, "partial");
                assertThat(udp.takeOne().text()).isEqualTo("partial");
            }
        }
    }

    @Test
    void a_datagram_is_received_with_its_sender() {
        for (Setup family : List.of(IPV4, ipv6())) {
            try (var udp = UdpTest.start(family)) {
                DatagramSocket socket = udp.bound(5000);
                udp.receive(4000, 5000, "hello");
                ByteBuffer buffer = ByteBuffer.allocate(100);

                assertThat(socket.readySet()).isEqualTo(IN | OUT);
                assertThat(socket.nextLength()).isEqualTo(5);
                assertThat(socket.receive(udp.now(), buffer, 0)).isEqualTo(5);
                assertThat(new String(buffer.array(), 0, buffer.position())).isEqualTo("hello");
                assertThat(socket.sender()).isEqualTo(udp.remote);
                assertThat(socket.senderPort()).isEqualTo(4000);
                assertThat(socket.isTruncated()).isFalse();
                assertThat(socket.receive(udp.now(), buffer, 0))
                        .isEqualTo(SocketError.EAGAIN.result());
                assertThat(socket.readySet()).isEqualTo(OUT);
                Counter counter =
                        family == IPV4 ? Counter.UDP_IN_DATAGRAMS : Counter.UDP6_IN_DATAGRAMS;
                assertThat(udp.counted(counter)).isEqualTo(1);
            }
        }
    }

    @Test
    void datagrams_stay_apart_and_in_order() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            udp.receive(4000, 5000, "one").receive(4001, 5000, "two").receive(4002, 5000, "three");

            assertThat(udp.read(socket)).isEqualTo("one");
            assertThat(udp.read(socket)).isEqualTo("two");
            assertThat(udp.read(socket)).isEqualTo("three");
            assertThat(socket.senderPort()).isEqualTo(4002);
            assertThat(udp.read(socket)).isNull();
        }
    }

    @Test
    void every_source_and_destination_of_bytes_works() {
        try (var udp = UdpTest.start();
                var arena = Arena.ofConfined()) {
            DatagramSocket socket = udp.bound(5000);
            MemorySegment memory = arena.allocate(10);
            memory.setString(1, "memory");
            ByteBuffer direct = ByteBuffer.allocateDirect(10);
            direct.put("xbufferx".getBytes()).position(1).limit(7);
            ByteBuffer[] parts = {
                ByteBuffer.wrap("two ".getBytes()), ByteBuffer.wrap("parts".getBytes())
            };

            assertThat(socket.send(udp.now(), memory, 1, 6, udp.remote, 9, 0)).isEqualTo(6);
            assertThat(socket.send(udp.now(), direct, udp.remote, 9, 0)).isEqualTo(6);
            assertThat(socket.send(udp.now(), parts, 0, 2, udp.remote, 9, 0)).isEqualTo(9);
            assertThat(direct.hasRemaining()).isFalse();
            assertThat(parts[1].hasRemaining()).isFalse();
            assertThat(udp.take())
                    .extracting(UdpTest.Packet::text)
                    .containsExactly("memory", "buffer", "two parts");

            udp.receive(4000, 5000, "in").receive(4000, 5000, "out");
            assertThat(socket.receive(udp.now(), memory, 0, 10, 0)).isEqualTo(2);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 'i');
            direct.clear().position(3);
            assertThat(socket.receive(udp.now(), direct, 0)).isEqualTo(3);
            assertThat(direct.position()).isEqualTo(6);
            assertThat(direct.get(3)).isEqualTo((byte) 'o');
        }
    }

    @Test
    void an_empty_datagram_is_one() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);

            assertThat(udp.send(socket, 53, "")).isZero();
            assertThat(udp.takeOne().text()).isEmpty();
            udp.receive(4000, 5000, "");
            assertThat(socket.readySet()).isEqualTo(IN | OUT);
            assertThat(socket.receive(udp.now(), new byte[5], 0, 5, 0)).isZero();
            assertThat(socket.senderPort()).isEqualTo(4000);
            assertThat(socket.receive(udp.now(), new byte[5], 0, 5, 0))
                    .isEqualTo(SocketError.EAGAIN.result());
        }
    }

    @Test
    void what_has_no_room_is_lost_and_that_is_told() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            udp.receive(4000, 5000, "0123456789").receive(4000, 5000, "abcdef");
            udp.receive(4000, 5000, "next");
            byte[] bytes = new byte[4];

            assertThat(socket.receive(udp.now(), bytes, 0, 4, 0)).isEqualTo(4);
            assertThat(new String(bytes)).isEqualTo("0123");
            assertThat(socket.isTruncated()).isTrue();
            assertThat(socket.datagramLength()).isEqualTo(10);
            assertThat(socket.receive(udp.now(), bytes, 0, 4, SocketFlags.MSG_TRUNC)).isEqualTo(6);
            assertThat(socket.receive(udp.now(), bytes, 0, 4, 0)).isEqualTo(4);
            assertThat(socket.isTruncated()).isFalse();
        }
    }

    @Test
    void peeking_leaves_the_datagram_where_it_is() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            udp.receive(4000, 5000, "look");
            byte[] bytes = new byte[10];

            assertThat(socket.receive(udp.now(), bytes, 0, 10, SocketFlags.MSG_PEEK)).isEqualTo(4);
            assertThat(socket.senderPort()).isEqualTo(4000);
            assertThat(udp.counted(Counter.UDP_IN_DATAGRAMS)).isZero();
            assertThat(udp.read(socket)).isEqualTo("look");
        }
    }

    @Test
    @Rfc("RFC 768")
    void a_checksum_of_zero_means_none_over_ipv4_and_is_refused_over_ipv6() {
        for (Setup family : List.of(IPV4, ipv6())) {
            try (var udp = UdpTest.start(family)) {
                DatagramSocket socket = udp.bound(5000);
                byte[] packet =
                        UdpTest.datagram(udp.remote, 1, udp.local, 5000, "plain".getBytes());
                UdpTest.put16(packet, packet.length - 7, 0);

                udp.deliver(packet);
                assertThat(udp.read(socket)).isEqualTo(family == IPV4 ? "plain" : null);
                assertThat(udp.counted(Counter.UDP6_IN_CSUM_ERRORS))
                        .isEqualTo(family == IPV4 ? 0 : 1);
            }
        }
    }

    @Test
    void a_wrong_checksum_is_counted_and_not_answered() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            byte[] packet = UdpTest.datagram(udp.remote, 1, udp.local, 5000, "damaged".getBytes());
            packet[packet.length - 1] ^= 1;
            byte[] closedPort = UdpTest.datagram(udp.remote, 1, udp.local, 1, "x".getBytes());
            closedPort[closedPort.length - 1] ^= 1;

            udp.deliver(packet).deliver(closedPort);
            assertThat(udp.read(socket)).isNull();
            assertThat(udp.take()).isEmpty();
            assertThat(udp.counted(Counter.UDP_IN_CSUM_ERRORS)).isEqualTo(2);
            assertThat(udp.counted(Counter.UDP_IN_ERRORS)).isEqualTo(2);
            assertThat(udp.counted(Counter.UDP_NO_PORTS)).isZero();
        }
    }

    @Test
    void a_checksum_that_the_device_vouches_for_is_not_looked_at() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            byte[] packet = UdpTest.datagram(udp.remote, 1, udp.local, 5000, "fine".getBytes());
            packet[26] ^= 1;

            udp.deliver(packet, PacketBuffer.CHECKSUM_PARTIAL);
            udp.deliver(packet, PacketBuffer.CHECKSUM_BAD);
            assertThat(udp.read(socket)).isEqualTo("fine");
            assertThat(udp.read(socket)).isNull();
        }
    }

    @Test
    void so_no_check_sends_without_a_checksum() {
        try (var udp = UdpTest.start(tso())) {
            DatagramSocket socket = udp.bound(5000);
            socket.setOption(udp.now(), SocketOption.SO_NO_CHECK, 1);
            udp.send(socket, 53, "bare");
            UdpTest.Packet sent = udp.takeOne();
            assertThat(sent.payload()[6]).isZero();
            assertThat(sent.payload()[7]).isZero();
        }
    }

    @Test
    void the_length_field_may_say_less_than_the_packet_holds_and_never_more() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            for (int length = 0; length <= 20; length++) {
                byte[] packet =
                        UdpTest.datagram(udp.remote, 1, udp.local, 5000, "0123456789".getBytes());
                UdpTest.put16(packet, 24, length);
                UdpTest.put16(packet, 26, 0);
                udp.deliver(packet);
                String expected =
                        length < 8 || length > 18 ? null : "0123456789".substring(0, length - 8);
                assertThat(udp.read(socket)).as("length field " + length).isEqualTo(expected);
            }
            assertThat(udp.counted(Counter.UDP_IN_ERRORS)).isEqualTo(10);
        }
    }

    @Test
    void a_full_queue_drops_what_comes_and_counts_it() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            socket.setOption(udp.now(), SocketOption.SO_RCVBUF, 5000);
            int truesize = udp.truesize(38);
            int fit = 10_000 / truesize;

            for (int i = 0; i < fit + 3; i++) {
                udp.receive(4000, 5000, "0123456789");
            }
            assertThat(socket.endpoint().queued()).isEqualTo(fit);
            assertThat(socket.endpoint().receiveMemory()).isEqualTo(fit * truesize);
            assertThat(socket.endpoint().drops()).isEqualTo(3);
            assertThat(udp.counted(Counter.UDP_RCVBUF_ERRORS)).isEqualTo(3);
            assertThat(udp.counted(Counter.UDP_IN_ERRORS)).isEqualTo(3);

            udp.read(socket);
            udp.receive(4000, 5000, "again");
            assertThat(socket.endpoint().queued()).isEqualTo(fit);
        }
    }

    @Test
    void an_empty_queue_has_room_for_one_whatever_its_size() {
        try (var udp = UdpTest.start(Setup.mtu(9000))) {
            DatagramSocket socket = udp.bound(5000);
            socket.setOption(udp.now(), SocketOption.SO_RCVBUF, 0);
            udp.receive(4000, 5000, "x".repeat(5000)).receive(4000, 5000, "no room");
            assertThat(udp.read(socket)).hasSize(5000);
            assertThat(udp.read(socket)).isNull();
        }
    }

    @Test
    void all_sockets_together_take_no_more_than_udp_mem() {
        try (var udp =
                UdpTest.start(
                        sysctl("net.ipv4.udp_mem", "2 4 8"), sysctl("net.ipv4.udp_rmem_min", 1))) {
            DatagramSocket socket = udp.bound(5000);
            for (int i = 0; i < 50; i++) {
                udp.receive(4000, 5000, "0123456789");
            }
            assertThat(udp.stack.udp().memory().pages()).isLessThanOrEqualTo(8);
            assertThat(udp.counted(Counter.UDP_MEM_ERRORS))
                    .isEqualTo(50 - socket.endpoint().queued());
            assertThat(socket.endpoint().queued()).isBetween(1, 15);
        }
    }

    @Test
    void a_full_send_buffer_blocks_until_half_of_it_is_free() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            socket.setOption(udp.now(), SocketOption.SO_SNDBUF, 1);
            int[] told = new int[1];
            socket.signals((now, events) -> told[0] |= events);
            udp.stallDevice();
            int sent = 0;
            while (udp.send(socket, 53, "x".repeat(1000)) > 0) {
                sent++;
            }
            assertThat(sent).isEqualTo(3);
            assertThat(udp.send(socket, 53, "")).isEqualTo(SocketError.EAGAIN.result());
            assertThat(udp.counted(Counter.UDP_SNDBUF_ERRORS)).isEqualTo(2);
            assertThat(socket.readySet()).isZero();
            assertThat(told[0]).isZero();

            udp.take();
            udp.releaseDevice();
            assertThat(told[0]).isEqualTo(OUT);
            assertThat(socket.readySet()).isEqualTo(OUT);
            assertThat(socket.endpoint().sendMemory()).isZero();
            assertThat(udp.send(socket, 53, "again")).isEqualTo(5);
        }
    }

    @Test
    void a_send_buffer_that_is_half_full_takes_more_and_is_not_ready() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            socket.setOption(udp.now(), SocketOption.SO_SNDBUF, 1);
            udp.stallDevice();

            udp.send(socket, 53, "x".repeat(1000));
            assertThat(socket.readySet()).isEqualTo(OUT);
            udp.send(socket, 53, "x".repeat(1000));
            assertThat(socket.readySet()).isZero();
            assertThat(udp.send(socket, 53, "x")).isEqualTo(1);
        }
    }

    @Test
    void the_owner_is_told_of_what_comes() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            int[] calls = new int[1];
            int[] told = new int[1];
            socket.signals(
                    (now, events) -> {
                        calls[0]++;
                        told[0] |= events;
                    });
            udp.receive(4000, 5000, "ring");
            assertThat(calls[0]).isEqualTo(1);
            assertThat(told[0]).isEqualTo(IN);
            assertThat(socket.readySet() & ERR).isZero();
        }
    }

    @Test
    void a_closed_socket_answers_ebadf_and_its_port_is_free() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            udp.receive(4000, 5000, "never read");
            assertThat(socket.close(udp.now())).isZero();
            assertThat(socket.close(udp.now())).isZero();

            int bad = SocketError.EBADF.result();
            assertThat(udp.send(socket, 53, "x")).isEqualTo(bad);
            assertThat(socket.receive(udp.now(), new byte[1], 0, 1, 0)).isEqualTo(bad);
            assertThat(socket.connect(udp.now(), udp.remote, 1)).isEqualTo(bad);
            assertThat(socket.disconnect(udp.now())).isEqualTo(bad);
            assertThat(udp.outstanding()).isZero();
            udp.bound(5000);
        }
    }

    @Test
    void options_have_linuxs_ranges_and_defaults() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.socket();
            long now = udp.now();
            assertThat(socket.getOption(now, SocketOption.SO_RCVBUF)).isEqualTo(212_992);
            assertThat(socket.getOption(now, SocketOption.SO_SNDBUF)).isEqualTo(212_992);
            assertThat(socket.getOption(now, SocketOption.IP_TTL)).isEqualTo(64);
            assertThat(socket.getOption(now, SocketOption.IP_MTU_DISCOVER)).isEqualTo(1);
            assertThat(socket.getOption(now, SocketOption.SO_BROADCAST)).isZero();
            assertThat(socket.getOption(now, SocketOption.TCP_NODELAY))
                    .isEqualTo(SocketError.ENOPROTOOPT.result());

            socket.setOption(now, SocketOption.SO_RCVBUF, 0);
            socket.setOption(now, SocketOption.SO_SNDBUF, 100_000);
            socket.setOption(now, SocketOption.IP_TOS, 0xb9);
            socket.setOption(now, SocketOption.IP_TTL, 3);
            assertThat(socket.setOption(now, SocketOption.IP_TTL, 256))
                    .isEqualTo(SocketError.EINVAL.result());
            assertThat(socket.getOption(now, SocketOption.SO_RCVBUF)).isEqualTo(2304);
            assertThat(socket.getOption(now, SocketOption.SO_SNDBUF)).isEqualTo(200_000);
            udp.send(socket, 53, "marked");
            UdpTest.Packet sent = udp.takeOne();
            assertThat(sent.tos()).isEqualTo(0xb9);
            assertThat(sent.ttl()).isEqualTo(3);
        }
    }

    @Test
    void a_stack_talks_to_itself() {
        for (String address : List.of("127.0.0.1", "::1", "0.0.0.0", "::", "192.0.2.1")) {
            try (var udp = UdpTest.start()) {
                Interface lo = udp.stack.addLoopback();
                DatagramSocket server = udp.bound(5000);
                DatagramSocket client = udp.bound(5001);
                IpAddress to = IpAddress.parse(address).address();

                assertThat(client.connect(udp.now(), to, 5000)).isZero();
                assertThat(client.send(udp.now(), "me".getBytes(), 0, 2, null, 0, 0)).isEqualTo(2);
                UdpTest.Packet sent = udp.takeOne();
                assertThat(sent.to()).isEqualTo(client.remoteAddress());
                udp.deliver(lo, sent.bytes());
                assertThat(udp.read(server)).isEqualTo("me");
                assertThat(server.sender()).isEqualTo(client.localAddress());
                udp.deliver(sent.bytes());
                assertThat(udp.read(server)).as("from outside").isNull();
            }
        }
    }

    @Test
    void corking_is_refused() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.socket();
            assertThat(
                            socket.send(
                                    udp.now(),
                                    new byte[1],
                                    0,
                                    1,
                                    udp.remote,
                                    53,
                                    SocketFlags.MSG_MORE))
                    .isEqualTo(SocketError.EOPNOTSUPP.result());
        }
    }
}
