package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;

/** Every error names the file, the line, the column and what was expected there. */
class ScriptSyntaxTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\0',
            textBlock =
                    """
                    ;1:1: expected an event, found the end of the script
                    // nothing;1:11: expected an event, found the end of the script
                    foo;1:1: expected a time, found 'foo'
                    0;1:2: expected '<', '>', a call, `command` or %{ code }% after the time, found the end
                    0 close 3 = 0;1:9: expected '(' after the name of the call, found '3'
                    0 close(3 = 0;1:11: expected ',' or ')', found '='
                    0 close(3) 0;1:12: expected '=' and the result of the call, found '0'
                    0 close(3) = ;1:13: expected a number, word, string, '[', '{' or '...', found the end
                    0 close(-) = 0;1:10: expected digits, found ')'
                    0 close(99999999999999999999) = 0;1:9: expected a number of at most 64 bits
                    0 f("abc) = 0;1:5: expected '"' to end this string, found the end of the line
                    0 < . 1:1(0);1:13: expected 'win' and a window, which every inbound segment needs
                    0 > X 1:1(0);1:5: expected flags out of F, S, R, P, U, E, W, A
                    0 > SS 1:1(0);1:6: expected flags out of F, S, R, P, U, E, W, A
                    0 > 8 1:1(0);1:5: expected flags out of
                    0 > . 1:2(0);1:9: expected end 1, which is start plus length, found '2'
                    0 > . 1-2(0);1:8: expected ':' between two sequence numbers, found '-'
                    0 > . 1:1;1:10: expected '(' and a length, found the end of the script
                    0 > . 4294967296:1(0);1:7: expected a sequence number of at most 4294967295
                    0 < . 1:1(0) win 65536;1:18: expected a window of at most 65535, found '65536'
                    0 > . 1:1(0) ack;1:17: expected an acknowledgment number, found the end
                    0 > . 1:1(0) <mss>;1:18: expected a segment size, found '>'
                    0 > . 1:1(0) <foo 1>;1:15: expected an option: mss, wscale
                    0 > . 1:1(0) <nop;1:18: expected ',' or '>' after an option, found the end
                    0 > . 1:1(0) <TS 1>;1:18: expected 'val', found '1'
                    0 > . 1:1(0) <sack 1>;1:21: expected ':' between the edges of a block, found '>'
                    0 > . 1:1(0) <FO 1z>;1:18: expected hexadecimal digits, found '1z'
                    0 > . 1:1(0) <FO 123>;1:18: expected an even number of hexadecimal digits
                    0 > . 1:1(0) <ECN ceb 1>;1:19: expected 'e1b', found 'ceb'
                    0 < . 1:1(0) win 1 <...>;1:21: expected options, as an inbound segment must
                    0 < [ect01] . 1:1(0) win 1;1:6: expected one codepoint in an inbound packet
                    0 > [ect2] . 1:1(0);1:6: expected ect0, ect1, ce, noecn, ect01, tos
                    0 > [ect0 . 1:1(0);1:11: expected ',' or ']', found '.'
                    0 < icmp;1:9: expected the type of an ICMP message, found the end of the script
                    0 < icmp unreachable [raw 1];1:27: expected '(' and a length, found '1'
                    0 < encap esp;1:11: expected 'psp', found 'esp'
                    0 `abc;1:3: expected ` to end what begins here, found the end of the script
                    0 %{ a;1:3: expected }% to end what begins here, found the end of the script
                    /* abc;1:1: expected */ to end this comment, found the end of the script
                    `a` 0 close(3) = 0 `b` `c`;1:24: expected the end of the script after the cleanup
                    0~1 close(3) = 0;1:5: expected '>', as only outbound packets may have a range
                    * < . 1:1(0) win 1;1:3: expected '>', as only outbound packets may have a range
                    +1~2 > . 1:1(0);1:4: expected '+' and the end of a relative range, found '2'
                    2~1 > . 1:1(0);1:3: expected a range that does not end before it begins
                    1...0.5 close(3) = 0;1:5: expected a call that does not return before it begins
                    --5;1:3: expected the name of an option, found '5'
                    -D x 0 close(3) = 0;1:1: expected NAME=value in a definition, found 'x'
                    """)
    void errors_name_place_and_expectation(String script, String message) {
        String text = script == null ? "" : script;

        assertThatThrownBy(() -> ScriptParser.parse("dir/t.pkt", text, Map.of()))
                .isInstanceOf(ScriptSyntaxException.class)
                .hasMessageStartingWith("dir/t.pkt:" + message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            textBlock =
                    """
                    '0 close(3) = 0\n#ifdef A\n';2:1: expected #endif for this
                    '0 close(3) = 0\n#endif\n';2:1: expected #ifdef before #endif
                    '#ifdef A B\n#endif\n';1:1: expected one name after #ifdef
                    '0 close(3) = 0\n+1 < . 1:1(0) win 5\n\n  +1 oops';4:10: expected '('
                    """)
    void errors_count_lines(String script, String message) {
        assertThatThrownBy(() -> ScriptParser.parse("t.pkt", script, Map.of()))
                .isInstanceOf(ScriptSyntaxException.class)
                .hasMessageStartingWith("t.pkt:" + message);
    }
}
