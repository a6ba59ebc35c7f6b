package dev.sluice.cli;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * {@code sluice race}: checks its arguments and starts the tests, which are no part of the program
 * and have a class path of their own. The launcher says where that is.
 */
@Command(
        name = "race",
        description = {
            "Tests everything that threads share, by racing them against each other.",
            "One row for each protocol: how often its forbidden outcome was seen, which must be"
                    + " never, and how often in variants with a fence missing, which must be at"
                    + " least once. Needs two processors. See docs/races.md."
        })
final class RaceCommand implements Callable<Integer> {
    /** Set by the launcher. */
    private static final String CLASS_PATH = "sluice.races";

    /** The two cannot both be meant. */
    static final class Length {
        @Option(
                names = "--short",
                description = "About a minute: what continuous integration runs.")
        private boolean shortForm;

        @Option(names = "--tough", description = "About half an hour.")
        private boolean tough;
    }

    @Spec private CommandSpec spec;

    @ArgGroup private Length length = new Length();

    @Option(
            names = "--test",
            paramLabel = "PATTERN",
            description = "Only tests whose name or row contains this regular expression.")
    private String pattern;

    @Option(
            names = "--table",
            paramLabel = "FILE",
            description = "Writes the rows as a table too, in place of the one in the file.")
    private Path table;

    @Override
    public Integer call() throws IOException, InterruptedException {
        String classPath = System.getProperty(CLASS_PATH);
        if (classPath == null) {
            throw new ParameterException(
                    spec.commandLine(), "call ./sluice race in a checkout of the sources");
        }
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-cp");
        command.add(classPath);
        command.add("dev.sluice.race.RaceRun");
        if (length.shortForm) {
            command.add("--short");
        }
        if (length.tough) {
            command.add("--tough");
        }
        if (pattern != null) {
            command.add("--test");
            command.add(pattern);
        }
        if (table != null) {
            command.add("--table");
            command.add(table.toString());
        }
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }
}
