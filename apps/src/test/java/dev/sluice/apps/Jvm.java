package dev.sluice.apps;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A JVM that runs {@link AppMain}. One that hangs is ended after two minutes, and the failure says
 * what its threads were doing.
 */
final class Jvm implements AutoCloseable {
    private static final Executor LATER = CompletableFuture.delayedExecutor(2, TimeUnit.MINUTES);

    private final Process process;
    private final BufferedReader printed;
    private final Path directory;
    private volatile String threads = "";

    private Jvm(Process process, Path directory) {
        this.process = process;
        this.directory = directory;
        printed = process.inputReader(StandardCharsets.UTF_8);
        LATER.execute(this::endIfItHangs);
    }

    /**
     * Starts one.
     *
     * @param prefix the command that runs it somewhere else; empty for here
     * @param options of the JVM
     */
    static Jvm start(List<String> prefix, List<String> options, List<String> arguments)
            throws IOException {
        Path directory = Files.createTempDirectory("sluice-app");
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-ea",
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED"));
        command.add("-Djava.io.tmpdir=" + directory);
        command.addAll(options);
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), AppMain.class.getName()));
        command.addAll(arguments);
        Process process =
                new ProcessBuilder(command).redirectError(log(directory).toFile()).start();
        return new Jvm(process, directory);
    }

    private static Path log(Path directory) {
        return directory.resolve("log");
    }

    /** The next line it prints. */
    String line() throws IOException {
        String line = printed.readLine();
        return line != null ? line : fail("ended early");
    }

    /** Tells a server to stop, and waits until it has. */
    void stop() throws IOException {
        process.getOutputStream().close();
        finish();
    }

    /** Waits for its orderly end. */
    void finish() throws IOException {
        String last = line();
        if (!last.equals("done") || process.onExit().join().exitValue() != 0) {
            fail("printed " + last);
        }
    }

    private String fail(String what) throws IOException {
        int status = process.onExit().join().exitValue();
        throw new AssertionError(
                "%s, exit status %d%n%s%n%s"
                        .formatted(what, status, Files.readString(log(directory)), threads));
    }

    private void endIfItHangs() {
        if (process.isAlive()) {
            try {
                Process dump =
                        new ProcessBuilder(
                                        Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                                .toString(),
                                        Long.toString(process.pid()),
                                        "Thread.print")
                                .redirectErrorStream(true)
                                .start();
                threads = new String(dump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                threads = e.toString();
            }
            process.destroyForcibly();
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        process.onExit().join();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
