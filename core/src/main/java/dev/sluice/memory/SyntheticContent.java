package dev.sluice.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The bytes of a synthetic stream: a function of the stream offset alone (architecture section 10).
 *
 * <p>Byte {@code n} is octet {@code n mod 8}, lowest first, of a mixed {@code n div 8}. Any two
 * ranges of some length differ, so data at the wrong place is found by looking at it.
 */
public final class SyntheticContent {
    private SyntheticContent() {}

    /** The byte at {@code offset} of every synthetic stream. */
    public static byte byteAt(long offset) {
        return (byte) (word(offset >>> 3) >>> ((offset & 7) << 3));
    }

    /** Writes the bytes from {@code offset} on into {@code destination}. */
    public static void fill(MemorySegment destination, long position, long offset, int length) {
        long word = word(offset >>> 3) >>> ((offset & 7) << 3);
        for (int i = 0; i < length; i++) {
            if ((offset + i & 7) == 0) {
                word = word(offset + i >>> 3);
            }
            destination.set(ValueLayout.JAVA_BYTE, position + i, (byte) word);
            word >>>= 8;
        }
    }

    /** Writes the bytes from {@code offset} on into {@code destination}. */
    public static void fill(byte[] destination, int position, long offset, int length) {
        long word = word(offset >>> 3) >>> ((offset & 7) << 3);
        for (int i = 0; i < length; i++) {
            if ((offset + i & 7) == 0) {
                word = word(offset + i >>> 3);
            }
            destination[position + i] = (byte) word;
            word >>>= 8;
        }
    }

    private static long word(long index) {
        long mixed = (index + 1) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
        return mixed ^ (mixed >>> 32);
    }
}
