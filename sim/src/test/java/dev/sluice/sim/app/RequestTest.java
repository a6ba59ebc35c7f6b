package dev.sluice.sim.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.StackConfig;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;
import dev.sluice.sim.net.Topology;
import dev.sluice.socket.SocketOption;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** The write-write-read pattern against delayed acknowledgments (B-2.6, B-3). */
class RequestTest {
    private static final long MILLI = 1_000_000;
    private static final long RTT = 2 * MILLI;

    private static List<Long> latencies(boolean noDelay, int rounds) {
        Simulation simulation = new Simulation(1);
        List<Long> latencies = new ArrayList<>();
        try (Topology topology = new Topology(simulation, 16L << 20)) {
            Host client = topology.host("client", StackConfig.defaults());
            Host server = topology.host("server", StackConfig.defaults());
            LinkSpec link = LinkSpec.of(1_000_000_000, RTT / 2);
            topology.connect(client, NicSpec.standard(), link, server, NicSpec.standard(), link);
            topology.route();
            Exchange exchange = new Exchange(new int[] {100, 200}, new int[] {1000});
            server.start(RequestSession.server(80, exchange), 0);
            client.start(
                    new Client(
                            server.address(),
                            80,
                            s -> {
                                if (noDelay) {
                                    s.setOption(0, SocketOption.TCP_NODELAY, 1);
                                }
                                return new RequestClient(
                                        s, exchange, rounds, 10 * MILLI, latencies::add);
                            }),
                    0);
            simulation.runFor(10_000 * MILLI);
        }
        return latencies;
    }

    @Test
    void with_nagle_the_second_write_waits_for_the_delayed_acknowledgment() {
        List<Long> latencies = latencies(false, 20);
        assertThat(latencies).hasSize(20);
        // The first exchange profits from quick acknowledgments, the last ones certainly do not.
        assertThat(latencies.get(0)).isBetween(RTT, 3 * RTT);
        assertThat(latencies.subList(10, 20))
                .allSatisfy(nanos -> assertThat(nanos).isBetween(40 * MILLI, 45 * MILLI));
    }

    @Test
    void with_nodelay_an_exchange_takes_one_round_trip() {
        List<Long> latencies = latencies(true, 20);
        assertThat(latencies).hasSize(20);
        assertThat(latencies).allSatisfy(n -> assertThat(n).isBetween(RTT, RTT + MILLI / 10));
    }
}
