package dev.sluice.tcp;

/**
 * What Fast Open cookies are made with: the current key and, while a change of keys is on its way,
 * the one before it, whose cookies are still accepted (RFC 7413 section 4.1.2). Each key is 16
 * bytes; a half is eight of them, the first byte least significant.
 */
record FastOpenKeys(
        long current0, long current1, boolean hasPrevious, long previous0, long previous1) {

    /** Bytes of one key. */
    static final int KEY_LENGTH = 16;

    /** From the halves of a sysctl, where each group of four bytes is written as a number. */
    static FastOpenKeys ofGroups(
            long high, long low, boolean hasPrevious, long previousHigh, long previousLow) {
        return new FastOpenKeys(
                Long.rotateLeft(high, 32),
                Long.rotateLeft(low, 32),
                hasPrevious,
                Long.rotateLeft(previousHigh, 32),
                Long.rotateLeft(previousLow, 32));
    }

    /** From the bytes of TCP_FASTOPEN_KEY: one key or two; null for any other length. */
    static FastOpenKeys ofBytes(byte[] bytes) {
        if (bytes.length != KEY_LENGTH && bytes.length != 2 * KEY_LENGTH) {
            return null;
        }
        boolean two = bytes.length > KEY_LENGTH;
        return new FastOpenKeys(
                half(bytes, 0),
                half(bytes, 8),
                two,
                two ? half(bytes, 16) : 0,
                two ? half(bytes, 24) : 0);
    }

    private static long half(byte[] bytes, int from) {
        long value = 0;
        for (int i = 7; i >= 0; i--) {
            value = value << 8 | bytes[from + i] & 0xff;
        }
        return value;
    }
}
