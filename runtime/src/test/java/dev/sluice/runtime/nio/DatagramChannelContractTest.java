package dev.sluice.runtime.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.charset.StandardCharsets;

/** What {@code DatagramChannel} promises, alone and in a selector. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Net.class)
class DatagramChannelContractTest {
    @Parameter Net kind;

    private Net.Open net;
    private DatagramChannel server;
    private DatagramChannel client;
    private SocketAddress address;

    @BeforeEach
    void open() throws Exception {
        net = kind.open();
        server = net.provider().openDatagramChannel();
        server.bind(new InetSocketAddress(net.server(), 0));
        address = server.getLocalAddress();
        client = net.provider().openDatagramChannel();
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        server.close();
        net.close();
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String text(ByteBuffer buffer) {
        buffer.flip();
        return StandardCharsets.US_ASCII.decode(buffer).toString();
    }

    // ---- sending and receiving ---------------------------------------------------------------

    @Test
    void datagrams_go_to_and_fro_whole() throws Exception {
        assertThat(client.getLocalAddress()).isNull();
        assertThat(client.send(bytes("hello"), address)).isEqualTo(5);
        assertThat(client.send(bytes(""), address)).isZero();
        assertThat(client.send(bytes("second"), address)).isEqualTo(6);
        assertThat(((InetSocketAddress) client.getLocalAddress()).getPort()).isPositive();
        ByteBuffer into = ByteBuffer.allocateDirect(100);
        SocketAddress from = server.receive(into);
        assertThat(text(into)).isEqualTo("hello");
        assertThat(((InetSocketAddress) from).getAddress()).isEqualTo(net.client());
        assertThat(server.receive(into.clear())).isEqualTo(from);
        assertThat(into.position()).isZero();
        assertThat(server.receive(into.clear().limit(3))).isEqualTo(from);
        assertThat(text(into)).as("what has no room is lost").isEqualTo("sec");
        assertThat(server.send(bytes("answer"), from)).isEqualTo(6);
        assertThat(client.receive(into.clear())).isEqualTo(address);
        assertThat(text(into)).isEqualTo("answer");
    }

    @Test
    void a_connected_channel_talks_to_its_peer_alone() throws Exception {
        assertThat(client.isConnected()).isFalse();
        assertThat(client.connect(address)).isSameAs(client);
        assertThat(client.isConnected()).isTrue();
        assertThat(client.getRemoteAddress()).isEqualTo(address);
        InetSocketAddress own = (InetSocketAddress) client.getLocalAddress();
        assertThat(own.getAddress()).isEqualTo(net.client());
        assertThat(client.write(bytes("abc"))).isEqualTo(3);
        assertThat(client.write(new ByteBuffer[] {bytes("de"), bytes("f")})).isEqualTo(3);
        assertThat(client.send(bytes("ghi"), address)).isEqualTo(3);
        ByteBuffer into = ByteBuffer.allocate(10);
        for (String expected : new String[] {"abc", "def", "ghi"}) {
            assertThat(server.receive(into.clear())).isEqualTo(own);
            assertThat(text(into)).isEqualTo(expected);
        }
        assertThatThrownBy(() -> client.send(bytes("a"), own))
                .isInstanceOf(AlreadyConnectedException.class);
        assertThatThrownBy(() -> client.connect(address))
                .isInstanceOf(AlreadyConnectedException.class);
        try (DatagramChannel stranger = net.provider().openDatagramChannel()) {
            stranger.bind(new InetSocketAddress(net.server(), 0));
            stranger.send(bytes("strange"), own);
            server.send(bytes("known"), own);
            ByteBuffer[] parts = {ByteBuffer.allocate(2), ByteBuffer.allocate(10)};
            assertThat(client.read(parts)).isEqualTo(5);
            assertThat(text(parts[0]) + text(parts[1])).isEqualTo("known");
        }
        assertThat(client.disconnect()).isSameAs(client);
        assertThat(client.disconnect()).isSameAs(client);
        assertThat(client.isConnected()).isFalse();
        assertThat(client.getRemoteAddress()).isNull();
        assertThatThrownBy(() -> client.write(bytes("a")))
                .isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1)))
                .isInstanceOf(NotYetConnectedException.class);
    }

    @Test
    void a_port_without_anybody_is_told_to_a_connected_channel() throws Exception {
        server.close();
        client.connect(address);
        client.write(bytes("anybody?"));
        assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1)))
                .isInstanceOf(PortUnreachableException.class);
        assertThat(client.isOpen()).isTrue();
    }

    @Test
    void without_blocking_there_may_be_nothing() throws Exception {
        client.configureBlocking(false);
        assertThat(client.receive(ByteBuffer.allocate(1))).isNull();
        assertThat(client.getLocalAddress()).as("receiving binds").isNotNull();
        client.connect(address);
        assertThat(client.read(ByteBuffer.allocate(1))).isZero();
    }

    @Test
    void what_is_too_long_is_not_sent() throws Exception {
        assertThatThrownBy(() -> client.send(ByteBuffer.allocate(70_000), address))
                .isInstanceOf(SocketException.class)
                .hasMessage("Message too long");
        assertThat(client.send(ByteBuffer.allocate(65_507), address)).isEqualTo(65_507);
        ByteBuffer into = ByteBuffer.allocate(70_000);
        server.receive(into);
        assertThat(into.position()).isEqualTo(65_507);
    }

    // ---- binding and arguments ---------------------------------------------------------------

    @Test
    void binding_has_its_exceptions() throws Exception {
        assertThatThrownBy(() -> server.bind(null)).isInstanceOf(AlreadyBoundException.class);
        assertThatThrownBy(() -> client.bind(address))
                .isInstanceOf(BindException.class)
                .hasMessage("Address already in use");
        assertThatThrownBy(() -> client.bind(new SocketAddress() {}))
                .isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> client.send(bytes("a"), null))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(
                        () ->
                                client.send(
                                        bytes("a"),
                                        InetSocketAddress.createUnresolved("nowhere", 1)))
                .isInstanceOf(UnresolvedAddressException.class);
        assertThatThrownBy(() -> client.receive(ByteBuffer.allocate(1).asReadOnlyBuffer()))
                .isInstanceOf(IllegalArgumentException.class);
        client.bind(null);
        assertThat(((InetSocketAddress) client.getLocalAddress()).getAddress().isAnyLocalAddress())
                .isTrue();
        assertThat(client.validOps()).isEqualTo(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    }

    @Test
    void options_are_kept() throws Exception {
        client.setOption(StandardSocketOptions.SO_BROADCAST, true);
        client.setOption(StandardSocketOptions.SO_RCVBUF, 50_000);
        client.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        client.connect(address);
        assertThat(client.getOption(StandardSocketOptions.SO_BROADCAST)).isTrue();
        assertThat(client.getOption(StandardSocketOptions.SO_RCVBUF)).isEqualTo(50_000);
        assertThat(client.getOption(StandardSocketOptions.SO_REUSEADDR)).isTrue();
        assertThatThrownBy(() -> client.setOption(StandardSocketOptions.TCP_NODELAY, true))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    // ---- closing, interrupts, selecting ------------------------------------------------------

    @Test
    void closing_and_interrupting_wake_who_receives() throws Exception {
        Blocked closed = Blocked.run(() -> client.receive(ByteBuffer.allocate(1)));
        closed.awaitBlocked();
        client.close();
        assertThat(closed.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
        assertThatThrownBy(() -> client.receive(ByteBuffer.allocate(1)))
                .isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> client.send(bytes("a"), address))
                .isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(client::getLocalAddress)
                .isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(client::getRemoteAddress)
                .isExactlyInstanceOf(ClosedChannelException.class);
        assertThat(client.disconnect()).isSameAs(client);
        Blocked interrupted = Blocked.run(() -> server.receive(ByteBuffer.allocate(1)));
        interrupted.awaitBlocked();
        interrupted.thread().interrupt();
        assertThat(interrupted.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
        assertThat(interrupted.wasInterrupted()).isTrue();
        assertThat(server.isOpen()).isFalse();
    }

    @Test
    void a_selector_tells_of_datagrams() throws Exception {
        try (Selector selector = net.provider().openSelector()) {
            server.configureBlocking(false);
            SelectionKey key = server.register(selector, SelectionKey.OP_READ);
            assertThat(selector.selectNow()).isZero();
            client.send(bytes("a"), address);
            client.send(bytes("b"), address);
            for (String expected : new String[] {"a", "b"}) {
                assertThat(selector.select()).isEqualTo(1);
                assertThat(key.isReadable()).isTrue();
                selector.selectedKeys().clear();
                ByteBuffer into = ByteBuffer.allocate(1);
                server.receive(into);
                assertThat(text(into)).isEqualTo(expected);
            }
            assertThat(selector.selectNow()).isZero();
            key.interestOps(SelectionKey.OP_WRITE);
            assertThat(selector.select()).isEqualTo(1);
            assertThat(key.isWritable()).isTrue();
        }
    }
}
