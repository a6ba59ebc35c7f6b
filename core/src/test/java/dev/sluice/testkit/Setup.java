package dev.sluice.testkit;

import dev.sluice.config.StackConfig;
import dev.sluice.socket.SocketOption;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What an exchange begins with; see {@link TcpTest}. Statically imported, they read as words. */
public final class Setup {
    private final Consumer<Choices> change;

    private Setup(Consumer<Choices> change) {
        this.change = change;
    }

    /** What all the setups of one exchange add up to. */
    static final class Choices {
        final StackConfig.Builder config = StackConfig.builder();
        final List<OptionValue> options = new ArrayList<>();
        int rttMillis = 20;
        int window = 65_535;
        int mtu = 1500;
        int backlog = 128;
        boolean tso;
        boolean ipv6;
        boolean active;

        Choices(Setup... setups) {
            // As in our packetdrill scripts: super-segments no larger than the rate asks for.
            config.set("net.ipv4.tcp_min_tso_segs", "1");
            for (Setup setup : setups) {
                setup.change.accept(this);
            }
        }
    }

    record OptionValue(SocketOption option, long value) {}

    /** The initial congestion window, in segments. */
    public static Setup cwnd(int segments) {
        return sysctl("net.stack.tcp_initial_cwnd", segments);
    }

    /** From the peer's SYN to its ACK; 20 by default. */
    public static Setup rttMillis(int millis) {
        return new Setup(c -> c.rttMillis = millis);
    }

    /** SEG.WND of what the peer sends unless a segment says otherwise, as on the wire. */
    public static Setup window(int onTheWire) {
        return new Setup(c -> c.window = onTheWire);
    }

    /** Largest IP packet of our interface, in bytes; 1500 by default. */
    public static Setup mtu(int bytes) {
        return new Setup(c -> c.mtu = bytes);
    }

    /** The device splits super-segments, so that they are seen whole. */
    public static Setup tso() {
        return new Setup(c -> c.tso = true);
    }

    /** IPv6 instead of IPv4. */
    public static Setup ipv6() {
        return new Setup(c -> c.ipv6 = true);
    }

    /** The connection is opened by us; by default the peer opens it. */
    public static Setup active() {
        return new Setup(c -> c.active = true);
    }

    /** Length of the accept queue. */
    public static Setup backlog(int connections) {
        return new Setup(c -> c.backlog = connections);
    }

    /** A sysctl by its name. */
    public static Setup sysctl(String name, String value) {
        return new Setup(c -> c.config.set(name, value));
    }

    /** A sysctl by its name. */
    public static Setup sysctl(String name, long value) {
        return sysctl(name, Long.toString(value));
    }

    /** A socket option, set before the socket listens or connects. */
    public static Setup option(SocketOption option, long value) {
        return new Setup(c -> c.options.add(new OptionValue(option, value)));
    }
}
