package dev.sluice.runtime.nio;

import java.io.IOException;
import java.io.InputStream;

/** What a socket receives. */
final class SocketInput extends InputStream {
    private final StackStreamSocket socket;

    SocketInput(StackStreamSocket socket) {
        this.socket = socket;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return socket.read(one, 0, 1) > 0 ? one[0] & 0xff : -1;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        return socket.read(bytes, from, length);
    }

    @Override
    public int available() throws IOException {
        return socket.available();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
