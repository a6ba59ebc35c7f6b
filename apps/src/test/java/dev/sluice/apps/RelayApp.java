package dev.sluice.apps;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;

/**
 * Hands on to port {@code sluice.relay} of the kernel's loopback address what comes: a way from a
 * cable to a server that is no Java program.
 */
final class RelayApp implements Server {
    private final int target = Integer.getInteger("sluice.relay");

    @Override
    public Running serve(InetAddress at) throws IOException {
        ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(at, 0));
        Thread.ofPlatform().daemon().start(() -> accept(listener));
        return new Running(
                ((InetSocketAddress) listener.getLocalAddress()).getPort(), listener::close);
    }

    private void accept(ServerSocketChannel listener) {
        try {
            while (true) {
                // The streams of the adaptor, since those of Channels let nobody read while
                // somebody writes, unless the channel is the JDK's own.
                Socket client = listener.accept().socket();
                // A plain socket is the kernel's, whoever provides the channels.
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                Thread.ofPlatform().daemon().start(() -> copy(client, server));
                Thread.ofPlatform().daemon().start(() -> copy(server, client));
            }
        } catch (AsynchronousCloseException e) {
            // The relay was stopped.
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Copies one direction to its end, which closes both: enough for a database. */
    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // The other direction has ended, and closed them.
        }
    }
}
