package dev.sluice.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.MemorySegment;

class Ipv6HeaderTest {
    private static final long START = 1;
    private static final long HI = 0x20010db8_00000000L;

    private final MemorySegment segment = Bytes.segment();
    private final Ipv6Header header = new Ipv6Header();

    private void write(int payloadLength, int protocol) {
        Ipv6Header.write(segment, START, 0xb9, 0xabcde, payloadLength, protocol, 64, HI, 1, HI, 2);
    }

    /** Wraps a packet whose fixed header names {@code first} and is followed by the given bytes. */
    private DropReason wrap(int first, String hex) {
        int length = Bytes.put(segment, START + 40, hex);
        write(length, first);
        return header.wrap(segment, START, 40 + length);
    }

    @Test
    void what_is_written_is_read() {
        write(100, IpProtocol.TCP);
        assertThat(header.wrap(segment, START, 140)).isNull();
        assertThat(header.trafficClass()).isEqualTo(0xb9);
        assertThat(header.dscp()).isEqualTo(46);
        assertThat(header.ecn()).isEqualTo(EcnCodepoint.ECT_1);
        assertThat(header.flowLabel()).isEqualTo(0xabcde);
        assertThat(header.hopLimit()).isEqualTo(64);
        assertThat(header.protocol()).isEqualTo(IpProtocol.TCP);
        assertThat(header.protocolOffset()).isEqualTo(START + 6);
        assertThat(header.sourceHi()).isEqualTo(HI);
        assertThat(header.sourceLo()).isEqualTo(1);
        assertThat(header.destinationHi()).isEqualTo(HI);
        assertThat(header.destinationLo()).isEqualTo(2);
        assertThat(header.payloadOffset()).isEqualTo(START + 40);
        assertThat(header.payloadLength()).isEqualTo(100);
        assertThat(header.totalLength()).isEqualTo(140);
        assertThat(header.isFragment()).isFalse();
    }

    @Test
    void lengths_and_version_are_checked() {
        write(100, IpProtocol.TCP);
        for (int length = 0; length < 40; length++) {
            assertThat(header.wrap(segment, START, length)).isEqualTo(DropReason.IPV6_TRUNCATED);
        }
        assertThat(header.wrap(segment, START, 139)).isEqualTo(DropReason.IPV6_PAYLOAD_LENGTH);
        assertThat(header.wrap(segment, START, 60, 140)).isNull();
        assertThat(header.payloadLength()).isEqualTo(100);
        assertThat(header.storedPayloadLength()).isEqualTo(20);
        assertThat(header.wrap(segment, START, 160)).isNull();
        assertThat(header.payloadLength()).isEqualTo(100);
        assertThat(header.storedPayloadLength()).isEqualTo(100);
        BigEndian.put8(segment, START, 0x4b);
        assertThat(header.wrap(segment, START, 140)).isEqualTo(DropReason.IPV6_VERSION);
    }

    @Test
    void extension_headers_are_walked_to_the_upper_layer() {
        String hopByHop = "3c 00 0502 0000 0100"; // router alert, padding
        String destination = "2b 01 0104 00000000 1e06 112233445566"; // an unknown skippable option
        String routing = "06 00 0400 00000000";
        assertThat(wrap(IpProtocol.HOP_BY_HOP, hopByHop + destination + routing + "cafe")).isNull();
        assertThat(header.protocol()).isEqualTo(IpProtocol.TCP);
        assertThat(header.protocolOffset()).isEqualTo(START + 64);
        assertThat(header.headerLength()).isEqualTo(72);
        assertThat(header.payloadLength()).isEqualTo(2);
        assertThat(BigEndian.u16(segment, header.payloadOffset())).isEqualTo(0xcafe);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 06, IPV6_EXTENSION_TRUNCATED",
        "60, 060000000000 00, IPV6_EXTENSION_TRUNCATED",
        "60, 0601010400000000, IPV6_EXTENSION_TRUNCATED",
        "43, 06ff000000000000, IPV6_EXTENSION_TRUNCATED",
        "44, 06000000000000, IPV6_EXTENSION_TRUNCATED",
        "60, 00000104000000000600010400000000, IPV6_EXTENSION_ORDER",
        "43, 0600000100000000, IPV6_ROUTING",
        "43, 0602040100000000, IPV6_EXTENSION_TRUNCATED",
        "60, 06004100000000 00, IPV6_OPTION",
        "0, 0600c20400010000, IPV6_OPTION",
        "60, 0600010500000000, IPV6_OPTION",
        "60, 0600000000000001, IPV6_OPTION",
        "50, 0000, IPV6_EXTENSION_UNSUPPORTED",
        "51, 0000, IPV6_EXTENSION_UNSUPPORTED",
        "135, 0000, IPV6_EXTENSION_UNSUPPORTED",
        "60, 3200010400000000, IPV6_EXTENSION_UNSUPPORTED",
    })
    void bad_extension_headers_are_refused(int first, String hex, DropReason reason) {
        assertThat(wrap(first, hex)).isEqualTo(reason);
    }

    @Test
    void eight_extension_headers_are_a_flood() {
        String padding = "3c00010400000000";
        assertThat(wrap(60, padding.repeat(6) + "0600010400000000")).isNull();
        assertThat(wrap(60, padding.repeat(8) + "0600010400000000"))
                .isEqualTo(DropReason.IPV6_EXTENSION_FLOOD);
    }

    @Test
    void unknown_protocols_are_left_to_the_stack() {
        assertThat(wrap(253, "0000")).isNull();
        assertThat(header.protocol()).isEqualTo(253);
        assertThat(wrap(IpProtocol.NO_NEXT_HEADER, "")).isNull();
        assertThat(header.protocol()).isEqualTo(IpProtocol.NO_NEXT_HEADER);
    }

    @Test
    void fragments_are_described_and_atomic_ones_are_none() {
        assertThat(wrap(44, "06 00 05c9 12345678 0102030405060708")).isNull();
        assertThat(header.isFragment()).isTrue();
        assertThat(header.moreFragments()).isTrue();
        assertThat(header.fragmentOffset()).isEqualTo(0x5c8);
        assertThat(header.fragmentId()).isEqualTo(0x12345678);
        assertThat(header.protocol()).isEqualTo(IpProtocol.TCP);
        assertThat(header.payloadLength()).isEqualTo(8);

        assertThat(wrap(44, "11 00 0000 12345678 0102030405060708")).isNull();
        assertThat(header.isFragment()).isFalse();
        assertThat(header.protocol()).isEqualTo(IpProtocol.UDP);
        assertThat(header.payloadLength()).isEqualTo(8);

        assertThat(wrap(44, "06 00 fff8 00000001 0102030405060708"))
                .isEqualTo(DropReason.IPV6_FRAGMENT_OVERLONG);
        assertThat(wrap(IpProtocol.TCP, "00")).isNull();
        assertThat(header.isFragment()).isFalse();
    }

    @Test
    void fields_are_changed_in_place() {
        write(100, IpProtocol.TCP);
        Ipv6Header.updatePayloadLength(segment, START, 60);
        Ipv6Header.decrementHopLimit(segment, START);
        Ipv6Header.updateTrafficClass(segment, START, 0x02);
        assertThat(header.wrap(segment, START, 140)).isNull();
        assertThat(header.payloadLength()).isEqualTo(60);
        assertThat(header.hopLimit()).isEqualTo(63);
        assertThat(header.trafficClass()).isEqualTo(2);
        assertThat(header.flowLabel()).isEqualTo(0xabcde);
        assertThat(Ipv6Header.markCongestionExperienced(segment, START)).isTrue();
        assertThat(header.wrap(segment, START, 140)).isNull();
        assertThat(header.ecn()).isEqualTo(EcnCodepoint.CE);
        Ipv6Header.updateTrafficClass(segment, START, 0xfc);
        assertThat(Ipv6Header.markCongestionExperienced(segment, START)).isFalse();
    }
}
