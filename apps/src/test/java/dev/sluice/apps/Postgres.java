package dev.sluice.apps;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A PostgreSQL server of Debian with an empty database, listening with the kernel's sockets. */
final class Postgres implements AutoCloseable {
    private static final Path INSTALLED = Path.of("/usr/lib/postgresql");

    private final Path directory;
    private final Process process;

    private Postgres(Path directory, Process process) {
        this.directory = directory;
        this.process = process;
    }

    /**
     * Starts one; skips the test where PostgreSQL is not installed.
     *
     * @param prefix the command that runs it somewhere else; empty for here
     */
    static Postgres start(List<String> prefix, String address, int port) throws IOException {
        Path programs = programs();
        Path directory = Files.createTempDirectory("sluice-postgres");
        Path data = directory.resolve("data");
        List<String> user = List.of();
        if ("root".equals(System.getProperty("user.name"))) {
            // It refuses to run as root.
            user =
                    List.of(
                            "setpriv",
                            "--reuid=postgres",
                            "--regid=postgres",
                            "--clear-groups",
                            "--");
            run(List.of("chown", "postgres", directory.toString()));
        }
        run(
                concat(
                        user,
                        programs.resolve("initdb").toString(),
                        "--no-sync",
                        "--auth=trust",
                        "--username=postgres",
                        "--pgdata=" + data));
        Files.writeString(
                data.resolve("pg_hba.conf"), "host all all all trust\n", StandardOpenOption.APPEND);
        List<String> command =
                concat(
                        concat(prefix, user.toArray(String[]::new)),
                        programs.resolve("postgres").toString(),
                        "-D",
                        data.toString(),
                        "-h",
                        address,
                        "-p",
                        Integer.toString(port),
                        "-k",
                        directory.toString(),
                        "-F");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader log = process.inputReader();
        StringBuilder said = new StringBuilder();
        for (String line = ""; !line.contains("ready to accept connections"); ) {
            line = log.readLine();
            if (line == null) {
                throw new IOException("postgres did not start: " + said);
            }
            said.append(line).append('\n');
        }
        // What it says later must not fill the pipe.
        Thread.ofVirtual().start(() -> log.lines().forEach(line -> {}));
        return new Postgres(directory, process);
    }

    private static Path programs() throws IOException {
        assumeTrue(Files.isDirectory(INSTALLED), "needs postgresql");
        try (Stream<Path> versions = Files.list(INSTALLED)) {
            List<Path> programs =
                    versions.map(v -> v.resolve("bin"))
                            .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
                            .sorted()
                            .toList();
            assumeTrue(!programs.isEmpty(), "needs postgresql");
            return programs.getLast();
        }
    }

    private static List<String> concat(List<String> first, String... second) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(second));
        return all;
    }

    private static void run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes());
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException(String.join(" ", command) + ": " + text);
        }
    }

    /** Ends it, the sessions of clients first, and removes its files. */
    @Override
    public void close() throws IOException {
        process.descendants().forEach(ProcessHandle::destroy);
        // Unlike destroy of the process, that of its handle leaves its output open to the reader.
        process.toHandle().destroy();
        process.onExit().join();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
