package dev.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/**
 * {@code sluice format}. Like {@code sluice test} it is the launcher that does the work, so that
 * sources which do not compile yet can be formatted.
 */
@Command(
        name = "format",
        description = "Rewrites the Java sources of the checkout in the project's format.")
final class FormatCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(
                spec.commandLine(),
                "is done by the launcher: call ./sluice format in a checkout of the sources");
    }
}
