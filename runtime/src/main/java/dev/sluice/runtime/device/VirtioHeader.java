package dev.sluice.runtime.device;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.wire.IpProtocol;
import dev.sluice.wire.TcpHeader;
import dev.sluice.wire.UdpHeader;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The {@code virtio_net_hdr} in front of a packet (Virtual I/O Device version 1.2, section 5.1.6):
 * what was left undone of checksum and segmentation. Ten bytes, here in the order of the machine.
 *
 * <pre>
 * 0 flags   1 gso_type   2 hdr_len   4 gso_size   6 csum_start   8 csum_offset
 * </pre>
 */
final class VirtioHeader {
    static final int BYTES = 10;

    private static final int NEEDS_CSUM = 1;
    private static final int DATA_VALID = 2;

    private static final int GSO_NONE = 0;
    private static final int GSO_TCPV4 = 1;
    private static final int GSO_TCPV6 = 4;
    private static final int GSO_ECN = 0x80;

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    private static final int IPV6_HEADER = 40;
    private static final int IPV4_PROTOCOL = 9;
    private static final int IPV6_NEXT_HEADER = 6;
    private static final int TCP_DATA_OFFSET = 12;
    private static final int TCP_FLAGS = 13;

    private VirtioHeader() {}

    /**
     * Reads the header at the start of the window into the fields of the packet, and moves the
     * window past it.
     *
     * @return false if it makes no sense; then the packet is to be dropped
     */
    static boolean take(PacketBuffer packet) {
        MemorySegment memory = packet.segment();
        long at = packet.start();
        int length = packet.length() - BYTES;
        if (length <= 0) {
            return false;
        }
        int flags = memory.get(BYTE, at);
        int gsoType = memory.get(BYTE, at + 1) & 0xff & ~GSO_ECN;
        int gsoSize = memory.get(SHORT, at + 4) & 0xffff;
        int transport = memory.get(SHORT, at + 6) & 0xffff;
        packet.window(packet.offset() + BYTES, length);
        if ((flags & NEEDS_CSUM) != 0) {
            packet.checksum(PacketBuffer.CHECKSUM_PARTIAL);
        } else if ((flags & DATA_VALID) != 0) {
            packet.checksum(PacketBuffer.CHECKSUM_VERIFIED);
        }
        if (gsoType == GSO_NONE) {
            return true;
        }
        if ((gsoType != GSO_TCPV4 && gsoType != GSO_TCPV6)
                || gsoSize == 0
                || (flags & NEEDS_CSUM) == 0
                || transport + TcpHeader.LENGTH > length) {
            return false;
        }
        int headers = transport + tcpHeaderBytes(memory, packet.start() + transport);
        int payload = length - headers;
        if (payload > gsoSize) {
            packet.segments(gsoSize, (payload + gsoSize - 1) / gsoSize);
        }
        return true;
    }

    /**
     * Writes the header for a packet into the room in front of its window, which stays as it is.
     */
    static void put(PacketBuffer packet) {
        MemorySegment memory = packet.segment();
        long ip = packet.start();
        long at = ip - BYTES;
        int flags = 0;
        int gsoType = GSO_NONE;
        int headers = 0;
        int gsoSize = 0;
        int transport = 0;
        int field = 0;
        if (packet.checksum() == PacketBuffer.CHECKSUM_PARTIAL) {
            int first = memory.get(BYTE, ip) & 0xff;
            boolean ipv4 = first >>> 4 == 4;
            flags = NEEDS_CSUM;
            transport = ipv4 ? (first & 0xf) * 4 : IPV6_HEADER;
            int protocol = memory.get(BYTE, ip + (ipv4 ? IPV4_PROTOCOL : IPV6_NEXT_HEADER)) & 0xff;
            field =
                    protocol == IpProtocol.UDP
                            ? UdpHeader.CHECKSUM_FIELD
                            : TcpHeader.CHECKSUM_FIELD;
            if (packet.segmentCount() > 1) {
                gsoType = ipv4 ? GSO_TCPV4 : GSO_TCPV6;
                if ((memory.get(BYTE, ip + transport + TCP_FLAGS) & TcpHeader.CWR) != 0) {
                    gsoType |= GSO_ECN;
                }
                gsoSize = packet.segmentSize();
                headers = transport + tcpHeaderBytes(memory, ip + transport);
            }
        }
        memory.set(BYTE, at, (byte) flags);
        memory.set(BYTE, at + 1, (byte) gsoType);
        memory.set(SHORT, at + 2, (short) headers);
        memory.set(SHORT, at + 4, (short) gsoSize);
        memory.set(SHORT, at + 6, (short) transport);
        memory.set(SHORT, at + 8, (short) field);
    }

    private static int tcpHeaderBytes(MemorySegment memory, long tcp) {
        return (memory.get(BYTE, tcp + TCP_DATA_OFFSET) & 0xf0) >>> 2;
    }
}
