package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

class SegmentMatcherTest {
    static PacketSpec.Tcp expected(String text) {
        Script script = ScriptParser.parse("t.pkt", "0 " + text, Map.of());
        return (PacketSpec.Tcp) ((Step.Expect) script.steps().getFirst()).packet();
    }

    /** A live segment made from script notation; what is not written is 0. */
    static Segment live(String text) {
        PacketSpec.Tcp spec = expected(text);
        PacketSpec.IpFields ip = spec.envelope().ip();
        return new Segment(
                0,
                spec.sequence().start(),
                spec.sequence().length(),
                true,
                spec.flags(),
                spec.ack().orElse(0),
                spec.window().orElse(0),
                spec.urgent().orElse(0),
                spec.options().orElseThrow(),
                ip.trafficClass().orElse(ip.ecn().map(Enum::ordinal).orElse(0)),
                ip.flowLabel().orElse(0),
                ip.hopLimit().orElse(64));
    }

    private static List<String> compare(String expected, String actual) {
        return SegmentMatcher.differences(
                expected(expected), live(actual), OptionalLong.empty(), 0, true);
    }

    @Test
    void the_same_segment_matches() {
        String text = "> P. 1:1001(1000) ack 1 win 5 <nop,nop,TS val 1 ecr 2>";

        assertThat(compare(text, text)).isEmpty();
    }

    @Test
    void what_the_script_leaves_out_is_not_compared() {
        assertThat(compare("> . 1:1(0) ack 1", "> [ce] . 1:1(0) ack 1 win 777")).isEmpty();
        assertThat(compare("> S. 0:0(0) ack 1 <...>", "> S. 0:0(0) ack 1 <mss 5,nop>")).isEmpty();
        assertThat(compare("> . ...(10) ack 1", "> . 77:87(10) ack 1")).isEmpty();
        assertThat(compare("> . 1:1(0) <TS val 1 ecr 2>", "> . 1:1(0) <TS val 9 ecr 8>")).isEmpty();
        assertThat(compare("> [ect01] . 1:1(0)", "> [ect0] . 1:1(0)")).isEmpty();
        assertThat(compare("> [ect01] . 1:1(0)", "> [ect1] . 1:1(0)")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            textBlock =
                    """
                    > . 1:1(0);> P. 1:1(0);flags: expected ., got P.
                    > - 1:1(0);> S 1:1(0);flags: expected -, got S
                    > . 1:1(0);> .2 1:1(0);flags: expected ., got W.
                    > . 1:2(1);> . 2:3(1);sequence number: expected 1, got 2
                    > . 1:2(1);> . 1:3(2);length: expected 1, got 2
                    > . 1:1(0) ack 1;> . 1:1(0) ack 2;ack: expected 1, got 2
                    > . 1:1(0);> . 1:1(0) ack 2;ack: expected 0, got 2
                    > . 1:1(0) win 3;> . 1:1(0) win 4;window: expected 3, got 4
                    > . 1:1(0);> . 1:1(0) urg 4;urgent pointer: expected 0, got 4
                    > . 1:1(0);> . 1:1(0) <nop>;options: expected none, got <nop>
                    > . 1:1(0) <nop,eol>;> . 1:1(0) <eol,nop>;options: expected <nop,eol>, got <eol,nop>
                    > . 1:1(0) <sack 1:2>;> . 1:1(0) <sack 1:3>;options: expected <sack 1:2>, got <sack 1:3>
                    > [ect0] . 1:1(0);> [ect1] . 1:1(0);ECN: expected ect0, got ect1
                    > [ect01] . 1:1(0);> [ce] . 1:1(0);ECN: expected ect01, got ce
                    > (tos 0x10) . 1:1(0);> (tos 0x11) . 1:1(0);traffic class: expected 0x10, got 0x11
                    > (flowlabel 0x1) . 1:1(0);> . 1:1(0);flow label: expected 0x1, got 0x0
                    > (ttl 63) . 1:1(0);> . 1:1(0);hop limit: expected 63, got 64
                    """)
    void each_difference_is_told(String expected, String actual, String difference) {
        assertThat(compare(expected, actual)).containsExactly(difference);
    }

    @Test
    void windows_need_not_be_compared() {
        assertThat(
                        SegmentMatcher.differences(
                                expected("> . 1:1(0) win 3"),
                                live("> . 1:1(0) win 4"),
                                OptionalLong.empty(),
                                0,
                                false))
                .isEmpty();
    }

    @Test
    void all_differences_are_told_at_once() {
        assertThat(compare("> . 1:1(0) ack 1 win 3", "> F. 2:2(0) ack 3 win 4")).hasSize(4);
    }

    @Test
    void payload_must_be_zeros() {
        Segment other = live("> . 1:2(1)").with(1, 1, false, TcpFlags.ACK);

        assertThat(
                        SegmentMatcher.differences(
                                expected("> . 1:2(1)"), other, OptionalLong.empty(), 0, true))
                .containsExactly("payload: expected zeros, got other bytes");
    }

    @Test
    void timestamps_are_compared_against_a_clock_across_the_wrap() {
        PacketSpec.Tcp expected = expected("> . 1:1(0) <TS val 1 ecr 2>");
        Segment live = live("> . 1:1(0) <TS val 3 ecr 2>");

        assertThat(SegmentMatcher.differences(expected, live, OptionalLong.of(2), 1, true))
                .isEmpty();
        assertThat(
                        SegmentMatcher.differences(
                                expected, live, OptionalLong.of(4294967295L), 4, true))
                .isEmpty();
        assertThat(SegmentMatcher.differences(expected, live, OptionalLong.of(5), 1, true))
                .containsExactly("TS val: expected 5, got 3");
    }

    @Test
    void segments_print_as_scripts_write_them() {
        assertThat(SegmentText.of(live("> SEW. 0:10(10) ack 1 win 9 <mss 1460,nop>")))
                .isEqualTo("> SEW. 0:10(10) ack 1 win 9 <mss 1460,nop>");
        assertThat(SegmentText.of(expected("> [ect0] P. 1:2(1) ack 5 <...>"), false))
                .isEqualTo("> [ect0] P. 1:2(1) ack 5 <...>");
    }
}
