package dev.sluice.runtime.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;

/** Addresses of both families, and which stack they lead to. */
@Timeout(60)
class StackAddressTest {
    private Net.Open net;

    @BeforeEach
    void open() throws Exception {
        net = Net.STACKS.open();
    }

    @AfterEach
    void close() {
        net.close();
    }

    private static InetAddress six(int last) throws Exception {
        return InetAddress.getByName(Net.PREFIX_6 + last);
    }

    private SocketChannel connect(InetAddress to, int port) throws Exception {
        SocketChannel channel = net.provider().openSocketChannel();
        channel.connect(new InetSocketAddress(to, port));
        return channel;
    }

    private static InetAddress address(java.net.SocketAddress of) {
        return ((InetSocketAddress) of).getAddress();
    }

    @Test
    void ipv6_connects_from_the_stack_that_is_on_the_link() throws Exception {
        try (ServerSocketChannel listener = net.provider().openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(six(1), 0));
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            try (SocketChannel client = connect(six(1), port);
                    SocketChannel server = listener.accept()) {
                assertThat(address(client.getLocalAddress())).isEqualTo(six(2));
                assertThat(address(server.getRemoteAddress())).isEqualTo(six(2));
                assertThat(address(server.getLocalAddress())).isEqualTo(six(1));
            }
        }
    }

    @Test
    void a_listener_on_any_address_takes_both_families_and_shows_them_as_they_are()
            throws Exception {
        try (ServerSocketChannel listener = net.provider().openServerSocketChannel()) {
            // On the default stack, which is the one with the client's addresses.
            listener.bind(new InetSocketAddress(0));
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            assertThat(address(listener.getLocalAddress())).isInstanceOf(Inet6Address.class);
            try (SocketChannel four = connect(net.client(), port);
                    SocketChannel first = listener.accept();
                    SocketChannel six = connect(six(2), port);
                    SocketChannel second = listener.accept()) {
                assertThat(address(first.getRemoteAddress())).isInstanceOf(Inet4Address.class);
                assertThat(address(four.getLocalAddress())).isEqualTo(net.server());
                assertThat(address(second.getRemoteAddress())).isEqualTo(six(1));
                assertThat(address(six.getLocalAddress())).isEqualTo(six(1));
            }
        }
    }

    @Test
    void a_listener_of_ipv4_refuses_ipv6() throws Exception {
        try (ServerSocketChannel listener =
                net.provider().openServerSocketChannel(StandardProtocolFamily.INET)) {
            assertThatThrownBy(() -> listener.bind(new InetSocketAddress(six(2), 0)))
                    .isInstanceOf(UnsupportedAddressTypeException.class);
            listener.bind(null);
            InetSocketAddress bound = (InetSocketAddress) listener.getLocalAddress();
            assertThat(bound.getAddress()).isInstanceOf(Inet4Address.class);
            connect(net.client(), bound.getPort()).close();
            listener.accept().close();
            assertThatThrownBy(() -> connect(six(2), bound.getPort()))
                    .isInstanceOf(ConnectException.class)
                    .hasMessage("Connection refused");
        }
    }

    @Test
    void loopback_is_the_default_stack() throws Exception {
        try (ServerSocketChannel listener = net.provider().openServerSocketChannel()) {
            listener.bind(new InetSocketAddress("127.0.0.1", 0));
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            try (SocketChannel client = connect(InetAddress.getByName("127.0.0.1"), port);
                    SocketChannel server = listener.accept()) {
                assertThat(((Watched) client).loop())
                        .isSameAs(((Watched) server).loop())
                        .isSameAs(net.stacks().getFirst().loop());
                assertThat(address(server.getRemoteAddress()).isLoopbackAddress()).isTrue();
            }
        }
    }

    @Test
    void what_is_on_no_link_is_asked_for_by_the_default_stack() throws Exception {
        try (SocketChannel channel =
                net.provider().openSocketChannel(StandardProtocolFamily.INET)) {
            // The only interface of the default stack takes it, as a default route would.
            channel.configureBlocking(false);
            assertThat(channel.connect(new InetSocketAddress("192.0.2.1", 9))).isFalse();
            assertThat(((Watched) channel).loop()).isSameAs(net.stacks().getFirst().loop());
            assertThat(channel.isConnectionPending()).isTrue();
        }
    }
}
