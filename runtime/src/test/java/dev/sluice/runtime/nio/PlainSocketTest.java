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

import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.Callable;

/** Sockets of {@code java.net} while threads wait in them; the kernel's are the control. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Net.class)
class PlainSocketTest {
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

    private static Callable<Object> reading(Socket socket) {
        return () -> socket.getInputStream().read();
    }

    private static Callable<Object> writing(Socket socket) {
        return () -> {
            socket.getOutputStream().write(new byte[LARGE]);
            return "written";
        };
    }

    // ---- data --------------------------------------------------------------------------------

    @Test
    void a_large_write_arrives_whole_and_in_order() throws Exception {
        byte[] sent = new byte[3 << 20];
        for (int i = 0; i < sent.length; i++) {
            sent[i] = (byte) (i * 31 + (i >> 8));
        }
        try (Sockets.Pair pair = Sockets.PLAIN.connect(net)) {
            Blocked writer =
                    Blocked.run(
                            () -> {
                                try (OutputStream out = pair.client().getOutputStream()) {
                                    out.write(sent);
                                }
                                return "written";
                            });
            assertThat(pair.server().getInputStream().readAllBytes()).isEqualTo(sent);
            assertThat(writer.result()).isEqualTo("written");
        }
    }

    @Test
    void both_directions_work_at_the_same_time_on_virtual_threads() throws Exception {
        try (Sockets.Pair pair = Sockets.PLAIN.connect(net)) {
            Blocked echo =
                    Blocked.runVirtual(
                            () -> {
                                InputStream in = pair.server().getInputStream();
                                OutputStream out = pair.server().getOutputStream();
                                long echoed = in.transferTo(out);
                                pair.server().shutdownOutput();
                                return echoed;
                            });
            Blocked reader =
                    Blocked.runVirtual(() -> pair.client().getInputStream().readAllBytes().length);
            pair.client().getOutputStream().write(new byte[1 << 20]);
            pair.client().shutdownOutput();
            assertThat(echo.result()).isEqualTo(1L << 20);
            assertThat(reader.result()).isEqualTo(1 << 20);
        }
    }

    @Test
    void an_urgent_byte_keeps_its_place_if_it_is_wanted_inline() throws Exception {
        try (Sockets.Pair pair = Sockets.PLAIN.connect(net)) {
            pair.server().setOOBInline(true);
            OutputStream out = pair.client().getOutputStream();
            out.write(1);
            pair.client().sendUrgentData(2);
            out.write(3);
            pair.client().shutdownOutput();
            assertThat(pair.server().getInputStream().readAllBytes())
                    .isEqualTo(new byte[] {1, 2, 3});
        }
    }

    // ---- closing while others wait -----------------------------------------------------------

    private void closingEnds(Blocked waiting, AutoCloseable socket) throws Exception {
        waiting.awaitBlocked();
        socket.close();
        assertThat(waiting.failure())
                .isInstanceOf(SocketException.class)
                .hasMessage("Socket closed");
    }

    @Test
    void closing_a_socket_ends_those_who_wait_in_it() throws Exception {
        for (boolean virtual : new boolean[] {false, true}) {
            try (Sockets.Pair pair = Sockets.PLAIN.connect(net)) {
                closingEnds(run(virtual, reading(pair.client())), pair.client());
            }
            try (Sockets.Pair pair = Sockets.PLAIN.connect(net)) {
                closingEnds(run(virtual, writing(pair.client())), pair.client());
            }
            try (ServerSocket server = Sockets.PLAIN.listen(net)) {
                closingEnds(run(virtual, server::accept), server);
                assertThat(server.isClosed()).isTrue();
            }
        }
    }

    private static Blocked run(boolean virtual, Callable<?> call) {
        return virtual ? Blocked.runVirtual(call) : Blocked.run(call);
    }

    @Test
    void shutting_the_input_ends_a_read() throws Exception {
        try (Sockets.Pair pair = Sockets.PLAIN.connect(net)) {
            Blocked reader = Blocked.run(reading(pair.client()));
            reader.awaitBlocked();
            pair.client().shutdownInput();
            assertThat(reader.result()).isEqualTo(-1);
        }
    }

    // ---- interrupts --------------------------------------------------------------------------

    private static void interruptCloses(Blocked waiting) throws Exception {
        waiting.awaitBlocked();
        waiting.thread().interrupt();
        assertThat(waiting.failure())
                .isInstanceOf(SocketException.class)
                .hasMessage("Closed by interrupt");
        assertThat(waiting.wasInterrupted()).isTrue();
    }

    @Test
    void an_interrupt_of_a_virtual_thread_closes_the_socket() throws Exception {
        try (Sockets.Pair pair = Sockets.PLAIN.connect(net)) {
            interruptCloses(Blocked.runVirtual(reading(pair.client())));
            assertThat(pair.client().isClosed()).isTrue();
        }
        try (Sockets.Pair pair = Sockets.PLAIN.connect(net)) {
            interruptCloses(Blocked.runVirtual(writing(pair.client())));
            assertThat(pair.client().isClosed()).isTrue();
        }
        try (ServerSocket server = Sockets.PLAIN.listen(net)) {
            interruptCloses(Blocked.runVirtual(server::accept));
            assertThat(server.isClosed()).isTrue();
        }
    }

    @Test
    void an_interrupt_of_a_platform_thread_is_only_remembered() throws Exception {
        try (Sockets.Pair pair = Sockets.PLAIN.connect(net)) {
            Blocked reader = Blocked.run(reading(pair.client()));
            reader.awaitBlocked();
            reader.thread().interrupt();
            pair.server().getOutputStream().write(7);
            assertThat(reader.result()).isEqualTo(7);
            assertThat(reader.wasInterrupted()).isTrue();
            assertThat(pair.client().isClosed()).isFalse();
        }
    }

    @Test
    void an_interrupted_platform_thread_still_waits_for_its_time() throws Exception {
        try (Sockets.Pair pair = Sockets.PLAIN.connect(net)) {
            pair.client().setSoTimeout(30);
            Blocked reader =
                    Blocked.run(
                            () -> {
                                Thread.currentThread().interrupt();
                                return pair.client().getInputStream().read();
                            });
            assertThat(reader.failure()).isInstanceOf(SocketTimeoutException.class);
            assertThat(reader.wasInterrupted()).isTrue();
        }
    }

    // ---- time --------------------------------------------------------------------------------

    @Test
    void a_socket_that_was_late_goes_on() throws Exception {
        try (Sockets.Pair pair = Sockets.PLAIN.connect(net)) {
            InputStream in = pair.client().getInputStream();
            pair.client().setSoTimeout(1);
            assertThatThrownBy(in::read)
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("Read timed out");
            pair.client().setSoTimeout(0);
            pair.server().getOutputStream().write(42);
            assertThat(in.read()).isEqualTo(42);
        }
    }

    @Test
    void a_thread_that_waits_for_another_to_read_is_late_too() throws Exception {
        try (Sockets.Pair pair = Sockets.PLAIN.connect(net)) {
            Blocked first = Blocked.run(reading(pair.client()));
            first.awaitBlocked();
            pair.client().setSoTimeout(1);
            assertThatThrownBy(() -> pair.client().getInputStream().read())
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("Read timed out");
            pair.server().getOutputStream().write(1);
            assertThat(first.result()).isEqualTo(1);
        }
    }

    @Test
    void an_accepted_socket_has_no_timeout_of_its_server() throws Exception {
        try (ServerSocket server = Sockets.PLAIN.listen(net);
                Socket client = Sockets.PLAIN.client(net)) {
            server.setSoTimeout(5000);
            client.connect(server.getLocalSocketAddress());
            try (Socket accepted = server.accept()) {
                assertThat(accepted.getSoTimeout()).isZero();
            }
        }
    }
}
