package dev.sluice.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;

/** UDP, Ethernet and ARP. */
class SmallHeadersTest {
    private final MemorySegment segment = Bytes.segment();

    @Test
    void a_udp_datagram_is_written_and_read() {
        UdpHeader header = new UdpHeader();
        UdpHeader.write(segment, 3, 5353, 65535, 20);
        assertThat(header.wrap(segment, 3, 20, 20)).isNull();
        assertThat(header.sourcePort()).isEqualTo(5353);
        assertThat(header.destinationPort()).isEqualTo(65535);
        assertThat(header.length()).isEqualTo(20);
        assertThat(header.checksum()).isZero();
        assertThat(header.payloadOffset()).isEqualTo(11);
        assertThat(header.payloadLength()).isEqualTo(12);
        assertThat(header.storedPayloadLength()).isEqualTo(12);

        assertThat(header.wrap(segment, 3, 10, 30)).isNull(); // synthetic, and padding behind
        assertThat(header.payloadLength()).isEqualTo(12);
        assertThat(header.storedPayloadLength()).isEqualTo(2);
        assertThat(header.wrap(segment, 3, 7, 7)).isEqualTo(DropReason.UDP_TRUNCATED);
        assertThat(header.wrap(segment, 3, 19, 19)).isEqualTo(DropReason.UDP_LENGTH);
        UdpHeader.write(segment, 3, 5353, 65535, 7);
        assertThat(header.wrap(segment, 3, 20, 20)).isEqualTo(DropReason.UDP_LENGTH);
    }

    @Test
    void an_ethernet_frame_is_written_and_read() {
        EthernetHeader header = new EthernetHeader();
        EthernetHeader.write(segment, 1, EthernetHeader.BROADCAST, 0x02_00_00_00_be_efL, 0x86dd);
        assertThat(Bytes.hex(segment, 1, 14)).isEqualTo("ffffffffffff02000000beef86dd");
        assertThat(header.wrap(segment, 1, 60)).isNull();
        assertThat(header.destination()).isEqualTo(EthernetHeader.BROADCAST);
        assertThat(header.source()).isEqualTo(0x02_00_00_00_be_efL);
        assertThat(header.type()).isEqualTo(EthernetHeader.TYPE_IPV6);
        assertThat(header.payloadOffset()).isEqualTo(15);
        assertThat(header.payloadLength()).isEqualTo(46);
        assertThat(EthernetHeader.isGroup(header.destination())).isTrue();
        assertThat(EthernetHeader.isGroup(header.source())).isFalse();
        assertThat(header.wrap(segment, 1, 13)).isEqualTo(DropReason.ETHERNET_TRUNCATED);
    }

    @Test
    void an_arp_packet_is_written_and_read() {
        ArpHeader header = new ArpHeader();
        long sender = IpAddress.ipv4Lo(0x0a000001);
        long target = IpAddress.ipv4Lo(0xfffffffe);
        ArpHeader.write(segment, 5, ArpHeader.REQUEST, 0xfe0000000001L, sender, 0, target);
        assertThat(Bytes.hex(segment, 5, 28))
                .isEqualTo("0001080006040001fe00000000010a000001000000000000fffffffe");
        assertThat(header.wrap(segment, 5, 46)).isNull();
        assertThat(header.operation()).isEqualTo(ArpHeader.REQUEST);
        assertThat(header.senderMac()).isEqualTo(0xfe0000000001L);
        assertThat(header.senderLo()).isEqualTo(sender);
        assertThat(header.targetMac()).isZero();
        assertThat(header.targetLo()).isEqualTo(target);
        assertThat(header.wrap(segment, 5, 27)).isEqualTo(DropReason.ARP_TRUNCATED);
        for (int i = 0; i < 8; i++) {
            BigEndian.put8(segment, 5 + i, BigEndian.u8(segment, 5 + i) ^ 0x40);
            assertThat(header.wrap(segment, 5, 28)).isEqualTo(DropReason.ARP_UNSUPPORTED);
            BigEndian.put8(segment, 5 + i, BigEndian.u8(segment, 5 + i) ^ 0x40);
        }
        BigEndian.put16(segment, 11, 3);
        assertThat(header.wrap(segment, 5, 28)).isEqualTo(DropReason.ARP_UNSUPPORTED);
    }
}
