package dev.sluice.runtime.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Channels and selectors over one or several live stacks.
 *
 * <p>A channel is on the default stack, the first, until an address says otherwise: it moves, with
 * its options, to the stack that has the address it is bound to, or from which the address it
 * connects to is reached without a gateway. Channels of all stacks may share a selector.
 */
public final class StackSelectorProvider extends SelectorProvider {
    private final ReentrantLock lock = new ReentrantLock();

    /** Null until it is needed, of a provider that has to make them. */
    private volatile Hosts hosts;

    /**
     * For {@code -Djava.nio.channels.spi.SelectorProvider}: channels over the stacks of the
     * configuration file, which are made when the first channel is opened. Opening one fails with
     * an {@code IOException} that names the remedy if they cannot be made.
     */
    public StackSelectorProvider() {}

    /**
     * Channels over these stacks.
     *
     * @param hosts at least one
     */
    public StackSelectorProvider(List<Host> hosts) {
        this.hosts = new Hosts(hosts);
    }

    private static final class OfJvm {
        static final StackSelectorProvider PROVIDER =
                SelectorProvider.provider() instanceof StackSelectorProvider installed
                        ? installed
                        : new StackSelectorProvider();
    }

    /**
     * The one provider over the stacks of the configuration file: that of the JVM, if it is
     * installed there, and else one of its own.
     */
    public static StackSelectorProvider ofJvm() {
        return OfJvm.PROVIDER;
    }

    /** Where channels and sockets may be. */
    Hosts hosts() throws IOException {
        Hosts made = hosts;
        if (made != null) {
            return made;
        }
        lock.lock();
        try {
            if (hosts == null) {
                ClassLoader ours = StackSelectorProvider.class.getClassLoader();
                HostSource source =
                        ServiceLoader.load(HostSource.class, ours)
                                .findFirst()
                                .orElseThrow(() -> new IOException("nothing makes stacks"));
                hosts = new Hosts(source.open());
            }
            return hosts;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return new StackSocketChannel(this, hosts(), false);
    }

    /**
     * Opens a channel of that family.
     *
     * @throws UnsupportedOperationException if it is not INET or INET6
     */
    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        return new StackSocketChannel(this, hosts(), isIpv4(family));
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return new StackServerSocketChannel(this, hosts(), false);
    }

    /**
     * Opens a channel of that family; one of INET6 takes both.
     *
     * @throws UnsupportedOperationException if it is not INET or INET6
     */
    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        return new StackServerSocketChannel(this, hosts(), isIpv4(family));
    }

    private static boolean isIpv4(ProtocolFamily family) {
        Objects.requireNonNull(family, "'family' is null");
        if (family == StandardProtocolFamily.INET) {
            return true;
        }
        if (family == StandardProtocolFamily.INET6) {
            return false;
        }
        throw new UnsupportedOperationException("Protocol family not supported");
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return new StackDatagramChannel(this, hosts(), false);
    }

    /**
     * Opens a channel of that family; one of INET6 takes both.
     *
     * @throws UnsupportedOperationException if it is not INET or INET6
     */
    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return new StackDatagramChannel(this, hosts(), isIpv4(family));
    }

    /** A pipe in memory, which is on no stack. */
    @Override
    public Pipe openPipe() {
        return new StackPipe(this);
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        return new StackSelector(this);
    }

    /** A stack inherits no channel from whoever started the JVM: null. */
    @Override
    public Channel inheritedChannel() {
        return null;
    }
}
