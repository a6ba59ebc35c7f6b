package dev.sluice.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.MemorySegment;

class IcmpHeaderTest {
    private static final long OURS = IpAddress.ipv4Lo(0x0a000001);
    private static final long PEERS = IpAddress.ipv4Lo(0x0a000002);
    private static final long HI = 0x20010db8_00000000L;

    private final MemorySegment segment = Bytes.segment();
    private final IcmpHeader header = new IcmpHeader();
    private final QuotedPacket quoted = new QuotedPacket();

    private DropReason wrapV6(long start, int length) {
        return header.wrapV6(segment, start, length, HI, 2, HI, 1);
    }

    @Test
    void an_echo_request_is_answered_in_both_versions() {
        IcmpHeader.writeEcho(segment, 0, IcmpHeader.V4_ECHO_REQUEST, 0xfffe, 3);
        IcmpHeader.writeChecksumV4(segment, 0, 61);
        assertThat(header.wrapV4(segment, 0, 61)).isNull();
        assertThat(header.kind()).isEqualTo(IcmpHeader.Kind.ECHO_REQUEST);
        IcmpHeader.writeEchoReply(segment, 0, 61, segment, 501, false);
        assertThat(header.wrapV4(segment, 501, 61)).isNull();
        assertThat(header.kind()).isEqualTo(IcmpHeader.Kind.ECHO_REPLY);
        assertThat(header.kind().isError()).isFalse();
        assertThat(header.identifier()).isEqualTo(0xfffe);
        assertThat(header.sequence()).isEqualTo(3);
        assertThat(header.bodyOffset()).isEqualTo(509);
        assertThat(header.bodyLength()).isEqualTo(53);
        assertThat(Bytes.hex(segment, 509, 53)).isEqualTo(Bytes.hex(segment, 8, 53));

        IcmpHeader.writeEcho(segment, 0, IcmpHeader.V6_ECHO_REQUEST, 1, 2);
        int pseudo = Checksum.pseudoHeader(HI, 2, HI, 1, IpProtocol.ICMPV6, 61);
        IcmpHeader.writeChecksumV6(segment, 0, 61, pseudo);
        assertThat(wrapV6(0, 61)).isNull();
        assertThat(header.isIpv6()).isTrue();
        assertThat(header.kind()).isEqualTo(IcmpHeader.Kind.ECHO_REQUEST);
        IcmpHeader.writeEchoReply(segment, 0, 61, segment, 500, true);
        assertThat(wrapV6(500, 61)).isNull();
        assertThat(header.kind()).isEqualTo(IcmpHeader.Kind.ECHO_REPLY);
    }

    @Test
    void damaged_and_short_messages_are_dropped() {
        IcmpHeader.writeEcho(segment, 0, IcmpHeader.V4_ECHO_REQUEST, 1, 2);
        IcmpHeader.writeChecksumV4(segment, 0, 20);
        for (int length = 0; length < 8; length++) {
            assertThat(header.wrapV4(segment, 0, length)).isEqualTo(DropReason.ICMP_TRUNCATED);
            assertThat(wrapV6(0, length)).isEqualTo(DropReason.ICMP_TRUNCATED);
        }
        assertThat(wrapV6(0, 20)).isEqualTo(DropReason.ICMP_CHECKSUM);
        for (int bit = 0; bit < 160; bit++) {
            BigEndian.put8(segment, bit >> 3, BigEndian.u8(segment, bit >> 3) ^ 1 << (bit & 7));
            assertThat(header.wrapV4(segment, 0, 20)).isEqualTo(DropReason.ICMP_CHECKSUM);
            BigEndian.put8(segment, bit >> 3, BigEndian.u8(segment, bit >> 3) ^ 1 << (bit & 7));
        }
        assertThat(header.wrapV4(segment, 0, 20)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, ECHO_REPLY, false",
        "3, 0, DESTINATION_UNREACHABLE, false",
        "3, 1, DESTINATION_UNREACHABLE, false",
        "3, 3, DESTINATION_UNREACHABLE, true",
        "3, 4, PACKET_TOO_BIG, false",
        "3, 13, DESTINATION_UNREACHABLE, false",
        "5, 0, OTHER, false",
        "8, 0, ECHO_REQUEST, false",
        "11, 0, TIME_EXCEEDED, false",
        "12, 0, PARAMETER_PROBLEM, false",
        "128, 0, OTHER, false",
    })
    void kinds_of_version_4(int type, int code, IcmpHeader.Kind kind, boolean port) {
        IcmpHeader.writeErrorV4(segment, 100, type, code, 1400, segment, 0, 28);
        assertThat(header.wrapV4(segment, 100, 36)).isNull();
        assertThat(header.type()).isEqualTo(type);
        assertThat(header.code()).isEqualTo(code);
        assertThat(header.kind()).isEqualTo(kind);
        assertThat(header.isPortUnreachable()).isEqualTo(port);
        assertThat(header.mtu()).isEqualTo(1400);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0, DESTINATION_UNREACHABLE, false",
        "1, 4, DESTINATION_UNREACHABLE, true",
        "2, 0, PACKET_TOO_BIG, false",
        "3, 0, TIME_EXCEEDED, false",
        "4, 1, PARAMETER_PROBLEM, false",
        "8, 0, OTHER, false",
        "128, 0, ECHO_REQUEST, false",
        "135, 0, OTHER, false",
    })
    void kinds_of_version_6(int type, int code, IcmpHeader.Kind kind, boolean port) {
        int length =
                IcmpHeader.writeErrorV6(
                        segment, 100, type, code, 1400, segment, 0, 48, HI, 2, HI, 1);
        assertThat(wrapV6(100, length)).isNull();
        assertThat(header.kind()).isEqualTo(kind);
        assertThat(header.isPortUnreachable()).isEqualTo(port);
        assertThat(header.mtu()).isEqualTo(1400);
        assertThat(header.pointer()).isEqualTo(1400);
    }

    @Test
    void odd_numbers_stay_numbers() {
        int length = IcmpHeader.writeErrorV6(segment, 100, 2, 0, -1, segment, 0, 48, HI, 2, HI, 1);
        assertThat(wrapV6(100, length)).isNull();
        assertThat(header.mtu()).isEqualTo(Integer.MAX_VALUE);
        IcmpHeader.writeErrorV4(segment, 100, 12, 0, 20 << 24, segment, 0, 28);
        assertThat(header.wrapV4(segment, 100, 36)).isNull();
        assertThat(header.pointer()).isEqualTo(20);
    }

    @Test
    void an_error_quotes_enough_to_find_the_connection() {
        Ipv4Header.write(segment, 0, 0, 1500, 7, true, 1, IpProtocol.TCP, OURS, PEERS);
        TcpHeader.write(segment, 20, 4000, 80, 12345, 0, 20, TcpHeader.ACK, 1, 0);
        int length = IcmpHeader.writeErrorV4(segment, 800, 3, 4, 1400, segment, 0, 28);
        assertThat(header.wrapV4(segment, 800, length)).isNull();
        assertThat(quoted.wrap(segment, header.bodyOffset(), header.bodyLength())).isNull();
        assertThat(quoted.protocol()).isEqualTo(IpProtocol.TCP);
        assertThat(quoted.sourceHi()).isZero();
        assertThat(quoted.sourceLo()).isEqualTo(OURS);
        assertThat(quoted.destinationLo()).isEqualTo(PEERS);
        assertThat(quoted.sourcePort()).isEqualTo(4000);
        assertThat(quoted.destinationPort()).isEqualTo(80);
        assertThat(quoted.seq()).isEqualTo(12345);

        // A router that has rewritten the total length, as some do, is still understood.
        BigEndian.put16(segment, 810, 9);
        assertThat(quoted.wrap(segment, 808, 28)).isNull();
        for (int cut = 0; cut < 28; cut++) {
            assertThat(quoted.wrap(segment, 808, cut)).isEqualTo(DropReason.ICMP_QUOTE);
        }
        BigEndian.put16(segment, 814, 1);
        assertThat(quoted.wrap(segment, 808, 28)).isEqualTo(DropReason.ICMP_QUOTE);
    }

    @Test
    void an_error_quotes_enough_in_version_6_too() {
        Ipv6Header.write(segment, 0, 0, 0, 1400, 60, 1, HI, 1, HI, 2);
        Bytes.put(segment, 40, "0600010400000000");
        TcpHeader.write(segment, 48, 4000, 80, 12345, 0, 20, TcpHeader.ACK, 1, 0);
        assertThat(quoted.wrap(segment, 0, 56)).isNull();
        assertThat(quoted.protocol()).isEqualTo(IpProtocol.TCP);
        assertThat(quoted.transportOffset()).isEqualTo(48);
        assertThat(quoted.sourceHi()).isEqualTo(HI);
        assertThat(quoted.sourceLo()).isEqualTo(1);
        assertThat(quoted.destinationLo()).isEqualTo(2);
        assertThat(quoted.destinationHi()).isEqualTo(HI);
        assertThat(quoted.seq()).isEqualTo(12345);
        for (int cut = 0; cut < 56; cut++) {
            assertThat(quoted.wrap(segment, 0, cut)).isEqualTo(DropReason.ICMP_QUOTE);
        }
    }

    @Test
    void errors_are_no_longer_than_they_may_be() {
        int four = IcmpHeader.writeErrorV4(segment, 600, 3, 3, 0, segment, 0, 600);
        assertThat(four + Ipv4Header.LENGTH).isEqualTo(576);
        MemorySegment large = MemorySegment.ofArray(new byte[4096]);
        int six = IcmpHeader.writeErrorV6(large, 0, 1, 4, 0, segment, 0, 2000, HI, 1, HI, 2);
        assertThat(six + Ipv6Header.LENGTH).isEqualTo(Ipv6Header.MINIMUM_MTU);
    }
}
