package dev.sluice.verify.proof;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A program of these tests, run in a JVM of its own. */
final class ChildJvm {
    private ChildJvm() {}

    /**
     * Runs {@code main} to its end.
     *
     * @param options of the JVM
     * @param arguments of the program
     * @return the lines of its standard output
     */
    static List<String> run(List<String> options, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(Arrays.asList(arguments));
        Process child =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        byte[] output = child.getInputStream().readAllBytes();
        int status = child.waitFor();
        String text = new String(output, StandardCharsets.UTF_8);
        if (status != 0) {
            throw new AssertionError(
                    String.join(" ", command) + ": exit status " + status + "\n" + text);
        }
        return text.lines().toList();
    }
}
