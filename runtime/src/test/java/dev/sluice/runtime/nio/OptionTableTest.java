package dev.sluice.runtime.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.runtime.LiveStack;
import dev.sluice.runtime.device.NoDevice;
import dev.sluice.socket.DatagramSocket;
import dev.sluice.socket.SocketError;
import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.TcpInfo;
import dev.sluice.tcp.TcpState;

import jdk.net.ExtendedSocketOptions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/** Options of sockets of a stack, before channels come into it; the JDK on Linux is the control. */
class OptionTableTest {
    /** Options of the JDK's that concern a network card, groups of receivers, or no public name. */
    private static final Set<String> NOT_OURS =
            Set.of(
                    "SO_INCOMING_NAPI_ID",
                    "SO_OOBINLINE",
                    "IP_MULTICAST_IF",
                    "IP_MULTICAST_LOOP",
                    "IP_MULTICAST_TTL");

    private LiveStack live;

    @BeforeEach
    void open() throws Exception {
        live = new LiveStack(LiveStack.config().build(), new NoDevice());
    }

    @AfterEach
    void close() {
        live.close();
    }

    private StreamSocket stream() {
        return new StreamSocket(live.stack());
    }

    // ---- the same as the JDK -----------------------------------------------------------------

    static Stream<Arguments> values() {
        return Stream.of(
                of(StandardSocketOptions.SO_RCVBUF, 0, 10, 1024, 1152, 2000, 5000, 100_000, -1),
                of(StandardSocketOptions.SO_SNDBUF, 0, 10, 1024, 2304, 5000, 100_000, -1),
                of(StandardSocketOptions.SO_LINGER, -5, -1, 0, 1, 65_535, 70_000),
                of(StandardSocketOptions.IP_TOS, 0, 4, 16, 255, -1, 256),
                of(StandardSocketOptions.SO_KEEPALIVE, true, false),
                of(StandardSocketOptions.SO_REUSEADDR, true, false),
                of(StandardSocketOptions.SO_REUSEPORT, true, false),
                of(StandardSocketOptions.TCP_NODELAY, true, false, null),
                of(ExtendedSocketOptions.TCP_KEEPIDLE, 1, 7200, 32_767, 0, -1, 32_768),
                of(ExtendedSocketOptions.TCP_KEEPINTERVAL, 1, 75, 32_767, 0, -1, 32_768),
                of(ExtendedSocketOptions.TCP_KEEPCOUNT, 1, 9, 127, 0, -1, 128));
    }

    private static Arguments of(SocketOption<?> name, Object... values) {
        return Arguments.of(name, values);
    }

    @ParameterizedTest
    @MethodSource("values")
    void a_stream_takes_and_gives_the_values_that_the_jdk_does(
            SocketOption<Object> name, Object[] values) throws IOException {
        StreamSocket ours = stream();
        try (SocketChannel control = SocketChannel.open()) {
            assertThat(ourValue(ours, name)).isEqualTo(control.getOption(name));
            for (Object value : values) {
                assertThat(outcome(() -> set(ours, name, value)))
                        .isEqualTo(outcome(() -> control.setOption(name, value)));
                assertThat(ourValue(ours, name))
                        .as("%s set to %s", name, value)
                        .isEqualTo(control.getOption(name));
            }
        }
    }

    private interface Call {
        void run() throws IOException;
    }

    private static String outcome(Call call) {
        try {
            call.run();
            return "done";
        } catch (IOException | RuntimeException e) {
            return e.toString();
        }
    }

    private static void set(StreamSocket socket, SocketOption<?> name, Object value)
            throws IOException {
        OptionTable.checkValue(name, value);
        OptionTable.done(OptionTable.set(0, socket, name, value));
    }

    private static <T> T ourValue(StreamSocket socket, SocketOption<T> name) throws IOException {
        return OptionTable.found(name, OptionTable.get(0, socket, name));
    }

    @Test
    void every_option_of_the_jdk_is_there_except_a_few() throws IOException {
        assertThat(OptionTable.STREAM).containsAll(ofJdk(SocketChannel.open()));
        assertThat(OptionTable.LISTEN).containsAll(ofJdk(ServerSocketChannel.open()));
        assertThat(OptionTable.DATAGRAM).containsAll(ofJdk(DatagramChannel.open()));
    }

    private static Set<SocketOption<?>> ofJdk(NetworkChannel channel) throws IOException {
        Set<SocketOption<?>> options = new HashSet<>(channel.supportedOptions());
        options.removeIf(name -> NOT_OURS.contains(name.name()));
        channel.close();
        return options;
    }

    // ---- Linux's own -------------------------------------------------------------------------

    static Stream<Arguments> linuxValues() {
        return Stream.of(
                of(StackSocketOptions.TCP_CORK, true, false),
                of(StackSocketOptions.TCP_NOTSENT_LOWAT, 0L, 16_384L, 4_294_967_295L),
                of(StackSocketOptions.SO_MAX_PACING_RATE, 1_000_000L, Long.MAX_VALUE),
                of(StackSocketOptions.TCP_CONGESTION, "reno", "cubic"),
                of(StackSocketOptions.TCP_WINDOW_CLAMP, 65_536),
                of(StackSocketOptions.SO_RCVLOWAT, 1, 1000),
                of(StackSocketOptions.TCP_USER_TIMEOUT, 0, 30_000),
                of(StackSocketOptions.TCP_SYNCNT, 1, 127),
                of(StackSocketOptions.TCP_LINGER2, 10, -1),
                of(StackSocketOptions.TCP_RTO_MAX_MS, 1000, 120_000),
                of(StackSocketOptions.TCP_RTO_MIN_US, 5000),
                of(StackSocketOptions.TCP_DELACK_MAX_US, 20_000),
                of(StackSocketOptions.TCP_DEFER_ACCEPT, 0, 3),
                of(StackSocketOptions.TCP_FASTOPEN, 0, 16),
                of(StackSocketOptions.TCP_FASTOPEN_CONNECT, true, false),
                of(StackSocketOptions.TCP_FASTOPEN_NO_COOKIE, true, false),
                of(StackSocketOptions.IP_TTL, 1, 255));
    }

    @ParameterizedTest
    @MethodSource("linuxValues")
    void what_is_set_is_got(SocketOption<Object> name, Object[] values) throws IOException {
        StreamSocket ours = stream();
        for (Object value : values) {
            set(ours, name, value);
            assertThat(ourValue(ours, name)).isEqualTo(value);
        }
    }

    @Test
    void what_linux_refuses_is_refused_with_its_words() {
        StreamSocket ours = stream();
        assertThat(outcome(() -> set(ours, StackSocketOptions.TCP_SYNCNT, 0)))
                .isEqualTo("java.net.SocketException: Invalid argument");
        assertThat(outcome(() -> set(ours, StackSocketOptions.TCP_CONGESTION, "vegas")))
                .isEqualTo("java.net.SocketException: No such file or directory");
        assertThat(outcome(() -> set(ours, StackSocketOptions.IP_MTU, 1500)))
                .isEqualTo("java.net.SocketException: Protocol not available");
        assertThat(outcome(() -> ourValue(ours, StackSocketOptions.IP_MTU)))
                .isEqualTo("java.net.SocketException: Transport endpoint is not connected");
        assertThat(outcome(() -> set(ours, StackSocketOptions.TCP_NOTSENT_LOWAT, 1L << 32)))
                .isEqualTo("java.lang.IllegalArgumentException: Invalid TCP_NOTSENT_LOWAT value");
    }

    @Test
    void tcp_info_is_a_snapshot_of_the_moment() throws IOException {
        StreamSocket ours = stream();
        TcpInfo before = ourValue(ours, StackSocketOptions.TCP_INFO);
        assertThat(before.state).isEqualTo(TcpState.CLOSED.linuxNumber());
        assertThat(ours.listen(1)).isNotNull();
        assertThat(ourValue(ours, StackSocketOptions.TCP_INFO).state)
                .isEqualTo(TcpState.LISTEN.linuxNumber());
        assertThat(before.state).isEqualTo(TcpState.CLOSED.linuxNumber());
    }

    @Test
    void a_datagram_socket_knows_its_options() throws IOException {
        DatagramSocket ours = new DatagramSocket(live.stack());
        set(ours, StackSocketOptions.IP_DONTFRAGMENT, true);
        assertThat(get(ours, StackSocketOptions.IP_DONTFRAGMENT)).isEqualTo(true);
        assertThat(get(ours, StackSocketOptions.IP_MTU_DISCOVER)).isEqualTo(2);
        set(ours, StackSocketOptions.IP_DONTFRAGMENT, false);
        assertThat(get(ours, StackSocketOptions.IP_DONTFRAGMENT)).isEqualTo(false);
        set(ours, StandardSocketOptions.SO_RCVBUF, 100_000);
        assertThat(get(ours, StandardSocketOptions.SO_RCVBUF)).isEqualTo(100_000);
        assertThat(get(ours, StackSocketOptions.IP_MTU)).isEqualTo(SocketError.ENOTCONN);
    }

    private static void set(DatagramSocket socket, SocketOption<?> name, Object value)
            throws IOException {
        OptionTable.checkValue(name, value);
        OptionTable.done(OptionTable.set(0, socket, name, value));
    }

    private static Object get(DatagramSocket socket, SocketOption<?> name) {
        return OptionTable.get(0, socket, name);
    }

    @Test
    void an_option_of_others_is_not_supported() {
        assertThatThrownBy(
                        () ->
                                OptionTable.check(
                                        StandardSocketOptions.SO_BROADCAST, OptionTable.STREAM))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("'SO_BROADCAST' not supported");
    }
}
