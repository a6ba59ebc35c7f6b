package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

class ResultTableTest {
    private static ScriptResult result(String name, String area, Verdict verdict, String message) {
        return new ScriptResult(
                name,
                area,
                verdict,
                message.isEmpty() ? Optional.empty() : Optional.of(new Position(name, 3, 4)),
                message,
                List.of("expected: > . 1:1(0) <nop>"),
                1_500_000_000L,
                List.of());
    }

    private static final ResultTable TABLE =
            new ResultTable(
                    List.of(
                            result("d/sack/a.pkt", "sack", Verdict.PASSED, ""),
                            result("d/sack/b.pkt", "sack", Verdict.FAILED, "options: <a>\t& \"b\""),
                            result("d/close/c.pkt", "close", Verdict.UNSUPPORTED, "the call | x")));

    @Test
    void totals_count_every_verdict() {
        assertThat(TABLE.totals()).isEqualTo("passed 1, failed 1, unsupported 1");
        assertThat(TABLE.allPassed()).isFalse();
        assertThat(new ResultTable(List.of()).allPassed()).isFalse();
        assertThat(new ResultTable(List.of(result("a", "", Verdict.PASSED, ""))).allPassed())
                .isTrue();
    }

    @Test
    void areas_are_summed_up_in_order() {
        assertThat(TABLE.summaryByArea())
                .containsExactly(
                        "close    0 of   1 pass,   0 fail,   1 unsupported",
                        "sack     1 of   2 pass,   1 fail,   0 unsupported");
    }

    @Test
    void the_table_has_one_line_a_script_and_no_stray_tabs() {
        List<String> lines = TABLE.toTsv(Map.of("suite", "x")).lines().toList();

        assertThat(lines)
                .containsExactly(
                        "# suite\tx",
                        "script\tarea\tverdict\tplace\tmessage\tvirtual_seconds",
                        "d/sack/a.pkt\tsack\tpass\t\t\t1.500000",
                        "d/sack/b.pkt\tsack\tfail\t3:4\toptions: <a> & \"b\"\t1.500000",
                        "d/close/c.pkt\tclose\tunsupported\t3:4\tthe call | x\t1.500000");
    }

    @Test
    void the_junit_report_escapes_what_xml_reserves() {
        assertThat(TABLE.toJunitXml())
                .isEqualTo(
                        """
                        <?xml version="1.0" encoding="UTF-8"?>
                        <testsuite name="packetdrill" tests="3" failures="1" skipped="1" errors="0">
                          <testcase classname="packetdrill.sack" name="d/sack/a.pkt" time="0"/>
                          <testcase classname="packetdrill.sack" name="d/sack/b.pkt" time="0">
                            <failure message="d/sack/b.pkt:3:4: options: &lt;a&gt;\t&amp; &quot;b&quot;">expected: &gt; . 1:1(0) &lt;nop&gt;</failure>
                          </testcase>
                          <testcase classname="packetdrill.close" name="d/close/c.pkt" time="0">
                            <skipped message="d/close/c.pkt:3:4: the call | x"/>
                          </testcase>
                        </testsuite>
                        """);
    }

    @Test
    void the_document_is_made_from_tables() {
        String table = TABLE.toTsv(new TreeMap<>(Map.of("suite", "the suite", "commit", "abc")));

        String document = ConformanceReport.markdown(List.of(table));

        assertThat(document)
                .contains("## the suite\n\n- commit: abc\n")
                .contains("- result: 3 scripts, 1 pass, 1 fail, 1 unsupported")
                .contains("| sack | 2 | 1 | 1 | 0 |")
                .contains("| sack/b.pkt | fail | 3:4 | options: &lt;a> & \"b\" |")
                .contains("| close/c.pkt | unsupported | 3:4 | the call \\| x |")
                .doesNotContain("a.pkt");
        assertThatThrownBy(() -> ConformanceReport.markdown(List.of("x\ty")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void very_many_scripts_that_do_not_pass_are_counted_by_reason() {
        List<ScriptResult> results = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            String message = i % 3 == 0 ? "window: expected 5, got " + i : "the call x";
            results.add(result("d/a/" + i + ".pkt", "a", Verdict.FAILED, message));
        }

        String document =
                ConformanceReport.markdown(List.of(new ResultTable(results).toTsv(Map.of())));

        assertThat(document)
                .contains("| 200 | fail | the call x |\n| 100 | fail | window: expected N, got N |")
                .doesNotContain(".pkt");
    }
}
