package dev.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/**
 * {@code sluice test}. The launcher script answers this command before this class is built, since
 * running the tests is building the project; what is left here is its help and its usage errors.
 */
@Command(
        name = "test",
        description = {
            "Builds everything and runs everything that must pass.",
            "Maven's output is shown; the last line is the sum over all modules."
        })
final class TestCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(
            names = "--long",
            description = "More seeds and longer runs (sets -Dsluice.long=true for the tests).")
    private boolean longForm;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Repeats the random simulated run of this seed and runs nothing else.")
    private String seed;

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(),
                "is done by the launcher: call ./sluice test"
                        + (longForm ? " --long" : "")
                        + (seed == null ? "" : " --seed " + seed)
                        + " in a checkout of the sources");
    }
}
