package dev.sluice.verify.proof;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The same seed gives the same packets, byte for byte, whatever the JVM is busy with. */
class DeterminismTest {
    private static final String REFERENCE = "-XX:+UseSerialGC -Xmx256m";

    @TempDir static Path directory;

    private static List<String> expected;

    @BeforeAll
    static void recordReference() throws Exception {
        expected = record(7, REFERENCE);
        assertThat(expected).hasSize(3);
    }

    private static List<String> record(long seed, String options) throws Exception {
        Path captures = Files.createDirectories(capturesOf(seed, options));
        return ChildJvm.run(
                Arrays.asList(options.split(" ")),
                RecordedRun.class,
                Long.toString(seed),
                captures.toString());
    }

    private static Path capturesOf(long seed, String options) {
        return directory.resolve(seed + options.replaceAll("\\W+", "-"));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "-XX:+UseSerialGC -Xms256m -Xmx256m -XX:+UseCompactObjectHeaders",
                "-XX:+UseSerialGC -Xmn2m -Xmx48m -ea -XX:TieredStopAtLevel=1",
                "-XX:+UseParallelGC -Xmx64m",
                "-XX:+UseG1GC -Xmx512m -XX:+UnlockExperimentalVMOptions -XX:hashCode=0"
            })
    void another_jvm_sends_the_same_packets_and_writes_the_same_captures(String options)
            throws Exception {
        assertThat(record(7, options)).isEqualTo(expected);
        assertSameFile(options, "client.pcapng");
        assertSameFile(options, "server.pcapng");
    }

    private static void assertSameFile(String options, String file) throws IOException {
        Path reference = capturesOf(7, REFERENCE).resolve(file);
        assertThat(Files.mismatch(reference, capturesOf(7, options).resolve(file)))
                .as("first byte in which %s differs", file)
                .isEqualTo(-1);
    }

    @Test
    void another_seed_gives_other_packets() throws Exception {
        List<String> other = record(8, REFERENCE);
        assertThat(other).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(other.get(i)).isNotEqualTo(expected.get(i));
        }
    }
}
