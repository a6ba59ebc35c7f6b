package dev.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice bench}: what can be measured by the wall clock. */
@Command(
        name = "bench",
        description = "Measures the speed of this machine and this build.",
        subcommands = BenchSimCommand.class)
final class BenchCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name what to measure: sim");
    }
}
