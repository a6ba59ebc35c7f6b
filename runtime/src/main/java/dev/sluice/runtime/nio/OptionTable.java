package dev.sluice.runtime.nio;

import dev.sluice.socket.DatagramSocket;
import dev.sluice.socket.SocketError;
import dev.sluice.socket.StreamSocket;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which option of {@link StandardSocketOptions} and {@link StackSocketOptions} is which of the
 * stack's, who has it, and how values look on either side.
 */
final class OptionTable {
    private static final int MOST_LINGER_SECONDS = 65_535;
    private static final int MOST_TOS = 255;
    private static final long MOST_UNSIGNED = 0xffff_ffffL;

    /** IP_MTU_DISCOVER: IP_PMTUDISC_DO. */
    private static final int DISCOVER_ALWAYS = 2;

    /** Of connections and of listening sockets alike, among those that Linux has. */
    private static final Set<SocketOption<?>> LINUX_TCP =
            Set.of(
                    StackSocketOptions.TCP_CORK,
                    StackSocketOptions.TCP_QUICKACK,
                    StackSocketOptions.TCP_NOTSENT_LOWAT,
                    StackSocketOptions.SO_MAX_PACING_RATE,
                    StackSocketOptions.TCP_CONGESTION,
                    StackSocketOptions.TCP_MAXSEG,
                    StackSocketOptions.TCP_WINDOW_CLAMP,
                    StackSocketOptions.SO_RCVLOWAT,
                    StackSocketOptions.TCP_USER_TIMEOUT,
                    StackSocketOptions.TCP_KEEPIDLE,
                    StackSocketOptions.TCP_KEEPINTERVAL,
                    StackSocketOptions.TCP_KEEPCOUNT,
                    StackSocketOptions.TCP_SYNCNT,
                    StackSocketOptions.TCP_LINGER2,
                    StackSocketOptions.TCP_RTO_MAX_MS,
                    StackSocketOptions.TCP_RTO_MIN_US,
                    StackSocketOptions.TCP_DELACK_MAX_US,
                    StackSocketOptions.TCP_FASTOPEN_NO_COOKIE,
                    StackSocketOptions.IP_TTL,
                    StackSocketOptions.IP_MTU_DISCOVER,
                    StackSocketOptions.TCP_INFO);

    /** What a connection has. */
    static final Set<SocketOption<?>> STREAM =
            with(
                    LINUX_TCP,
                    StandardSocketOptions.SO_SNDBUF,
                    StandardSocketOptions.SO_RCVBUF,
                    StandardSocketOptions.SO_KEEPALIVE,
                    StandardSocketOptions.SO_REUSEADDR,
                    StandardSocketOptions.SO_REUSEPORT,
                    StandardSocketOptions.SO_LINGER,
                    StandardSocketOptions.TCP_NODELAY,
                    StandardSocketOptions.IP_TOS,
                    StackSocketOptions.TCP_FASTOPEN_CONNECT,
                    StackSocketOptions.SO_OOBINLINE,
                    StackSocketOptions.IP_MTU);

    /** What a listening channel has. */
    static final Set<SocketOption<?>> LISTEN =
            with(
                    LINUX_TCP,
                    StandardSocketOptions.SO_RCVBUF,
                    StandardSocketOptions.SO_REUSEADDR,
                    StandardSocketOptions.SO_REUSEPORT,
                    StackSocketOptions.TCP_DEFER_ACCEPT,
                    StackSocketOptions.TCP_FASTOPEN);

    /** What a server socket has that is not a channel's. */
    static final Set<SocketOption<?>> SERVER_SOCKET = with(LISTEN, StackSocketOptions.IP_TOS);

    /** What a datagram channel has. */
    static final Set<SocketOption<?>> DATAGRAM =
            Set.of(
                    StandardSocketOptions.SO_SNDBUF,
                    StandardSocketOptions.SO_RCVBUF,
                    StandardSocketOptions.SO_REUSEADDR,
                    StandardSocketOptions.SO_REUSEPORT,
                    StandardSocketOptions.SO_BROADCAST,
                    StandardSocketOptions.IP_TOS,
                    StackSocketOptions.IP_TTL,
                    StackSocketOptions.IP_MTU_DISCOVER,
                    StackSocketOptions.IP_DONTFRAGMENT,
                    StackSocketOptions.IP_MTU,
                    StackSocketOptions.SO_NO_CHECK);

    /** Those whose value is a number for the stack. */
    private static final Map<SocketOption<?>, dev.sluice.socket.SocketOption> NUMBERS =
            Stream.of(STREAM, SERVER_SOCKET, DATAGRAM)
                    .flatMap(Set::stream)
                    .distinct()
                    .filter(name -> name != StackSocketOptions.TCP_INFO)
                    .collect(Collectors.toUnmodifiableMap(name -> name, OptionTable::linux));

    private OptionTable() {}

    /** The JDK has other names for a few. */
    private static dev.sluice.socket.SocketOption linux(SocketOption<?> name) {
        if (name == StackSocketOptions.TCP_KEEPINTERVAL) {
            return dev.sluice.socket.SocketOption.TCP_KEEPINTVL;
        }
        if (name == StackSocketOptions.TCP_KEEPCOUNT) {
            return dev.sluice.socket.SocketOption.TCP_KEEPCNT;
        }
        if (name == StackSocketOptions.IP_DONTFRAGMENT) {
            return dev.sluice.socket.SocketOption.IP_MTU_DISCOVER;
        }
        return dev.sluice.socket.SocketOption.valueOf(name.name());
    }

    private static Set<SocketOption<?>> with(Set<SocketOption<?>> some, SocketOption<?>... more) {
        return Stream.concat(some.stream(), Stream.of(more))
                .collect(Collectors.toUnmodifiableSet());
    }

    // ---- arguments ---------------------------------------------------------------------------

    /**
     * Fails unless the option is among the supported ones.
     *
     * @throws UnsupportedOperationException if it is not
     */
    static void check(SocketOption<?> name, Set<SocketOption<?>> supported) {
        Objects.requireNonNull(name);
        if (!supported.contains(name)) {
            throw new UnsupportedOperationException("'" + name + "' not supported");
        }
    }

    /**
     * Fails unless the value is of that option's type.
     *
     * @throws IllegalArgumentException if it is not
     */
    static void checkType(SocketOption<?> name, Object value) {
        if (!name.type().isInstance(value)) {
            throw new IllegalArgumentException("Invalid value '" + value + "'");
        }
    }

    /**
     * Fails unless the value may be one of that option.
     *
     * @throws IllegalArgumentException if it may not
     */
    static void checkValue(SocketOption<?> name, Object value) {
        checkType(name, value);
        boolean buffer =
                name == StandardSocketOptions.SO_SNDBUF || name == StandardSocketOptions.SO_RCVBUF;
        if (buffer && (int) value < 0) {
            throw new IllegalArgumentException("Invalid send/receive buffer size");
        }
        if (name == StandardSocketOptions.IP_TOS && ((int) value < 0 || (int) value > MOST_TOS)) {
            throw new IllegalArgumentException("Invalid IP_TOS value");
        }
        long most = name == StackSocketOptions.TCP_NOTSENT_LOWAT ? MOST_UNSIGNED : Long.MAX_VALUE;
        if (value instanceof Long wide && (wide < 0 || wide > most)) {
            throw new IllegalArgumentException("Invalid " + name + " value");
        }
    }

    /** A value that has been checked, as the stack has it. */
    private static long number(SocketOption<?> name, Object value) {
        if (name == StandardSocketOptions.SO_LINGER) {
            return Math.clamp((int) value, -1, MOST_LINGER_SECONDS);
        }
        if (name == StackSocketOptions.IP_DONTFRAGMENT) {
            return (boolean) value ? DISCOVER_ALWAYS : 0;
        }
        return value instanceof Boolean on ? on ? 1 : 0 : ((Number) value).longValue();
    }

    // ---- on the stack ------------------------------------------------------------------------

    /**
     * Sets an option whose value has been checked.
     *
     * @return 0 or a negative error
     */
    static int set(long now, StreamSocket socket, SocketOption<?> name, Object value) {
        if (name == StackSocketOptions.TCP_CONGESTION) {
            return socket.setCongestionControl((String) value);
        }
        if (name == StackSocketOptions.TCP_INFO || name == StackSocketOptions.IP_MTU) {
            return SocketError.ENOPROTOOPT.result();
        }
        return socket.setOption(now, NUMBERS.get(name), number(name, value));
    }

    static int set(long now, DatagramSocket socket, SocketOption<?> name, Object value) {
        return name == StackSocketOptions.IP_MTU
                ? SocketError.ENOPROTOOPT.result()
                : socket.setOption(now, NUMBERS.get(name), number(name, value));
    }

    /** The value of an option, or a {@link SocketError}. */
    static Object get(long now, StreamSocket socket, SocketOption<?> name) {
        if (name == StackSocketOptions.TCP_CONGESTION) {
            return socket.congestionControl();
        }
        if (name == StackSocketOptions.TCP_INFO) {
            return socket.info(now);
        }
        return value(name, socket.getOption(NUMBERS.get(name)));
    }

    static Object get(long now, DatagramSocket socket, SocketOption<?> name) {
        return value(name, socket.getOption(now, NUMBERS.get(name)));
    }

    private static Object value(SocketOption<?> name, long number) {
        boolean mayBeNegative =
                name == StandardSocketOptions.SO_LINGER || name == StackSocketOptions.TCP_LINGER2;
        if (number < 0 && !mayBeNegative) {
            return SocketError.of((int) number);
        }
        if (name == StackSocketOptions.IP_DONTFRAGMENT) {
            return number == DISCOVER_ALWAYS;
        }
        if (name.type() == Boolean.class) {
            return number != 0;
        }
        if (name.type() == Long.class) {
            return number;
        }
        boolean doubled =
                name == StandardSocketOptions.SO_SNDBUF || name == StandardSocketOptions.SO_RCVBUF;
        // Linux reports twice what was asked for, and Java half of that.
        return (int) (doubled ? number / 2 : number);
    }

    // ---- outcomes ----------------------------------------------------------------------------

    /** The value that {@link #get} found, or what it means that it found none. */
    static <T> T found(SocketOption<T> name, Object value) throws IOException {
        if (value instanceof SocketError error) {
            throw failure(error.result());
        }
        return name.type().cast(value);
    }

    /** Fails if {@link #set} did. */
    static void done(int result) throws IOException {
        if (result < 0) {
            throw failure(result);
        }
    }

    private static IOException failure(int result) {
        // Whatever the option, the JDK has one exception for it.
        return SocketExceptions.ofStream(result);
    }
}
