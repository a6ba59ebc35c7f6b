package dev.sluice.wire;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

/** Packets for the tests of this package. */
final class Bytes {
    private Bytes() {}

    /** A segment with room, of which all bytes are garbage. */
    static MemorySegment segment() {
        MemorySegment segment = Arena.ofAuto().allocate(2048);
        segment.fill((byte) 0xa5);
        return segment;
    }

    /** Puts hexadecimal text, blanks ignored, at an address and returns its length in bytes. */
    static int put(MemorySegment segment, long at, String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, segment, at, bytes.length);
        return bytes.length;
    }

    static String hex(MemorySegment segment, long at, int length) {
        byte[] bytes = new byte[length];
        MemorySegment.copy(segment, at, MemorySegment.ofArray(bytes), 0, length);
        return HexFormat.of().formatHex(bytes);
    }
}
