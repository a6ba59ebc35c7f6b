package dev.sluice.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.StackConfig;
import dev.sluice.config.Sysctl;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Every scenario does what is expected of it, and an expectation that is wrong is missed. */
class ScenariosTest {
    private static final int SEEDS = 5;

    @TempDir private Path directory;

    static List<Arguments> runs() {
        List<Arguments> runs = new ArrayList<>();
        for (Scenario scenario : Scenarios.all()) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                runs.add(Arguments.of(scenario.name(), seed));
            }
        }
        return runs;
    }

    @ParameterizedTest(name = "{0}, seed {1}")
    @MethodSource("runs")
    void every_expectation_is_held(String name, long seed) throws IOException {
        Outcome outcome = ScenarioRun.run(Scenarios.find(name), seed, directory);
        assertThat(outcome.verdicts()).isNotEmpty().allSatisfy(v -> assertThat(v.held()).isTrue());
        assertThat(outcome.violation()).isNull();
    }

    @Test
    void nagle_is_missed_by_the_expectations_of_nodelay() throws IOException {
        List<Expectation> others = Scenarios.find("nagle-off").expectations();
        Outcome outcome =
                ScenarioRun.run(Scenarios.find("nagle-delack").judgedBy(others), 1, directory);
        assertThat(missed(outcome))
                .containsExactly(
                        "first exchange",
                        "median of the exchanges after it",
                        "slowest of the exchanges after it",
                        "server TcpExtDelayedACKs");
    }

    @Test
    void the_stall_is_as_long_as_the_delayed_ack_timer() throws IOException {
        Scenario scenario = Scenarios.find("nagle-delack");
        StackConfig config =
                scenario.config().toBuilder()
                        .set(Sysctl.STACK_TCP_DELACK_MIN_MS, 25)
                        .set(Sysctl.STACK_TCP_DELACK_MAX_MS, 25)
                        .build();
        Outcome outcome = ScenarioRun.run(scenario.with(config), 1, directory);
        assertThat(missed(outcome)).contains("median of the exchanges after it");
        assertThat(Measure.medianAfterFirst().value().applyAsLong(outcome))
                .isBetween(27_000_000L, 27_100_000L);
    }

    @Test
    void the_same_seed_gives_the_same_captures() throws IOException {
        for (Scenario scenario : Scenarios.all()) {
            Path once = directory.resolve(scenario.name() + "-once");
            Path again = directory.resolve(scenario.name() + "-again");
            Path other = directory.resolve(scenario.name() + "-other");
            ScenarioRun.run(scenario, 7, once);
            ScenarioRun.run(scenario, 7, again);
            ScenarioRun.run(scenario, 8, other);
            for (Endpoint host : Endpoint.values()) {
                String file = host.hostName() + ".pcapng";
                assertThat(Files.mismatch(once.resolve(file), again.resolve(file)))
                        .as("%s of %s", file, scenario.name())
                        .isEqualTo(-1);
                assertThat(Files.mismatch(once.resolve(file), other.resolve(file))).isPositive();
            }
        }
    }

    @Test
    void names_are_found_and_misspelt_ones_have_a_nearest() {
        assertThat(Scenarios.find("nagle-off").name()).isEqualTo("nagle-off");
        assertThat(Scenarios.find("nagle-of")).isNull();
        assertThat(Scenarios.nearest("nagle-of").name()).isEqualTo("nagle-off");
        assertThat(Scenarios.nearest("losybulk").name()).isEqualTo("lossy-bulk");
    }

    private static List<String> missed(Outcome outcome) {
        return outcome.verdicts().stream()
                .filter(v -> !v.held())
                .map(v -> v.expectation().measure().name())
                .toList();
    }
}
