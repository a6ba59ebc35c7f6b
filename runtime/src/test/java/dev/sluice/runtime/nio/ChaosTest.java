package dev.sluice.runtime.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.runtime.LiveStack;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.concurrent.Callable;

/**
 * Threads that block in every way there is are interrupted, and what they block on is closed, at
 * random moments: each ends with the documented exception, and nothing is left over.
 */
@Timeout(600)
class ChaosTest {
    private static final int TIMES = 10_000;
    private static final int TIMES_ON_KERNEL = 500;

    /** A call that blocks. */
    private enum Blocks {
        READ,
        WRITE,
        ACCEPT,
        CONNECT,
        SELECT
    }

    /** What ends it. */
    private enum Event {
        INTERRUPT,
        CLOSE,
        /** The other end closes, connects or sends; a selector is woken. */
        OTHER_SIDE
    }

    private static final int VIRTUAL = 1;

    /** One call, with what it needs. */
    private static final class Victim implements AutoCloseable {
        private final Net.Open net;
        private Channel blockedOn;
        private Net.Pair pair;
        private Selector selector;
        private Callable<Object> call;
        private Callable<?> otherSide;

        Victim(Net.Open net, Blocks how) throws IOException {
            this.net = net;
            switch (how) {
                case READ -> read();
                case WRITE -> write();
                case ACCEPT -> accept();
                case CONNECT -> connect();
                case SELECT -> select();
            }
        }

        /** Both ends end with a reset, so that no TIME-WAIT is left. */
        private void pair() throws IOException {
            pair = net.connect();
            pair.client().setOption(StandardSocketOptions.SO_LINGER, 0);
            pair.server().setOption(StandardSocketOptions.SO_LINGER, 0);
            blockedOn = pair.client();
        }

        private void read() throws IOException {
            pair();
            ByteBuffer buffer = ByteBuffer.allocate(64);
            call = () -> pair.client().read(buffer);
            otherSide = () -> pair.server().write(ByteBuffer.wrap(new byte[8]));
        }

        private void write() throws IOException {
            pair();
            ByteBuffer much = ByteBuffer.allocateDirect(1 << 16);
            call =
                    () -> {
                        while (true) {
                            much.clear();
                            pair.client().write(much);
                        }
                    };
            otherSide =
                    () -> {
                        pair.server().close();
                        return null;
                    };
        }

        private void accept() throws IOException {
            ServerSocketChannel listener = net.listen();
            blockedOn = listener;
            InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
            call =
                    () -> {
                        try (SocketChannel accepted = listener.accept()) {
                            accepted.setOption(StandardSocketOptions.SO_LINGER, 0);
                            return 1;
                        }
                    };
            otherSide =
                    () -> {
                        try (SocketChannel client = net.provider().openSocketChannel()) {
                            client.setOption(StandardSocketOptions.SO_LINGER, 0);
                            return client.connect(address);
                        } catch (IOException e) {
                            return e; // it was accepted and reset before we knew
                        }
                    };
        }

        private void connect() throws IOException {
            SocketChannel client = net.provider().openSocketChannel();
            blockedOn = client;
            // Nobody is there to answer, or to say that nobody is.
            call = () -> client.connect(new InetSocketAddress("10.8.0.99", 9));
            otherSide =
                    () -> {
                        client.close();
                        return null;
                    };
        }

        private void select() throws IOException {
            pair();
            selector = net.provider().openSelector();
            pair.client().configureBlocking(false);
            pair.client().register(selector, SelectionKey.OP_READ);
            call = selector::select;
            otherSide = selector::wakeup;
        }

        void end(Event event, Blocked blocked) throws Exception {
            switch (event) {
                case INTERRUPT -> blocked.thread().interrupt();
                case CLOSE -> {
                    if (selector != null) {
                        selector.close();
                    } else {
                        blockedOn.close();
                    }
                }
                case OTHER_SIDE -> otherSide.call();
            }
        }

        @Override
        public void close() throws IOException {
            if (selector != null) {
                selector.close();
            }
            if (pair != null) {
                pair.close();
            }
            blockedOn.close();
        }
    }

    private static void check(Blocks how, Event event, Blocked blocked) throws Exception {
        Throwable failure = blocked.failureOrNull();
        switch (event) {
            case INTERRUPT -> {
                assertThat(blocked.wasInterrupted()).isTrue();
                if (how == Blocks.SELECT) {
                    assertThat(failure).isNull();
                } else {
                    assertThat(failure).isInstanceOf(ClosedByInterruptException.class);
                }
            }
            case CLOSE -> {
                if (how == Blocks.SELECT) {
                    assertThat(failure)
                            .satisfiesAnyOf(
                                    f -> assertThat(f).isNull(),
                                    f -> assertThat(f).isInstanceOf(ClosedSelectorException.class));
                } else {
                    assertThat(failure)
                            .isInstanceOf(ClosedChannelException.class)
                            .isNotInstanceOf(ClosedByInterruptException.class);
                }
            }
            case OTHER_SIDE -> {
                switch (how) {
                    case READ, ACCEPT, SELECT -> assertThat(failure).isNull();
                    case CONNECT ->
                            assertThat(failure)
                                    .isInstanceOfAny(
                                            AsynchronousCloseException.class,
                                            ClosedChannelException.class);
                    case WRITE ->
                            assertThat(failure)
                                    .isExactlyInstanceOf(IOException.class)
                                    .hasMessageMatching("Connection reset( by peer)?|Broken pipe");
                }
            }
        }
    }

    private static void run(Net.Open net, Random random, int times, int ways) throws Exception {
        for (int i = 0; i < times; i++) {
            Blocks how = Blocks.values()[random.nextInt(ways)];
            if (ways < Blocks.values().length && how == Blocks.CONNECT) {
                how = Blocks.SELECT;
            }
            Event event = Event.values()[random.nextInt(Event.values().length)];
            try (Victim victim = new Victim(net, how)) {
                Blocked blocked =
                        random.nextInt(2) == VIRTUAL
                                ? Blocked.runVirtual(victim.call)
                                : Blocked.run(victim.call);
                for (int spins = random.nextInt(2000); spins > 0; spins--) {
                    Thread.onSpinWait();
                }
                victim.end(event, blocked);
                try {
                    check(how, event, blocked);
                } catch (Throwable e) {
                    throw new AssertionError(
                            "in round " + i + ": " + how + " ended by " + event, e);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Net.class,
            names = {"KERNEL"})
    void the_kernels_own_channels_behave_so(Net kind) throws Exception {
        try (Net.Open net = kind.open()) {
            run(net, new Random(7), TIMES_ON_KERNEL, Blocks.values().length - 1);
        }
    }

    @Test
    void nothing_hangs_and_nothing_is_left_over() throws Exception {
        long seed = Long.getLong("sluice.seed", 1);
        System.out.println("chaos: seed " + seed);
        Net.Open net = Net.STACKS.open();
        int threadsBefore = Thread.activeCount();
        try (net) {
            run(net, new Random(seed), TIMES, Blocks.values().length);
            for (LiveStack stack : net.stacks()) {
                while (stack.loop().call(now -> stack.stack().endpoints()) > 0) {
                    Thread.onSpinWait(); // resets are on their way
                }
                assertThat(stack.loop().call(now -> stack.stack().memory().sockets())).isZero();
                assertThat(stack.loop().call(now -> stack.stack().memory().pages())).isZero();
                assertThat(stack.stack().blocks().outstanding()).isZero();
            }
        }
        assertThat(Thread.activeCount()).isLessThanOrEqualTo(threadsBefore);
        for (LiveStack stack : net.stacks()) {
            assertThat(stack.stack().packets().outstanding()).isZero();
        }
    }
}
