package dev.sluice.runtime.nio;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The provider of a whole JVM, chosen with system properties. */
@Timeout(60)
class WholeJvmTest {
    private static final String ADDRESS = "10.8.1.1";

    @TempDir Path directory;

    private String run(Path config) throws IOException, InterruptedException {
        return run(
                config,
                WholeJvm.class,
                "-Djava.nio.channels.spi.SelectorProvider="
                        + StackSelectorProvider.class.getName());
    }

    private String run(Path config, Class<?> program, String option)
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-Xmx128m",
                                "--enable-native-access=ALL-UNNAMED",
                                option,
                                "-Ddev.sluice.config=" + config,
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.getName(),
                                ADDRESS)
                        .redirectErrorStream(true)
                        .start();
        try (InputStream output = process.getInputStream()) {
            String printed = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return printed.strip();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void a_program_that_knows_nothing_of_it_uses_the_stacks_of_the_file() throws Exception {
        assertThat(run(twoStacks())).isEqualTo("StackSelectorProvider 10.8.1.2 42");
    }

    @Test
    void sockets_without_channels_use_the_same_stacks() throws Exception {
        assertThat(run(twoStacks(), WholeJvmSockets.class, "-Dx=y"))
                .isEqualTo("10.8.1.2 connected with 42, then with 43");
    }

    private Path twoStacks() throws IOException {
        Path config = directory.resolve("live.properties");
        Files.writeString(
                config,
                """
                stack.a.device = cable:lan
                stack.a.address = 10.8.1.2/24
                stack.b.device = cable:lan
                stack.b.address = 10.8.1.1/24
                """);
        return config;
    }

    @Test
    void what_is_wrong_with_the_file_is_said_when_the_first_channel_is_opened() throws Exception {
        Path missing = directory.resolve("missing.properties");
        assertThat(run(missing))
                .isEqualTo(
                        "there is no file %s, which the system property dev.sluice.config names"
                                .formatted(missing));
    }
}
