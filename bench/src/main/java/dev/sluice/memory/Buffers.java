package dev.sluice.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** Buffers outside any pool, for tests of what hands them on. */
public final class Buffers {
    private Buffers() {}

    /** One byte, which is 0; the window is empty. */
    public static PacketBuffer empty() {
        byte[] bytes = new byte[1];
        return new PacketBuffer(MemorySegment.ofArray(bytes), ByteBuffer.wrap(bytes), 0, 1);
    }

    /** Writes the byte and makes the window hold it. */
    public static void write(PacketBuffer buffer, int content) {
        buffer.segment().set(ValueLayout.JAVA_BYTE, buffer.base(), (byte) content);
        buffer.window(0, 1);
    }

    /** The byte; -1 if the window is empty. */
    public static int read(PacketBuffer buffer) {
        return buffer.length() == 0
                ? -1
                : buffer.segment().get(ValueLayout.JAVA_BYTE, buffer.base());
    }
}
