package dev.sluice.apps;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;

import javax.net.SocketFactory;

/** Sockets that are the faces of channels, and so belong to whoever provides channels. */
public final class ChannelSocketFactory extends SocketFactory {
    @Override
    public Socket createSocket() throws IOException {
        return SocketChannel.open().socket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress own, int ownPort)
            throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(own, ownPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress own, int ownPort)
            throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(own, ownPort));
    }

    private Socket connected(InetSocketAddress server, InetSocketAddress own) throws IOException {
        Socket socket = createSocket();
        try {
            if (own != null) {
                socket.bind(own);
            }
            socket.connect(server);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        return socket;
    }
}
