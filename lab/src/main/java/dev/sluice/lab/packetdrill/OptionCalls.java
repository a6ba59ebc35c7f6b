package dev.sluice.lab.packetdrill;

import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketOption;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** {@code setsockopt} and {@code getsockopt}. */
final class OptionCalls {
    private static final int TCP_CONGESTION = (int) Symbols.value("TCP_CONGESTION");
    private static final int TCP_FASTOPEN_KEY = (int) Symbols.value("TCP_FASTOPEN_KEY");
    private static final int LEVEL_TCP = (int) Symbols.value("SOL_TCP");

    private final boolean checksBuffers;

    OptionCalls(boolean checksBuffers) {
        this.checksBuffers = checksBuffers;
    }

    long set(long now, CallArguments arguments, Descriptor.Socket socket) {
        int level = arguments.integer(1);
        int number = arguments.integer(2);
        if (level == LEVEL_TCP && number == TCP_CONGESTION) {
            if (!(arguments.at(3) instanceof Expression.Text name)) {
                throw arguments.unsupported("'" + arguments.at(3) + "' as a name");
            }
            return socket.stream.setCongestionControl(name.value());
        }
        if (level == LEVEL_TCP && number == TCP_FASTOPEN_KEY) {
            if (!(arguments.at(3) instanceof Expression.Text key)) {
                throw arguments.unsupported("'" + arguments.at(3) + "' as a key");
            }
            byte[] bytes = key.value().getBytes(StandardCharsets.ISO_8859_1);
            return socket.stream.setFastOpenKey(Arrays.copyOf(bytes, arguments.integer(4)));
        }
        SocketOption option = find(level, number, arguments);
        return socket.stream.setOption(now, option, value(arguments, option));
    }

    private static long value(CallArguments arguments, SocketOption option) {
        Expression argument = arguments.at(3);
        if (option == SocketOption.SO_LINGER) {
            Expression.Struct linger = arguments.struct(argument);
            boolean on = Symbols.value(CallArguments.member(linger, "onoff")) != 0;
            long seconds = Symbols.value(CallArguments.member(linger, "linger"));
            return on ? seconds : -1;
        }
        if (argument instanceof Expression.Any) {
            throw arguments.unsupported("an option without a value");
        }
        long value = CallArguments.pointed(argument);
        return (int) value == value || value > 0xffff_ffffL ? value : (int) value;
    }

    Subject.Outcome get(CallArguments arguments, Descriptor.Socket socket) {
        SocketOption option = find(arguments.integer(1), arguments.integer(2), arguments);
        long value = socket.stream.getOption(option);
        boolean failed = value < 0 && SocketError.of((int) value) != null;
        if (failed && option != SocketOption.SO_LINGER && option != SocketOption.TCP_LINGER2) {
            return Subject.Outcome.of(value);
        }
        Expression argument = arguments.at(3);
        boolean buffer = option == SocketOption.SO_RCVBUF || option == SocketOption.SO_SNDBUF;
        if (argument instanceof Expression.Any || buffer && !checksBuffers) {
            return Subject.Outcome.of(0);
        }
        long expected = CallArguments.pointed(argument);
        return Subject.Outcome.of(
                0,
                (int) expected == (int) value
                        ? List.of()
                        : List.of(option + ": expected " + argument + ", got [" + value + "]"));
    }

    private static SocketOption find(int level, int number, CallArguments arguments) {
        for (SocketOption option : SocketOption.values()) {
            if (option.level() == level && option.number() == number) {
                return option;
            }
        }
        throw arguments.unsupported("the option " + arguments.at(2));
    }
}
