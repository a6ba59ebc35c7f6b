package dev.sluice.runtime.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.SocketChannel;

/**
 * Carries connections of the kernel's localhost on to an address of our stacks, byte for byte, each
 * direction with its own end. Not through {@code Channels}' streams: those of the JDK hold one lock
 * while they read and while they write, unless the channel is the JDK's own.
 */
public final class Relay implements AutoCloseable {
    private final ServerSocket listener;
    private final InetSocketAddress to;

    private Relay(ServerSocket listener, InetSocketAddress to) {
        this.listener = listener;
        this.to = to;
    }

    /** {@code java.net}'s sockets are the kernel's; channels are those of the JVM's provider. */
    public static Relay listen(int port, InetSocketAddress to) throws IOException {
        return new Relay(new ServerSocket(port, 128, InetAddress.getLoopbackAddress()), to);
    }

    /** Where it listens. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Until it is closed. */
    public void run() throws IOException {
        while (!listener.isClosed()) {
            Socket here = accept();
            if (here != null) {
                Thread.startVirtualThread(() -> carry(here));
            }
        }
    }

    /** Null once it is closed. */
    private Socket accept() throws IOException {
        try {
            return listener.accept();
        } catch (SocketException e) {
            if (listener.isClosed()) {
                return null;
            }
            throw e;
        }
    }

    private void carry(Socket here) {
        try (here;
                SocketChannel there = SocketChannel.open(to)) {
            Thread back = Thread.startVirtualThread(() -> answer(there, here));
            copy(here.getInputStream(), there.socket().getOutputStream());
            there.shutdownOutput();
            back.join();
        } catch (IOException | InterruptedException e) {
            // Either side broke off: closing both tells the other.
        }
    }

    private static void answer(SocketChannel there, Socket here) {
        try {
            copy(there.socket().getInputStream(), here.getOutputStream());
            here.shutdownOutput();
        } catch (IOException e) {
            close(here);
        }
    }

    private static void close(Socket here) {
        try {
            here.close();
        } catch (IOException e) {
            // Closed is what it should be.
        }
    }

    private static void copy(InputStream from, OutputStream to) throws IOException {
        from.transferTo(to);
        to.flush();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
