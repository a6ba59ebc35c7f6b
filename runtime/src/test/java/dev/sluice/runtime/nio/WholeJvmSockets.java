package dev.sluice.runtime.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

import javax.net.SocketFactory;

/**
 * A program whose sockets are made by class name, as drivers of databases do, and by {@code new}.
 */
final class WholeJvmSockets {
    private WholeJvmSockets() {}

    /** Prints who connected to an address, and what it received over two connections. */
    @SuppressWarnings("deprecation") // a factory for all sockets is one of the ways
    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        InetAddress address = InetAddress.getByName(args[0]);
        SocketFactory byName =
                (SocketFactory)
                        Class.forName("dev.sluice.runtime.nio.StackSocketFactory")
                                .getConstructor()
                                .newInstance();
        Socket.setSocketImplFactory(new StackSocketFactory().socketImpls());
        ServerSocket.setSocketFactory(new StackServerSocketFactory().serverSocketImpls());
        try (ServerSocket server = new ServerSocket(0, 5, address);
                Socket first = byName.createSocket(args[0], server.getLocalPort());
                Socket acceptedFirst = server.accept();
                Socket second = new Socket(address, server.getLocalPort());
                Socket acceptedSecond = server.accept()) {
            first.getOutputStream().write(42);
            acceptedSecond.getOutputStream().write(43);
            System.out.printf(
                    "%s connected with %d, then with %d%n",
                    acceptedFirst.getInetAddress().getHostAddress(),
                    acceptedFirst.getInputStream().read(),
                    second.getInputStream().read());
        }
    }
}
