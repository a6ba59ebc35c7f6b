package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/** {@code sluice bench}: forms and errors; numbers are the machine's. */
class BenchSimTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        return Sluice.run(args, new PrintWriter(out), new PrintWriter(err));
    }

    @Test
    void three_rates_are_the_last_line() {
        assertThat(run("bench", "sim", "--seconds", "0.001", "--runs", "1")).isEqualTo(ExitCode.OK);
        assertThat(out.toString().lines().toList().getLast())
                .matches("bench sim: [1-9]\\d* [1-9]\\d* [1-9]\\d* segments/s");
        assertThat(out.toString())
                .containsPattern("(?m)^two-hosts-10g ")
                .containsPattern("(?m)^dumbbell-10g ")
                .containsPattern("(?m)^two-hosts-100m ");
    }

    @Test
    void json_has_the_three_cases_and_the_profile() throws IOException {
        assertThat(run("bench", "sim", "--json", "--profile", "--seconds", "0.001", "--runs", "1"))
                .isEqualTo(ExitCode.OK);
        List<Long> rates = new ArrayList<>();
        List<String> hottest = new ArrayList<>();
        try (JsonParser parser = new JsonFactory().createParser(out.toString())) {
            for (JsonToken t = parser.nextToken(); t != null; t = parser.nextToken()) {
                if (t.isNumeric() && "segmentsPerSecond".equals(parser.currentName())) {
                    rates.add(parser.getLongValue());
                } else if (t == JsonToken.VALUE_STRING && parser.currentName() == null) {
                    hottest.add(parser.getText());
                }
            }
        }
        assertThat(rates).hasSize(3).allMatch(rate -> rate > 0);
        assertThat(hottest).isNotEmpty().allMatch(line -> line.matches(" *\\d+\\.\\d% \\S+"));
    }

    @Test
    void what_to_measure_must_be_named_and_sensible() {
        assertThat(run("bench")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("sim");
        assertThat(run("bench", "sim", "--seconds", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(run("bench", "sim", "--runs", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(out.toString()).isEmpty();
    }
}
