package dev.sluice.runtime.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;

import dev.sluice.runtime.LiveStack;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * What our channels and selectors do beyond the contract: several stacks, many keys, no garbage.
 */
@Timeout(120)
class StackSelectorTest {
    private static final int READ = SelectionKey.OP_READ;
    private static final int MANY = 10_000;
    private static final int ROUNDS = 5_000;
    private static final int MOST_TRIES = 30;

    private Net.Open net;
    private StackSelector selector;

    @BeforeEach
    void open() throws Exception {
        net = Net.STACKS.open();
        selector = (StackSelector) net.provider().openSelector();
    }

    @AfterEach
    void close() throws Exception {
        selector.close();
        net.close();
    }

    @Test
    void a_selection_examines_what_is_ready_and_not_all_keys() throws Exception {
        List<SocketChannel> idle = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            SocketChannel channel = net.provider().openSocketChannel();
            channel.configureBlocking(false);
            channel.register(selector, READ);
            idle.add(channel);
        }
        try (Net.Pair pair = net.connect()) {
            pair.client().configureBlocking(false);
            pair.client().register(selector, READ);
            assertThat(selector.selectNow()).isZero();
            assertThat(selector.keys()).hasSize(MANY + 1);
            assertThat(selector.watched()).isZero();
            pair.server().write(ByteBuffer.allocate(1));
            assertThat(selector.select()).isEqualTo(1);
            assertThat(selector.watched()).isEqualTo(1);
        }
        for (SocketChannel channel : idle) {
            channel.close();
        }
        selector.selectNow();
        assertThat(selector.keys()).isEmpty();
        assertThat(selector.watched()).isZero();
    }

    @Test
    void channels_of_several_stacks_and_pipes_share_a_selector() throws Exception {
        try (Net.Pair pair = net.connect()) {
            assertThat(((Watched) pair.client()).loop())
                    .isNotSameAs(((Watched) pair.server()).loop());
            Pipe pipe = net.provider().openPipe();
            pair.client().configureBlocking(false);
            pair.server().configureBlocking(false);
            pipe.source().configureBlocking(false);
            SelectionKey client = pair.client().register(selector, READ);
            SelectionKey server = pair.server().register(selector, READ);
            SelectionKey source = pipe.source().register(selector, READ);
            Blocked first = Blocked.run(selector::select);
            first.awaitBlocked();
            pair.client().write(ByteBuffer.allocate(1));
            assertThat(first.result()).isEqualTo(1);
            assertThat(selector.selectedKeys()).containsExactly(server);
            Blocked second = Blocked.run(() -> selectAll(2));
            pair.server().write(ByteBuffer.allocate(1));
            pipe.sink().write(ByteBuffer.allocate(1));
            second.result();
            assertThat(selector.selectedKeys()).containsExactlyInAnyOrder(client, server, source);
            pipe.sink().close();
            pipe.source().close();
        }
    }

    private int selectAll(int more) throws Exception {
        int selected = 0;
        while (selected < more) {
            selected += selector.select();
        }
        return selected;
    }

    @Test
    void a_registered_channel_moves_to_the_stack_that_reaches_its_peer() throws Exception {
        try (SocketChannel moving = net.provider().openSocketChannel();
                ServerSocketChannel listener = net.provider().openServerSocketChannel()) {
            moving.setOption(StandardSocketOptions.TCP_NODELAY, true);
            moving.setOption(StandardSocketOptions.SO_LINGER, 3);
            moving.configureBlocking(false);
            SelectionKey key = moving.register(selector, SelectionKey.OP_CONNECT);
            selector.selectNow();
            // The listener is on the default stack, so the connection comes from the other one.
            listener.bind(new InetSocketAddress(net.client(), 0));
            LiveStack other = net.stacks().get(1);
            assertThat(((Watched) moving).loop()).isNotSameAs(other.loop());
            moving.connect(listener.getLocalAddress());
            assertThat(((Watched) moving).loop()).isSameAs(other.loop());
            while (!key.isConnectable()) {
                selector.select();
            }
            assertThat(moving.finishConnect()).isTrue();
            assertThat(((InetSocketAddress) moving.getLocalAddress()).getAddress())
                    .isEqualTo(net.server());
            assertThat(moving.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
            assertThat(moving.getOption(StandardSocketOptions.SO_LINGER)).isEqualTo(3);
            listener.accept().close();
        }
    }

    @Test
    void reading_writing_and_selecting_allocate_nothing() throws Exception {
        try (Net.Pair pair = net.connect()) {
            pair.client().configureBlocking(false);
            SelectionKey key = pair.client().register(selector, READ);
            ByteBuffer one = ByteBuffer.allocateDirect(1);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long least = Long.MAX_VALUE;
            // Until it is compiled.
            for (int i = 0; i < MOST_TRIES && least >= ROUNDS; i++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                pingPong(pair, key, one, ROUNDS);
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).as("bytes in %d rounds", ROUNDS).isLessThan(ROUNDS);
        }
    }

    private void pingPong(Net.Pair pair, SelectionKey key, ByteBuffer one, int rounds)
            throws Exception {
        for (int i = 0; i < rounds; i++) {
            pair.server().write(one.clear());
            selector.select();
            selector.selectedKeys().remove(key);
            pair.client().read(one.clear());
        }
    }

    @Test
    void the_first_write_of_a_connection_that_is_open_at_once_waits_for_it() throws Exception {
        // Without a cookie at first, and with one the second time.
        for (int i = 0; i < 2; i++) {
            try (ServerSocketChannel listener = net.listen();
                    SocketChannel client = net.provider().openSocketChannel()) {
                client.setOption(StackSocketOptions.TCP_FASTOPEN_CONNECT, true);
                assertThat(client.connect(listener.getLocalAddress())).isTrue();
                assertThat(client.write(ByteBuffer.wrap(new byte[] {7}))).isEqualTo(1);
                try (SocketChannel server = listener.accept()) {
                    ByteBuffer one = ByteBuffer.allocate(1);
                    assertThat(server.read(one)).isEqualTo(1);
                    assertThat(one.get(0)).isEqualTo((byte) 7);
                }
            }
        }
    }

    @Test
    void a_stack_that_is_closed_ends_every_wait_with_a_sentence() throws Exception {
        Net.Pair pair = net.connect();
        Net.Pair selected = net.connect();
        selected.client().configureBlocking(false);
        SelectionKey key = selected.client().register(selector, READ);
        Blocked reader = Blocked.run(() -> pair.client().read(ByteBuffer.allocate(1)));
        Blocked selecting = Blocked.run(selector::select);
        reader.awaitBlocked();
        selecting.awaitBlocked();
        net.stacks().getFirst().close();
        assertThat(reader.failure()).isInstanceOf(SocketException.class);
        assertThat(selecting.result()).isEqualTo(1);
        assertThat(key.isReadable()).isTrue();
        assertThatThrownBy(() -> selected.client().read(ByteBuffer.allocate(1)))
                .isInstanceOf(SocketException.class)
                .hasMessage("The stack is closed");
        assertThatThrownBy(() -> net.provider().openSocketChannel())
                .isInstanceOf(SocketException.class)
                .hasMessage("The stack is closed");
        pair.close();
        selected.close();
        assertThat(selector.selectNow()).isZero();
        assertThat(selector.keys()).isEmpty();
        assertThat(selector.select(1)).isZero();
    }
}
