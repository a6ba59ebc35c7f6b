package dev.sluice.runtime.nio;

import java.io.IOException;
import java.io.OutputStream;

/** What a socket sends. */
final class SocketOutput extends OutputStream {
    private final StackStreamSocket socket;

    SocketOutput(StackStreamSocket socket) {
        this.socket = socket;
    }

    @Override
    public void write(int b) throws IOException {
        socket.write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        socket.write(bytes, from, length);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
