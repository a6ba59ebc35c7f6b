package dev.sluice.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;

class TcpHeaderTest {
    private static final long START = 5;

    private final MemorySegment segment = Bytes.segment();
    private final TcpHeader header = new TcpHeader();

    /** Wraps a segment with the given option bytes and no payload. */
    private TcpOptions options(int flags, String hex) {
        int length = Bytes.put(segment, START + 20, hex);
        TcpHeader.write(segment, START, 1, 2, 3, 4, 20 + length, flags, 5, 0);
        assertThat(header.wrap(segment, START, 20 + length)).isNull();
        return header.options();
    }

    @Test
    void what_is_written_is_read() {
        int flags = TcpHeader.PSH | TcpHeader.ACK | TcpHeader.AE;
        TcpHeader.write(segment, START, 49152, 65535, 0xdeadbeef, -1, 32, flags, 65535, 9);
        assertThat(header.wrap(segment, START, 42)).isNull();
        assertThat(header.sourcePort()).isEqualTo(49152);
        assertThat(header.destinationPort()).isEqualTo(65535);
        assertThat(header.segSeq()).isEqualTo(0xdeadbeef);
        assertThat(header.segAck()).isEqualTo(-1);
        assertThat(header.segWnd()).isEqualTo(65535);
        assertThat(header.urgentPointer()).isEqualTo(9);
        assertThat(header.flags()).isEqualTo(flags);
        assertThat(header.reserved()).isZero();
        assertThat(header.headerLength()).isEqualTo(32);
        assertThat(header.payloadOffset()).isEqualTo(START + 32);
        assertThat(header.payloadLength()).isEqualTo(10);
        assertThat(header.segLen()).isEqualTo(10);
        assertThat(TcpHeader.checksum(segment, START)).isZero();
    }

    @Test
    void each_flag_is_its_own_bit_and_syn_and_fin_take_sequence_space() {
        for (int flag = 1; flag <= TcpHeader.AE; flag <<= 1) {
            TcpHeader.write(segment, START, 1, 2, 3, 4, 20, flag, 5, 0);
            assertThat(header.wrap(segment, START, 20)).isNull();
            assertThat(header.flags()).isEqualTo(flag);
            assertThat(header.isFin()).isEqualTo(flag == TcpHeader.FIN);
            assertThat(header.isSyn()).isEqualTo(flag == TcpHeader.SYN);
            assertThat(header.isRst()).isEqualTo(flag == TcpHeader.RST);
            assertThat(header.isPsh()).isEqualTo(flag == TcpHeader.PSH);
            assertThat(header.isAck()).isEqualTo(flag == TcpHeader.ACK);
            assertThat(header.isUrg()).isEqualTo(flag == TcpHeader.URG);
            assertThat(header.segLen()).isEqualTo(flag <= TcpHeader.SYN ? 1 : 0);
        }
        TcpHeader.write(segment, START, 1, 2, 3, 4, 20, TcpHeader.AE | TcpHeader.ECE, 5, 0);
        assertThat(header.wrap(segment, START, 20)).isNull();
        assertThat(header.ace()).isEqualTo(5);
        TcpHeader.updateSeqAndFlags(segment, START, 77, TcpHeader.SYN | TcpHeader.FIN);
        assertThat(header.wrap(segment, START, 20)).isNull();
        assertThat(header.segSeq()).isEqualTo(77);
        assertThat(header.segLen()).isEqualTo(2);
        assertThat(header.ace()).isZero();
    }

    @Test
    void lengths_that_contradict_each_other_are_dropped() {
        TcpHeader.write(segment, START, 1, 2, 3, 4, 20, 0, 5, 0);
        for (int length = 0; length < 20; length++) {
            assertThat(header.wrap(segment, START, length)).isEqualTo(DropReason.TCP_TRUNCATED);
        }
        for (int offset = 0; offset < 16; offset++) {
            TcpHeader.write(segment, START, 1, 2, 3, 4, 4 * offset, 0, 5, 0);
            boolean fits = offset >= 5 && 4 * offset <= 44;
            assertThat(header.wrap(segment, START, 44))
                    .as("data offset %d", offset)
                    .isEqualTo(fits ? null : DropReason.TCP_DATA_OFFSET);
            // Options must be stored: synthetic bytes are payload.
            assertThat(header.wrap(segment, START, 44, 1000))
                    .isEqualTo(fits ? null : DropReason.TCP_DATA_OFFSET);
        }
    }

    @Test
    void synthetic_payload_counts() {
        TcpHeader.write(segment, START, 1, 2, 3, 4, 20, 0, 5, 0);
        assertThat(header.wrap(segment, START, 22, 1480)).isNull();
        assertThat(header.payloadLength()).isEqualTo(1460);
        assertThat(header.storedPayloadLength()).isEqualTo(2);
    }

    @Test
    void the_options_of_a_linux_syn() {
        TcpOptions options =
                options(TcpHeader.SYN, "0204 05b4 0402 080a 0000 0064 0000 00c8 01 0303 07");
        assertThat(options.mss()).isEqualTo(1460);
        assertThat(options.sackPermitted()).isTrue();
        assertThat(options.hasTimestamps()).isTrue();
        assertThat(options.tsVal()).isEqualTo(100);
        assertThat(options.tsEcr()).isEqualTo(200);
        assertThat(options.hasWindowScale()).isTrue();
        assertThat(options.windowScale()).isEqualTo(7);
        assertThat(options.windowScaleClamped()).isFalse();
        assertThat(options.malformed()).isFalse();
        assertThat(options.hasFastOpen()).isFalse();
        assertThat(options.accEcnCounters()).isEqualTo(-1);
    }

    @Test
    void options_of_one_segment_do_not_leak_into_the_next() {
        the_options_of_a_linux_syn();
        options(TcpHeader.ACK, "0101 050a 0000 0001 0000 0002");
        TcpOptions options = options(TcpHeader.SYN, "");
        assertThat(options.mss()).isZero();
        assertThat(options.sackPermitted()).isFalse();
        assertThat(options.hasTimestamps()).isFalse();
        assertThat(options.hasWindowScale()).isFalse();
        assertThat(options.sackCount()).isZero();
    }

    @Test
    void negotiating_options_count_in_syn_segments_only() {
        String hex = "0204 05b4 0402 01 0303 07 2206 01020304";
        TcpOptions options = options(TcpHeader.ACK, hex.replace(" 01 ", " 0101 01 "));
        assertThat(options.mss()).isZero();
        assertThat(options.sackPermitted()).isFalse();
        assertThat(options.hasWindowScale()).isFalse();
        assertThat(options.hasFastOpen()).isFalse();
    }

    @Test
    void the_aligned_timestamps_are_read_fast_and_every_other_placement_slowly() {
        for (String hex :
                new String[] {
                    "0101 080a 0102 0304 0506 0708",
                    "01 080a 0102 0304 0506 0708 01",
                    "080a 0102 0304 0506 0708 0000",
                    "0101 080a 0102 0304 0506 0708 0101 0101",
                }) {
            TcpOptions options = options(TcpHeader.ACK, hex);
            assertThat(options.hasTimestamps()).as(hex).isTrue();
            assertThat(options.tsVal()).isEqualTo(0x01020304);
            assertThat(options.tsEcr()).isEqualTo(0x05060708);
        }
    }

    @Test
    void up_to_four_sack_blocks() {
        for (int blocks = 1; blocks <= 4; blocks++) {
            StringBuilder hex = new StringBuilder("010105");
            hex.append(String.format("%02x", 2 + 8 * blocks));
            for (int i = 0; i < 2 * blocks; i++) {
                hex.append(String.format("%08x", 1000 * i));
            }
            TcpOptions options = options(TcpHeader.ACK, hex.toString());
            assertThat(options.sackCount()).isEqualTo(blocks);
            for (int i = 0; i < blocks; i++) {
                assertThat(options.sackLeft(i)).isEqualTo(2000 * i);
                assertThat(options.sackRight(i)).isEqualTo(2000 * i + 1000);
            }
        }
    }

    @Test
    void a_window_scale_above_fourteen_is_clamped_and_noted() {
        assertThat(options(TcpHeader.SYN, "0103030e").windowScaleClamped()).isFalse();
        TcpOptions options = options(TcpHeader.SYN, "010303ff");
        assertThat(options.windowScale()).isEqualTo(14);
        assertThat(options.windowScaleClamped()).isTrue();
    }

    @Test
    void fast_open_in_both_kinds_and_only_with_proper_cookies() {
        TcpOptions request = options(TcpHeader.SYN, "2202 0101");
        assertThat(request.hasFastOpen()).isTrue();
        assertThat(request.fastOpenLength()).isZero();

        TcpOptions cookie = options(TcpHeader.SYN, "220a 0102030405060708 0101");
        assertThat(cookie.fastOpenLength()).isEqualTo(8);
        assertThat(cookie.fastOpenOffset()).isEqualTo(START + 22);
        assertThat(cookie.fastOpenExperimental()).isFalse();

        TcpOptions old = options(TcpHeader.SYN, "fe0c f989 0102030405060708");
        assertThat(old.fastOpenLength()).isEqualTo(8);
        assertThat(old.fastOpenOffset()).isEqualTo(START + 24);
        assertThat(old.fastOpenExperimental()).isTrue();

        assertThat(options(TcpHeader.SYN, "fe0c 1234 0102030405060708").hasFastOpen()).isFalse();
        assertThat(options(TcpHeader.SYN, "2204 0102").hasFastOpen()).isFalse();
        assertThat(options(TcpHeader.SYN, "2207 0102030405 01").hasFastOpen()).isFalse();
        assertThat(options(TcpHeader.SYN, "2214" + "00".repeat(18)).hasFastOpen()).isFalse();
    }

    @Test
    void signatures_and_accurate_ecn() {
        TcpOptions md5 = options(TcpHeader.ACK, "0101 1312" + "ab".repeat(16));
        assertThat(md5.hasMd5()).isTrue();
        assertThat(md5.md5Offset()).isEqualTo(START + 24);

        TcpOptions ao = options(TcpHeader.ACK, "1d10 0102" + "cd".repeat(12));
        assertThat(ao.hasAuthentication()).isTrue();
        assertThat(ao.authenticationOffset()).isEqualTo(START + 22);
        assertThat(ao.authenticationLength()).isEqualTo(14);

        TcpOptions first = options(TcpHeader.ACK, "ac0b 000001 000002 ffffff 01");
        assertThat(first.accEcnCounters()).isEqualTo(3);
        assertThat(first.accEcnE0()).isEqualTo(1);
        assertThat(first.accEcnCe()).isEqualTo(2);
        assertThat(first.accEcnE1()).isEqualTo(0xffffff);

        TcpOptions second = options(TcpHeader.ACK, "ae08 000001 000002");
        assertThat(second.accEcnCounters()).isEqualTo(2);
        assertThat(second.accEcnE1()).isEqualTo(1);
        assertThat(second.accEcnCe()).isEqualTo(2);
        assertThat(second.accEcnE0()).isEqualTo(-1);

        assertThat(options(TcpHeader.ACK, "ae02 0101").accEcnCounters()).isZero();
        assertThat(options(TcpHeader.ACK, "ae04 0101").accEcnCounters()).isEqualTo(-1);
        assertThat(options(TcpHeader.ACK, "ae0e" + "00".repeat(14)).accEcnCounters()).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0204 05b4 0300 0101", // length 0
                "0204 05b4 0301 0101", // length 1
                "0204 05b4 0305 0101", // beyond the header
                "0204 05b4 0101 0103", // kind without a length
                "0204 05b4 63ff 0101", // unknown kind, beyond the header
            })
    void a_senseless_length_ends_the_parse_and_keeps_what_came_before(String hex) {
        TcpOptions options = options(TcpHeader.SYN, hex);
        assertThat(options.malformed()).isTrue();
        assertThat(options.mss()).isEqualTo(1460);
        assertThat(options.hasWindowScale()).isFalse();
    }

    @Test
    void unknown_options_and_wrong_sizes_are_skipped_and_the_last_repetition_counts() {
        TcpOptions options =
                options(
                        TcpHeader.SYN,
                        "6304 0000 0203 01 0303 02 01 0204 0100 0204 0200 00 0204 03");
        assertThat(options.malformed()).isFalse();
        assertThat(options.windowScale()).isEqualTo(2);
        assertThat(options.mss()).isEqualTo(0x200);
        assertThat(options(TcpHeader.SYN, "0509" + "00".repeat(7) + "010101").sackCount()).isZero();
    }
}
