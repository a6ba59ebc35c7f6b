package dev.sluice.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

class Ipv4HeaderTest {
    private static final long START = 3; // wire data is rarely aligned
    private static final long SOURCE = IpAddress.ipv4Lo(0x0a000001);
    private static final long DESTINATION = IpAddress.ipv4Lo(0xc0a80102);

    private final MemorySegment segment = Bytes.segment();
    private final Ipv4Header header = new Ipv4Header();

    private void write(int totalLength) {
        Ipv4Header.write(
                segment, START, 0xb9, totalLength, 0x1234, true, 64, 6, SOURCE, DESTINATION);
    }

    /** Replaces a 16-bit word and makes the checksum right again. */
    private void patch(int at, int value) {
        BigEndian.put16(segment, START + at, value);
        BigEndian.put16(segment, START + 10, 0);
        int length = (BigEndian.u8(segment, START) & 0xf) << 2;
        BigEndian.put16(
                segment,
                START + 10,
                Checksum.finish(Checksum.sum(segment, START, Math.max(length, 20))));
    }

    @Test
    void what_is_written_is_read() {
        write(120);
        assertThat(header.wrap(segment, START, 120)).isNull();
        assertThat(header.tos()).isEqualTo(0xb9);
        assertThat(header.dscp()).isEqualTo(46);
        assertThat(header.ecn()).isEqualTo(EcnCodepoint.ECT_1);
        assertThat(header.totalLength()).isEqualTo(120);
        assertThat(header.id()).isEqualTo(0x1234);
        assertThat(header.dontFragment()).isTrue();
        assertThat(header.isFragment()).isFalse();
        assertThat(header.ttl()).isEqualTo(64);
        assertThat(header.protocol()).isEqualTo(IpProtocol.TCP);
        assertThat(header.sourceHi()).isZero();
        assertThat(header.sourceLo()).isEqualTo(SOURCE);
        assertThat(header.destinationLo()).isEqualTo(DESTINATION);
        assertThat(header.payloadOffset()).isEqualTo(START + 20);
        assertThat(header.payloadLength()).isEqualTo(100);
        assertThat(header.storedPayloadLength()).isEqualTo(100);
    }

    @Test
    void a_packet_of_another_stack_is_read() {
        // An ICMP echo request as sent by ping.
        int length = Bytes.put(segment, 0, "4500 0054 8c2b 4000 4001 9a7b 0a00 0001 0a00 0002");
        assertThat(header.wrap(segment, 0, length + 64)).isNull();
        assertThat(header.protocol()).isEqualTo(IpProtocol.ICMP);
        assertThat(header.totalLength()).isEqualTo(84);
        Ipv4Header.write(
                segment,
                100,
                0,
                84,
                0x8c2b,
                true,
                64,
                1,
                IpAddress.ipv4Lo(0x0a000001),
                IpAddress.ipv4Lo(0x0a000002));
        assertThat(Bytes.hex(segment, 100, 20)).isEqualTo(Bytes.hex(segment, 0, 20));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0x5500, IPV4_VERSION",
        "0, 0x6500, IPV4_VERSION",
        "0, 0x4400, IPV4_HEADER_LENGTH",
        "0, 0x4000, IPV4_HEADER_LENGTH",
        "2, 19, IPV4_TOTAL_LENGTH",
        "2, 0, IPV4_TOTAL_LENGTH",
        "2, 121, IPV4_TOTAL_LENGTH",
        "2, 0xffff, IPV4_TOTAL_LENGTH",
        "6, 0x1fff, IPV4_FRAGMENT_OVERLONG",
    })
    void headers_that_contradict_themselves_are_dropped(int at, String value, DropReason reason) {
        write(120);
        patch(at, Integer.decode(value));
        assertThat(header.wrap(segment, START, 120)).isEqualTo(reason);
    }

    @Test
    void a_header_that_is_cut_off_is_dropped() {
        write(120);
        for (int length = 0; length < 20; length++) {
            assertThat(header.wrap(segment, START, length)).isEqualTo(DropReason.IPV4_TRUNCATED);
        }
        BigEndian.put8(segment, START, 0x4f);
        assertThat(header.wrap(segment, START, 59)).isEqualTo(DropReason.IPV4_HEADER_LENGTH);
    }

    @Test
    void every_flipped_bit_is_noticed() {
        for (int bit = 0; bit < 160; bit++) {
            write(120);
            long at = START + (bit >> 3);
            BigEndian.put8(segment, at, BigEndian.u8(segment, at) ^ 0x80 >> (bit & 7));
            assertThat(header.wrap(segment, START, 120)).as("bit %d", bit).isNotNull();
        }
    }

    @Test
    void padding_is_cut_and_synthetic_payload_counts() {
        write(30);
        assertThat(header.wrap(segment, START, 46)).isNull();
        assertThat(header.payloadLength()).isEqualTo(10);
        assertThat(header.storedPayloadLength()).isEqualTo(10);

        write(1500);
        assertThat(header.wrap(segment, START, 40)).isEqualTo(DropReason.IPV4_TOTAL_LENGTH);
        assertThat(header.wrap(segment, START, 40, 1500)).isNull();
        assertThat(header.payloadLength()).isEqualTo(1480);
        assertThat(header.storedPayloadLength()).isEqualTo(20);
    }

    @Test
    void fragments_are_described() {
        Ipv4Header.writeFragment(
                segment, START, 0, 120, 7, 1480, true, 64, 17, SOURCE, DESTINATION);
        assertThat(header.wrap(segment, START, 120)).isNull();
        assertThat(header.isFragment()).isTrue();
        assertThat(header.moreFragments()).isTrue();
        assertThat(header.fragmentOffset()).isEqualTo(1480);
        assertThat(header.dontFragment()).isFalse();

        Ipv4Header.writeFragment(
                segment, START, 0, 120, 7, 65_432, false, 64, 17, SOURCE, DESTINATION);
        assertThat(header.wrap(segment, START, 120)).isNull();
        assertThat(header.isFragment()).isTrue();
        assertThat(header.moreFragments()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "0101 0100, null", // padding
        "9404 0000, null", // router alert
        "0001 0203, null", // end of options, garbage behind it
        "8307 0400, IPV4_OPTIONS", // longer than the header
        "8303 0401, IPV4_SOURCE_ROUTE",
        "8903 0401, IPV4_SOURCE_ROUTE",
        "4400 0000, IPV4_OPTIONS",
        "4401 0000, IPV4_OPTIONS",
        "0101 0144, IPV4_OPTIONS",
    })
    void options_are_skipped_but_for_source_routes(String options, String reason) {
        write(120);
        BigEndian.put8(segment, START, 0x46);
        Bytes.put(segment, START + 20, options);
        patch(8, 0x4006);
        DropReason expected = reason.equals("null") ? null : DropReason.valueOf(reason);
        assertThat(header.wrap(segment, START, 120)).isEqualTo(expected);
        if (expected == null) {
            assertThat(header.payloadOffset()).isEqualTo(START + 24);
            assertThat(header.payloadLength()).isEqualTo(96);
        }
    }

    @Test
    void changes_in_place_keep_the_checksum_right() {
        changed(at -> Ipv4Header.updateLengthAndId(segment, at, 52, 0x1235));
        assertThat(header.totalLength()).isEqualTo(52);
        assertThat(header.id()).isEqualTo(0x1235);
        changed(at -> Ipv4Header.updateTos(segment, at, 0x02));
        assertThat(header.tos()).isEqualTo(2);
        changed(at -> Ipv4Header.decrementTtl(segment, at));
        assertThat(header.ttl()).isEqualTo(63);
        assertThat(header.protocol()).isEqualTo(6);
    }

    private void changed(Consumer<Long> change) {
        write(120);
        change.accept(START);
        assertThat(header.wrap(segment, START, 120)).isNull();
    }

    @ParameterizedTest
    @CsvSource({"0, 0, false", "1, 3, true", "2, 3, true", "3, 3, true"})
    void congestion_marks_only_what_is_ecn_capable(int before, int after, boolean marked) {
        Ipv4Header.write(segment, START, 0x40 | before, 40, 1, true, 64, 6, SOURCE, DESTINATION);
        assertThat(Ipv4Header.markCongestionExperienced(segment, START)).isEqualTo(marked);
        assertThat(header.wrap(segment, START, 40)).isNull();
        assertThat(header.ecn()).isEqualTo(after);
        assertThat(header.dscp()).isEqualTo(16);
    }
}
