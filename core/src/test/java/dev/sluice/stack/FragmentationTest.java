package dev.sluice.stack;

import static dev.sluice.testkit.Setup.ipv6;
import static dev.sluice.testkit.Setup.mtu;
import static dev.sluice.testkit.Setup.tso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.Truesize;
import dev.sluice.socket.DatagramSocket;
import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketOption;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.UdpTest;
import dev.sluice.trace.Counter;
import dev.sluice.wire.Checksum;
import dev.sluice.wire.IcmpHeader;
import dev.sluice.wire.IpProtocol;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Datagrams that are larger than a packet may be, and what the path says to them. */
class FragmentationTest {
    private static final Setup IPV4 = mtu(1500);
    private static final int TOO_LONG = SocketError.EMSGSIZE.result();
    private static final int DONT = 0;
    private static final int DO = 2;
    private static final int PROBE = 3;
    private static final int OMIT = 5;

    private static String text(int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + i % 23));
        }
        return text.toString();
    }

    /**
     * Puts fragments together and checks that they are of one packet and that nothing is missing.
     */
    private static byte[] join(List<UdpTest.Packet> fragments, int protocol) {
        var whole = new ByteArrayOutputStream();
        for (int i = 0; i < fragments.size(); i++) {
            UdpTest.Packet f = fragments.get(i);
            assertThat(f.protocol()).isEqualTo(protocol);
            assertThat(f.id()).isEqualTo(fragments.getFirst().id()).isNotZero();
            assertThat(f.offset()).isEqualTo(whole.size());
            assertThat(f.more()).isEqualTo(i < fragments.size() - 1);
            whole.writeBytes(f.payload());
        }
        return whole.toByteArray();
    }

    private static void checkDatagram(UdpTest udp, byte[] datagram, String text) {
        assertThat(new String(datagram, 8, datagram.length - 8)).isEqualTo(text);
        assertThat(
                        Checksum.verifyTransport(
                                MemorySegment.ofArray(datagram),
                                0,
                                datagram.length,
                                IpProtocol.UDP,
                                udp.local.hi(),
                                udp.local.lo(),
                                udp.remote.hi(),
                                udp.remote.lo()))
                .isTrue();
    }

    @Test
    @Rfc({"RFC 791 section 3.2", "RFC 8200 section 4.5"})
    void a_datagram_beyond_the_mtu_leaves_in_fragments() {
        for (Setup family : List.of(IPV4, ipv6())) {
            for (int length : new int[] {1473, 2952, 3000, 8000, 65_507}) {
                try (var udp = UdpTest.start(family, tso())) {
                    String text = text(length);
                    assertThat(udp.send(udp.bound(5000), 53, text)).isEqualTo(length);
                    List<UdpTest.Packet> sent = udp.take();

                    checkDatagram(udp, join(sent, IpProtocol.UDP), text);
                    boolean v4 = family == IPV4;
                    assertThat(sent.getFirst().dontFragment()).isEqualTo(!v4);
                    assertThat(udp.counted(v4 ? Counter.IP_FRAG_OKS : Counter.IP6_FRAG_OKS))
                            .isEqualTo(1);
                    assertThat(udp.counted(v4 ? Counter.IP_FRAG_CREATES : Counter.IP6_FRAG_CREATES))
                            .isEqualTo(sent.size());
                    assertThat(udp.counted(v4 ? Counter.IP_OUT_REQUESTS : Counter.IP6_OUT_REQUESTS))
                            .isEqualTo(1);
                }
            }
        }
    }

    @Test
    void two_datagrams_have_different_identifications() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            udp.send(socket, 53, text(2000));
            int first = udp.take().getFirst().id();
            udp.send(socket, 53, text(2000));
            assertThat(udp.take().getFirst().id()).isNotEqualTo(first);
        }
    }

    @Test
    void nothing_is_longer_than_an_ip_packet() {
        try (var udp = UdpTest.start()) {
            assertThat(udp.send(udp.bound(5000), 53, text(65_508))).isEqualTo(TOO_LONG);
        }
        try (var udp = UdpTest.start(ipv6())) {
            DatagramSocket socket = udp.bound(5000);
            assertThat(udp.send(socket, 53, text(65_528))).isEqualTo(TOO_LONG);
            assertThat(udp.send(socket, 53, text(65_527))).isEqualTo(65_527);
            checkDatagram(udp, join(udp.take(), IpProtocol.UDP), text(65_527));
        }
    }

    @Test
    void what_may_not_be_fragmented_is_refused() {
        for (int mode : new int[] {DO, PROBE}) {
            try (var udp = UdpTest.start()) {
                DatagramSocket socket = udp.bound(5000);
                socket.setOption(udp.now(), SocketOption.IP_MTU_DISCOVER, mode);
                assertThat(udp.send(socket, 53, text(1473))).isEqualTo(TOO_LONG);
                assertThat(udp.send(socket, 53, text(1472))).isEqualTo(1472);
                assertThat(udp.takeOne().dontFragment()).isTrue();
            }
        }
    }

    @Test
    @Rfc("RFC 6864 section 4")
    void routers_may_fragment_what_does_not_take_part_in_discovery() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            socket.setOption(udp.now(), SocketOption.IP_MTU_DISCOVER, DONT);
            udp.send(socket, 53, "x");
            UdpTest.Packet first = udp.takeOne();
            udp.send(socket, 53, "x");
            UdpTest.Packet second = udp.takeOne();
            assertThat(first.dontFragment()).isFalse();
            assertThat(second.id()).isNotEqualTo(first.id());
        }
    }

    @Test
    @Rfc("RFC 1191 section 6.3")
    void a_router_teaches_the_path_mtu() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.connected(5000, 53);
            assertThat(socket.getOption(udp.now(), SocketOption.IP_MTU)).isEqualTo(1500);
            udp.send(socket, 53, text(1472));
            udp.deliver(udp.error(3, 4, 1000, udp.takeOne().bytes()));

            assertThat(socket.getOption(udp.now(), SocketOption.IP_MTU)).isEqualTo(1000);
            assertThat(udp.send(socket, 53, text(1472))).isEqualTo(TOO_LONG);
            assertThat(udp.send(socket, 53, text(1472))).isEqualTo(1472);
            List<UdpTest.Packet> sent = udp.take();
            assertThat(sent).hasSize(2).allMatch(p -> p.bytes().length <= 1000);
            checkDatagram(udp, join(sent, IpProtocol.UDP), text(1472));

            socket.setOption(udp.now(), SocketOption.IP_MTU_DISCOVER, DO);
            assertThat(udp.send(socket, 53, text(1000))).isEqualTo(TOO_LONG);
            socket.setOption(udp.now(), SocketOption.IP_MTU_DISCOVER, OMIT);
            assertThat(udp.send(socket, 53, text(1000))).isEqualTo(1000);
            assertThat(udp.takeOne().dontFragment()).isFalse();

            udp.after(600_000);
            assertThat(socket.getOption(udp.now(), SocketOption.IP_MTU)).isEqualTo(1500);
        }
    }

    @Test
    void an_unconnected_socket_is_told_nothing_and_fragments() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            udp.send(socket, 53, text(1472));
            udp.deliver(udp.error(3, 4, 1000, udp.takeOne().bytes()));
            assertThat(udp.send(socket, 53, text(1472))).isEqualTo(1472);
            assertThat(udp.take()).hasSize(2);
        }
    }

    @Test
    void a_path_mtu_can_only_fall() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.connected(5000, 53);
            udp.send(socket, 53, "x");
            byte[] about = udp.takeOne().bytes();
            for (int claimed : new int[] {1200, 1400, 9000}) {
                udp.deliver(udp.error(3, 4, claimed, about));
            }
            assertThat(socket.getOption(udp.now(), SocketOption.IP_MTU)).isEqualTo(1200);
        }
    }

    @Test
    void below_the_least_path_mtu_routers_fragment() {
        for (int claimed : new int[] {0, 68, 551}) {
            try (var udp = UdpTest.start()) {
                DatagramSocket socket = udp.bound(5000);
                udp.send(socket, 53, "x");
                udp.deliver(udp.error(3, 4, claimed, udp.takeOne().bytes()));

                udp.send(socket, 53, text(500));
                assertThat(udp.takeOne().dontFragment()).isFalse();
                udp.send(socket, 53, text(600));
                assertThat(udp.take()).hasSize(2).allMatch(p -> p.bytes().length <= 552);
            }
        }
    }

    @Test
    @Rfc("RFC 8201 section 4")
    void an_ipv6_path_has_at_least_1280_bytes() {
        try (var udp = UdpTest.start(ipv6())) {
            DatagramSocket socket = udp.connected(5000, 53);
            udp.send(socket, 53, "x");
            udp.deliver(udp.error(2, 0, 600, udp.takeOne().bytes()));
            assertThat(socket.getOption(udp.now(), SocketOption.IP_MTU)).isEqualTo(1280);
            assertThat(socket.takeError()).isEqualTo(TOO_LONG);
            udp.send(socket, 53, text(1300));
            assertThat(udp.take()).hasSize(2).allMatch(p -> p.bytes().length <= 1280);
        }
    }

    @Test
    void an_error_about_a_datagram_nobody_sent_teaches_nothing() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.connected(5000, 53);
            byte[] forged = UdpTest.datagram(udp.local, 4999, udp.remote, 53, new byte[9]);
            udp.deliver(udp.error(3, 4, 600, forged));
            assertThat(socket.getOption(udp.now(), SocketOption.IP_MTU)).isEqualTo(1500);
        }
    }

    @Test
    void the_send_buffer_is_charged_until_the_last_fragment_is_gone() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            udp.stallDevice();
            udp.send(socket, 53, text(5001));
            assertThat(socket.endpoint().sendMemory()).isEqualTo(Truesize.sent(5001));
            assertThat(udp.take()).hasSize(4);
            udp.releaseDevice();
            assertThat(socket.endpoint().sendMemory()).isZero();
        }
    }

    @Test
    void without_buffers_nothing_leaves_and_nothing_is_lost() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            PacketPool pool = udp.stack.packets();
            PacketBuffer one = pool.acquire(PacketPool.LARGE);
            List<PacketBuffer> all = new ArrayList<>();
            for (PacketBuffer b = pool.acquire(1600); b != null; b = pool.acquire(1600)) {
                all.add(b);
            }
            int none = SocketError.ENOBUFS.result();
            assertThat(udp.send(socket, 53, text(1000))).isEqualTo(none);
            pool.release(one); // room for the datagram, and none for its fragments
            assertThat(udp.send(socket, 53, text(5000))).isEqualTo(none);
            assertThat(udp.counted(Counter.IP_FRAG_FAILS)).isEqualTo(1);
            assertThat(udp.counted(Counter.UDP_SNDBUF_ERRORS)).isEqualTo(2);
            assertThat(socket.endpoint().sendMemory()).isZero();
            assertThat(udp.outstanding()).isEqualTo(all.size());
            all.forEach(pool::release);
            assertThat(udp.take()).isEmpty();
        }
    }

    @Test
    @Rfc("RFC 1122 section 3.2.2.6")
    void a_large_echo_request_is_answered_in_full() {
        for (Setup family : List.of(IPV4, ipv6())) {
            try (var udp = UdpTest.start(family)) {
                boolean v4 = family == IPV4;
                byte[] request = udp.error(v4 ? 8 : 128, 0, 0x12345678, text(4000).getBytes());
                for (byte[] fragment : UdpTest.fragments(request, 99, 1400, 2800)) {
                    udp.deliver(fragment);
                }
                byte[] reply = join(udp.take(), v4 ? IpProtocol.ICMP : IpProtocol.ICMPV6);
                assertThat(reply[0] & 0xff).isEqualTo(v4 ? 0 : 129);
                assertThat(new String(reply, 8, reply.length - 8)).isEqualTo(text(4000));
                IcmpHeader header = new IcmpHeader();
                MemorySegment message = MemorySegment.ofArray(reply);
                assertThat(
                                v4
                                        ? header.wrapV4(message, 0, reply.length)
                                        : header.wrapV6(
                                                message,
                                                0,
                                                reply.length,
                                                udp.local.hi(),
                                                udp.local.lo(),
                                                udp.remote.hi(),
                                                udp.remote.lo()))
                        .isNull();
            }
        }
    }
}
