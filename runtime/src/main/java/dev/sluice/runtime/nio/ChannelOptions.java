package dev.sluice.runtime.nio;

import dev.sluice.socket.SocketOption;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** What {@code setOption} and {@code getOption} of channels make of their arguments. */
final class ChannelOptions {
    private static final int MOST_LINGER_SECONDS = 65_535;
    private static final int MOST_TOS = 255;

    private static final Map<java.net.SocketOption<?>, SocketOption> OPTIONS =
            Map.of(
                    StandardSocketOptions.SO_SNDBUF, SocketOption.SO_SNDBUF,
                    StandardSocketOptions.SO_RCVBUF, SocketOption.SO_RCVBUF,
                    StandardSocketOptions.SO_KEEPALIVE, SocketOption.SO_KEEPALIVE,
                    StandardSocketOptions.SO_REUSEADDR, SocketOption.SO_REUSEADDR,
                    StandardSocketOptions.SO_REUSEPORT, SocketOption.SO_REUSEPORT,
                    StandardSocketOptions.SO_LINGER, SocketOption.SO_LINGER,
                    StandardSocketOptions.TCP_NODELAY, SocketOption.TCP_NODELAY,
                    StandardSocketOptions.IP_TOS, SocketOption.IP_TOS);

    static final Set<java.net.SocketOption<?>> STREAM = OPTIONS.keySet();

    static final Set<java.net.SocketOption<?>> SERVER =
            Set.of(
                    StandardSocketOptions.SO_RCVBUF,
                    StandardSocketOptions.SO_REUSEADDR,
                    StandardSocketOptions.SO_REUSEPORT);

    private ChannelOptions() {}

    /**
     * Fails unless the channel has such an option.
     *
     * @throws UnsupportedOperationException if it has not
     */
    static void check(java.net.SocketOption<?> name, Set<java.net.SocketOption<?>> supported) {
        Objects.requireNonNull(name);
        if (!supported.contains(name)) {
            throw new UnsupportedOperationException("'" + name + "' not supported");
        }
    }

    /**
     * Sets an option.
     *
     * @throws IllegalArgumentException if the value cannot be one of it
     */
    static <T> void set(StreamPort port, java.net.SocketOption<T> name, T value)
            throws IOException {
        SocketOption option = OPTIONS.get(name);
        long number =
                switch ((Object) value) {
                    case null -> throw new IllegalArgumentException("Invalid value 'null'");
                    case Boolean on -> on ? 1 : 0;
                    case Integer n -> checked(option, n);
                    default -> throw new IllegalArgumentException("Invalid value '" + value + "'");
                };
        int result = (int) port.call(now -> port.socket().setOption(now, option, number));
        if (result < 0) {
            throw SocketExceptions.of(result);
        }
    }

    private static int checked(SocketOption option, int value) {
        return switch (option) {
            case SO_SNDBUF, SO_RCVBUF -> {
                if (value < 0) {
                    throw new IllegalArgumentException("Invalid send/receive buffer size");
                }
                yield value;
            }
            case IP_TOS -> {
                if (value < 0 || value > MOST_TOS) {
                    throw new IllegalArgumentException("Invalid IP_TOS value");
                }
                yield value;
            }
            case SO_LINGER -> Math.min(Math.max(-1, value), MOST_LINGER_SECONDS);
            default -> value;
        };
    }

    /** The value of an option. */
    static <T> T get(StreamPort port, java.net.SocketOption<T> name) throws IOException {
        SocketOption option = OPTIONS.get(name);
        long value = port.call(now -> port.socket().getOption(option));
        if (value == StreamPort.GONE) {
            throw SocketExceptions.of(StreamPort.GONE);
        }
        if (name.type() == Boolean.class) {
            return name.type().cast(value != 0);
        }
        boolean doubled = option == SocketOption.SO_SNDBUF || option == SocketOption.SO_RCVBUF;
        // Linux reports twice what was asked for, and Java half of that.
        return name.type().cast((int) (doubled ? value / 2 : value));
    }
}
