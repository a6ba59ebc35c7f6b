package dev.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A network namespace for one test, deleted with everything in it. */
final class Namespace implements AutoCloseable {
    private final String name;

    private Namespace(String name) {
        this.name = name;
    }

    /** A new one; skips the test where that is not possible, with the reason. */
    static Namespace create(String suffix) throws IOException {
        assumeTrue(Files.exists(Path.of("/dev/net/tun")), "needs /dev/net/tun");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(
                Files.isExecutable(Path.of("/usr/sbin/ip"))
                        || Files.isExecutable(Path.of("/sbin/ip")),
                "needs iproute2");
        Namespace namespace =
                new Namespace("sluice-" + suffix + "-" + ProcessHandle.current().pid());
        Outcome outcome = outcome("ip", "netns", "add", namespace.name);
        assumeTrue(outcome.status() == 0, "needs network namespaces: " + outcome.text());
        return namespace;
    }

    String name() {
        return name;
    }

    /** Gives a device that this process holds to the namespace, with an address, and up. */
    void take(String device, String address) throws IOException {
        ip("ip", "link", "set", device, "netns", name);
        ip("ip", "-n", name, "address", "add", address, "dev", device);
        ip("ip", "-n", name, "link", "set", device, "up");
    }

    static void ip(String... command) throws IOException {
        Outcome outcome = outcome(command);
        assertThat(outcome.status()).as(outcome.text()).isZero();
    }

    /** Runs a command inside and returns what it printed. */
    String run(String... command) throws IOException {
        List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", name));
        words.addAll(List.of(command));
        Outcome outcome = outcome(words.toArray(String[]::new));
        assertThat(outcome.status()).as(outcome.text()).isZero();
        return outcome.text();
    }

    private record Outcome(int status, String text) {}

    private static Outcome outcome(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.onExit().join().exitValue(), text);
    }

    @Override
    public void close() throws IOException {
        ip("ip", "netns", "delete", name);
    }
}
