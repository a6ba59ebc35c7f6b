package dev.sluice.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The captures of a run show to Wireshark's parser what the report says. */
class TsharkTest {
    private static final long RTT_NANOS = 1_000_000;
    private static final long DELAYED_ACK_NANOS = 40_000_000;
    private static final long SERIALIZATION_NANOS = 100_000;
    private static final String CLIENT = "10.0.0.1";

    @TempDir private Path directory;

    /** A packet as tshark shows it. */
    private record Packet(long nanos, String source, int length) {}

    @BeforeEach
    void tshark_is_installed() {
        boolean found = false;
        for (String path : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            found |= Files.isExecutable(Path.of(path, "tshark"));
        }
        assumeTrue(found, "tshark is not installed: gaps in captures are not looked at");
    }

    @Test
    void with_nagle_the_writes_are_apart_by_the_delayed_ack() throws Exception {
        Outcome outcome = ScenarioRun.run(Scenarios.find("nagle-delack"), 1, directory);
        List<Packet> requests = sentBy(CLIENT, packets("client.pcapng"));
        long[] latencies = outcome.latencies();
        assertThat(requests).hasSize(2 * latencies.length);
        for (int i = 0; i < latencies.length; i++) {
            long gap = requests.get(2 * i + 1).nanos() - requests.get(2 * i).nanos();
            // After the second write an exchange takes one round trip more.
            assertThat(latencies[i])
                    .as("exchange %d", i)
                    .isBetween(gap + RTT_NANOS, gap + RTT_NANOS + SERIALIZATION_NANOS);
            if (i > 0) {
                assertThat(gap).isGreaterThan(DELAYED_ACK_NANOS);
            }
        }
    }

    @Test
    void with_nagle_the_server_is_silent_for_the_time_of_the_delayed_ack() throws Exception {
        ScenarioRun.run(Scenarios.find("nagle-delack"), 1, directory);
        List<Packet> packets = packets("server.pcapng");
        List<Long> silences = new ArrayList<>();
        for (int i = 1; i < packets.size(); i++) {
            boolean bareAck =
                    packets.get(i).length() == 0 && !packets.get(i).source().equals(CLIENT);
            long gap = packets.get(i).nanos() - packets.get(i - 1).nanos();
            if (bareAck && gap > RTT_NANOS) {
                silences.add(gap);
            }
        }
        assertThat(silences).hasSize(99).allMatch(gap -> gap == DELAYED_ACK_NANOS);
    }

    @Test
    void with_nodelay_the_writes_leave_at_the_same_time() throws Exception {
        ScenarioRun.run(Scenarios.find("nagle-off"), 1, directory);
        List<Packet> requests = sentBy(CLIENT, packets("client.pcapng"));
        for (int i = 0; i < requests.size(); i += 2) {
            assertThat(requests.get(i + 1).nanos() - requests.get(i).nanos())
                    .isLessThan(SERIALIZATION_NANOS);
        }
    }

    private static List<Packet> sentBy(String source, List<Packet> packets) {
        return packets.stream().filter(p -> p.source().equals(source) && p.length() > 0).toList();
    }

    private List<Packet> packets(String file) throws Exception {
        Path errors = directory.resolve("errors");
        Process process =
                new ProcessBuilder(
                                "tshark",
                                "-n",
                                "-r",
                                directory.resolve(file).toString(),
                                "-T",
                                "fields",
                                "-E",
                                "separator=|",
                                "-e",
                                "frame.time_epoch",
                                "-e",
                                "ip.src",
                                "-e",
                                "tcp.len")
                        .redirectError(errors.toFile())
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(Files.readString(errors)).isZero();
        assertThat(Files.readAllLines(errors)).allMatch(line -> line.startsWith("Running as user"));
        return output.lines().map(TsharkTest::parse).toList();
    }

    private static Packet parse(String line) {
        String[] fields = line.split("\\|");
        long nanos = new BigDecimal(fields[0]).movePointRight(9).longValueExact();
        return new Packet(nanos, fields[1], Integer.parseInt(fields[2]));
    }
}
