package dev.sluice.runtime;

import dev.sluice.config.StackConfig;
import dev.sluice.memory.BlockPool;
import dev.sluice.memory.PacketPool;
import dev.sluice.runtime.device.Device;
import dev.sluice.runtime.device.DeviceException;
import dev.sluice.runtime.loop.Clock;
import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.runtime.monitor.LiveStackMXBean;
import dev.sluice.runtime.monitor.StackMonitor;
import dev.sluice.runtime.nio.Host;
import dev.sluice.runtime.nio.StackSelectorProvider;
import dev.sluice.runtime.nio.StackServerSocketFactory;
import dev.sluice.runtime.nio.StackSocketFactory;
import dev.sluice.seed.Rng;
import dev.sluice.stack.Interface;
import dev.sluice.stack.NetworkStack;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.IpAddress;

import java.security.SecureRandom;
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
