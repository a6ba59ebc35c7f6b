package dev.sluice.sim.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.StackConfig;
import dev.sluice.sim.check.Checker;
import dev.sluice.sim.check.ConservationChecker;
import dev.sluice.sim.check.InvariantChecker;
import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.check.PacketDigest;
import dev.sluice.sim.check.WindowChecker;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.Impairments;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;
import dev.sluice.sim.net.Topology;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Two stacks, one link, bulk data. */
class BulkTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MEGABYTE = 1_000_000;

    private final Ledger ledger = new Ledger("bulk");
    private long digest;
    private long finishedNanos;

    /** Sends so many bytes from one host to another and sees both ends closed. */
    private void transfer(long seed, LinkSpec link, NicSpec card, Payload payload, long bytes) {
        Simulation simulation = new Simulation(seed);
        try (Topology topology = new Topology(simulation, 64L << 20)) {
            Host client = topology.host("client", StackConfig.defaults());
            Host server = topology.host("server", StackConfig.defaults());
            topology.connect(client, card, link, server, card, link);
            topology.route();
            List<Checker> checkers =
                    List.of(new InvariantChecker(), new ConservationChecker(), new WindowChecker());
            checkers.forEach(checker -> checker.install(topology));
            PacketDigest packets = new PacketDigest();
            packets.install(topology);
            server.start(new Server(80, s -> new BulkReceiver(s, payload, ledger)), 0);
            client.start(
                    new Client(
                            server.address(),
                            80,
                            s -> new BulkSender(s, bytes, 30_000, payload, ledger)),
                    0);
            while (!ledger.isComplete() && simulation.now() < 300 * SECOND) {
                simulation.runFor(SECOND / 100);
            }
            finishedNanos = simulation.now();
            simulation.runFor(200 * SECOND);
            checkers.forEach(checker -> checker.verify(simulation.now()));
            assertThat(ledger.isComplete()).isTrue();
            assertThat(ledger.delivered()).isEqualTo(bytes);
            assertThat(client.stack().endpoints()).isZero();
            assertThat(server.stack().endpoints()).isZero();
            assertThat(topology.packets().outstanding()).isZero();
            digest = packets.value();
        }
    }

    @Test
    void a_clean_link_is_filled() {
        LinkSpec link = LinkSpec.of(100_000_000, 1_000_000).withQueuePackets(1000);
        transfer(1, link, NicSpec.standard(), Payload.synthetic(), 20 * MEGABYTE);
        // 20 MB of payload in packets of 1500 for 1448 take 1.66 s at 100 Mbit/s.
        assertThat(finishedNanos).isBetween(1_660_000_000L, 1_760_000_000L);
    }

    @Test
    void stored_bytes_arrive_intact_without_offloads() {
        LinkSpec link = LinkSpec.of(100_000_000, 1_000_000).withQueuePackets(1000);
        NicSpec card = NicSpec.standard().withoutOffloads();
        transfer(1, link, card, Payload.stored(1L << 40), 5 * MEGABYTE);
    }

    @Test
    void a_bad_link_only_slows_it_down() {
        LinkSpec link =
                LinkSpec.of(50_000_000, 5_000_000)
                        .withQueuePackets(100)
                        .with(Impairments.loss(2, 100))
                        .with(Impairments.reorder(3, 100, 3_000_000))
                        .with(Impairments.duplicate(1, 100))
                        .with(Impairments.corrupt(1, 100));
        transfer(2, link, NicSpec.standard(), Payload.stored(77), 3 * MEGABYTE);
    }

    @Test
    void the_same_seed_gives_the_same_packets() {
        LinkSpec link = LinkSpec.of(50_000_000, 5_000_000).with(Impairments.loss(1, 50));
        BulkTest first = new BulkTest();
        BulkTest second = new BulkTest();
        BulkTest other = new BulkTest();
        first.transfer(3, link, NicSpec.standard(), Payload.synthetic(), MEGABYTE);
        second.transfer(3, link, NicSpec.standard(), Payload.synthetic(), MEGABYTE);
        other.transfer(4, link, NicSpec.standard(), Payload.synthetic(), MEGABYTE);
        assertThat(second.digest).isEqualTo(first.digest);
        assertThat(other.digest).isNotEqualTo(first.digest);
    }
}
