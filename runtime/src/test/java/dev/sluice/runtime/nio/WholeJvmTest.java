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
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-Xmx128m",
                                "--enable-native-access=ALL-UNNAMED",
                                "-Djava.nio.channels.spi.SelectorProvider="
                                        + StackSelectorProvider.class.getName(),
                                "-Ddev.sluice.config=" + config,
                                "-cp",
                                System.getProperty("java.class.path"),
                                WholeJvm.class.getName(),
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
        Path config = directory.resolve("live.properties");
        Files.writeString(
                config,
                """
                stack.a.device = cable:lan
                stack.a.address = 10.8.1.2/24
                stack.b.device = cable:lan
                stack.b.address = 10.8.1.1/24
                """);
        assertThat(run(config)).isEqualTo("StackSelectorProvider 10.8.1.2 42");
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
