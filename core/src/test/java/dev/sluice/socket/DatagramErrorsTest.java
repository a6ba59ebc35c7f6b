package dev.sluice.socket;

import static dev.sluice.testkit.Setup.ipv6;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tcp.Readiness;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.UdpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

import java.util.List;

/** ICMP: what closed ports answer, and what errors about our datagrams mean to their sockets. */
class DatagramErrorsTest {
    private static final Setup IPV4 = Setup.mtu(1500);
    private static final int REFUSED = SocketError.ECONNREFUSED.result();

    private static byte[] portUnreachable(UdpTest udp, UdpTest.Packet about) {
        return udp.local.isIpv4()
                ? udp.error(3, 3, 0, about.bytes())
                : udp.error(1, 4, 0, about.bytes());
    }

    @Test
    @Rfc("RFC 1122 section 4.1.3.1")
    void a_closed_port_is_reported() {
        for (Setup family : List.of(IPV4, ipv6())) {
            try (var udp = UdpTest.start(family)) {
                udp.receive(4000, 5000, "anybody?");
                UdpTest.Packet error = udp.takeOne();
                assertThat(error.to()).isEqualTo(udp.remote);
                assertThat(error.icmpType()).isEqualTo(family == IPV4 ? 3 : 1);
                assertThat(error.icmpCode()).isEqualTo(family == IPV4 ? 3 : 4);
                Counter counter = family == IPV4 ? Counter.UDP_NO_PORTS : Counter.UDP6_NO_PORTS;
                assertThat(udp.counted(counter)).isEqualTo(1);
            }
        }
    }

    @Test
    @Rfc("RFC 1122 section 4.1.3.3")
    void a_connected_socket_learns_that_nobody_has_the_port() {
        for (Setup family : List.of(IPV4, ipv6())) {
            try (var udp = UdpTest.start(family)) {
                DatagramSocket socket = udp.connected(5000, 53);
                int[] told = new int[1];
                socket.signals((now, events) -> told[0] |= events);
                udp.send(socket, 53, "query");
                udp.receive(53, 5000, "queued before");
                udp.deliver(portUnreachable(udp, udp.takeOne()));

                assertThat(told[0] & Readiness.ERR).isEqualTo(Readiness.ERR);
                assertThat(socket.readySet() & Readiness.ERR).isEqualTo(Readiness.ERR);
                assertThat(socket.receive(udp.now(), new byte[9], 0, 9, 0)).isEqualTo(REFUSED);
                assertThat(socket.readySet() & Readiness.ERR).isZero();
                assertThat(udp.read(socket)).isEqualTo("queued before");
                assertThat(udp.read(socket)).isNull();
            }
        }
    }

    @Test
    void the_error_is_reported_once_by_whatever_call_comes_first() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.connected(5000, 53);
            udp.send(socket, 53, "one");
            byte[] error = portUnreachable(udp, udp.takeOne());

            udp.deliver(error);
            assertThat(udp.send(socket, 53, "two")).isEqualTo(REFUSED);
            assertThat(udp.send(socket, 53, "three")).isEqualTo(5);
            udp.deliver(error);
            assertThat(socket.getOption(udp.now(), SocketOption.SO_ERROR)).isEqualTo(-REFUSED);
            assertThat(socket.getOption(udp.now(), SocketOption.SO_ERROR)).isZero();
            udp.deliver(error);
            assertThat(socket.takeError()).isEqualTo(REFUSED);
            assertThat(udp.takeOne().text()).isEqualTo("three");
        }
    }

    @Test
    void an_unconnected_socket_is_not_troubled() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            udp.send(socket, 53, "query");
            udp.deliver(portUnreachable(udp, udp.takeOne()));

            assertThat(socket.readySet()).isEqualTo(Readiness.OUT);
            assertThat(socket.takeError()).isZero();
            assertThat(udp.counted(Counter.ICMP_IN_ERRORS)).isZero();
        }
    }

    @Test
    void an_error_about_somebody_elses_datagram_is_counted() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.connected(5000, 53);
            byte[] stranger = UdpTest.datagram(udp.local, 5000, udp.remote, 54, new byte[3]);
            byte[] unbound = UdpTest.datagram(udp.local, 5001, udp.remote, 53, new byte[3]);
            udp.deliver(udp.error(3, 3, 0, stranger)).deliver(udp.error(3, 3, 0, unbound));

            assertThat(socket.takeError()).isZero();
            assertThat(udp.counted(Counter.ICMP_IN_ERRORS)).isEqualTo(2);
            assertThat(udp.take()).as("no error about an error").isEmpty();
        }
    }

    @Test
    void each_error_has_linuxs_number_or_is_none_of_the_sockets_business() {
        int[][] cases = {
            {3, 0, 0},
            {3, 1, 0},
            {3, 2, -92},
            {3, 3, -111},
            {3, 5, 0},
            {3, 6, -101},
            {3, 7, -112},
            {3, 8, -64},
            {3, 9, -101},
            {3, 10, -113},
            {3, 11, 0},
            {3, 12, 0},
            {3, 13, -113},
            {3, 14, -113},
            {3, 15, -113},
            {11, 0, 0},
            {11, 1, 0},
            {12, 0, -71},
            {4, 0, 0}
        };
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.connected(5000, 53);
            check(udp, socket, cases);
        }
        int[][] cases6 = {
            {1, 0, 0},
            {1, 1, -13},
            {1, 2, 0},
            {1, 3, 0},
            {1, 4, -111},
            {1, 5, -13},
            {1, 6, -13},
            {3, 0, 0},
            {4, 1, -71}
        };
        try (var udp = UdpTest.start(ipv6())) {
            DatagramSocket socket = udp.connected(5000, 53);
            check(udp, socket, cases6);
        }
    }

    private static void check(UdpTest udp, DatagramSocket socket, int[][] cases) {
        byte[] about = UdpTest.datagram(udp.local, 5000, udp.remote, 53, new byte[20]);
        for (int[] c : cases) {
            udp.deliver(udp.error(c[0], c[1], 0, about));
            assertThat(socket.takeError()).as("type %d code %d", c[0], c[1]).isEqualTo(c[2]);
        }
    }

    @Test
    void errors_of_the_other_family_are_nonsense() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.connected(5000, 53);
            udp.send(socket, 53, "x");
            UdpTest.Packet sent = udp.takeOne();
            byte[] message = udp.error(3, 3, 0, sent.bytes());
            byte[] icmp6 = java.util.Arrays.copyOfRange(message, 20, message.length);
            udp.deliver(UdpTest.packet(udp.remote, udp.local, 58, icmp6));
            assertThat(socket.takeError()).isZero();
            assertThat(udp.counted(Counter.IP_IN_UNKNOWN_PROTOS)).isEqualTo(1);
            assertThat(udp.takeOne().icmpCode()).isEqualTo(2);
        }
    }
}
