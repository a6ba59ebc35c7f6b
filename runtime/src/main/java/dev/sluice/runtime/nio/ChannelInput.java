package dev.sluice.runtime.nio;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** The bytes that come through a channel in blocking mode, as a stream. */
final class ChannelInput extends InputStream {
    private final StackSocketChannel channel;
    private final IntSupplier timeoutMillis;

    /**
     * @param timeoutMillis how long to wait, asked each time; 0 for no limit
     */
    ChannelInput(StackSocketChannel channel, IntSupplier timeoutMillis) {
        this.channel = channel;
        this.timeoutMillis = timeoutMillis;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) > 0 ? one[0] & 0xff : -1;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        Objects.checkFromIndexSize(from, length, bytes.length);
        if (length == 0) {
            return 0;
        }
        long nanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis.getAsInt());
        return channel.blockingRead(ByteBuffer.wrap(bytes, from, length), nanos);
    }

    @Override
    public int available() throws IOException {
        return channel.available();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
