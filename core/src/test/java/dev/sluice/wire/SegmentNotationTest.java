package dev.sluice.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.wire.SegmentNotation.Parsed;
import dev.sluice.wire.SegmentNotation.Segment;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;

class SegmentNotationTest {
    private static final int SEQ_BASE = 0xfffffff0; // so that relative numbers wrap on the wire
    private static final int ACK_BASE = 0x12345678;

    private final MemorySegment packet = Bytes.segment();
    private final TcpHeader header = new TcpHeader();

    private static Segment parse(String text) {
        Parsed parsed = SegmentNotation.parse(text);
        assertThat(parsed.error()).as(text).isNull();
        return parsed.segment();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "S 0:0(0) win 65535 <mss 1460,sackOK,TS val 1 ecr 0,nop,wscale 7>",
                "S. 0:0(0) ack 1 win 65535 <mss 1460,nop,nop,sackOK,nop,wscale 7>",
                ". 1:1(0) ack 1 win 257",
                "P. 1:1001(1000) ack 1 win 257",
                "FP. 1:1001(1000) ack 1 win 257",
                "R 1:1(0) win 0",
                "R. 0:0(0) ack 1 win 0",
                "- 1:1(0) win 1",
                "SEW 0:0(0) win 65535 <mss 1000>",
                "SEWA 0:0(0) win 65535 <mss 1000>",
                "S.E 0:0(0) ack 1 win 65535 <mss 1000>",
                "P.UEWA 1:11(10) ack 1 win 257 urg 5",
                ". 1:1(0) ack 1 win 1 urg 9",
                ". 1:1(0) ack 1 win 5 <nop,nop,TS val 1 ecr 4294967295>",
                ". 1:1(0) ack 1 win 5 <nop,nop,sack 1001:2001 3001:4001 4294967295:0>",
                "S 0:1000(1000) win 5 <mss 1460,FO 0102030405060708,nop,nop>",
                "S 0:0(0) win 5 <FO,nop,nop>",
                "S 0:0(0) win 5 <FOEXP>",
                "S 0:0(0) win 5 <FOEXP 0102030405060708>",
                ". 1:1(0) ack 1 win 5 <nop,nop,md5 000102030405060708090a0b0c0d0e0f>",
                ". 1:1(0) ack 1 win 5 <ECN e0b 1 ceb 2 e1b 16777215,nop>",
                ". 1:1(0) ack 1 win 5 <ECN e1b 1 ceb 2>",
                ". 1:1(0) ack 1 win 5 <ECN e1b 1,nop,nop,nop>",
                ". 1:1(0) ack 1 win 5 <kind 99,eol,eol>",
                ". 1:1(0) ack 1 win 5 <kind 2 05,eol>",
                ". 1:1(0) ack 1 win 5 <nop,nop,bad 0300>",
                ". 4294967295:9(10) ack 4294967295 win 5",
            })
    void what_is_parsed_is_encoded_decoded_and_printed_as_it_was(String text) {
        Segment segment = parse(text);
        assertThat(segment).hasToString(text);
        int length = SegmentNotation.encode(segment, packet, 9, 10, 20, SEQ_BASE, ACK_BASE);
        assertThat(header.wrap(packet, 9, length, length + segment.length())).isNull();
        StringBuilder printed = new StringBuilder();
        SegmentNotation.print(printed, packet, header, SEQ_BASE, ACK_BASE);
        assertThat(printed).hasToString(text);
        assertThat(SegmentNotation.decode(packet, header, SEQ_BASE, ACK_BASE)).isEqualTo(segment);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "  <  .  1 : 1 ( 0 )  ack  1   win 5 < nop , nop , TS  val 1 ecr 2 > "
                        + "| < . 1:1(0) ack 1 win 5 <nop,nop,TS val 1 ecr 2>",
                "> P.5 1:11(10) ack 1 | > P.5 1:11(10) ack 1",
                "5P. 1:11(10) ack 1 | P.5 1:11(10) ack 1",
                "E.0 1:1(0) ack 1 | .E0 1:1(0) ack 1",
                ".PF 1:1(0) ack 1 | FP. 1:1(0) ack 1",
                "[ect0] . 1:1(0) ack 1 | [ect0] . 1:1(0) ack 1",
                "> (ce) . 1:1(0) ack 1 | > [ce] . 1:1(0) ack 1",
                "> [ect01, tos 0x12, ttl 64] . 1:1(0) | > [ect01, tos 0x12, ttl 64] . 1:1(0)",
                "[tos 18, flowlabel 0x1] . 1:1(0) | [tos 0x12, flowlabel 0x1] . 1:1(0)",
                "[noecn] S 0:0(0) <...> | [noecn] S 0:0(0) <...>",
                "1024 > 80 S 0:0(0) win 1 | 1024 > 80 S 0:0(0) win 1",
                "> 1024>80 5. 1:1(0) | > 1024 > 80 .5 1:1(0)",
                ". 1:1(0) ack 1 <> | . 1:1(0) ack 1",
                "S 0:0(0) <FO ABCDEF01,nop,nop> | S 0:0(0) <FO abcdef01,nop,nop>",
            })
    void liberties_in_writing_are_taken_and_printed_in_one_form(String text, String canonical) {
        assertThat(parse(text)).hasToString(canonical);
        assertThat(parse(canonical)).hasToString(canonical);
    }

    @Test
    void fields_mean_what_the_text_says() {
        Segment segment =
                parse("< [ect1] 7 > 8 S.5 0:10(10) ack 3 win 4 urg 6 <mss 1460,nop,wscale 2>");
        assertThat(segment.direction()).isEqualTo('<');
        assertThat(segment.ip().ecn()).isEqualTo(EcnCodepoint.ECT_1);
        assertThat(segment.ip().tos()).isEqualTo(-1);
        assertThat(segment.sourcePort()).isEqualTo(7);
        assertThat(segment.destinationPort()).isEqualTo(8);
        assertThat(segment.flags())
                .isEqualTo(TcpHeader.SYN | TcpHeader.ACK | TcpHeader.AE | TcpHeader.ECE);
        assertThat(segment.ace()).isEqualTo(5);
        assertThat(segment.has(TcpHeader.SYN | TcpHeader.ACK)).isTrue();
        assertThat(segment.has(TcpHeader.FIN | TcpHeader.ACK)).isFalse();
        assertThat(segment.seq()).isZero();
        assertThat(segment.end()).isEqualTo(10);
        assertThat(segment.length()).isEqualTo(10);
        assertThat(segment.ack()).isEqualTo(3);
        assertThat(segment.window()).isEqualTo(4);
        assertThat(segment.urgent()).isEqualTo(6);
        assertThat(segment.options())
                .isEqualTo(
                        List.of(
                                new SegmentOption.Mss(1460),
                                new SegmentOption.Nop(),
                                new SegmentOption.WindowScale(2)));

        Segment silent = parse("- 5:5(0)");
        assertThat(silent.direction()).isEqualTo((char) 0);
        assertThat(silent.ack()).isEqualTo(-1);
        assertThat(silent.window()).isEqualTo(-1);
        assertThat(silent.urgent()).isEqualTo(-1);
        assertThat(silent.ace()).isEqualTo(-1);
        assertThat(silent.anyOptions()).isFalse();
        assertThat(parse("- 5:5(0) <...>").anyOptions()).isTrue();
    }

    @Test
    void ports_of_the_text_go_before_those_of_the_caller() {
        SegmentNotation.encode(parse("7 > 8 S 0:0(0)"), packet, 0, 10, 20, 0, 0);
        assertThat(header.wrap(packet, 0, 20)).isNull();
        assertThat(header.sourcePort()).isEqualTo(7);
        assertThat(header.destinationPort()).isEqualTo(8);
        SegmentNotation.encode(parse("S 0:0(0)"), packet, 0, 10, 20, 0, 0);
        assertThat(header.wrap(packet, 0, 20)).isNull();
        assertThat(header.sourcePort()).isEqualTo(10);
        assertThat(header.destinationPort()).isEqualTo(20);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | column 1: expected flags, found end of text",
                "X 0:0(0) | column 1: expected flags out of F S R P . U E W A 0-7, each once, or -,"
                        + " found 'X'",
                "SS 0:0(0) | column 2: expected flags out of",
                ".58 1:1(0) | column 3: expected flags out of",
                ".E5 1:1(0) | column 1: the ACE digit stands in place of E, W and A",
                "S 0 | column 4: expected ':', found end of text",
                "S x:0(0) | column 3: expected sequence number from 0 to 4294967295, found 'x'",
                "S 4294967296:0(0) | column 3: expected sequence number",
                "S 0:0 win 1 | column 7: expected '(', found 'w'",
                "P. 1:1000(1000) | column 6: end of sequence is not start plus length, 1001",
                "S 0:0(0) ack | column 13: expected acknowledgment number",
                "S 0:0(0) win 65536 | column 14: expected window from 0 to 65535, found '6'",
                "S 0:0(0) win 1 ack 1 | column 16: expected end of segment, found 'a'",
                "S 0:0(0) <mss 1460,foo> | column 20: expected option",
                "S 0:0(0) <mss 1460 | column 19: expected '>', found end of text",
                "S 0:0(0) <mss 1460,sackOK> | column 10: options take 6 bytes: no multiple of 4 up"
                        + " to 40",
                "S 0:0(0) <TS val 1,nop,nop> | column 19: expected 'ecr', found ','",
                "S 0:0(0) <sack 1-2> | column 17: expected ':', found '-'",
                "S 0:0(0) <md5 0102> | column 15: expected hexadecimal digits of 16 bytes",
                "S 0:0(0) <FO 012> | column 14: expected hexadecimal digits of 0 to 38 bytes",
                "S 0:0(0) <ECN ceb 1> | column 15: expected 'e1b', found 'c'",
                "S 0:0(0) <ECN e0b 16777216> | column 19: expected 24-bit counter",
                "[ect2] S 0:0(0) | column 2: expected ect0, ect1, ce, noecn, ect01",
                "[ce S 0:0(0) | column 5: expected ']', found 'S'",
                "[tos 256] S 0:0(0) | column 6: expected TOS from 0 to 255",
            })
    void errors_say_where_and_what_was_expected(String text, String error) {
        Parsed parsed = SegmentNotation.parse(text);
        assertThat(parsed.isValid()).isFalse();
        assertThat(parsed.error()).startsWith(error);
        assertThat(parsed.error()).startsWith("column " + (parsed.end() + 1) + ": ");
    }

    @Test
    void a_segment_is_found_in_the_middle_of_a_text() {
        String text = "+0.1 > S. 0:0(0) ack 1 <mss 1460>\n+0 close(4) = 0";
        Parsed parsed = SegmentNotation.parse(text, 5);
        assertThat(parsed.segment()).hasToString("> S. 0:0(0) ack 1 <mss 1460>");
        assertThat(text.substring(parsed.end())).isEqualTo("\n+0 close(4) = 0");
    }

    @Test
    void every_segment_has_a_notation_that_reads_back() {
        SplittableRandom random = new SplittableRandom(6);
        for (int i = 0; i < 50_000; i++) {
            int length = 20 + 4 * random.nextInt(11);
            for (int b = 0; b < length; b += 4) {
                BigEndian.put32(packet, b, random.nextInt());
            }
            for (int b = 20; b < length; b++) {
                if (random.nextInt(3) == 0) { // small numbers are kinds and lengths
                    BigEndian.put8(packet, b, random.nextInt(12));
                }
            }
            BigEndian.put8(packet, 12, length << 2 | random.nextInt(2));
            int payload = random.nextInt(3) * 1000;
            assertThat(header.wrap(packet, 0, length, length + payload)).isNull();
            Segment segment = SegmentNotation.decode(packet, header, SEQ_BASE, ACK_BASE);
            Segment back = parse(segment.toString());
            assertThat(back).hasToString(segment.toString());
            SegmentNotation.encode(back, packet, 100, 1, 2, SEQ_BASE, ACK_BASE);
            assertThat(Bytes.hex(packet, 120, length - 20))
                    .as(segment.toString())
                    .isEqualTo(Bytes.hex(packet, 20, length - 20));
        }
    }

    @Test
    void mutilated_text_is_refused_or_read_but_never_throws() {
        SplittableRandom random = new SplittableRandom(7);
        String seed =
                "< [ect0] 1024 > 80 SP.UEWA5 0:10(10) ack 1 win 65535 urg 0 <mss 1460,sackOK,TS val"
                        + " 1 ecr 0,nop,wscale 7,sack 1:2 3:4,FO 0102,ECN e0b 1>";
        for (int i = 0; i < 50_000; i++) {
            StringBuilder text = new StringBuilder(seed);
            for (int edits = random.nextInt(4); edits >= 0; edits--) {
                int from = random.nextInt(text.length());
                int to = Math.min(text.length(), from + random.nextInt(6));
                String piece = seed.substring(from % 40, from % 40 + random.nextInt(5));
                text.replace(from, to, piece).append(' ');
            }
            Parsed parsed = SegmentNotation.parse(text);
            assertThat(parsed.isValid()).isEqualTo(parsed.error() == null);
            assertThat(parsed.end()).isBetween(0, text.length());
        }
    }
}
