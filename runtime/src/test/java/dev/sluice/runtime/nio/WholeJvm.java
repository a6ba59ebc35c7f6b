package dev.sluice.runtime.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A program that knows nothing of us, to be started with a provider for the whole JVM. */
final class WholeJvm {
    private WholeJvm() {}

    /** Prints which provider it got, and what it received over a connection to an address. */
    public static void main(String[] args) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                SocketChannel client = SocketChannel.open();
                Selector selector = Selector.open()) {
            listener.bind(new InetSocketAddress(args[0], 0));
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                server.write(ByteBuffer.wrap(new byte[] {42}));
                client.configureBlocking(false);
                client.register(selector, SelectionKey.OP_READ);
                selector.select();
                ByteBuffer into = ByteBuffer.allocate(1);
                client.read(into);
                System.out.println(
                        selector.provider().getClass().getSimpleName()
                                + " "
                                + ((InetSocketAddress) client.getLocalAddress()).getHostString()
                                + " "
                                + into.get(0));
            }
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
    }
}
