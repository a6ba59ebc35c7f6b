package dev.sluice.socket;

import static dev.sluice.testkit.Setup.ipv6;
import static dev.sluice.testkit.Setup.sysctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.UdpTest;
import dev.sluice.trace.Counter;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Which socket a datagram is for, and who may have which address. */
class DatagramAddressesTest {
    private static final int IN_USE = SocketError.EADDRINUSE.result();

    private static IpAddress address(String text) {
        return IpAddress.parse(text).address();
    }

    private static void reuse(DatagramSocket socket, SocketOption option) {
        assertThat(socket.setOption(0, option, 1)).isZero();
    }

    @Test
    void an_address_belongs_to_one_socket() {
        try (var udp = UdpTest.start()) {
            udp.bound(5000);
            assertThat(udp.socket().bind(udp.local, 5000)).isEqualTo(IN_USE);
            assertThat(udp.socket().bind(IpAddress.ANY4, 5000)).isEqualTo(IN_USE);
            assertThat(udp.socket().bind(IpAddress.ANY6, 5000)).isEqualTo(IN_USE);
            assertThat(udp.socket().bind(udp.local, 5001)).isZero();
            assertThat(udp.socket().bind(IpAddress.ANY6, 5001)).isEqualTo(IN_USE);
        }
    }

    @Test
    void different_addresses_share_a_port() {
        try (var udp = UdpTest.start()) {
            udp.iface.addAddress(address("192.0.2.9"), 24);
            DatagramSocket one = udp.socket();
            DatagramSocket other = udp.socket();
            assertThat(one.bind(udp.local, 5000)).isZero();
            assertThat(other.bind(address("192.0.2.9"), 5000)).isZero();

            udp.receive(1, 5000, "first");
            assertThat(udp.read(other)).isNull();
            assertThat(udp.read(one)).isEqualTo("first");
        }
    }

    @Test
    void families_share_a_port_if_ipv6_keeps_to_itself() {
        try (var udp = UdpTest.start()) {
            DatagramSocket six = udp.socket();
            reuse(six, SocketOption.IPV6_V6ONLY);
            assertThat(six.bind(IpAddress.ANY6, 5000)).isZero();
            DatagramSocket four = udp.ipv4Socket();
            assertThat(four.bind(IpAddress.ANY4, 5000)).isZero();

            udp.receive(1, 5000, "four");
            assertThat(udp.read(six)).isNull();
            assertThat(udp.read(four)).isEqualTo("four");
            assertThat(udp.send(six, 53, "x")).isEqualTo(SocketError.ENETUNREACH.result());
            assertThat(four.bind(IpAddress.ANY6, 1)).isEqualTo(SocketError.EINVAL.result());
            assertThat(udp.ipv4Socket().bind(IpAddress.ANY6, 1))
                    .isEqualTo(SocketError.EAFNOSUPPORT.result());
        }
    }

    @Test
    void reuseaddr_shares_if_both_ask_and_the_newest_receives() {
        try (var udp = UdpTest.start()) {
            DatagramSocket old = udp.socket();
            DatagramSocket young = udp.socket();
            DatagramSocket alone = udp.socket();
            reuse(old, SocketOption.SO_REUSEADDR);
            reuse(young, SocketOption.SO_REUSEADDR);
            assertThat(old.bind(udp.local, 5000)).isZero();
            assertThat(young.bind(udp.local, 5000)).isZero();
            assertThat(alone.bind(udp.local, 5000)).isEqualTo(IN_USE);

            udp.receive(1, 5000, "x");
            assertThat(udp.read(old)).isNull();
            assertThat(udp.read(young)).isEqualTo("x");
            young.close(udp.now());
            udp.receive(1, 5000, "y");
            assertThat(udp.read(old)).isEqualTo("y");
        }
    }

    @Test
    void reuseport_spreads_flows_and_keeps_each_together() {
        try (var udp = UdpTest.start()) {
            List<DatagramSocket> group = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                DatagramSocket socket = udp.socket();
                reuse(socket, SocketOption.SO_REUSEPORT);
                assertThat(socket.bind(IpAddress.ANY6, 5000)).isZero();
                group.add(socket);
            }
            for (int port = 1; port <= 200; port++) {
                udp.receive(port, 5000, "a").receive(port, 5000, "b");
            }
            for (DatagramSocket socket : group) {
                assertThat(socket.endpoint().queued()).isBetween(40, 170);
                int port = -1;
                while (socket.nextLength() > 0) {
                    String text = udp.read(socket);
                    if (text.equals("b")) {
                        assertThat(socket.senderPort()).isEqualTo(port);
                    }
                    port = socket.senderPort();
                }
            }
        }
    }

    @Test
    void the_most_specific_socket_receives() {
        try (var udp = UdpTest.start()) {
            DatagramSocket any = udp.socket();
            DatagramSocket specific = udp.socket();
            DatagramSocket connected = udp.socket();
            for (DatagramSocket s : List.of(any, specific, connected)) {
                reuse(s, SocketOption.SO_REUSEADDR);
            }
            assertThat(connected.bind(udp.local, 5000)).isZero();
            assertThat(connected.connect(udp.now(), udp.remote, 77)).isZero();
            assertThat(specific.bind(udp.local, 5000)).isZero();
            assertThat(any.bind(IpAddress.ANY6, 5000)).isZero();

            udp.receive(77, 5000, "peer").receive(78, 5000, "stranger");
            assertThat(udp.read(connected)).isEqualTo("peer");
            assertThat(udp.read(specific)).isEqualTo("stranger");
            assertThat(udp.read(any)).isNull();
        }
    }

    @Test
    void a_connected_socket_hears_its_peer_alone() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.connected(5000, 77);
            udp.receive(78, 5000, "stranger");
            udp.deliver(
                    UdpTest.datagram(
                            address("192.0.2.7"), 77, udp.local, 5000, "other host".getBytes()));
            udp.receive(77, 5000, "peer");

            assertThat(udp.read(socket)).isEqualTo("peer");
            assertThat(udp.read(socket)).isNull();
            assertThat(udp.counted(Counter.UDP_NO_PORTS)).isEqualTo(2);
            udp.take();
        }
    }

    @Test
    void connecting_binds_and_disconnecting_gives_up_what_was_not_asked_for() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.socket();
            assertThat(socket.localPort()).isZero();
            assertThat(socket.localAddress()).isEqualTo(IpAddress.ANY6);
            assertThat(socket.connect(udp.now(), udp.remote, 53)).isZero();
            assertThat(socket.localAddress()).isEqualTo(udp.local);
            assertThat(socket.localPort()).isBetween(32_768, 60_999);
            assertThat(socket.remoteAddress()).isEqualTo(udp.remote);
            assertThat(socket.remotePort()).isEqualTo(53);
            byte[] bytes = "hi".getBytes();
            assertThat(socket.send(udp.now(), bytes, 0, 2, null, 0, 0)).isEqualTo(2);
            assertThat(udp.takeOne().destinationPort()).isEqualTo(53);
            assertThat(udp.send(socket, 99, "elsewhere")).isEqualTo(9);
            assertThat(udp.takeOne().destinationPort()).isEqualTo(99);

            assertThat(socket.disconnect(udp.now())).isZero();
            assertThat(socket.isConnected()).isFalse();
            assertThat(socket.remoteAddress()).isNull();
            assertThat(socket.localPort()).isZero();
            assertThat(socket.localAddress()).isEqualTo(IpAddress.ANY6);
            assertThat(socket.send(udp.now(), bytes, 0, 2, null, 0, 0))
                    .isEqualTo(SocketError.EDESTADDRREQ.result());
            assertThat(socket.bind(udp.local, 6000)).isZero();
            assertThat(socket.connect(udp.now(), udp.remote, 53)).isZero();
            assertThat(socket.connect(udp.now(), udp.remote, 54)).isZero();
            assertThat(socket.remotePort()).isEqualTo(54);
            assertThat(socket.disconnect(udp.now())).isZero();
            assertThat(socket.localPort()).isEqualTo(6000);
            assertThat(socket.localAddress()).isEqualTo(udp.local);
        }
    }

    @Test
    void sending_binds_to_any_address() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.socket();
            udp.send(socket, 53, "x");
            int port = udp.takeOne().sourcePort();

            assertThat(socket.localPort()).isEqualTo(port).isBetween(32_768, 60_999);
            assertThat(socket.localAddress()).isEqualTo(IpAddress.ANY6);
            udp.receive(53, port, "answer");
            assertThat(udp.read(socket)).isEqualTo("answer");
            assertThat(socket.bind(IpAddress.ANY6, 1)).isEqualTo(SocketError.EINVAL.result());
        }
    }

    @Test
    void every_port_of_the_range_is_given_out_and_none_twice() {
        try (var udp = UdpTest.start(sysctl("net.ipv4.ip_local_port_range", "50000 50199"))) {
            boolean[] seen = new boolean[200];
            boolean ascending = true;
            int last = 0;
            for (int i = 0; i < 200; i++) {
                DatagramSocket socket = udp.socket();
                assertThat(socket.bind(udp.local, 0)).isZero();
                int port = socket.localPort();
                assertThat(seen[port - 50_000]).isFalse();
                seen[port - 50_000] = true;
                ascending &= port > last;
                last = port;
            }
            assertThat(ascending).isFalse();
            assertThat(udp.socket().bind(udp.local, 0)).isEqualTo(IN_USE);
            assertThat(udp.send(udp.socket(), 53, "x")).isEqualTo(SocketError.EAGAIN.result());
        }
    }

    @Test
    void addresses_that_are_not_ours_cannot_be_had() {
        int notAvailable = SocketError.EADDRNOTAVAIL.result();
        try (var udp = UdpTest.start()) {
            assertThat(udp.socket().bind(udp.remote, 1)).isEqualTo(notAvailable);
            assertThat(udp.socket().bind(address("224.0.0.1"), 1)).isEqualTo(notAvailable);
            assertThat(udp.socket().bind(udp.local, -1)).isEqualTo(SocketError.EINVAL.result());
            assertThat(udp.socket().bind(udp.local, 65_536)).isEqualTo(SocketError.EINVAL.result());
        }
        try (var udp = UdpTest.start(sysctl("net.ipv4.ip_nonlocal_bind", 1))) {
            assertThat(udp.socket().bind(udp.remote, 1)).isZero();
        }
    }

    @Test
    void destinations_that_cannot_be_are_refused() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.socket();
            byte[] b = new byte[1];
            long now = udp.now();
            assertThat(socket.send(now, b, 0, 1, null, 0, 0))
                    .isEqualTo(SocketError.EDESTADDRREQ.result());
            assertThat(socket.send(now, b, 0, 1, udp.remote, 0, 0))
                    .isEqualTo(SocketError.EINVAL.result());
            for (IpAddress here : List.of(IpAddress.ANY4, IpAddress.ANY6, address("127.0.0.1"))) {
                assertThat(socket.send(now, b, 0, 1, here, 5, 0))
                        .as("without a loopback interface")
                        .isEqualTo(SocketError.ENETUNREACH.result());
            }
            assertThat(socket.send(now, b, 0, 1, address("239.1.2.3"), 5, 0))
                    .isEqualTo(SocketError.EOPNOTSUPP.result());
            assertThat(socket.send(now, b, 0, 1, address("2001:db8::7"), 5, 0))
                    .isEqualTo(SocketError.ENETUNREACH.result());
            assertThat(udp.ipv4Socket().send(now, b, 0, 1, address("2001:db8::7"), 5, 0))
                    .isEqualTo(SocketError.EAFNOSUPPORT.result());
            assertThat(socket.connect(now, address("2001:db8::7"), 5))
                    .isEqualTo(SocketError.ENETUNREACH.result());
            assertThat(socket.isConnected()).isFalse();

            DatagramSocket four = udp.socket();
            assertThat(four.bind(udp.local, 5000)).isZero();
            assertThat(four.send(now, b, 0, 1, address("2001:db8::7"), 5, 0))
                    .isEqualTo(SocketError.EAFNOSUPPORT.result());
        }
    }

    @Test
    @Rfc("RFC 1122 section 4.1.3.3")
    void broadcasts_need_leave_to_go_out() {
        try (var udp = UdpTest.start()) {
            DatagramSocket socket = udp.bound(5000);
            for (String to : List.of("192.0.2.255", "255.255.255.255")) {
                byte[] b = "all".getBytes();
                socket.setOption(udp.now(), SocketOption.SO_BROADCAST, 0);
                assertThat(socket.send(udp.now(), b, 0, 3, address(to), 9, 0))
                        .isEqualTo(SocketError.EACCES.result());
                assertThat(socket.connect(udp.now(), address(to), 9))
                        .isEqualTo(SocketError.EACCES.result());
                socket.setOption(udp.now(), SocketOption.SO_BROADCAST, 1);
                assertThat(socket.send(udp.now(), b, 0, 3, address(to), 9, 0)).isEqualTo(3);
                assertThat(udp.takeOne().to()).isEqualTo(address(to));
            }
        }
    }

    @Test
    @Rfc("RFC 1122 section 3.3.6")
    void broadcasts_reach_everybody_on_the_port_and_are_not_answered() {
        try (var udp = UdpTest.start()) {
            IpAddress all = address("192.0.2.255");
            DatagramSocket any = udp.socket();
            DatagramSocket broadcastOnly = udp.socket();
            DatagramSocket unicastOnly = udp.socket();
            for (DatagramSocket s : List.of(any, broadcastOnly, unicastOnly)) {
                reuse(s, SocketOption.SO_REUSEADDR);
            }
            assertThat(any.bind(IpAddress.ANY6, 5000)).isZero();
            assertThat(broadcastOnly.bind(all, 5000)).isZero();
            assertThat(unicastOnly.bind(udp.local, 5000)).isZero();

            udp.deliver(UdpTest.datagram(udp.remote, 1, all, 5000, "to all".getBytes()));
            udp.deliver(UdpTest.datagram(udp.remote, 1, all, 5001, "nobody".getBytes()));
            udp.deliver(
                    UdpTest.datagram(
                            udp.remote, 1, address("255.255.255.255"), 5000, "limited".getBytes()));
            assertThat(udp.read(any)).isEqualTo("to all");
            assertThat(udp.read(any)).isEqualTo("limited");
            assertThat(any.sender()).isEqualTo(udp.remote);
            assertThat(udp.read(broadcastOnly)).isEqualTo("to all");
            assertThat(broadcastOnly.senderPort()).isEqualTo(1);
            assertThat(udp.read(broadcastOnly)).isNull();
            assertThat(udp.read(unicastOnly)).isNull();
            assertThat(udp.take()).isEmpty();

            assertThat(udp.send(broadcastOnly, 53, "x")).isEqualTo(1);
            assertThat(udp.takeOne().from()).isEqualTo(udp.local);
        }
    }

    @Test
    void a_socket_for_both_families_talks_to_both() {
        try (var udp = UdpTest.start(ipv6())) {
            udp.iface.addAddress(address("192.0.2.1"), 24);
            DatagramSocket socket = udp.bound(5000);
            IpAddress four = address("192.0.2.2");

            assertThat(socket.send(udp.now(), new byte[1], 0, 1, four, 9, 0)).isEqualTo(1);
            assertThat(udp.takeOne().from()).isEqualTo(address("192.0.2.1"));
            udp.deliver(UdpTest.datagram(four, 9, address("192.0.2.1"), 5000, "four".getBytes()));
            udp.receive(9, 5000, "six");
            assertThat(udp.read(socket)).isEqualTo("four");
            assertThat(socket.sender()).isEqualTo(four);
            assertThat(udp.read(socket)).isEqualTo("six");
            assertThat(socket.sender()).isEqualTo(udp.remote);
        }
    }

    @Test
    void many_sockets_are_found_by_their_ports() {
        try (var udp = UdpTest.start()) {
            List<DatagramSocket> sockets = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                sockets.add(udp.bound(1000 + i));
            }
            for (int i = 0; i < 1000; i += 2) {
                sockets.get(i).close(udp.now());
            }
            for (int i = 0; i < 1000; i++) {
                udp.receive(1, 1000 + i, "to " + i);
            }
            for (int i = 1; i < 1000; i += 2) {
                assertThat(udp.read(sockets.get(i))).isEqualTo("to " + i);
            }
            assertThat(udp.counted(Counter.UDP_NO_PORTS)).isEqualTo(500);
            assertThat(udp.stack.udp().endpoints()).isEqualTo(500);
        }
    }
}
