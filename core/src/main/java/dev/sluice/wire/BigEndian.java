package dev.sluice.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Network byte order: unaligned access to integers in a segment. */
final class BigEndian {
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private BigEndian() {}

    static int u8(MemorySegment segment, long at) {
        return segment.get(BYTE, at) & 0xff;
    }

    static int u16(MemorySegment segment, long at) {
        return segment.get(SHORT, at) & 0xffff;
    }

    static int i32(MemorySegment segment, long at) {
        return segment.get(INT, at);
    }

    static long i64(MemorySegment segment, long at) {
        return segment.get(LONG, at);
    }

    static void put8(MemorySegment segment, long at, int value) {
        segment.set(BYTE, at, (byte) value);
    }

    static void put16(MemorySegment segment, long at, int value) {
        segment.set(SHORT, at, (short) value);
    }

    static void put32(MemorySegment segment, long at, int value) {
        segment.set(INT, at, value);
    }

    static void put64(MemorySegment segment, long at, long value) {
        segment.set(LONG, at, value);
    }
}
