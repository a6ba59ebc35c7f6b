package dev.sluice.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.StackConfig;
import dev.sluice.sim.app.Exchange;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The same trap on the other side, as reported in JuliaLang/julia issue 31842: a reply of two bytes
 * on the loopback takes 0.1 ms in one write, and tens of milliseconds in two writes from the second
 * exchange on.
 */
class SplitReplyTest {
    private static final long RTT_NANOS = 50_000;
    private static final long DELAYED_ACK_NANOS = 40_000_000;

    @TempDir private Path directory;

    private long[] latencies(int... replyWrites) throws IOException {
        LinkSpec link = LinkSpec.of(10_000_000_000L, RTT_NANOS / 2);
        Scenario scenario =
                new Scenario(
                        "split-reply",
                        "a reply of two bytes",
                        "10 Gbit/s, RTT 0.05 ms",
                        link,
                        link,
                        NicSpec.standard(),
                        StackConfig.defaults(),
                        new Workload.Exchanges(
                                new Exchange(new int[] {1}, replyWrites), 2, 0, false),
                        1_000_000_000,
                        List.of());
        return ScenarioRun.run(scenario, 1, directory).latencies();
    }

    @Test
    void in_one_write_it_takes_a_round_trip() throws IOException {
        long[] latencies = latencies(2);
        assertThat(latencies).hasSize(2);
        assertThat(Arrays.stream(latencies)).allMatch(nanos -> nanos < 2 * RTT_NANOS);
    }

    @Test
    void in_two_writes_the_second_exchange_waits_for_the_delayed_ack() throws IOException {
        long[] latencies = latencies(1, 1);
        assertThat(latencies).hasSize(2);
        assertThat(latencies[0]).isLessThan(1_000_000);
        assertThat(latencies[1])
                .isBetween(DELAYED_ACK_NANOS, DELAYED_ACK_NANOS + 2 * RTT_NANOS + 10_000);
    }
}
