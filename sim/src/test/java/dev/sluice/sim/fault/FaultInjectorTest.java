package dev.sluice.sim.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.config.StackConfig;
import dev.sluice.sim.app.BulkReceiver;
import dev.sluice.sim.app.BulkSender;
import dev.sluice.sim.app.Client;
import dev.sluice.sim.app.Payload;
import dev.sluice.sim.app.Server;
import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;
import dev.sluice.sim.net.Topology;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Faults begin and end when they are due, and do what they say. */
class FaultInjectorTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long ALWAYS = Long.MAX_VALUE;

    private final Simulation simulation = new Simulation(1);
    private final Topology topology = new Topology(simulation, 16L << 20);
    private final Host client = topology.host("client", StackConfig.defaults());
    private final Host server = topology.host("server", StackConfig.defaults());
    private final FaultInjector injector = new FaultInjector(topology);
    private final Ledger ledger = new Ledger("bulk");

    FaultInjectorTest() {
        LinkSpec link = LinkSpec.of(8_000_000, 1_000_000);
        topology.connect(client, NicSpec.standard(), link, server, NicSpec.standard(), link);
        topology.route();
    }

    @AfterEach
    void close() {
        topology.close();
    }

    /** About a megabyte per second, from the start. */
    private void send(long bytes) {
        Payload payload = Payload.synthetic();
        server.start(new Server(80, s -> new BulkReceiver(s, payload, ledger)), 0);
        client.start(
                new Client(
                        server.address(),
                        80,
                        s -> new BulkSender(s, bytes, 30_000, payload, ledger)),
                0);
    }

    @Test
    void a_partition_stops_everything_and_ends() {
        injector.inject(new Fault.Partition(SECOND, "client", "server", 2 * SECOND));
        send(2_000_000);
        simulation.runUntil(SECOND + 100_000_000);
        long before = ledger.delivered();
        simulation.runUntil(3 * SECOND);
        assertThat(before).isPositive();
        assertThat(ledger.delivered()).isEqualTo(before);
        assertThat(topology.link("client", "server").counts().interrupted()).isPositive();
        assertThat(topology.link("server", "client").counts().interrupted()).isZero();
        simulation.runUntil(20 * SECOND);
        assertThat(ledger.isComplete()).isTrue();
    }

    @Test
    void a_partition_may_last_for_ever() {
        injector.inject(new Fault.Partition(SECOND, "server", "client", ALWAYS));
        send(4_000_000);
        simulation.runUntil(3000 * SECOND);
        assertThat(ledger.isComplete()).isFalse();
    }

    @Test
    void a_blackhole_loses_only_packets_above_its_size() {
        injector.inject(new Fault.SizeBlackhole(0, "client", "server", 1000, 5 * SECOND));
        send(100_000);
        simulation.runUntil(4 * SECOND);
        assertThat(server.stack().endpoints()).as("the handshake passed").isPositive();
        assertThat(ledger.delivered()).isZero();
        assertThat(topology.link("client", "server").counts().blackholed()).isPositive();
        simulation.runUntil(60 * SECOND);
        assertThat(ledger.isComplete()).isTrue();
    }

    @Test
    void a_crashed_host_forgets_its_connections_and_comes_back() {
        injector.inject(new Fault.PeerCrash(SECOND, "server", SECOND));
        send(4_000_000);
        simulation.runUntil(SECOND + 1);
        assertThat(server.isDown()).isTrue();
        long before = ledger.delivered();
        simulation.runUntil(2 * SECOND);
        assertThat(server.isDown()).isFalse();
        assertThat(server.stack().endpoints()).isZero();
        simulation.runUntil(30 * SECOND);
        assertThat(ledger.delivered()).isEqualTo(before);
        assertThat(client.stack().endpoints()).as("it was reset").isZero();
    }

    @Test
    void a_fault_of_a_host_that_does_not_exist_is_an_error() {
        injector.inject(new Fault.PeerCrash(0, "nobody", ALWAYS));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> simulation.runFor(1))
                .withMessageContaining("nobody");
    }
}
