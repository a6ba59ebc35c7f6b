package dev.sluice.sim.app;

import dev.sluice.memory.SyntheticContent;
import dev.sluice.sim.check.CheckFailure;
import dev.sluice.socket.StreamSocket;

/**
 * What a stream consists of: bytes that depend on their position alone, so that a reader can tell
 * whether each is where it belongs.
 *
 * <p>Synthetic payload is never stored; the stack itself verifies it when it is read. Stored
 * payload is written and read like any data. Different bases make streams that cannot be mistaken
 * for one another.
 */
public final class Payload {
    private static final int CHUNK = 65_536;

    private final boolean synthetic;
    private final long base;
    private final byte[] buffer;
    private final byte[] expected;

    private Payload(boolean synthetic, long base) {
        this.synthetic = synthetic;
        this.base = base;
        buffer = synthetic ? null : new byte[CHUNK];
        expected = synthetic ? null : new byte[CHUNK];
    }

    /** Payload whose content is a function of the stream offset. */
    public static Payload synthetic() {
        return new Payload(true, 0);
    }

    /** Payload in bytes; {@code base} tells one stream from another. */
    public static Payload stored(long base) {
        return new Payload(false, base);
    }

    /**
     * Writes to a socket what belongs at {@code position} of the stream.
     *
     * @return bytes written, or a negative errno
     */
    public int write(long now, StreamSocket socket, long position, int length, int flags) {
        if (synthetic) {
            return socket.writeSynthetic(now, length, flags);
        }
        int size = Math.min(length, CHUNK);
        SyntheticContent.fill(buffer, 0, base + position, size);
        return socket.write(now, buffer, 0, size, flags);
    }

    /**
     * Reads from a socket and compares with what belongs at {@code position} of the stream.
     *
     * @return bytes read, 0 at the end of the stream, or a negative errno
     * @throws CheckFailure if a byte is not the one that belongs there
     */
    public int read(long now, StreamSocket socket, long position, int length) {
        if (synthetic) {
            return socket.readSynthetic(now, length);
        }
        int size = socket.read(now, buffer, 0, Math.min(length, CHUNK), 0);
        if (size > 0) {
            SyntheticContent.fill(expected, 0, base + position, size);
            for (int i = 0; i < size; i++) {
                if (buffer[i] != expected[i]) {
                    throw new CheckFailure(now, "wrong byte at " + (position + i) + " of a stream");
                }
            }
        }
        return size;
    }
}
