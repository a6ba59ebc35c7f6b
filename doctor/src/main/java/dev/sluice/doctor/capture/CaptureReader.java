package dev.sluice.doctor.capture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads captures, pcapng or pcap, in either byte order, packet by packet.
 *
 * <p>Of pcapng it understands section headers, interface descriptions, enhanced and simple packets,
 * and skips other blocks. {@link #next} moves to the next packet; the getters speak of that one.
 */
public final class CaptureReader implements AutoCloseable {
    private static final int PCAPNG = 0x0A0D0D0A;
    private static final int PCAP_MICROS = 0xA1B2C3D4;
    private static final int PCAP_NANOS = 0xA1B23C4D;
    private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;
    private static final int LARGEST_BLOCK = 64 << 20;

    private final InputStream in;
    private final boolean pcapng;
    private final List<CaptureInterface> interfaces = new ArrayList<>();
    private ByteOrder order = ByteOrder.LITTLE_ENDIAN;
    private long pcapNanosPerUnit;

    private long number;
    private int interfaceNumber;
    private long timeNanos;
    private byte[] data = {};
    private int originalLength;
    private String comment;
    private int flags;

    /**
     * Begins to read; the stream is closed by {@link #close}.
     *
     * @throws CaptureFormatException if it is no capture
     */
    public CaptureReader(InputStream in) throws IOException {
        this.in = in;
        byte[] magicBytes = in.readNBytes(4);
        if (magicBytes.length < 4) {
            throw new CaptureFormatException("not a capture: shorter than four bytes");
        }
        int magic = ByteBuffer.wrap(magicBytes).order(ByteOrder.LITTLE_ENDIAN).getInt();
        pcapng = magic == PCAPNG;
        if (pcapng) {
            readSectionHeader();
        } else {
            readPcapHeader(magic);
        }
    }

    private void readPcapHeader(int magic) throws IOException {
        int swapped = Integer.reverseBytes(magic);
        int native32 = magic;
        if (swapped == PCAP_MICROS || swapped == PCAP_NANOS) {
            order = ByteOrder.BIG_ENDIAN;
            native32 = swapped;
        }
        if (native32 != PCAP_MICROS && native32 != PCAP_NANOS) {
            throw new CaptureFormatException(
                    "not a capture: begins with " + Integer.toHexString(magic));
        }
        pcapNanosPerUnit = native32 == PCAP_NANOS ? 1 : 1_000;
        ByteBuffer header = read(20, "file header");
        int linkType = header.getInt(16) & 0xffff;
        interfaces.add(new CaptureInterface("", linkType, 1_000_000_000L / pcapNanosPerUnit, 0));
    }

    /** Moves to the next packet; false at the end of the file. */
    public boolean next() throws IOException {
        return pcapng ? nextOfPcapng() : nextOfPcap();
    }

    private boolean nextOfPcap() throws IOException {
        byte[] first = in.readNBytes(16);
        if (first.length == 0) {
            return false;
        }
        if (first.length < 16) {
            throw truncated("packet header");
        }
        ByteBuffer header = ByteBuffer.wrap(first).order(order);
        int captured = header.getInt(8);
        originalLength = header.getInt(12);
        timeNanos =
                (header.getInt(0) & 0xffff_ffffL) * 1_000_000_000L
                        + (header.getInt(4) & 0xffff_ffffL) * pcapNanosPerUnit;
        data = read(checked(captured), "packet").array();
        interfaceNumber = 0;
        comment = null;
        flags = 0;
        number++;
        return true;
    }

    private boolean nextOfPcapng() throws IOException {
        while (true) {
            byte[] typeBytes = in.readNBytes(4);
            if (typeBytes.length == 0) {
                return false;
            }
            if (typeBytes.length < 4) {
                throw truncated("block");
            }
            int type = ByteBuffer.wrap(typeBytes).order(order).getInt();
            if (type == PCAPNG) {
                readSectionHeader();
                continue;
            }
            int length = read(4, "block").getInt();
            if (length < 12 || (length & 3) != 0) {
                throw new CaptureFormatException("block of " + length + " bytes" + position());
            }
            ByteBuffer body = read(checked(length - 12), "block");
            read(4, "block");
            if (type == INTERFACE_DESCRIPTION) {
                interfaces.add(CaptureInterface.parse(body));
            } else if (type == ENHANCED_PACKET) {
                readEnhancedPacket(body);
                return true;
            } else if (type == SIMPLE_PACKET) {
                readSimplePacket(body);
                return true;
            }
        }
    }

    /** The rest of a section header, whose type has been read. */
    private void readSectionHeader() throws IOException {
        byte[] head = in.readNBytes(8);
        if (head.length < 8) {
            throw truncated("section header");
        }
        int magic = ByteBuffer.wrap(head, 4, 4).order(ByteOrder.LITTLE_ENDIAN).getInt();
        if (magic == BYTE_ORDER_MAGIC) {
            order = ByteOrder.LITTLE_ENDIAN;
        } else if (Integer.reverseBytes(magic) == BYTE_ORDER_MAGIC) {
            order = ByteOrder.BIG_ENDIAN;
        } else {
            throw new CaptureFormatException("section without byte-order magic" + position());
        }
        int length = ByteBuffer.wrap(head).order(order).getInt();
        if (length < 28) {
            throw new CaptureFormatException("section header of " + length + " bytes" + position());
        }
        read(checked(length - 12), "section header");
        interfaces.clear();
    }

    private void readEnhancedPacket(ByteBuffer body) throws IOException {
        if (body.remaining() < 20) {
            throw truncated("packet block");
        }
        interfaceNumber = body.getInt();
        CaptureInterface from = captureInterface();
        long high = body.getInt();
        long units = high << 32 | body.getInt() & 0xffff_ffffL;
        timeNanos = from.nanos(units);
        int captured = body.getInt();
        originalLength = body.getInt();
        if (captured < 0 || captured > body.remaining()) {
            throw truncated("packet block");
        }
        data = new byte[captured];
        body.get(data);
        body.position(Math.min(body.limit(), body.position() + (-captured & 3)));
        readPacketOptions(body);
        number++;
    }

    private void readPacketOptions(ByteBuffer body) {
        comment = null;
        flags = 0;
        while (body.remaining() >= 4) {
            int code = body.getShort() & 0xffff;
            int length = body.getShort() & 0xffff;
            if (code == 0 || length > body.remaining()) {
                return;
            }
            if (code == 1) {
                comment = text(body, length);
            } else if (code == 2 && length == 4) {
                flags = body.getInt(body.position());
            }
            body.position(Math.min(body.limit(), body.position() + (length + 3 & ~3)));
        }
    }

    static String text(ByteBuffer body, int length) {
        byte[] bytes = new byte[length];
        body.get(body.position(), bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private void readSimplePacket(ByteBuffer body) throws IOException {
        if (body.remaining() < 4) {
            throw truncated("packet block");
        }
        interfaceNumber = 0;
        captureInterface();
        originalLength = body.getInt();
        data = new byte[Math.min(originalLength, body.remaining())];
        body.get(data);
        timeNanos = 0;
        comment = null;
        flags = 0;
        number++;
    }

    private CaptureInterface captureInterface() throws CaptureFormatException {
        if (interfaceNumber < 0 || interfaceNumber >= interfaces.size()) {
            throw new CaptureFormatException(
                    "packet of undeclared interface " + interfaceNumber + position());
        }
        return interfaces.get(interfaceNumber);
    }

    /** Number of the packet, from 1. */
    public long number() {
        return number;
    }

    /** Where the packet was captured. */
    public CaptureInterface on() {
        return interfaces.get(interfaceNumber);
    }

    /** Number of the interface in its section. */
    public int interfaceNumber() {
        return interfaceNumber;
    }

    /** Nanoseconds since the epoch of the capture. */
    public long timeNanos() {
        return timeNanos;
    }

    /** The captured bytes; the caller may keep the array. */
    public byte[] data() {
        return data;
    }

    /** Length of the packet on the wire, bytes; more than was captured if it was cut. */
    public int originalLength() {
        return originalLength;
    }

    /** The remark attached to the packet, or null. */
    public String comment() {
        return comment;
    }

    /** Whether the capture says that the interface sent the packet. */
    public boolean isOutgoing() {
        return (flags & 3) == 2;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    private int checked(int length) throws CaptureFormatException {
        if (length < 0 || length > LARGEST_BLOCK) {
            throw new CaptureFormatException("length of " + length + " bytes" + position());
        }
        return length;
    }

    private ByteBuffer read(int length, String what) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw truncated(what);
        }
        return ByteBuffer.wrap(bytes).order(order);
    }

    private CaptureFormatException truncated(String what) {
        return new CaptureFormatException(what + " cut off" + position());
    }

    private String position() {
        return " after packet " + number;
    }
}
