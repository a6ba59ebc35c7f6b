package dev.sluice.cli;

import dev.sluice.config.StackConfig;
import dev.sluice.config.SysctlException;
import dev.sluice.lab.scenario.Scenario;

import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@code lab} and {@code lab run} have in common. */
final class LabOptions {
    @Option(
            names = "--seed",
            defaultValue = "1",
            description = "Where all randomness comes from (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "runs",
            description =
                    "Captures go to DIR/SCENARIO-SEED/HOST.pcapng (default: ${DEFAULT-VALUE}).")
    private Path out;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Sets a sysctl on both hosts; expectations stay what they are.")
    private Map<String, String> sysctls = new LinkedHashMap<>();

    @Option(names = "--latency", description = "Also prints the detailed percentile spectrum.")
    private boolean latency;

    @Option(names = "--json", description = "Prints one JSON document instead.")
    private boolean json;

    long seed() {
        return seed;
    }

    boolean latency() {
        return latency;
    }

    boolean json() {
        return json;
    }

    Path directory(Scenario scenario) {
        return out.resolve(scenario.name() + "-" + seed);
    }

    /** The scenarios with the sysctls asked for; a wrong key or value is a usage error. */
    List<Scenario> applyTo(List<Scenario> scenarios, CommandLine commandLine) {
        return scenarios.stream().map(s -> s.with(configure(s.config(), commandLine))).toList();
    }

    private StackConfig configure(StackConfig config, CommandLine commandLine) {
        StackConfig.Builder builder = config.toBuilder();
        try {
            sysctls.forEach(builder::set);
        } catch (SysctlException e) {
            throw new ParameterException(commandLine, "--set: " + e.getMessage(), e);
        }
        return builder.build();
    }
}
