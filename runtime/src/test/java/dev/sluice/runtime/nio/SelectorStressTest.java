package dev.sluice.runtime.nio;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Selections that race with signals, changes of interest and wake-ups. A selector that loses one of
 * them waits for ever, since nobody selects with a time limit.
 */
@Timeout(120)
class SelectorStressTest {
    private static final int READ = SelectionKey.OP_READ;
    private static final int ROUNDS = 10_000;

    private Net.Open net;

    @BeforeEach
    void open() throws Exception {
        net = Net.STACKS.open();
    }

    @AfterEach
    void close() {
        net.close();
    }

    /** One side of a ball game: waits with a selector until the ball is there, and throws it. */
    private static <C extends SelectableChannel & ReadableByteChannel> int play(
            Selector selector, C from, WritableByteChannel to) throws IOException {
        ByteBuffer ball = ByteBuffer.allocate(1);
        int caught = 0;
        while (caught < ROUNDS) {
            selector.select();
            selector.selectedKeys().clear();
            if (from.read(ball.clear()) > 0) {
                caught++;
                to.write(ball.flip());
                // Has the key examined while the ball is on its way back.
                SelectionKey key = from.keyFor(selector);
                key.interestOps(0);
                key.interestOps(READ);
            }
        }
        return caught;
    }

    /** Until the game is over. */
    private static Blocked disturb(AtomicBoolean over, Runnable how) {
        return Blocked.run(
                () -> {
                    while (!over.get()) {
                        how.run();
                        Thread.yield();
                    }
                    return 0;
                });
    }

    @Test
    void no_signal_is_lost_while_interest_changes_and_selections_are_woken() throws Exception {
        try (Net.Pair pair = net.connect();
                Selector first = net.provider().openSelector();
                Selector second = net.provider().openSelector()) {
            pair.client().configureBlocking(false);
            pair.server().configureBlocking(false);
            SelectionKey key = pair.client().register(first, READ);
            pair.server().register(second, READ);
            AtomicBoolean over = new AtomicBoolean();
            Blocked client = Blocked.run(() -> play(first, pair.client(), pair.client()));
            Blocked server = Blocked.run(() -> play(second, pair.server(), pair.server()));
            Blocked changes =
                    disturb(
                            over,
                            () -> {
                                key.interestOps(0);
                                key.interestOpsOr(READ);
                            });
            Blocked wakes = disturb(over, second::wakeup);
            pair.client().write(ByteBuffer.allocate(1));
            assertThat(server.result()).isEqualTo(ROUNDS);
            assertThat(client.result()).isEqualTo(ROUNDS);
            over.set(true);
            changes.result();
            wakes.result();
        }
    }

    @Test
    void no_signal_of_a_pipe_is_lost() throws Exception {
        java.nio.channels.Pipe there = net.provider().openPipe();
        java.nio.channels.Pipe back = net.provider().openPipe();
        try (Selector first = net.provider().openSelector();
                Selector second = net.provider().openSelector()) {
            there.source().configureBlocking(false);
            back.source().configureBlocking(false);
            there.source().register(first, READ);
            back.source().register(second, READ);
            Blocked one = Blocked.run(() -> play(first, there.source(), back.sink()));
            Blocked other = Blocked.run(() -> play(second, back.source(), there.sink()));
            there.sink().write(ByteBuffer.allocate(1));
            assertThat(one.result()).isEqualTo(ROUNDS);
            assertThat(other.result()).isEqualTo(ROUNDS);
        }
        there.sink().close();
        there.source().close();
        back.sink().close();
        back.source().close();
    }
}
