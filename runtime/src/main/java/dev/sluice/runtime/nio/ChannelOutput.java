package dev.sluice.runtime.nio;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A stream into a channel in blocking mode. */
final class ChannelOutput extends OutputStream {
    private final StackSocketChannel channel;

    ChannelOutput(StackSocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        Objects.checkFromIndexSize(from, length, bytes.length);
        if (length > 0) {
            channel.blockingWrite(ByteBuffer.wrap(bytes, from, length));
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
