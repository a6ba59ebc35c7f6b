package dev.sluice.runtime.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImplFactory;
import java.util.Objects;

import javax.net.ServerSocketFactory;

/**
 * Makes server sockets on live stacks, for whatever takes a {@code ServerSocketFactory}: an object
 * of it, or the name of this class. One that is bound to no address in particular listens on the
 * default stack, the first.
 */
public final class StackServerSocketFactory extends ServerSocketFactory {
    private static final int DEFAULT_BACKLOG = 50;

    private final StackSelectorProvider provider;

    /** On the stacks of the whole JVM, which its configuration file describes. */
    public StackServerSocketFactory() {
        this(StackSelectorProvider.ofJvm());
    }

    /** On the stacks of that provider. */
    public StackServerSocketFactory(StackSelectorProvider provider) {
        this.provider = Objects.requireNonNull(provider);
    }

    /**
     * For {@link ServerSocket#setSocketFactory}: afterwards every {@code new ServerSocket()} of
     * this JVM is on a stack. Needs {@link StackSocketFactory#socketImpls} as well, to accept with.
     */
    public SocketImplFactory serverSocketImpls() {
        return () -> new StackStreamSocket(provider, true);
    }

    private static final class PlainServerSocket extends ServerSocket {
        private final StackSelectorProvider provider;

        PlainServerSocket(StackSelectorProvider provider) {
            super(new StackStreamSocket(provider, true));
            this.provider = provider;
        }

        @Override
        public Socket accept() throws IOException {
            if (isClosed()) {
                throw new java.net.SocketException("Socket is closed");
            }
            if (!isBound()) {
                throw new java.net.SocketException("Socket is not bound yet");
            }
            Socket socket = StackSocketFactory.unconnected(provider);
            implAccept(socket);
            return socket;
        }
    }

    /** An unbound server socket. */
    @Override
    public ServerSocket createServerSocket() throws IOException {
        return new PlainServerSocket(provider);
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        return createServerSocket(port, DEFAULT_BACKLOG, null);
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog) throws IOException {
        return createServerSocket(port, backlog, null);
    }

    /**
     * Opens a server socket that listens.
     *
     * @param address null for any
     */
    @Override
    public ServerSocket createServerSocket(int port, int backlog, InetAddress address)
            throws IOException {
        ServerSocket socket = createServerSocket();
        try {
            socket.bind(new InetSocketAddress(address, port), backlog);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }
}
