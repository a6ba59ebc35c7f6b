package dev.sluice.runtime.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImplFactory;
import java.util.Objects;

import javax.net.SocketFactory;

/**
 * Makes sockets on live stacks, for whatever takes a {@code SocketFactory}: an object of it, or the
 * name of this class.
 *
 * <p>A socket is on the stack that reaches its peer, as {@link StackSelectorProvider} explains.
 * Host names are resolved as the JVM resolves them.
 */
public final class StackSocketFactory extends SocketFactory {
    private final StackSelectorProvider provider;

    /** On the stacks of the whole JVM, which its configuration file describes. */
    public StackSocketFactory() {
        this(StackSelectorProvider.ofJvm());
    }

    /** On the stacks of that provider. */
    public StackSocketFactory(StackSelectorProvider provider) {
        this.provider = Objects.requireNonNull(provider);
    }

    /**
     * For {@link Socket#setSocketImplFactory}: afterwards every {@code new Socket()} of this JVM is
     * on a stack. Of use together with {@link StackServerSocketFactory#serverSocketImpls}, since
     * the JDK accepts connections only into sockets of the same kind.
     */
    public SocketImplFactory socketImpls() {
        return () -> new StackStreamSocket(provider);
    }

    private static final class PlainSocket extends Socket {
        PlainSocket(StackStreamSocket socket) throws SocketException {
            super(socket);
        }
    }

    /** A socket to accept a connection into. */
    static Socket unconnected(StackSelectorProvider provider) throws SocketException {
        return new PlainSocket(new StackStreamSocket(provider));
    }

    /** An unconnected socket. */
    @Override
    public Socket createSocket() throws IOException {
        return unconnected(provider);
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(InetAddress.getByName(host), port), null);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort)
            throws IOException {
        return connected(
                new InetSocketAddress(InetAddress.getByName(host), port),
                new InetSocketAddress(localHost, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(
            InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        return connected(
                new InetSocketAddress(address, port),
                new InetSocketAddress(localAddress, localPort));
    }

    private Socket connected(InetSocketAddress remote, InetSocketAddress local) throws IOException {
        Socket socket = createSocket();
        try {
            if (local != null) {
                socket.bind(local);
            }
            socket.connect(remote);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }
}
