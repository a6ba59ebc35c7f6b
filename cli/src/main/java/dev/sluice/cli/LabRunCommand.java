package dev.sluice.cli;

import dev.sluice.lab.scenario.Scenario;
import dev.sluice.lab.scenario.Scenarios;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code sluice lab run}: runs the scenarios named. */
@Command(name = "run", description = "Runs the scenarios named and judges them.")
final class LabRunCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private LabOptions options;

    @Parameters(
            paramLabel = "NAME",
            arity = "1..*",
            description = "A scenario: ${COMPLETION-CANDIDATES}.",
            completionCandidates = Names.class)
    private List<String> names;

    @Option(
            names = "--judge-by",
            paramLabel = "NAME",
            description = {
                "Judges by the expectations of this scenario instead of its own:",
                "shows what a missed expectation looks like."
            },
            completionCandidates = Names.class)
    private String judge;

    @Override
    public Integer call() throws IOException {
        Scenario other = judge == null ? null : find(judge);
        List<Scenario> scenarios = new ArrayList<>();
        for (String name : names) {
            Scenario scenario = find(name);
            scenarios.add(other == null ? scenario : scenario.judgedBy(other.expectations()));
        }
        return new LabSession(options, spec.commandLine()).run(scenarios);
    }

    private Scenario find(String name) {
        Scenario scenario = Scenarios.find(name);
        if (scenario == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "there is no scenario \"%s\"; the nearest is %s"
                            .formatted(name, Scenarios.nearest(name).name()));
        }
        return scenario;
    }

    /** The names, for completion by the shell. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Scenarios.all().stream().map(Scenario::name).iterator();
        }
    }
}
