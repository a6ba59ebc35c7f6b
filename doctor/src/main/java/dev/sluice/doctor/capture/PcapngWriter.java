package dev.sluice.doctor.capture;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.wire.WireImage;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes IP packets as pcapng (draft-ietf-opsawg-pcapng): one section, little-endian, any number of
 * interfaces of link type RAW, nanosecond timestamps.
 *
 * <p>The same calls give the same bytes; nothing of the machine or the moment goes into the file.
 * Not safe for use by several threads. Failures of the stream surface as {@link
 * UncheckedIOException}.
 */
public final class PcapngWriter implements AutoCloseable {
    /** Link type RAW: the packet begins with its IP header. */
    public static final int LINKTYPE_RAW = 101;

    private static final int SECTION_HEADER = 0x0A0D0D0A;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int ENHANCED_PACKET = 6;
    private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;

    private static final int OPTION_END = 0;
    private static final int OPTION_COMMENT = 1;
    private static final int SECTION_APPLICATION = 4;
    private static final int INTERFACE_NAME = 2;
    private static final int INTERFACE_RESOLUTION = 9;
    private static final int PACKET_FLAGS = 2;
    private static final int INBOUND = 1;
    private static final int OUTBOUND = 2;

    private final OutputStream out;
    private byte[] block = new byte[4096];
    private int size;
    private int interfaces;
    private long packets;

    /**
     * Begins a file on a stream that {@link #close} will close. Buffering is the stream's business.
     */
    public PcapngWriter(OutputStream out) {
        this.out = out;
        begin(SECTION_HEADER);
        int32(BYTE_ORDER_MAGIC);
        int16(1);
        int16(0);
        int32(-1);
        int32(-1); // section length: unknown
        option(SECTION_APPLICATION, "Sluice");
        option(OPTION_END, "");
        end();
    }

    /**
     * Declares an interface.
     *
     * @return its number, counted from 0
     */
    public int addInterface(String name) {
        begin(INTERFACE_DESCRIPTION);
        int16(LINKTYPE_RAW);
        int16(0);
        int32(0); // no limit to the captured length
        option(INTERFACE_NAME, name);
        int16(INTERFACE_RESOLUTION);
        int16(1);
        int32(9); // 10^-9 seconds, padded to four bytes
        option(OPTION_END, "");
        end();
        return interfaces++;
    }

    /** Packets written so far. */
    public long packets() {
        return packets;
    }

    /**
     * Writes a packet as it is on the wire: synthetic payload produced, checksums completed (see
     * {@link WireImage}).
     *
     * @param number the interface
     * @param time nanoseconds since whatever the capture counts from
     * @param outgoing whether the interface sent it
     * @param comment a remark shown with the packet, or null
     */
    public void packet(
            int number, long time, boolean outgoing, PacketBuffer packet, String comment) {
        int length = packet.wireLength();
        beginPacket(number, time, length);
        reserve(length + 4);
        WireImage.copy(packet, block, size);
        endPacket(length, outgoing, comment);
    }

    /** Writes a packet from an array; otherwise as the other method does. */
    public void packet(
            int number,
            long time,
            boolean outgoing,
            byte[] bytes,
            int offset,
            int length,
            String comment) {
        beginPacket(number, time, length);
        reserve(length + 4);
        System.arraycopy(bytes, offset, block, size, length);
        endPacket(length, outgoing, comment);
    }

    private void beginPacket(int number, long time, int length) {
        if (number < 0 || number >= interfaces) {
            throw new IllegalArgumentException("no interface " + number);
        }
        begin(ENHANCED_PACKET);
        int32(number);
        int32((int) (time >>> 32));
        int32((int) time);
        int32(length);
        int32(length);
    }

    private void endPacket(int length, boolean outgoing, String comment) {
        size += length;
        pad();
        int16(PACKET_FLAGS);
        int16(4);
        int32(outgoing ? OUTBOUND : INBOUND);
        if (comment != null) {
            option(OPTION_COMMENT, comment);
        }
        option(OPTION_END, "");
        end();
        packets++;
    }

    public void flush() {
        try {
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void begin(int type) {
        size = 0;
        int32(type);
        int32(0); // the length, known at the end
    }

    private void end() {
        int32(size + 4);
        int length = size;
        size = 4;
        int32(length);
        try {
            out.write(block, 0, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void option(int code, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        int16(code);
        int16(bytes.length);
        reserve(bytes.length + 4);
        System.arraycopy(bytes, 0, block, size, bytes.length);
        size += bytes.length;
        pad();
    }

    private void pad() {
        reserve(4);
        while ((size & 3) != 0) {
            block[size++] = 0;
        }
    }

    private void int16(int value) {
        reserve(2);
        block[size++] = (byte) value;
        block[size++] = (byte) (value >>> 8);
    }

    private void int32(int value) {
        int16(value);
        int16(value >>> 16);
    }

    private void reserve(int bytes) {
        if (size + bytes > block.length) {
            block = Arrays.copyOf(block, Math.max(block.length * 2, size + bytes));
        }
    }
}
