package dev.sluice.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The bytes of a synthetic stream: a function of the stream offset alone (architecture section 10).
 *
 * <p>Byte {@code n} is octet {@code n mod 8}, lowest first, of a mixed {@code n div 8}. Any two
 * ranges of some length differ, so data at the wrong place is found by looking at it.
 */
public final class SyntheticContent {
    private static final ValueLayout.OfLong LITTLE_ENDIAN =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private SyntheticContent() {}

    /** The byte at {@code offset} of every synthetic stream. */
    public static byte byteAt(long offset) {
        return (byte) (word(offset >>> 3) >>> ((offset & 7) << 3));
    }

    /** Writes the bytes from {@code offset} on into {@code destination}. */
    public static void fill(MemorySegment destination, long position, long offset, int length) {
        int done = 0;
        while (done < length) {
            long word = wordFrom(offset + done);
            int octets = octetsIn(offset + done, length - done);
            if (octets == 8) {
                destination.set(LITTLE_ENDIAN, position + done, word);
            } else {
                for (int i = 0; i < octets; i++) {
                    destination.set(ValueLayout.JAVA_BYTE, position + done + i, (byte) word);
                    word >>>= 8;
                }
            }
            done += octets;
        }
    }

    /** Writes the bytes from {@code offset} on into {@code destination}. */
    public static void fill(byte[] destination, int position, long offset, int length) {
        int done = 0;
        while (done < length) {
            long word = wordFrom(offset + done);
            int octets = octetsIn(offset + done, length - done);
            for (int i = 0; i < octets; i++) {
                destination[position + done + i] = (byte) word;
                word >>>= 8;
            }
            done += octets;
        }
    }

    /** Writes the bytes from {@code offset} on; the position of {@code destination} stays. */
    public static void fill(ByteBuffer destination, int position, long offset, int length) {
        int done = 0;
        while (done < length) {
            long word = wordFrom(offset + done);
            int octets = octetsIn(offset + done, length - done);
            for (int i = 0; i < octets; i++) {
                destination.put(position + done + i, (byte) word);
                word >>>= 8;
            }
            done += octets;
        }
    }

    /** The rest of the word that {@code offset} is in, its byte lowest. */
    private static long wordFrom(long offset) {
        return word(offset >>> 3) >>> ((offset & 7) << 3);
    }

    /** How many of the next {@code limit} bytes are in the same word. */
    private static int octetsIn(long offset, int limit) {
        return Math.min(8 - (int) (offset & 7), limit);
    }

    private static long word(long index) {
        long mixed = (index + 1) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
        return mixed ^ (mixed >>> 32);
    }
}
