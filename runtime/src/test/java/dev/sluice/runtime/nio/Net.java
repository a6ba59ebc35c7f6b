package dev.sluice.runtime.nio;

import dev.sluice.runtime.LiveStack;
import dev.sluice.runtime.device.Cable;
import dev.sluice.runtime.device.CableSpec;
import dev.sluice.runtime.device.Device;
import dev.sluice.runtime.device.DeviceException;
import dev.sluice.wire.IpAddress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;

/**
 * What a contract is tested on: the JDK's provider and the kernel's loopback, to know that the test
 * is right, and ours on two stacks joined by a cable.
 */
enum Net {
    KERNEL,
    STACKS;

    private static final String SERVER = "10.8.0.1";
    private static final String CLIENT = "10.8.0.2";

    /** For IPv6, of stacks only; the last digit is that of the IPv4 address. */
    static final String PREFIX_6 = "fd00:8::";

    /** Two hosts that can talk; the client's own address is not always the server's. */
    record Open(
            SelectorProvider provider,
            InetAddress server,
            InetAddress client,
            List<LiveStack> stacks)
            implements AutoCloseable {
        /** A connection, both ends in blocking mode. */
        Pair connect() throws IOException {
            try (ServerSocketChannel listener = listen()) {
                SocketChannel client = provider.openSocketChannel();
                client.connect(listener.getLocalAddress());
                return new Pair(client, listener.accept());
            }
        }

        ServerSocketChannel listen() throws IOException {
            ServerSocketChannel listener = provider.openServerSocketChannel();
            listener.bind(new InetSocketAddress(server, 0));
            return listener;
        }

        /** An address of the server where nobody listens. */
        InetSocketAddress nobody() throws IOException {
            try (ServerSocketChannel listener = listen()) {
                return (InetSocketAddress) listener.getLocalAddress();
            }
        }

        @Override
        public void close() {
            stacks.forEach(LiveStack::close);
        }
    }

    /** The two ends of a connection. */
    record Pair(SocketChannel client, SocketChannel server) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            client.close();
            server.close();
        }
    }

    Open open() throws DeviceException, UnknownHostException {
        if (this == KERNEL) {
            InetAddress loopback = InetAddress.getByName("127.0.0.1");
            return new Open(SelectorProvider.provider(), loopback, loopback, List.of());
        }
        Cable cable = Cable.open(CableSpec.named("nio"));
        LiveStack client = stack(cable.first(), CLIENT);
        LiveStack server = stack(cable.second(), SERVER);
        List<LiveStack> stacks = List.of(client, server);
        List<Host> hosts = stacks.stream().map(LiveStack::host).toList();
        return new Open(
                new StackSelectorProvider(hosts),
                InetAddress.getByName(SERVER),
                InetAddress.getByName(CLIENT),
                stacks);
    }

    private static LiveStack stack(Device device, String address) throws DeviceException {
        LiveStack stack = new LiveStack(LiveStack.config().build(), device);
        stack.addAddress(IpAddress.parse(address).address(), 24);
        String last = address.substring(address.length() - 1);
        stack.addAddress(IpAddress.parse(PREFIX_6 + last).address(), 64);
        stack.start();
        return stack;
    }
}
