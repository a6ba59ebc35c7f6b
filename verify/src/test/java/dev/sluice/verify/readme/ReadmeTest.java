package dev.sluice.verify.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.verify.Checkout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Every example of the README is run, in an empty directory with a link to the launcher. An example
 * is a {@code sh} block; a {@code text} block right after it shows what is printed, and a line
 * {@code ...} in it stands for any number of lines.
 */
class ReadmeTest {
    private static final int SECONDS = 300;

    /**
     * A block of commands.
     *
     * @param line where it starts in the README
     * @param commands one a line
     * @param output the lines shown as their output; empty if none are
     */
    record Example(int line, List<String> commands, List<String> output) {
        @Override
        public String toString() {
            return "line " + line + ": " + String.join("; ", commands);
        }
    }

    @TempDir Path directory;

    static List<Example> examples() throws IOException {
        List<String> lines = Files.readAllLines(Checkout.root().resolve("README.md"));
        List<Example> examples = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).equals("```sh")) {
                List<String> commands = block(lines, i + 1);
                int end = i + commands.size() + 2;
                while (end < lines.size() && lines.get(end).isBlank()) {
                    end++;
                }
                List<String> output =
                        end < lines.size() && lines.get(end).equals("```text")
                                ? block(lines, end + 1)
                                : List.of();
                examples.add(new Example(i + 1, commands, output));
            }
        }
        return examples;
    }

    private static List<String> block(List<String> lines, int from) {
        int to = from;
        while (!lines.get(to).equals("```")) {
            to++;
        }
        return lines.subList(from, to);
    }

    @Test
    void readme_names_the_two_commands() throws IOException {
        assertThat(examples())
                .flatExtracting(Example::commands)
                .contains("./sluice lab", "./sluice test");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void example_does_what_the_readme_says(Example example) throws Exception {
        List<String> commands =
                example.commands().stream().filter(c -> !isAboutGettingHere(c)).toList();
        Path launcher = directory.resolve("sluice");
        Files.createSymbolicLink(launcher, Checkout.root().resolve("sluice"));
        Path log = directory.resolve("output");
        ProcessBuilder builder =
                new ProcessBuilder("bash", "-euo", "pipefail", "-c", String.join("\n", commands))
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .redirectInput(Path.of("/dev/null").toFile());
        // The classes are those of the build that runs this test.
        builder.environment().put("SLUICE_NO_BUILD", "1");
        Process shell = builder.start();
        assertThat(shell.waitFor(SECONDS, TimeUnit.SECONDS)).as("ends in time").isTrue();
        Files.delete(launcher);
        List<String> printed = Files.readAllLines(log);
        assertThat(shell.exitValue()).as("exit status; printed: %s", printed).isZero();
        if (!shown(example).isEmpty()) {
            assertThat(printed).containsSubsequence(shown(example));
        }
    }

    private static List<String> shown(Example example) {
        return example.output().stream().filter(line -> !line.equals("...")).toList();
    }

    /** Cloning happened before this test runs, and the tests are what is running. */
    private static boolean isAboutGettingHere(String command) {
        return command.startsWith("git clone ")
                || command.equals("cd sluice")
                || command.startsWith("./sluice test")
                || command.startsWith("./sluice format");
    }
}
