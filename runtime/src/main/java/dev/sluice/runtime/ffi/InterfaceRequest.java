package dev.sluice.runtime.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** Linux's {@code struct ifreq}: the name of an interface, and one thing about it. */
final class InterfaceRequest {
    /** Longest name, without the zero at its end, in bytes. */
    static final int MAX_NAME = 15;

    private static final int SIZE = 40;
    private static final int VALUE = 16;

    private InterfaceRequest() {}

    static MemorySegment of(SegmentAllocator allocator, String name) {
        MemorySegment request = allocator.allocate(SIZE, 8);
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length > MAX_NAME) {
            throw new IllegalArgumentException(
                    "an interface's name has 1 to " + MAX_NAME + " bytes: " + name);
        }
        MemorySegment.copy(bytes, 0, request, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return request;
    }

    static void flags(MemorySegment request, int flags) {
        request.set(ValueLayout.JAVA_SHORT, VALUE, (short) flags);
    }

    static int flags(MemorySegment request) {
        return request.get(ValueLayout.JAVA_SHORT, VALUE) & 0xffff;
    }

    static void number(MemorySegment request, int number) {
        request.set(ValueLayout.JAVA_INT, VALUE, number);
    }

    static int number(MemorySegment request) {
        return request.get(ValueLayout.JAVA_INT, VALUE);
    }

    /** The value as a {@code sockaddr_in}: family 2, port 0, the address in network order. */
    static void ipv4(MemorySegment request, int address) {
        request.set(ValueLayout.JAVA_SHORT, VALUE, (short) 2);
        for (int i = 0; i < 4; i++) {
            request.set(ValueLayout.JAVA_BYTE, VALUE + 4 + i, (byte) (address >>> 24 - 8 * i));
        }
    }
}
