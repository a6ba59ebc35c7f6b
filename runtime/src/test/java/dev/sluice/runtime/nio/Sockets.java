package dev.sluice.runtime.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;

/** The two ways to a socket: from a channel, and without one. */
enum Sockets {
    OF_CHANNELS {
        @Override
        Socket client(Net.Open net) throws IOException {
            return net.provider().openSocketChannel().socket();
        }

        @Override
        ServerSocket server(Net.Open net) throws IOException {
            return net.provider().openServerSocketChannel().socket();
        }
    },
    PLAIN {
        @Override
        Socket client(Net.Open net) throws IOException {
            return net.provider() instanceof StackSelectorProvider ours
                    ? new StackSocketFactory(ours).createSocket()
                    : SocketFactory.getDefault().createSocket();
        }

        @Override
        ServerSocket server(Net.Open net) throws IOException {
            return net.provider() instanceof StackSelectorProvider ours
                    ? new StackServerSocketFactory(ours).createServerSocket()
                    : ServerSocketFactory.getDefault().createServerSocket();
        }
    };

    abstract Socket client(Net.Open net) throws IOException;

    abstract ServerSocket server(Net.Open net) throws IOException;

    /** A listening one. */
    ServerSocket listen(Net.Open net) throws IOException {
        ServerSocket server = server(net);
        server.bind(new InetSocketAddress(net.server(), 0));
        return server;
    }

    Pair connect(Net.Open net) throws IOException {
        try (ServerSocket listener = listen(net)) {
            Socket client = client(net);
            client.connect(listener.getLocalSocketAddress());
            return new Pair(client, listener.accept());
        }
    }

    /** The two ends of a connection. */
    record Pair(Socket client, Socket server) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            client.close();
            server.close();
        }
    }
}
