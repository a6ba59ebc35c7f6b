package dev.sluice.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Packets outside any pool. */
final class Packets {
    static final int TRUESIZE = 100;

    private Packets() {}

    /** One byte of payload. */
    static PacketBuffer of(byte content) {
        byte[] bytes = {content};
        PacketBuffer packet =
                new PacketBuffer(MemorySegment.ofArray(bytes), ByteBuffer.wrap(bytes), 0, 1);
        packet.window(0, 1);
        packet.truesize(TRUESIZE);
        return packet;
    }
}
