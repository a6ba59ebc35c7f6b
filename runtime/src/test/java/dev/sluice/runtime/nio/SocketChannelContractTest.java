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

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** What {@code SocketChannel} and {@code ServerSocketChannel} promise, without a selector. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Net.class)
class SocketChannelContractTest {
    /** More than both sides buffer. */
    private static final int LARGE = 64 << 20;

    @Parameter Net kind;

    private Net.Open net;

    @BeforeEach
    void open() throws Exception {
        net = kind.open();
    }

    @AfterEach
    void close() {
        net.close();
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String text(ByteBuffer buffer) {
        buffer.flip();
        return StandardCharsets.US_ASCII.decode(buffer).toString();
    }

    /** Reads exactly so many bytes. */
    private static String read(SocketChannel from, int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(count);
        while (buffer.hasRemaining()) {
            assertThat(from.read(buffer)).isPositive();
        }
        return text(buffer);
    }

    // ---- opening -----------------------------------------------------------------------------

    @Test
    void a_connection_carries_bytes_both_ways_and_knows_its_addresses() throws Exception {
        try (ServerSocketChannel listener = net.listen();
                SocketChannel client = net.provider().openSocketChannel()) {
            SocketAddress address = listener.getLocalAddress();
            assertThat(client.isConnected()).isFalse();
            assertThat(client.getLocalAddress()).isNull();
            assertThat(client.getRemoteAddress()).isNull();
            assertThat(client.connect(address)).isTrue();
            try (SocketChannel server = listener.accept()) {
                assertThat(client.isConnected()).isTrue();
                assertThat(client.isConnectionPending()).isFalse();
                assertThat(server.isConnected()).isTrue();
                assertThat(server.isBlocking()).isTrue();
                assertThat(client.getRemoteAddress()).isEqualTo(address);
                assertThat(server.getLocalAddress()).isEqualTo(address);
                assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
                InetSocketAddress own = (InetSocketAddress) client.getLocalAddress();
                assertThat(own.getAddress()).isEqualTo(net.client());
                assertThat(client.write(bytes("hello"))).isEqualTo(5);
                assertThat(read(server, 5)).isEqualTo("hello");
                assertThat(server.write(bytes("world!"))).isEqualTo(6);
                assertThat(read(client, 6)).isEqualTo("world!");
            }
        }
    }

    @Test
    void a_refused_connection_says_so_and_closes_the_channel() throws Exception {
        SocketChannel client = net.provider().openSocketChannel();
        assertThatThrownBy(() -> client.connect(net.nobody()))
                .isInstanceOf(ConnectException.class)
                .hasMessage("Connection refused");
        assertThat(client.isOpen()).isFalse();
    }

    @Test
    void a_refused_connection_of_a_non_blocking_channel_is_told_by_finishConnect()
            throws Exception {
        SocketChannel client = net.provider().openSocketChannel();
        client.configureBlocking(false);
        assertThatThrownBy(
                        () -> {
                            client.connect(net.nobody());
                            while (!client.finishConnect()) {
                                Thread.onSpinWait();
                            }
                        })
                .isInstanceOf(ConnectException.class)
                .hasMessage("Connection refused");
        assertThat(client.isOpen()).isFalse();
    }

    @Test
    void a_non_blocking_connect_is_finished_later() throws Exception {
        try (ServerSocketChannel listener = net.listen();
                SocketChannel client = net.provider().openSocketChannel()) {
            client.configureBlocking(false);
            boolean connected = client.connect(listener.getLocalAddress());
            assertThat(client.isConnectionPending()).isEqualTo(!connected);
            if (!connected) {
                assertThatThrownBy(() -> client.connect(listener.getLocalAddress()))
                        .isInstanceOf(ConnectionPendingException.class);
                assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1)))
                        .isInstanceOf(NotYetConnectedException.class);
                assertThatThrownBy(() -> client.bind(null))
                        .isInstanceOf(ConnectionPendingException.class);
            }
            while (!client.finishConnect()) {
                Thread.onSpinWait();
            }
            assertThat(client.finishConnect()).isTrue();
            assertThat(client.isConnected()).isTrue();
            assertThat(client.isConnectionPending()).isFalse();
            listener.accept().close();
        }
    }

    @Test
    void finishConnect_in_blocking_mode_waits() throws Exception {
        try (ServerSocketChannel listener = net.listen();
                SocketChannel client = net.provider().openSocketChannel()) {
            client.configureBlocking(false);
            client.connect(listener.getLocalAddress());
            client.configureBlocking(true);
            assertThat(client.finishConnect()).isTrue();
            listener.accept().close();
        }
    }

    @Test
    void connecting_has_its_exceptions() throws Exception {
        try (SocketChannel client = net.provider().openSocketChannel()) {
            assertThatThrownBy(client::finishConnect)
                    .isInstanceOf(NoConnectionPendingException.class);
            assertThatThrownBy(() -> client.connect(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> client.connect(new SocketAddress() {}))
                    .isInstanceOf(UnsupportedAddressTypeException.class);
            assertThatThrownBy(
                            () -> client.connect(InetSocketAddress.createUnresolved("nowhere", 1)))
                    .isInstanceOf(UnresolvedAddressException.class);
            assertThat(client.isOpen()).isTrue();
        }
        SocketChannel closed = net.provider().openSocketChannel();
        closed.close();
        assertThatThrownBy(() -> closed.connect(net.nobody()))
                .isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(closed::finishConnect).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(closed::getLocalAddress).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(closed::getRemoteAddress).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> closed.configureBlocking(false))
                .isInstanceOf(ClosedChannelException.class);
        try (Net.Pair pair = net.connect()) {
            assertThatThrownBy(() -> pair.client().connect(net.nobody()))
                    .isInstanceOf(AlreadyConnectedException.class);
            assertThat(pair.client().isOpen()).isTrue();
        }
    }

    @Test
    void what_is_not_connected_cannot_be_read_written_or_shut_down() throws Exception {
        try (SocketChannel client = net.provider().openSocketChannel()) {
            assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1)))
                    .isInstanceOf(NotYetConnectedException.class);
            assertThatThrownBy(() -> client.write(bytes("a")))
                    .isInstanceOf(NotYetConnectedException.class);
            assertThatThrownBy(client::shutdownInput).isInstanceOf(NotYetConnectedException.class);
            assertThatThrownBy(client::shutdownOutput).isInstanceOf(NotYetConnectedException.class);
        }
    }

    @Test
    void the_wildcard_as_a_destination_is_this_host() throws Exception {
        try (ServerSocketChannel listener = net.provider().openServerSocketChannel();
                SocketChannel client = net.provider().openSocketChannel()) {
            listener.bind(null);
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            assertThat(client.connect(new InetSocketAddress(port))).isTrue();
            listener.accept().close();
        }
    }

    // ---- binding -----------------------------------------------------------------------------

    @Test
    void binding_chooses_a_port_at_once() throws Exception {
        try (SocketChannel client = net.provider().openSocketChannel()) {
            client.bind(new InetSocketAddress(net.client(), 0));
            InetSocketAddress bound = (InetSocketAddress) client.getLocalAddress();
            assertThat(bound.getAddress()).isEqualTo(net.client());
            assertThat(bound.getPort()).isPositive();
            assertThatThrownBy(() -> client.bind(null)).isInstanceOf(AlreadyBoundException.class);
            try (ServerSocketChannel listener = net.listen()) {
                client.connect(listener.getLocalAddress());
                try (SocketChannel server = listener.accept()) {
                    assertThat(server.getRemoteAddress()).isEqualTo(bound);
                    assertThat(client.getLocalAddress()).isEqualTo(bound);
                }
            }
        }
    }

    @Test
    void a_port_that_is_taken_or_an_address_of_somebody_else_cannot_be_bound() throws Exception {
        try (ServerSocketChannel listener = net.listen();
                ServerSocketChannel second = net.provider().openServerSocketChannel()) {
            SocketAddress address = listener.getLocalAddress();
            assertThatThrownBy(() -> second.bind(address))
                    .isInstanceOf(BindException.class)
                    .hasMessage("Address already in use");
            assertThat(second.getLocalAddress()).isNull();
            assertThatThrownBy(() -> second.bind(new InetSocketAddress("192.0.2.99", 0)))
                    .isInstanceOf(BindException.class)
                    .hasMessage("Cannot assign requested address");
            assertThatThrownBy(() -> second.bind(new SocketAddress() {}))
                    .isInstanceOf(UnsupportedAddressTypeException.class);
            second.bind(null);
            assertThatThrownBy(() -> second.bind(null)).isInstanceOf(AlreadyBoundException.class);
        }
    }

    @Test
    void a_port_is_free_again_after_closing() throws Exception {
        InetSocketAddress address = net.nobody();
        for (int i = 0; i < 3; i++) {
            try (ServerSocketChannel listener = net.provider().openServerSocketChannel()) {
                listener.bind(address);
                try (SocketChannel client = net.provider().openSocketChannel()) {
                    client.connect(address);
                    // The server closes first, so the connection's TIME_WAIT is on this port.
                    listener.accept().close();
                    assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1);
                }
            }
        }
    }

    @Test
    void accepting_has_its_exceptions() throws Exception {
        ServerSocketChannel listener = net.provider().openServerSocketChannel();
        assertThatThrownBy(listener::accept).isInstanceOf(NotYetBoundException.class);
        listener.bind(new InetSocketAddress(net.server(), 0));
        assertThat(listener.configureBlocking(false)).isSameAs(listener);
        assertThat(listener.accept()).isNull();
        assertThat(listener.validOps()).isEqualTo(SelectionKey.OP_ACCEPT);
        listener.close();
        assertThatThrownBy(listener::accept).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> listener.bind(null)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(listener::getLocalAddress).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void families_are_checked() {
        assertThatThrownBy(() -> net.provider().openSocketChannel(null).close())
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(
                        () -> {
                            try (SocketChannel v4 =
                                    net.provider().openSocketChannel(StandardProtocolFamily.INET)) {
                                v4.connect(new InetSocketAddress("::1", 1));
                            }
                        })
                .isInstanceOf(UnsupportedAddressTypeException.class);
    }

    // ---- data --------------------------------------------------------------------------------

    @Test
    void buffers_of_every_kind_are_filled_and_drained() throws Exception {
        try (Net.Pair pair = net.connect()) {
            ByteBuffer direct = ByteBuffer.allocateDirect(10).put(bytes("0123456789")).flip();
            direct.position(2).limit(6);
            assertThat(pair.client().write(direct)).isEqualTo(4);
            assertThat(direct.position()).isEqualTo(6);
            assertThat(direct.limit()).isEqualTo(6);
            assertThat(pair.client().write(bytes("abc").asReadOnlyBuffer())).isEqualTo(3);
            assertThat(pair.client().write(bytes("xyz").slice(1, 2))).isEqualTo(2);
            ByteBuffer into = ByteBuffer.allocateDirect(20);
            into.position(3).limit(12);
            while (into.hasRemaining()) {
                assertThat(pair.server().read(into)).isPositive();
            }
            assertThat(text(into)).endsWith("2345abcyz");
            assertThat(pair.server().read(ByteBuffer.allocate(0))).isZero();
            assertThat(pair.server().write(ByteBuffer.allocate(0))).isZero();
            assertThatThrownBy(() -> pair.server().read(ByteBuffer.allocate(1).asReadOnlyBuffer()))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> pair.server().read((ByteBuffer) null))
                    .isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> pair.server().write((ByteBuffer) null))
                    .isInstanceOf(NullPointerException.class);
        }
    }

    @Test
    void gathering_and_scattering_go_over_the_buffers_in_order() throws Exception {
        try (Net.Pair pair = net.connect()) {
            ByteBuffer[] from = {
                bytes("skipped"), bytes("one"), ByteBuffer.allocate(0), bytes("two"), bytes("three")
            };
            assertThat(pair.client().write(from, 1, 4)).isEqualTo(11);
            assertThat(from[0].position()).isZero();
            assertThat(from[4].hasRemaining()).isFalse();
            ByteBuffer[] into = {
                ByteBuffer.allocate(2), ByteBuffer.allocate(0), ByteBuffer.allocateDirect(9)
            };
            while (into[2].hasRemaining()) {
                assertThat(pair.server().read(into)).isPositive();
            }
            assertThat(text(into[0])).isEqualTo("on");
            assertThat(text(into[2])).isEqualTo("etwothree");
            assertThat(pair.server().read(into, 0, 2)).isZero();
            assertThatThrownBy(() -> pair.server().read(into, 2, 2))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> pair.client().write(from, -1, 1))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void a_blocking_write_writes_everything() throws Exception {
        try (Net.Pair pair = net.connect()) {
            Blocked reader =
                    Blocked.run(
                            () -> {
                                ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
                                long total = 0;
                                for (int n = 0; n >= 0; n = pair.server().read(buffer)) {
                                    total += n;
                                    buffer.clear();
                                }
                                return total;
                            });
            assertThat(pair.client().write(ByteBuffer.allocate(LARGE))).isEqualTo(LARGE);
            pair.client().shutdownOutput();
            assertThat(reader.result()).isEqualTo((long) LARGE);
        }
    }

    @Test
    void a_non_blocking_write_takes_what_there_is_room_for() throws Exception {
        try (Net.Pair pair = net.connect()) {
            pair.client().configureBlocking(false);
            assertThat(pair.client().read(ByteBuffer.allocate(1))).isZero();
            ByteBuffer large = ByteBuffer.allocate(LARGE);
            int first = pair.client().write(large);
            assertThat(first).isPositive().isLessThan(LARGE);
            assertThat(large.position()).isEqualTo(first);
        }
    }

    // ---- shutting down -----------------------------------------------------------------------

    @Test
    void the_end_of_the_stream_is_minus_one_and_the_other_direction_lives() throws Exception {
        try (Net.Pair pair = net.connect()) {
            pair.client().write(bytes("last"));
            assertThat(pair.client().shutdownOutput()).isSameAs(pair.client());
            pair.client().shutdownOutput();
            assertThat(read(pair.server(), 4)).isEqualTo("last");
            ByteBuffer one = ByteBuffer.allocate(1);
            assertThat(pair.server().read(one)).isEqualTo(-1);
            assertThat(pair.server().read(new ByteBuffer[] {one, one})).isEqualTo(-1);
            pair.server().configureBlocking(false);
            assertThat(pair.server().read(one)).isEqualTo(-1);
            pair.server().write(bytes("answer"));
            assertThat(read(pair.client(), 6)).isEqualTo("answer");
            assertThatThrownBy(() -> pair.client().write(bytes("more")))
                    .isInstanceOf(ClosedChannelException.class);
            assertThat(pair.client().isOpen()).isTrue();
        }
    }

    @Test
    void input_that_is_shut_down_reads_as_the_end() throws Exception {
        try (Net.Pair pair = net.connect()) {
            pair.client().write(bytes("unread"));
            pair.server().shutdownInput();
            assertThat(pair.server().read(ByteBuffer.allocate(1))).isEqualTo(-1);
            assertThat(pair.server().shutdownInput()).isSameAs(pair.server());
            pair.server().write(bytes("ok"));
            assertThat(read(pair.client(), 2)).isEqualTo("ok");
        }
    }

    @Test
    void a_reset_is_an_exception_each_time() throws Exception {
        try (Net.Pair pair = net.connect()) {
            pair.client().setOption(StandardSocketOptions.SO_LINGER, 0);
            pair.client().close();
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> pair.server().read(ByteBuffer.allocate(1)))
                        .isInstanceOf(SocketException.class)
                        .hasMessage("Connection reset");
            }
            assertThatThrownBy(() -> pair.server().write(bytes("a")))
                    .isInstanceOf(IOException.class)
                    .hasMessage("Broken pipe");
            assertThat(pair.server().isOpen()).isTrue();
        }
    }

    @Test
    void writing_to_who_has_reset_the_connection_tells_why_once() throws Exception {
        try (Net.Pair pair = net.connect()) {
            pair.server().configureBlocking(false);
            pair.client().setOption(StandardSocketOptions.SO_LINGER, 0);
            pair.client().close();
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    pair.server().write(bytes("a"));
                                }
                            })
                    .isInstanceOf(IOException.class)
                    .hasMessage("Connection reset by peer");
            assertThatThrownBy(() -> pair.server().write(bytes("a")))
                    .isInstanceOf(IOException.class)
                    .hasMessage("Broken pipe");
        }
    }

    @Test
    void closing_with_unread_bytes_resets_the_peer() throws Exception {
        try (Net.Pair pair = net.connect()) {
            pair.client().write(bytes("unread"));
            pair.server().read(ByteBuffer.allocate(1));
            pair.server().close();
            assertThatThrownBy(() -> pair.client().read(ByteBuffer.allocate(1)))
                    .isInstanceOf(SocketException.class)
                    .hasMessage("Connection reset");
        }
    }

    // ---- close and interrupt from other threads ----------------------------------------------

    @Test
    void closing_wakes_a_reader_a_writer_an_acceptor() throws Exception {
        Net.Pair pair = net.connect();
        Blocked reader = Blocked.run(() -> pair.client().read(ByteBuffer.allocate(1)));
        Blocked writer =
                Blocked.run(
                        () -> {
                            while (true) {
                                pair.client().write(ByteBuffer.allocate(LARGE));
                            }
                        });
        reader.awaitBlocked();
        writer.awaitBlocked();
        pair.client().close();
        assertThat(reader.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
        assertThat(writer.failure()).isInstanceOf(ClosedChannelException.class);
        pair.close();
        ServerSocketChannel listener = net.listen();
        Blocked acceptor = Blocked.run(listener::accept);
        acceptor.awaitBlocked();
        listener.close();
        assertThat(acceptor.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void an_interrupt_closes_the_channel_and_is_remembered() throws Exception {
        try (Net.Pair pair = net.connect();
                Net.Pair second = net.connect();
                ServerSocketChannel listener = net.listen()) {
            Blocked reader = Blocked.run(() -> pair.client().read(ByteBuffer.allocate(1)));
            Blocked acceptor = Blocked.run(listener::accept);
            Blocked writer = Blocked.run(() -> second.server().write(ByteBuffer.allocate(LARGE)));
            for (Blocked blocked : new Blocked[] {reader, acceptor, writer}) {
                blocked.awaitBlocked();
                blocked.thread().interrupt();
                assertThat(blocked.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
                assertThat(blocked.wasInterrupted()).isTrue();
            }
            assertThat(pair.client().isOpen()).isFalse();
            assertThat(listener.isOpen()).isFalse();
            assertThat(second.server().isOpen()).isFalse();
        }
    }

    @Test
    void who_is_interrupted_already_does_not_even_begin() throws Exception {
        try (Net.Pair pair = net.connect();
                SocketChannel unconnected = net.provider().openSocketChannel()) {
            Blocked reader =
                    Blocked.run(
                            () -> {
                                Thread.currentThread().interrupt();
                                return pair.client().read(ByteBuffer.allocate(1));
                            });
            assertThat(reader.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
            assertThat(reader.wasInterrupted()).isTrue();
            InetSocketAddress nobody = net.nobody();
            Blocked connector =
                    Blocked.run(
                            () -> {
                                Thread.currentThread().interrupt();
                                return unconnected.connect(nobody);
                            });
            assertThat(connector.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
            assertThat(unconnected.isOpen()).isFalse();
        }
    }

    @Test
    void an_interrupted_thread_may_use_non_blocking_channels() throws Exception {
        try (Net.Pair pair = net.connect()) {
            pair.client().configureBlocking(false);
            Blocked user =
                    Blocked.run(
                            () -> {
                                Thread.currentThread().interrupt();
                                pair.client().write(bytes("abc"));
                                return pair.client().read(ByteBuffer.allocate(1));
                            });
            assertThat(user.result()).isEqualTo(0);
            assertThat(user.wasInterrupted()).isTrue();
            assertThat(read(pair.server(), 3)).isEqualTo("abc");
        }
    }

    @Test
    void shutting_down_wakes_who_is_blocked_in_that_direction() throws Exception {
        try (Net.Pair pair = net.connect()) {
            Blocked reader = Blocked.run(() -> pair.client().read(ByteBuffer.allocate(1)));
            reader.awaitBlocked();
            pair.client().shutdownInput();
            assertThat(reader.result()).isEqualTo(-1);
        }
    }

    @Test
    void virtual_threads_block_and_are_interrupted_like_others() throws Exception {
        try (Net.Pair pair = net.connect()) {
            Blocked reader = Blocked.runVirtual(() -> pair.client().read(ByteBuffer.allocate(1)));
            reader.awaitBlocked();
            pair.server().write(bytes("a"));
            assertThat(reader.result()).isEqualTo(1);
            Blocked second = Blocked.runVirtual(() -> pair.client().read(ByteBuffer.allocate(1)));
            second.awaitBlocked();
            second.thread().interrupt();
            assertThat(second.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
        }
    }

    @Test
    void a_closed_channel_says_so_in_every_call() throws Exception {
        Net.Pair pair = net.connect();
        pair.close();
        SocketChannel closed = pair.client();
        closed.close();
        assertThat(closed.isConnected()).isFalse();
        assertThatThrownBy(() -> closed.read(ByteBuffer.allocate(1)))
                .isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> closed.write(bytes("a")))
                .isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(closed::shutdownInput).isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(closed::shutdownOutput)
                .isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> closed.bind(null))
                .isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> closed.getOption(StandardSocketOptions.TCP_NODELAY))
                .isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> closed.setOption(StandardSocketOptions.TCP_NODELAY, true))
                .isExactlyInstanceOf(ClosedChannelException.class);
    }

    // ---- options -----------------------------------------------------------------------------

    @Test
    void options_are_kept_before_and_after_connecting() throws Exception {
        try (ServerSocketChannel listener = net.listen();
                SocketChannel client = net.provider().openSocketChannel()) {
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            client.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            client.setOption(StandardSocketOptions.SO_SNDBUF, 100_000);
            client.setOption(StandardSocketOptions.SO_RCVBUF, 90_000);
            client.setOption(StandardSocketOptions.SO_LINGER, 7);
            client.setOption(StandardSocketOptions.IP_TOS, 8);
            client.connect(listener.getLocalAddress());
            listener.accept().close();
            assertThat(client.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
            assertThat(client.getOption(StandardSocketOptions.SO_KEEPALIVE)).isTrue();
            assertThat(client.getOption(StandardSocketOptions.SO_SNDBUF)).isEqualTo(100_000);
            assertThat(client.getOption(StandardSocketOptions.SO_RCVBUF)).isEqualTo(90_000);
            assertThat(client.getOption(StandardSocketOptions.SO_LINGER)).isEqualTo(7);
            assertThat(client.getOption(StandardSocketOptions.IP_TOS)).isEqualTo(8);
            client.setOption(StandardSocketOptions.SO_LINGER, -5);
            assertThat(client.getOption(StandardSocketOptions.SO_LINGER)).isEqualTo(-1);
        }
    }

    @Test
    void options_have_defaults_and_are_checked() throws Exception {
        try (SocketChannel client = net.provider().openSocketChannel();
                ServerSocketChannel server = net.provider().openServerSocketChannel()) {
            assertThat(client.getOption(StandardSocketOptions.TCP_NODELAY)).isFalse();
            assertThat(client.getOption(StandardSocketOptions.SO_KEEPALIVE)).isFalse();
            assertThat(client.getOption(StandardSocketOptions.SO_LINGER)).isEqualTo(-1);
            assertThat(client.getOption(StandardSocketOptions.SO_REUSEADDR)).isFalse();
            assertThat(server.getOption(StandardSocketOptions.SO_REUSEADDR)).isTrue();
            assertThatThrownBy(
                            () -> client.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage("'IP_MULTICAST_LOOP' not supported");
            assertThatThrownBy(() -> client.getOption(null))
                    .isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> client.setOption(StandardSocketOptions.SO_RCVBUF, null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("Invalid value 'null'");
            assertThatThrownBy(() -> client.setOption(StandardSocketOptions.SO_RCVBUF, -1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("Invalid send/receive buffer size");
            assertThatThrownBy(() -> client.setOption(StandardSocketOptions.IP_TOS, 256))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("Invalid IP_TOS value");
            assertThatThrownBy(() -> server.setOption(StandardSocketOptions.TCP_NODELAY, true))
                    .isInstanceOf(UnsupportedOperationException.class);
            Set<SocketOption<?>> options = client.supportedOptions();
            assertThat(options)
                    .contains(
                            StandardSocketOptions.SO_SNDBUF,
                            StandardSocketOptions.SO_RCVBUF,
                            StandardSocketOptions.SO_KEEPALIVE,
                            StandardSocketOptions.SO_REUSEADDR,
                            StandardSocketOptions.SO_LINGER,
                            StandardSocketOptions.TCP_NODELAY);
            assertThat(server.supportedOptions())
                    .contains(StandardSocketOptions.SO_RCVBUF, StandardSocketOptions.SO_REUSEADDR);
        }
    }
}
