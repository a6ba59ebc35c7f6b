package dev.sluice.cli;

import dev.sluice.lab.scenario.Scenarios;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.concurrent.Callable;

/** {@code sluice lab}: lists the scenarios and runs them all. */
@Command(
        name = "lab",
        description = {
            "Runs experiments in a simulated network and compares with what is expected.",
            "Without a sub-command: lists the scenarios and runs them all."
        },
        subcommands = {LabListCommand.class, LabRunCommand.class})
final class LabCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private LabOptions options;

    @Override
    public Integer call() throws IOException {
        if (!options.json()) {
            LabListCommand.print(spec.commandLine().getOut());
            spec.commandLine().getOut().println();
        }
        return new LabSession(options, spec.commandLine()).run(Scenarios.all());
    }
}
