package dev.sluice.runtime.nio;

import java.io.IOException;
import java.net.SocketOption;

/** {@code setOption} and {@code getOption} of what is behind a {@link StreamPort}. */
final class ChannelOptions {
    private ChannelOptions() {}

    /**
     * Sets an option.
     *
     * @throws IllegalArgumentException if the value cannot be one of it
     */
    static <T> void set(StreamPort port, SocketOption<T> name, T value) throws IOException {
        OptionTable.checkValue(name, value);
        OptionTable.done((int) port.call(now -> OptionTable.set(now, port.socket(), name, value)));
    }

    /** The value of an option. */
    static <T> T get(StreamPort port, SocketOption<T> name) throws IOException {
        Object[] value = new Object[1];
        OptionTable.done(
                (int)
                        port.call(
                                now -> {
                                    value[0] = OptionTable.get(now, port.socket(), name);
                                    return 0;
                                }));
        return OptionTable.found(name, value[0]);
    }
}
