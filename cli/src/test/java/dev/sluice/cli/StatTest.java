package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** {@code sluice stat} and {@code sluice ss} of another process. */
@Timeout(120)
class StatTest {
    private record Run(int status, String out, String err) {}

    private static Run sluice(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Sluice.run(args, new PrintWriter(out), new PrintWriter(err));
        return new Run(status, out.toString(), err.toString());
    }

    /** Without the files by which JVMs are listed as a rule: the launcher does without them too. */
    private static Process start() throws IOException {
        String modules = System.getProperty("jdk.module.path", "");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-XX:-UsePerfData",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path")
                                        + (modules.isEmpty() ? "" : ":" + modules)
                                        + ":"
                                        + Path.of("target", "test-classes").toAbsolutePath(),
                                TwoStacks.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        assertThat(process.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("ready");
        return process;
    }

    @Test
    void the_stacks_of_a_process_are_found_and_listed() throws Exception {
        Process process = start();
        String pid = Long.toString(process.pid());
        try {
            Run sockets = sluice("ss", "-tin", pid);
            assertThat(sockets.err()).isEmpty();
            assertThat(sockets.status()).isEqualTo(ExitCode.OK);
            List<String> lines = sockets.out().lines().toList();
            assertThat(lines.get(0)).startsWith("State      Recv-Q Send-Q");
            assertThat(lines.get(1)).isEqualTo("#" + pid + " left");
            assertThat(lines.get(2)).startsWith("ESTAB").contains("10.8.3.1:80");
            assertThat(lines.get(3)).startsWith("\t ts sack cubic wscale:");
            assertThat(lines.get(4)).isEqualTo("#" + pid + " right");

            assertThat(sluice("ss").out()).contains("#" + pid + " left", "#" + pid + " right");
            assertThat(sluice("ss", "-l", pid).out()).contains("LISTEN").doesNotContain("ESTAB");

            Run counters = sluice("stat", pid);
            assertThat(counters.out())
                    .contains("#" + pid + " left", "TcpPassiveOpens                 1   ")
                    .doesNotContain("TcpAttemptFails");
            assertThat(sluice("stat", "-z", pid).out()).contains("TcpAttemptFails   ");
            assertThat(sluice("stat", "--json", pid).out())
                    .contains("\"name\" : \"left\"", "\"TcpPassiveOpens\" : 1");
            assertThat(sluice("stat", "--during", "0.001", pid).out())
                    .contains("#" + pid + " left")
                    .doesNotContain("TcpPassiveOpens");
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    @Test
    void a_process_without_a_stack_is_named() {
        Run none = sluice("ss", "999999999");
        assertThat(none.status()).isEqualTo(ExitCode.USAGE);
        assertThat(none.err())
                .isEqualToIgnoringNewLines("sluice ss: there is no process 999999999");
        assertThat(sluice("stat", "--during", "0").status()).isEqualTo(ExitCode.USAGE);
    }
}
