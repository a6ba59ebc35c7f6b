package dev.sluice.runtime;

import dev.sluice.config.StackConfig;
import dev.sluice.memory.BlockPool;
import dev.sluice.memory.PacketPool;
import dev.sluice.runtime.device.Device;
import dev.sluice.runtime.device.DeviceException;
import dev.sluice.runtime.loop.Clock;
import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.runtime.loop.Gate;
import dev.sluice.runtime.loop.StackClosedException;
import dev.sluice.runtime.monitor.LiveStackMXBean;
import dev.sluice.runtime.monitor.StackMonitor;
import dev.sluice.runtime.nio.Host;
import dev.sluice.runtime.nio.StackSelectorProvider;
import dev.sluice.runtime.nio.StackServerSocketFactory;
import dev.sluice.runtime.nio.StackSocketFactory;
import dev.sluice.seed.Rng;
import dev.sluice.stack.Interface;
import dev.sluice.stack.NetworkStack;
import dev.sluice.tcp.TcpConnection;
import dev.sluice.tcp.TcpState;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.IpAddress;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A stack on a device, with its memory and its event loop. Any number of them live in one JVM and
 * share nothing.
 *
 * <p>Sockets are made from {@link #stack} before {@link #start}; from then on the stack is touched
 * inside {@link EventLoop#call} and by those whom the stack signals.
 */
public final class LiveStack implements AutoCloseable {
    /** Off-heap memory that packets, and that outgoing streams, may take at most, bytes. */
    private static final long MEMORY_LIMIT = 1L << 30;

    /** Between two looks at what is still to be acknowledged. */
    private static final long LOOK_NANOS = 1_000_000;

    private final PacketPool packets;
    private final BlockPool blocks;
    private final NetworkStack stack;
    private final Interface iface;
    private final EventLoop loop;
    private final Host host;
    private final StackSelectorProvider provider;
    private final StackMonitor monitor;

    /**
     * @param config what the stack does
     * @param device belongs to this object from here on
     */
    public LiveStack(StackConfig config, Device device) throws DeviceException {
        packets = new PacketPool(MEMORY_LIMIT);
        blocks = new BlockPool(config.blockBytes, MEMORY_LIMIT);
        Rng secrets = new Rng(new SecureRandom().nextLong());
        stack = new NetworkStack(config, packets, blocks, secrets, StackObserver.NONE);
        iface = stack.addInterface(device.name(), device.mtu());
        iface.offloads(device.segmentation(), device.checksumOffload());
        iface.transmitsAtOnce(true);
        Interface loopback = stack.addLoopback();
        loop = new EventLoop(Clock.system(), stack, iface, device, loopback);
        host = new Host(loop, stack);
        provider = new StackSelectorProvider(List.of(host));
        monitor = new StackMonitor(loop, stack, device.name());
    }

    /** The configuration for real packets: what they are charged is the memory they are in. */
    public static StackConfig.Builder config() {
        return StackConfig.builder().set("net.stack.truesize", "slab");
    }

    /** Answers to that address too; {@code prefixLength} in bits of its own family. */
    public void addAddress(IpAddress address, int prefixLength) {
        iface.addAddress(address, prefixLength);
    }

    public NetworkStack stack() {
        return stack;
    }

    public EventLoop loop() {
        return loop;
    }

    /** This stack as a {@link StackSelectorProvider} over several wants it. */
    public Host host() {
        return host;
    }

    /** Makes channels and selectors on this stack. */
    public StackSelectorProvider provider() {
        return provider;
    }

    /** Makes {@code java.net} sockets on this stack. */
    public StackSocketFactory socketFactory() {
        return new StackSocketFactory(provider);
    }

    /** Makes {@code java.net} server sockets on this stack. */
    public StackServerSocketFactory serverSocketFactory() {
        return new StackServerSocketFactory(provider);
    }

    /**
     * Lets {@code sluice stat}, {@code sluice ss} and every JMX console see this stack, until it is
     * closed, as {@code dev.sluice:type=LiveStack,name=NAME}.
     *
     * @throws IllegalStateException if it is published already
     */
    public void publish(String name) {
        monitor.publish(name);
    }

    /** What this stack says about itself. */
    public LiveStackMXBean monitor() {
        return monitor;
    }

    public void start() {
        loop.start();
    }

    /**
     * Closes in order what is connected, lets it send what it has, and then closes the stack. What
     * is not acknowledged by then is lost: without a kernel behind it a stack that is closed, or a
     * JVM that ends, takes the bytes on their way with it.
     *
     * @param atMost how long to wait for the peers
     */
    public void finish(Duration atMost) {
        hangUp();
        awaitSent(loop.now() + atMost.toNanos());
        close();
    }

    /** As if every application had closed its sockets. */
    void hangUp() {
        try {
            loop.call(this::closeConnections);
        } catch (StackClosedException e) {
            // Nothing is connected any more.
        }
    }

    private long closeConnections(long now) {
        List<TcpConnection> open = new ArrayList<>();
        stack.forEachConnection(
                c -> {
                    if (!hasSaidFarewell(c.state())) {
                        open.add(c);
                    }
                });
        open.forEach(c -> c.close(now));
        return open.size();
    }

    private static boolean hasSaidFarewell(TcpState state) {
        return state == TcpState.FIN_WAIT_2 || state == TcpState.CLOSED || isSending(state);
    }

    /** A FIN is on its way, and with it all data before. */
    private static boolean isSending(TcpState state) {
        return state == TcpState.FIN_WAIT_1
                || state == TcpState.CLOSING
                || state == TcpState.LAST_ACK;
    }

    /**
     * Waits until everything that was closed has been acknowledged.
     *
     * @param deadline nanoseconds of the loop's clock
     */
    void awaitSent(long deadline) {
        Gate never = new Gate();
        try {
            while (loop.now() < deadline && loop.call(now -> countSending()) > 0) {
                loop.await(never, Math.min(deadline, loop.now() + LOOK_NANOS));
            }
        } catch (StackClosedException e) {
            // Nobody sends any more.
        }
    }

    private long countSending() {
        long[] sending = new long[1];
        stack.forEachConnection(c -> sending[0] += isSending(c.state()) ? 1 : 0);
        return sending[0];
    }

    /** Stops the loop, resets what is connected, and gives back device and memory; once. */
    @Override
    public void close() {
        if (loop.shutDown()) {
            monitor.withdraw();
            packets.close();
            blocks.close();
        }
    }
}
