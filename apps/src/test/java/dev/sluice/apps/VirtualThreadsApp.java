package dev.sluice.apps;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Five hundred connections, each with a virtual thread on either side that blocks in it. Nobody is
 * answered before all of them have asked, so all of them wait at once.
 */
final class VirtualThreadsApp implements Server, Client {
    private static final int CLIENTS = 500;
    private static final int LENGTH = 100_000;

    @Override
    public Running serve(InetAddress at) throws Exception {
        ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(at, 0), CLIENTS);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        CountDownLatch asked = new CountDownLatch(CLIENTS);
        Future<?> accepting = threads.submit(() -> accept(listener, threads, asked));
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        return new Running(
                port,
                () -> {
                    listener.close();
                    accepting.get();
                    threads.close();
                });
    }

    private static Void accept(
            ServerSocketChannel listener, ExecutorService threads, CountDownLatch asked)
            throws IOException {
        while (true) {
            try {
                SocketChannel channel = listener.accept();
                threads.submit(() -> answer(channel, asked));
            } catch (AsynchronousCloseException e) {
                return null;
            }
        }
    }

    private static Void answer(SocketChannel channel, CountDownLatch asked) throws Exception {
        try (channel) {
            ByteBuffer request = read(channel, LENGTH);
            asked.countDown();
            asked.await();
            write(channel, request);
            // The client closes first.
            Http.equal(-1, channel.read(ByteBuffer.allocate(1)));
        }
        return null;
    }

    @Override
    public void use(InetAddress own, InetSocketAddress server) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Void>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                byte id = (byte) i;
                clients.add(threads.submit(() -> ask(server, id)));
            }
            for (Future<Void> client : clients) {
                client.get();
            }
        }
    }

    private static Void ask(InetSocketAddress server, byte id) throws IOException {
        byte[] bytes = Content.bytes(LENGTH);
        bytes[0] = id;
        try (SocketChannel channel = SocketChannel.open(server)) {
            write(channel, ByteBuffer.wrap(bytes));
            Http.equal(ByteBuffer.wrap(bytes), read(channel, LENGTH));
        }
        return null;
    }

    private static void write(SocketChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private static ByteBuffer read(SocketChannel channel, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("after " + buffer.position() + " bytes");
            }
        }
        return buffer.flip();
    }
}
