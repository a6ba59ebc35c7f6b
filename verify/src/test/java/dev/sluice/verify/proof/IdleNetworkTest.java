package dev.sluice.verify.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;

import dev.sluice.config.StackConfig;
import dev.sluice.sim.app.Client;
import dev.sluice.sim.app.Server;
import dev.sluice.sim.check.CheckFailure;
import dev.sluice.sim.check.IdleChecker;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;
import dev.sluice.sim.net.Topology;
import dev.sluice.socket.SocketOption;
import dev.sluice.socket.StreamSocket;

import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;

/** An idle network allocates nothing, and the checker that says so would notice. */
class IdleNetworkTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int CONNECTIONS = 50;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Events in so much time of keepalive probes on established connections. */
    private long rest(long nanos, App besides) {
        Simulation simulation = new Simulation(1);
        try (Topology topology = new Topology(simulation, 16L << 20)) {
            Host client = topology.host("client", StackConfig.defaults());
            Host server = topology.host("server", StackConfig.defaults());
            LinkSpec link = LinkSpec.of(1_000_000_000, 1_000_000);
            topology.connect(client, NicSpec.standard(), link, server, NicSpec.standard(), link);
            topology.route();
            IdleChecker checker = new IdleChecker(threads::getCurrentThreadAllocatedBytes);
            checker.install(topology);
            server.start(new Server(7, socket -> null), 0);
            for (int i = 0; i < CONNECTIONS; i++) {
                client.start(
                        new Client(
                                server.address(),
                                7,
                                IdleNetworkTest::probeEverySecond,
                                socket -> (now, process, events) -> {}),
                        0);
            }
            client.start(besides, 0);
            return checker.rest(nanos);
        }
    }

    private static void probeEverySecond(StreamSocket socket) {
        socket.setOption(0, SocketOption.SO_KEEPALIVE, 1);
        socket.setOption(0, SocketOption.TCP_KEEPIDLE, 1);
        socket.setOption(0, SocketOption.TCP_KEEPINTVL, 1);
    }

    @Test
    void keepalive_probes_of_idle_connections_allocate_nothing() {
        long events = rest(50 * SECOND, (now, process, what) -> {});
        assertThat(events).as("events").isGreaterThan(49L * CONNECTIONS);
    }

    @Test
    void a_program_that_allocates_is_noticed() {
        App waster =
                (now, process, events) -> {
                    kept = new byte[16];
                    process.wakeAt(now + SECOND);
                };
        assertThatExceptionOfType(CheckFailure.class)
                .isThrownBy(() -> rest(2 * SECOND, waster))
                .withMessageContaining("allocated");
    }

    /** Where a program of the test leaves what it allocates. */
    private byte[] kept;

    @Test
    void the_counter_of_this_jvm_is_exact() {
        long before = threads.getCurrentThreadAllocatedBytes();
        kept = new byte[1000];
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(bytes).isBetween(1000L, 1032L);
        assertThat(kept).hasSize(1000);
    }
}
