package dev.sluice.doctor.capture;

import java.nio.ByteBuffer;

/**
 * An interface of a capture.
 *
 * @param name its name; empty if the capture does not say
 * @param linkType what packets begin with: 101 RAW, 1 Ethernet, 113 and 276 Linux cooked
 * @param unitsPerSecond resolution of its timestamps
 * @param offsetSeconds added to its timestamps
 */
public record CaptureInterface(String name, int linkType, long unitsPerSecond, long offsetSeconds) {
    private static final int NAME = 2;
    private static final int RESOLUTION = 9;
    private static final int OFFSET = 14;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** The body of an interface description block. */
    static CaptureInterface parse(ByteBuffer body) throws CaptureFormatException {
        if (body.remaining() < 8) {
            throw new CaptureFormatException("interface description cut off");
        }
        int linkType = body.getShort() & 0xffff;
        body.position(body.position() + 6);
        String name = "";
        long units = 1_000_000;
        long offset = 0;
        while (body.remaining() >= 4) {
            int code = body.getShort() & 0xffff;
            int length = body.getShort() & 0xffff;
            if (code == 0 || length > body.remaining()) {
                break;
            }
            if (code == NAME) {
                name = CaptureReader.text(body, length);
            } else if (code == RESOLUTION && length == 1) {
                units = resolution(body.get(body.position()));
            } else if (code == OFFSET && length == 8) {
                offset = body.getLong(body.position());
            }
            body.position(Math.min(body.limit(), body.position() + (length + 3 & ~3)));
        }
        return new CaptureInterface(name, linkType, units, offset);
    }

    /** Units per second: a power of ten, or of two if the highest bit is set. */
    private static long resolution(byte value) throws CaptureFormatException {
        int exponent = value & 0x7f;
        if (exponent > (value < 0 ? 62 : 18)) {
            throw new CaptureFormatException("timestamp resolution " + value);
        }
        if (value < 0) {
            return 1L << exponent;
        }
        long units = 1;
        for (int i = 0; i < exponent; i++) {
            units *= 10;
        }
        return units;
    }

    /** A timestamp in nanoseconds, rounded down. */
    long nanos(long units) {
        long seconds = Long.divideUnsigned(units, unitsPerSecond);
        long rest = Long.remainderUnsigned(units, unitsPerSecond);
        long nanos;
        if (unitsPerSecond <= NANOS_PER_SECOND) {
            nanos = rest * NANOS_PER_SECOND / unitsPerSecond;
        } else {
            long high = Math.unsignedMultiplyHigh(rest, NANOS_PER_SECOND);
            nanos =
                    high == 0
                            ? Long.divideUnsigned(rest * NANOS_PER_SECOND, unitsPerSecond)
                            : rest / (unitsPerSecond / NANOS_PER_SECOND);
        }
        return (seconds + offsetSeconds) * NANOS_PER_SECOND + nanos;
    }
}
