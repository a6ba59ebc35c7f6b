package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import dev.sluice.lab.scenario.Scenario;
import dev.sluice.lab.scenario.Scenarios;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code sluice lab} as a user meets it. */
class LabTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir private Path directory;

    private int run(String... args) {
        return Sluice.run(args, new PrintWriter(out), new PrintWriter(err));
    }

    private List<String> lines() {
        return out.toString().lines().toList();
    }

    @Test
    void without_arguments_all_scenarios_are_listed_and_run() {
        assertThat(run("lab", "--out", directory.toString())).isEqualTo(ExitCode.OK);
        assertThat(lines().getLast()).matches("lab: \\d\\d+ held, 0 missed");
        for (Scenario scenario : Scenarios.all()) {
            Path capture = directory.resolve(scenario.name() + "-1").resolve("client.pcapng");
            assertThat(lines())
                    .anyMatch(line -> line.startsWith(scenario.name() + " "))
                    .anyMatch(line -> line.startsWith(scenario.name() + ", seed 1: "))
                    .contains("  capture: " + capture);
            assertThat(capture).isNotEmptyFile();
        }
        assertThat(lines()).contains("  Latency Distribution (HdrHistogram - Recorded Latency)");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void list_has_one_line_for_each_scenario() {
        assertThat(run("lab", "list")).isEqualTo(ExitCode.OK);
        assertThat(lines()).hasSameSizeAs(Scenarios.all());
    }

    @Test
    void a_run_shows_table_counters_and_verdicts() {
        assertThat(run("lab", "run", "nagle-delack", "--seed", "3", "--out", directory.toString()))
                .isEqualTo(ExitCode.OK);
        assertThat(lines())
                .anyMatch(line -> line.startsWith("nagle-delack, seed 3: "))
                .contains(" 50.000%   42.04ms")
                .anyMatch(line -> line.matches(" +TcpExtDelayedACKs +0 +99"))
                .contains("  held   server TcpExtDelayedACKs: expected 99, measured 99");
        assertThat(lines().getLast()).isEqualTo("lab: 8 held, 0 missed");
    }

    @Test
    void latency_prints_the_spectrum() {
        run("lab", "run", "nagle-off", "--latency", "--out", directory.toString());
        assertThat(lines()).contains("  Detailed Percentile spectrum:");
    }

    @Test
    void a_missed_expectation_is_the_exit_status() {
        int status =
                run(
                        "lab",
                        "run",
                        "nagle-delack",
                        "--judge-by",
                        "nagle-off",
                        "--out",
                        directory.toString());
        assertThat(status).isEqualTo(ExitCode.MISSED);
        assertThat(lines())
                .contains("  missed server TcpExtDelayedACKs: expected 0, measured 99")
                .contains("         expected because responses carry the ACKs");
        assertThat(lines().getLast()).isEqualTo("lab: 3 held, 4 missed");
    }

    @Test
    void a_sysctl_can_be_set_and_shows() {
        int status =
                run(
                        "lab",
                        "run",
                        "nagle-delack",
                        "--set",
                        "net.stack.tcp_delack_min_ms=20",
                        "--out",
                        directory.toString());
        assertThat(status).isEqualTo(ExitCode.MISSED);
        assertThat(lines()).anyMatch(line -> line.matches("100.000% +22.0[0-9]ms"));
    }

    @Test
    void a_misspelt_scenario_is_a_usage_error_with_the_nearest_name() {
        assertThat(run("lab", "run", "nagle-delak")).isEqualTo(ExitCode.USAGE);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).contains("nagle-delak\"").contains("nearest is nagle-delack");
    }

    @Test
    void a_misspelt_sub_command_or_key_is_a_usage_error() {
        assertThat(run("lab", "lst")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("lab list");
        assertThat(run("lab", "run", "nagle-off", "--set", "tcp_sakc=0")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("net.ipv4.tcp_sack");
        assertThat(run("lab", "run")).isEqualTo(ExitCode.USAGE);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void json_is_one_document_with_every_verdict() throws IOException {
        assertThat(run("lab", "run", "nagle-off", "--json", "--out", directory.toString()))
                .isEqualTo(ExitCode.OK);
        Map<String, String> numbers = new HashMap<>();
        int verdicts = 0;
        try (JsonParser parser = new JsonFactory().createParser(out.toString())) {
            for (JsonToken t = parser.nextToken(); t != null; t = parser.nextToken()) {
                if (t == JsonToken.VALUE_TRUE && "held".equals(parser.currentName())) {
                    verdicts++;
                } else if (t.isNumeric()) {
                    numbers.put(parser.currentName(), parser.getText());
                }
            }
        }
        assertThat(verdicts).isEqualTo(7);
        assertThat(numbers)
                .containsEntry("held", "7")
                .containsEntry("missed", "0")
                .containsEntry("seed", "1")
                .containsKeys("50.000", "TcpOutSegs", "bitsPerSecond");
    }
}
