package dev.sluice.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Random and mutilated packets through every header. Each case lies in a segment of exactly its
 * size, so that a read beyond the packet is an exception and fails the test.
 */
class WireFuzzTest {
    private static final int CASES = 200_000;
    private static final int MAX_PACKET = 160;

    private final SplittableRandom random = new SplittableRandom(20261130);
    private final Set<DropReason> seen = EnumSet.noneOf(DropReason.class);
    private final MemorySegment slab = Arena.ofAuto().allocate(MAX_PACKET);

    private final EthernetHeader ethernet = new EthernetHeader();
    private final ArpHeader arp = new ArpHeader();
    private final Ipv4Header ipv4 = new Ipv4Header();
    private final Ipv6Header ipv6 = new Ipv6Header();
    private final TcpHeader tcp = new TcpHeader();
    private final UdpHeader udp = new UdpHeader();
    private final IcmpHeader icmp = new IcmpHeader();
    private final QuotedPacket quoted = new QuotedPacket();
    private final TcpOptionWriter writer = new TcpOptionWriter();
    private int delivered;
    private long printed;

    @Test
    void random_bytes_are_read_or_refused() {
        for (int i = 0; i < CASES; i++) {
            int length = random.nextInt(MAX_PACKET + 1);
            MemorySegment packet = packet(length);
            for (int at = 0; at < length; at++) {
                BigEndian.put8(packet, at, random.nextInt());
            }
            if (length > 0 && random.nextBoolean()) {
                BigEndian.put8(packet, 0, random.nextBoolean() ? 0x40 | random.nextInt(16) : 0x60);
            }
            everyHeader(packet, length);
        }
        assertThat(seen)
                .contains(
                        DropReason.ETHERNET_TRUNCATED,
                        DropReason.ARP_UNSUPPORTED,
                        DropReason.IPV4_CHECKSUM,
                        DropReason.IPV6_PAYLOAD_LENGTH,
                        DropReason.TCP_DATA_OFFSET,
                        DropReason.UDP_LENGTH,
                        DropReason.ICMP_CHECKSUM);
    }

    @Test
    void mutilated_packets_are_read_or_refused() {
        for (int i = 0; i < CASES; i++) {
            MemorySegment whole = packet(MAX_PACKET);
            int length = random.nextBoolean() ? buildV4(whole) : buildV6(whole);
            int flips = random.nextInt(4);
            for (int flip = 0; flip < flips; flip++) {
                int at = random.nextInt(length);
                BigEndian.put8(whole, at, BigEndian.u8(whole, at) ^ 1 << random.nextInt(8));
            }
            if (flips > 0 && random.nextBoolean()) {
                repairV4Checksum(whole); // so that damage gets past the header checksum
            }
            int stored = random.nextInt(4) == 0 ? random.nextInt(length + 1) : length;
            MemorySegment packet = packet(stored);
            MemorySegment.copy(whole, 0, packet, 0, stored);
            everyHeader(packet, stored);
            asReceived(packet, stored, random.nextInt(8) == 0 ? length + 1000 : stored);
        }
        assertThat(delivered).isGreaterThan(CASES / 10);
        assertThat(printed).isGreaterThan(CASES);
        assertThat(seen)
                .contains(
                        DropReason.IPV4_TRUNCATED,
                        DropReason.IPV4_VERSION,
                        DropReason.IPV4_HEADER_LENGTH,
                        DropReason.IPV4_TOTAL_LENGTH,
                        DropReason.IPV4_CHECKSUM,
                        DropReason.IPV6_TRUNCATED,
                        DropReason.IPV6_VERSION,
                        DropReason.IPV6_PAYLOAD_LENGTH,
                        DropReason.IPV6_EXTENSION_TRUNCATED,
                        DropReason.IPV6_OPTION,
                        DropReason.TCP_TRUNCATED,
                        DropReason.TCP_DATA_OFFSET,
                        DropReason.TCP_CHECKSUM);
    }

    /** The last bytes of the slab, so that the packet ends where readable memory ends. */
    private MemorySegment packet(int length) {
        return length == MAX_PACKET
                ? MemorySegment.ofArray(new byte[MAX_PACKET])
                : slab.asSlice(MAX_PACKET - length, length);
    }

    private int buildV4(MemorySegment packet) {
        int tcpLength = buildTcp(packet, 20);
        long source = IpAddress.ipv4Lo(random.nextInt());
        long destination = IpAddress.ipv4Lo(random.nextInt());
        Ipv4Header.write(
                packet, 0, 2, 20 + tcpLength, 1, true, 64, IpProtocol.TCP, source, destination);
        int pseudo = Checksum.pseudoHeader(0, source, 0, destination, IpProtocol.TCP, tcpLength);
        TcpHeader.writeChecksum(packet, 20, tcpLength, pseudo);
        return 20 + tcpLength;
    }

    private int buildV6(MemorySegment packet) {
        boolean extended = random.nextBoolean();
        int at = extended ? 48 : 40;
        int tcpLength = buildTcp(packet, at);
        int first = extended ? IpProtocol.DESTINATION_OPTIONS : IpProtocol.TCP;
        Ipv6Header.write(packet, 0, 2, 7, at - 40 + tcpLength, first, 64, 1, 2, 3, 4);
        if (extended) {
            BigEndian.put64(packet, 40, 0x0600_0104_0000_0000L);
        }
        int pseudo = Checksum.pseudoHeader(1, 2, 3, 4, IpProtocol.TCP, tcpLength);
        TcpHeader.writeChecksum(packet, at, tcpLength, pseudo);
        return at + tcpLength;
    }

    private int buildTcp(MemorySegment packet, long at) {
        boolean syn = random.nextInt(3) == 0;
        writer.clear();
        writer.timestamps(random.nextInt(), random.nextInt());
        if (syn) {
            writer.mss(1460);
            writer.sackPermitted();
            writer.windowScale(random.nextInt(15));
            writer.fastOpen(8, random.nextLong(), 0, random.nextBoolean());
        } else {
            for (int i = random.nextInt(4); i > 0; i--) {
                writer.sackBlock(random.nextInt(), random.nextInt());
            }
        }
        int header = 20 + writer.write(packet, at + 20);
        int flags = syn ? TcpHeader.SYN : TcpHeader.ACK;
        TcpHeader.write(
                packet, at, 1000, 80, random.nextInt(), random.nextInt(), header, flags, 100, 0);
        return header + random.nextInt(40);
    }

    private static void repairV4Checksum(MemorySegment packet) {
        if (BigEndian.u8(packet, 0) >>> 4 == 4) {
            int header = Math.max(20, (BigEndian.u8(packet, 0) & 0xf) << 2);
            BigEndian.put16(packet, 10, 0);
            BigEndian.put16(packet, 10, Checksum.finish(Checksum.sum(packet, 0, header)));
        }
    }

    private void everyHeader(MemorySegment packet, int length) {
        note(ethernet.wrap(packet, 0, length));
        note(arp.wrap(packet, 0, length));
        note(ipv4.wrap(packet, 0, length));
        note(ipv6.wrap(packet, 0, length));
        note(udp.wrap(packet, 0, length, length));
        note(icmp.wrapV4(packet, 0, length));
        note(icmp.wrapV6(packet, 0, length, 1, 2, 3, 4));
        note(quoted.wrap(packet, 0, length));
        if (note(tcp.wrap(packet, 0, length))) {
            exerciseTcp(packet);
        }
    }

    /** What a stack does with a packet, checksums included. */
    private void asReceived(MemorySegment packet, int length, int wireLength) {
        if (length == 0) {
            return;
        }
        if (BigEndian.u8(packet, 0) >>> 4 == 6) {
            if (note(ipv6.wrap(packet, 0, length, wireLength))
                    && !ipv6.isFragment()
                    && ipv6.protocol() == IpProtocol.TCP) {
                received(
                        packet,
                        ipv6.payloadOffset(),
                        ipv6.storedPayloadLength(),
                        ipv6.payloadLength(),
                        ipv6.sourceHi(),
                        ipv6.sourceLo(),
                        ipv6.destinationHi(),
                        ipv6.destinationLo());
            }
        } else if (note(ipv4.wrap(packet, 0, length, wireLength))
                && !ipv4.isFragment()
                && ipv4.protocol() == IpProtocol.TCP) {
            received(
                    packet,
                    ipv4.payloadOffset(),
                    ipv4.storedPayloadLength(),
                    ipv4.payloadLength(),
                    0,
                    ipv4.sourceLo(),
                    0,
                    ipv4.destinationLo());
        }
    }

    private void received(
            MemorySegment packet,
            long at,
            int stored,
            int length,
            long sourceHi,
            long sourceLo,
            long destinationHi,
            long destinationLo) {
        if (stored < 0 || stored > length) {
            fail("payload of " + length + " bytes, stored " + stored);
        }
        if (!note(tcp.wrap(packet, at, stored, length))) {
            return;
        }
        exerciseTcp(packet);
        if (stored == length) {
            boolean good =
                    Checksum.verifyTransport(
                            packet,
                            at,
                            length,
                            IpProtocol.TCP,
                            sourceHi,
                            sourceLo,
                            destinationHi,
                            destinationLo);
            delivered += good ? 1 : 0;
            note(good ? null : DropReason.TCP_CHECKSUM);
        }
    }

    private void exerciseTcp(MemorySegment packet) {
        TcpOptions options = tcp.options();
        long end = tcp.start() + tcp.headerLength();
        boolean sane =
                tcp.payloadLength() >= 0
                        && options.sackCount() <= 4
                        && options.windowScale() <= 14
                        && options.fastOpenLength() <= 16
                        && (!options.hasFastOpen()
                                || options.fastOpenOffset() + options.fastOpenLength() <= end)
                        && (!options.hasMd5() || options.md5Offset() + 16 <= end)
                        && (!options.hasAuthentication()
                                || options.authenticationOffset() + options.authenticationLength()
                                        <= end);
        if (!sane) { // one look instead of a million assertion objects
            fail("options beyond their bounds in " + SegmentNotation.decode(packet, tcp, 1, 2));
        }
        if (random.nextInt(8) == 0) {
            printed += SegmentNotation.decode(packet, tcp, 1, 2).toString().length();
        }
    }

    private boolean note(DropReason reason) {
        if (reason != null) {
            seen.add(reason);
        }
        return reason == null;
    }
}
