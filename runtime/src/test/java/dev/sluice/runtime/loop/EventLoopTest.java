package dev.sluice.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.runtime.LiveStack;
import dev.sluice.runtime.device.NoDevice;
import dev.sluice.runtime.service.Service;
import dev.sluice.socket.ListenSocket;
import dev.sluice.socket.SocketError;
import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.Readiness;
import dev.sluice.trace.Counter;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;

/** Threads that share a stack, which talks to itself. */
@Timeout(120)
class EventLoopTest {
    private static final IpAddress LOCALHOST = IpAddress.parse("127.0.0.1").address();
    private static final int EAGAIN = SocketError.EAGAIN.result();

    private LiveStack live;
    private EventLoop loop;

    @BeforeEach
    void start() throws Exception {
        live = new LiveStack(LiveStack.config().build(), new NoDevice());
        loop = live.loop();
        Service.ECHO.listen(live.stack());
        live.start();
    }

    @AfterEach
    void close() {
        live.close();
    }

    /** A connection that threads wait on. */
    private final class Client {
        final StreamSocket socket = new StreamSocket(live.stack());
        final Gate gate = new Gate();
        final byte[] bytes = new byte[64];
        private final Command write = new Command(now -> socket.write(now, bytes, 0, 64, 0));
        private final Command read = new Command(now -> socket.read(now, bytes, 0, 64, 0));

        void connect(int port) {
            loop.call(
                    now -> {
                        socket.signals((at, events) -> gate.open());
                        return socket.connect(now, LOCALHOST, port);
                    });
            long result;
            do {
                gate.shut();
                result = loop.call(now -> socket.readySet() & Readiness.OUT);
            } while (result == 0 && loop.await(gate, Long.MAX_VALUE));
        }

        int write() {
            return (int) loop.call(write);
        }

        int read() {
            while (true) {
                gate.shut();
                int result = (int) loop.call(read);
                if (result != EAGAIN) {
                    return result;
                }
                loop.await(gate, Long.MAX_VALUE);
            }
        }

        void pingPong(int times) {
            for (int i = 0; i < times; i++) {
                assertThat(write()).isEqualTo(64);
                int got = 0;
                while (got < 64) {
                    got += read();
                }
            }
        }
    }

    private static void inThreads(int count, ThreadFactory factory, Runnable task)
            throws Exception {
        try (ExecutorService threads = Executors.newThreadPerTaskExecutor(factory)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                all.add(threads.submit(task));
            }
            for (Future<?> one : all) {
                one.get();
            }
        }
    }

    @Test
    void one_thread_at_a_time_has_the_stack() throws Exception {
        long[] counted = new long[1];
        inThreads(
                8,
                Thread.ofPlatform().factory(),
                () -> {
                    for (int i = 0; i < 20_000; i++) {
                        loop.call(now -> counted[0]++);
                    }
                });
        assertThat(counted[0]).isEqualTo(160_000);
    }

    @Test
    void one_thread_plays_ping_pong_and_drives_the_stack_meanwhile() {
        Client client = new Client();
        client.connect(7);
        client.pingPong(20_000);
        assertThat(live.stack().counters().get(Counter.TCP_RETRANS_SEGS)).isZero();
    }

    @Test
    void many_platform_threads_play_ping_pong() throws Exception {
        inThreads(
                8,
                Thread.ofPlatform().factory(),
                () -> {
                    Client client = new Client();
                    client.connect(7);
                    client.pingPong(2_000);
                });
    }

    @Test
    void five_hundred_virtual_threads_wait_at_once() throws Exception {
        CountDownLatch all = new CountDownLatch(500);
        inThreads(
                500,
                Thread.ofVirtual().factory(),
                () -> {
                    Client client = new Client();
                    client.connect(7);
                    all.countDown();
                    try {
                        all.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    client.pingPong(20);
                });
        assertThat(all.getCount()).isZero();
    }

    @Test
    void time_does_not_go_backwards_between_threads() throws Exception {
        long[] last = new long[1];
        inThreads(
                4,
                Thread.ofPlatform().factory(),
                () -> {
                    for (int i = 0; i < 20_000; i++) {
                        loop.call(
                                now -> {
                                    assertThat(now).isGreaterThanOrEqualTo(last[0]);
                                    last[0] = now;
                                    return 0;
                                });
                    }
                });
        assertThat(last[0]).isPositive();
    }

    @Test
    void a_wait_ends_at_its_deadline_and_not_before() {
        Gate never = new Gate();
        long deadline = loop.now() + 20_000_000;
        assertThat(loop.await(never, deadline)).isFalse();
        assertThat(loop.now()).isGreaterThanOrEqualTo(deadline);
    }

    @Test
    void an_interrupted_thread_does_not_wait_and_stays_interrupted() {
        Thread.currentThread().interrupt();
        assertThat(loop.await(new Gate(), Long.MAX_VALUE)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void what_a_call_throws_comes_back_to_its_caller_only() {
        assertThatThrownBy(
                        () ->
                                loop.call(
                                        now -> {
                                            throw new IllegalArgumentException("mine");
                                        }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("mine");
        assertThat(loop.call(now -> 7)).isEqualTo(7);
    }

    @Test
    void closing_wakes_who_waits_and_refuses_who_calls() throws Exception {
        Client client = new Client();
        client.connect(7);
        Gate other = new Gate();
        CountDownLatch waiting = new CountDownLatch(2);
        Future<Integer> read;
        Future<Boolean> opened;
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            read =
                    threads.submit(
                            () -> {
                                waiting.countDown();
                                return client.read();
                            });
            opened =
                    threads.submit(
                            () -> {
                                waiting.countDown();
                                return loop.await(other, Long.MAX_VALUE);
                            });
            waiting.await();
            live.close();
        }
        // By then the connection is reset or the stack is gone: either is an end.
        if (read.state() == Future.State.SUCCESS) {
            assertThat(read.resultNow()).isLessThanOrEqualTo(0);
        } else {
            assertThat(read.exceptionNow()).isInstanceOf(StackClosedException.class);
        }
        if (opened.state() == Future.State.FAILED) {
            assertThat(opened.exceptionNow()).isInstanceOf(StackClosedException.class);
        } else {
            assertThat(opened.resultNow()).isTrue();
        }
        assertThatThrownBy(() -> loop.call(now -> 0)).isInstanceOf(StackClosedException.class);
    }

    @Test
    void a_fault_costs_the_connection_it_came_from_and_no_other() {
        loop.call(
                now -> {
                    StreamSocket socket = new StreamSocket(live.stack());
                    socket.bind(IpAddress.ANY6, 99);
                    ListenSocket listener = socket.listen(16);
                    listener.signals(
                            (at, events) ->
                                    listener.accept(at)
                                            .signals(
                                                    (then, more) -> {
                                                        throw new IllegalStateException("a bug");
                                                    }));
                    return 0;
                });
        Client healthy = new Client();
        healthy.connect(7);
        Client unlucky = new Client();
        unlucky.connect(99);
        unlucky.write();
        assertThat(unlucky.read()).isEqualTo(SocketError.ECONNRESET.result());
        healthy.pingPong(10);
        long faults = loop.call(now -> live.stack().counters().get(Counter.CONNECTION_FAULTS));
        assertThat(faults).isEqualTo(1);
    }

    @Test
    void a_stack_that_was_never_started_closes_too() throws Exception {
        try (LiveStack idle = new LiveStack(LiveStack.config().build(), new NoDevice())) {
            assertThat(idle.loop().call(now -> 3)).isEqualTo(3);
        }
    }
}
