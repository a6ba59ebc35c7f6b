package dev.sluice.runtime.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The port of a channel that has not been bound or connected yet: it is on the default stack, and
 * moves with its options when an address says that it belongs elsewhere. Used under the channel's
 * lock of state.
 */
final class PortChoice {
    private final Hosts hosts;
    private final KeyList keys;
    private final List<Setting<?>> settings = new ArrayList<>();
    private StreamPort port;

    private record Setting<T>(SocketOption<T> name, T value) {
        void apply(StreamPort port) throws IOException {
            ChannelOptions.set(port, name, value);
        }
    }

    PortChoice(Hosts hosts, KeyList keys) {
        this.hosts = hosts;
        this.keys = keys;
    }

    Hosts hosts() {
        return hosts;
    }

    /** Where the channel is for now. */
    StreamPort port() throws IOException {
        if (port == null) {
            port = open(hosts.first());
        }
        return port;
    }

    private StreamPort open(Host host) throws IOException {
        StreamPort opened = StreamPort.open(host, keys);
        if (opened == null) {
            throw SocketExceptions.of(StreamPort.GONE);
        }
        return opened;
    }

    <T> void set(SocketOption<T> name, T value) throws IOException {
        ChannelOptions.set(port(), name, value);
        if (!hosts.isSingle()) {
            settings.removeIf(s -> s.name().equals(name));
            settings.add(new Setting<>(name, value));
        }
    }

    /** To bind to that address. */
    StreamPort toBind(InetSocketAddress local) throws IOException {
        return moveTo(hosts.toBind(Addresses.ip(local.getAddress())));
    }

    /** To connect to that address, unbound. */
    StreamPort toConnect(InetSocketAddress remote) throws IOException {
        return moveTo(hosts.toConnect(Addresses.ip(remote.getAddress())));
    }

    private StreamPort moveTo(Host host) throws IOException {
        if (port == null || port.host() != host) {
            StreamPort moved = open(host);
            for (Setting<?> setting : settings) {
                setting.apply(moved);
            }
            port = moved;
        }
        return port;
    }
}
