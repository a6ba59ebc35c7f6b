package dev.sluice.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Each example, started as a user starts it. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExamplesTest {
    private static final String NAMESPACE = "sluice-examples-" + ProcessHandle.current().pid();

    private static Process start(List<String> prefix, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("sluice.root"), "sluice").toString());
        command.add("example");
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        // The classes are those of the build that runs this test.
        builder.environment().put("SLUICE_NO_BUILD", "1");
        return builder.start();
    }

    @ParameterizedTest
    @CsvSource({
        "tomcat, 'Hello, 10.9.0.2.'",
        "netty, HELLO",
        "sockets, 'You said: hello'",
    })
    void visits_itself_on_a_cable_and_ends(String example, String answer) throws Exception {
        Process process = start(List.of(), example);
        try (BufferedReader printed = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(printed.readLine()).startsWith("serving ");
            assertThat(printed.readLine()).isEqualTo(answer);
            assertThat(printed.readLine()).isNull();
            assertThat(process.waitFor()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "tomcat, curl -sS http://10.98.0.2:8080/, 'Hello, 10.98.0.1.'",
        "netty, echo hello | nc -q 1 10.98.0.2 7000, HELLO",
        "sockets, echo hello | nc -N 10.98.0.2 7000, 'You said: hello'",
    })
    void serves_programs_of_linux_on_tun(String example, String client, String answer)
            throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/net/tun")), "needs /dev/net/tun");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(
                run("sh", "-c", "command -v ip curl nc").status() == 0,
                "needs iproute2, curl and netcat-openbsd");
        assumeTrue(run("ip", "netns", "add", NAMESPACE).status() == 0, "needs namespaces");
        List<String> inside = List.of("ip", "netns", "exec", NAMESPACE);
        try {
            Process server = start(inside, example, "tun");
            try (BufferedReader printed = server.inputReader(StandardCharsets.UTF_8)) {
                assertThat(printed.readLine()).startsWith("serving ");
                List<String> command = new ArrayList<>(inside);
                command.addAll(List.of("timeout", "30", "bash", "-c", client));
                assertThat(run(command.toArray(String[]::new)).text()).isEqualTo(answer + "\n");
                server.toHandle().destroy();
                assertThat(server.waitFor(20, TimeUnit.SECONDS)).as("ends when asked").isTrue();
            } finally {
                server.destroyForcibly();
            }
        } finally {
            run("ip", "netns", "delete", NAMESPACE);
        }
    }

    private record Outcome(int status, String text) {}

    private static Outcome run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), text);
    }
}
