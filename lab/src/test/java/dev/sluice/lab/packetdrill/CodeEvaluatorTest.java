package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;
import java.util.Optional;

class CodeEvaluatorTest {
    private static final Map<String, Long> INFO =
            Map.of("tcpi_snd_cwnd", 10L, "tcpi_options", 6L, "tcpi_rtt", 20_000L, "TCP_CLOSE", 7L);

    private final CodeEvaluator evaluator = new CodeEvaluator();

    private Optional<CodeEvaluator.Failure> run(String text) {
        Position at = new Position("t.pkt", 5, 7);
        return evaluator.run(CodeParser.parse(new Step.CodeText(at, text)), INFO);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd",
                "assert 1 <= tcpi_snd_cwnd <= 10",
                "assert not 1 < 0 < 5",
                "assert (tcpi_options & 4) != 0, tcpi_options",
                "assert tcpi_options & 4 == 4",
                "assert 2 + 3 * 4 == 14 and 7 // 2 == 3 and -7 // 2 == -4 and 7 % 4 == 3",
                "assert 1 | 2 == 3",
                "assert 1 << 4 == 0x10 and 16 >> 4 == 1 and 6 ^ 3 == 5",
                "assert -1 == ~0 and +1 == 1",
                "assert 0 or 1",
                "assert not 0 and not False and True",
                "assert 'a' 'b' == \"ab\" and 'a' + 'b' == 'ab'",
                "assert (1 ==\n  1)",
                "assert 1 == \\\n 1",
                "# only a remark",
                "",
                "assert 1; assert 2;; # end\n\n assert 3",
                "x = 5\nx += 2; x -= 1; x *= 3; assert x == 18",
                "assert TCP_CLOSE == 7",
            })
    void these_hold(String code) {
        assertThat(run(code)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "assert tcpi_snd_cwnd == 11",
                "assert 1 <= 10 <= 9",
                "assert 10 <= 9 <= 20",
                "assert tcpi_options & 1",
                "assert not 1",
                "assert 1 and 0",
                "assert 0 or 0",
                "assert ''",
                "assert 'a' == 'b'",
                "x = 1; assert x != 1",
            })
    void these_do_not_hold(String code) {
        assertThat(run(code)).isPresent();
    }

    @Test
    void a_failure_tells_place_condition_message_and_values() {
        CodeEvaluator.Failure failure =
                run("\n"
                                + "  assert  tcpi_snd_cwnd == 11, 'cwnd=%d of %s (%x, 100%%)' %"
                                + " (tcpi_snd_cwnd, 'all', 255)")
                        .orElseThrow();

        assertThat(failure.position()).isEqualTo(new Position("t.pkt", 6, 3));
        assertThat(failure)
                .hasToString(
                        "assertion failed: tcpi_snd_cwnd == 11 with tcpi_snd_cwnd=10:"
                                + " cwnd=10 of all (ff, 100%)");
    }

    @Test
    void variables_live_from_block_to_block() {
        run("cwnd = 10");
        run("print(cwnd, 'x'); cwnd += 1");

        assertThat(run("assert cwnd == 11, cwnd")).isEmpty();
        assertThat(evaluator.printed()).containsExactly("10 x");
    }

    @Test
    void an_unknown_name_is_unsupported_and_not_false() {
        assertThatThrownBy(() -> run("assert tcpi_unheard_of == 0"))
                .isInstanceOfSatisfying(
                        UnsupportedScriptException.class,
                        e -> {
                            assertThat(e).hasMessageContaining("tcpi_unheard_of");
                            assertThat(e.position()).isEqualTo(new Position("t.pkt", 5, 14));
                        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"assert min(1, 2)", "assert 1 // 0", "assert 'a' < 'b'", "x = 'a' - 1"})
    void what_is_outside_the_language_is_unsupported(String code) {
        assertThatThrownBy(() -> run(code)).isInstanceOf(UnsupportedScriptException.class);
    }

    @Test
    void syntax_errors_have_a_place() {
        assertThatThrownBy(() -> run("assert (1 + "))
                .hasMessage(
                        "t.pkt:5:19: expected an integer, string, name or '(', found the end of"
                                + " the code");
        assertThatThrownBy(() -> run("assert 1 2"))
                .hasMessage("t.pkt:5:16: expected ';' or a new line after a statement, found '2'");
        assertThatThrownBy(() -> run("\nassert 'x"))
                .hasMessage("t.pkt:6:8: expected an end to this string, found '''");
    }
}
