package dev.sluice.apps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A network namespace with a TUN device: {@link #KERNEL} is the kernel's address on it, {@link
 * #OURS} that of the stack which attaches to it. Deleted with everything in it.
 */
final class TunNamespace implements AutoCloseable {
    static final String KERNEL = "10.98.5.1";
    static final String OURS = "10.98.5.2";

    /**
     * Whether the kernel has our address too, and its sockets take our place: then a test that
     * fails is wrong itself.
     */
    private static final boolean CONTROL = Boolean.getBoolean("sluice.apps.control");

    private static final AtomicInteger MADE = new AtomicInteger();

    private final String name =
            "sluice-apps-" + ProcessHandle.current().pid() + "-" + MADE.incrementAndGet();

    private TunNamespace() {}

    /** A new one; skips the test where that is not possible, with the reason. */
    static TunNamespace create() throws IOException {
        assumeTrue(Files.exists(Path.of("/dev/net/tun")), "needs /dev/net/tun");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(outcome(List.of("sh", "-c", "command -v ip")).status() == 0, "needs iproute2");
        TunNamespace made = new TunNamespace();
        Outcome outcome = outcome(List.of("ip", "netns", "add", made.name));
        assumeTrue(outcome.status() == 0, "needs network namespaces: " + outcome.text());
        made.run("ip link set lo up");
        made.run("ip tuntap add dev tun0 mode tun");
        made.run("ip address add " + KERNEL + "/24 dev tun0");
        made.run("ip link set tun0 up");
        if (CONTROL) {
            made.run("ip address add " + OURS + "/32 dev lo");
        }
        return made;
    }

    /** Options of a JVM with a stack on the device. */
    List<String> sluice(Path directory) throws IOException {
        if (CONTROL) {
            return Sockets.KERNEL;
        }
        return Sockets.sluice(
                directory,
                """
                device=tun:tun0
                address=%s/24
                """
                        .formatted(OURS));
    }

    /** Before a command: runs it inside. */
    List<String> prefix() {
        return List.of("ip", "netns", "exec", name);
    }

    /** Runs a script inside, for three minutes at most, and returns what it printed. */
    String run(String script) throws IOException {
        List<String> command = new ArrayList<>(prefix());
        command.addAll(List.of("timeout", "180", "bash", "-o", "pipefail", "-ec", script));
        Outcome outcome = outcome(command);
        assertThat(outcome.status()).as(script + ": " + outcome.text()).isZero();
        return outcome.text();
    }

    private record Outcome(int status, String text) {}

    private static Outcome outcome(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.onExit().join().exitValue(), text);
    }

    @Override
    public void close() throws IOException {
        assertThat(outcome(List.of("ip", "netns", "delete", name)).status()).isZero();
    }
}
