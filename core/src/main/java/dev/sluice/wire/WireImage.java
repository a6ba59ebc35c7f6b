package dev.sluice.wire;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.SyntheticContent;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The bytes of an IP packet as they are on the wire, whatever the buffer leaves out: synthetic
 * payload is produced, and a transport checksum that a device was trusted with is computed. For
 * captures, digests and whoever damages packets; not for the fast path.
 */
public final class WireImage {
    private static final int IPV6_HEADER = 40;

    private WireImage() {}

    /**
     * Writes the packet into an array.
     *
     * <p>A packet marked {@link PacketBuffer#CHECKSUM_BAD} gets a wrong checksum, one marked {@link
     * PacketBuffer#CHECKSUM_UNVERIFIED} keeps what it carries, every other one gets the right one.
     *
     * @param packet a single packet, not a chain
     * @param target has room for {@link PacketBuffer#wireLength} bytes from {@code at}
     * @return the number of bytes written
     */
    public static int copy(PacketBuffer packet, byte[] target, int at) {
        int stored = packet.length();
        MemorySegment.copy(
                packet.segment(), ValueLayout.JAVA_BYTE, packet.start(), target, at, stored);
        int length = packet.wireLength();
        SyntheticContent.fill(target, at + stored, packet.syntheticOffset(), length - stored);
        byte state = packet.checksum();
        if (state != PacketBuffer.CHECKSUM_UNVERIFIED) {
            writeChecksum(target, at, length, state == PacketBuffer.CHECKSUM_BAD);
        }
        return length;
    }

    /**
     * Computes the transport checksum of a packet without synthetic payload and stores it in the
     * packet. Packets that have none, fragments among them, are left alone.
     */
    public static void completeChecksum(PacketBuffer packet) {
        byte[] image = new byte[packet.wireLength()];
        copy(packet, image, 0);
        int field = checksumField(image, 0, image.length);
        if (field > 0) {
            writeChecksum(image, 0, image.length, false);
            MemorySegment.copy(
                    image,
                    field,
                    packet.segment(),
                    ValueLayout.JAVA_BYTE,
                    packet.start() + field,
                    2);
        }
    }

    private static void writeChecksum(byte[] image, int at, int length, boolean wrong) {
        int field = checksumField(image, at, length);
        if (field < 0) {
            return;
        }
        int field16 = at + field;
        image[field16] = 0;
        image[field16 + 1] = 0;
        int header = transportStart(image, at);
        int protocol = protocol(image, at);
        boolean ipv4 = image[at] >>> 4 == 4;
        long sum = protocol + (length - header);
        sum += ipv4 ? sum(image, at + 12, 8) : sum(image, at + 8, 32);
        sum += sum(image, at + header, length - header);
        int checksum = Checksum.finish(Checksum.fold(sum));
        if (checksum == 0 && protocol == IpProtocol.UDP) {
            checksum = 0xffff;
        }
        if (wrong) {
            checksum ^= 0x0101;
        }
        image[field16] = (byte) (checksum >>> 8);
        image[field16 + 1] = (byte) checksum;
    }

    /**
     * Where the transport checksum is, in bytes from the start of the packet; -1 if there is none.
     */
    private static int checksumField(byte[] image, int at, int length) {
        if (length < 20) {
            return -1;
        }
        int version = image[at] >>> 4;
        if (version == 4) {
            boolean fragment = (image[at + 6] & 0x3f) != 0 || image[at + 7] != 0;
            if (fragment) {
                return -1;
            }
        } else if (version != 6 || length < IPV6_HEADER) {
            return -1;
        }
        int inHeader;
        switch (protocol(image, at)) {
            case IpProtocol.TCP:
                inHeader = 16;
                break;
            case IpProtocol.UDP:
                inHeader = 6;
                break;
            case IpProtocol.ICMPV6:
                inHeader = 2;
                break;
            default:
                return -1;
        }
        int field = transportStart(image, at) + inHeader;
        return field + 2 <= length ? field : -1;
    }

    private static int transportStart(byte[] image, int at) {
        return image[at] >>> 4 == 4 ? (image[at] & 0x0f) << 2 : IPV6_HEADER;
    }

    private static int protocol(byte[] image, int at) {
        return image[image[at] >>> 4 == 4 ? at + 9 : at + 6] & 0xff;
    }

    private static long sum(byte[] image, int from, int length) {
        long sum = 0;
        int end = from + (length & ~1);
        for (int i = from; i < end; i += 2) {
            sum += (image[i] & 0xff) << 8 | image[i + 1] & 0xff;
        }
        if ((length & 1) != 0) {
            sum += (image[end] & 0xff) << 8;
        }
        return sum;
    }
}
