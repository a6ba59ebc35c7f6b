package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.trace.Counter;
import dev.sluice.trace.CounterGroup;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The tables in docs/ are made from the code; with {@code -Dsluice.docs=write} they are made anew.
 */
class GeneratedDocumentsTest {
    private static final String COMMAND =
            "mvn -q -pl core test -Dtest=GeneratedDocumentsTest -Dsluice.docs=write";

    @Test
    void the_table_of_sysctls_is_up_to_date() throws IOException {
        compareOrWrite("sysctls.md", sysctls());
    }

    @Test
    void the_table_of_counters_is_up_to_date() throws IOException {
        compareOrWrite("counters.md", counters());
    }

    private static void compareOrWrite(String file, String expected) throws IOException {
        Path path = Path.of(System.getProperty("basedir", "")).resolve("../docs").resolve(file);
        if ("write".equals(System.getProperty("sluice.docs"))) {
            Files.createDirectories(path.getParent());
            Files.writeString(path, expected);
        }
        assertThat(path)
                .as("to make docs/%s anew: %s", file, COMMAND)
                .content()
                .isEqualTo(expected);
    }

    private static String sysctls() {
        StringBuilder text = new StringBuilder("# Sysctls\n\n" + origin("config/Sysctl"));
        text.append(
                """
                Names, types, ranges and defaults of keys under `net.core`, `net.ipv4` and `net.ipv6` are
                those of Linux 6.18. What Linux derives from the size of the machine is a fixed number here.
                Keys under `net.stack` are our own. A key may be called by its full name, without its first
                two parts, or by its path under `/proc/sys`.

                | Key | Kind | Default | Allowed | Unit | Meaning |
                |---|---|---|---|---|---|
                """);
        for (Sysctl key : Sysctl.values()) {
            text.append(
                    "| `%s` | %s | %s | %s | %s | %s |%n"
                            .formatted(
                                    key.key(),
                                    key.kind(),
                                    key.defaultText(),
                                    key.allowed(),
                                    key.unit(),
                                    key.meaning()));
        }
        return text.toString();
    }

    private static String counters() {
        StringBuilder text = new StringBuilder("# Counters\n\n" + origin("trace/Counter"));
        text.append(
                """
                Groups and names are those of `nstat` and `netstat -s`; `Sluice` is our own group.

                | Group | Counter | Meaning |
                |---|---|---|
                """);
        for (CounterGroup group : CounterGroup.values()) {
            for (Counter counter : Counter.values()) {
                if (counter.group() == group) {
                    text.append(
                            "| %s | `%s` | %s |%n"
                                    .formatted(
                                            group.linuxName(),
                                            counter.linuxName(),
                                            counter.meaning()));
                }
            }
        }
        return text.toString();
    }

    private static String origin(String source) {
        return "Generated from `%s`; to make it anew: `%s`.\n\n".formatted(source, COMMAND);
    }
}
