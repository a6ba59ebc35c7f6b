package dev.sluice.sim.app;

import dev.sluice.config.StackConfig;
import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;
import dev.sluice.sim.net.Switch;
import dev.sluice.sim.net.Topology;

import java.util.ArrayList;
import java.util.List;

/**
 * The networks in which the speed of the simulator is measured: bulk transfers with CUBIC, MSS 1448
 * and synthetic payload, a queue of one bandwidth-delay product in front of the bottleneck.
 */
public enum SpeedCase {
    /** Two hosts, 10 Gbit/s, 1 ms round trip. */
    TWO_HOSTS_10G(10_000_000_000L, 1_000_000, 1, 500_000_000L),

    /** Ten pairs of hosts around one link, all 10 Gbit/s, 1 ms round trip. */
    DUMBBELL_10G(10_000_000_000L, 1_000_000, 10, 200_000_000L),

    /** Two hosts, 100 Mbit/s, 50 ms round trip. */
    TWO_HOSTS_100M(100_000_000L, 50_000_000, 1, 10_000_000_000L);

    private static final int PORT = 9;
    private static final int MTU = 1500;
    private static final int MSS = 1448;
    private static final int LEAST_QUEUE = 100;
    private static final long INTERRUPT_NANOS = 20_000;
    private static final long MEMORY = 256L << 20;

    private final long bitsPerSecond;
    private final long rttNanos;
    private final int pairs;
    private final long defaultNanos;

    SpeedCase(long bitsPerSecond, long rttNanos, int pairs, long defaultNanos) {
        this.bitsPerSecond = bitsPerSecond;
        this.rttNanos = rttNanos;
        this.pairs = pairs;
        this.defaultNanos = defaultNanos;
    }

    /**
     * What a run did.
     *
     * @param segments data segments whose payload the receiving programs read
     * @param packets packets put on any link
     * @param events events of the simulation
     * @param simulatedNanos virtual time that passed
     * @param bitsPerSecond payload delivered per second of virtual time
     */
    public record Outcome(
            long segments, long packets, long events, long simulatedNanos, long bitsPerSecond) {}

    /** How much virtual time a run of this case takes by default, nanoseconds. */
    public long defaultNanos() {
        return defaultNanos;
    }

    /** Host pairs, each with one connection. */
    public int pairs() {
        return pairs;
    }

    /** Runs the case with cards that moderate their interrupts to one in 20 microseconds. */
    public Outcome run(long seed, long nanos) {
        return run(seed, nanos, NicSpec.standard().withHold(INTERRUPT_NANOS, INTERRUPT_NANOS));
    }

    /**
     * Runs the case for so much virtual time with cards of that kind. Wall time is for the caller.
     */
    public Outcome run(long seed, long nanos, NicSpec card) {
        Simulation simulation = new Simulation(seed);
        try (Topology topology = new Topology(simulation, MEMORY)) {
            List<BulkReceiver> receivers = new ArrayList<>();
            build(topology, card.withMtu(MTU), receivers);
            simulation.runFor(nanos);
            long bytes = 0;
            for (BulkReceiver receiver : receivers) {
                bytes += receiver.received();
            }
            long packets = 0;
            for (var link : topology.links()) {
                packets += link.counts().entered();
            }
            long rate = bytes * 8_000 / Math.max(1, nanos / 1_000) * 1_000;
            return new Outcome(bytes / MSS, packets, simulation.eventsHandled(), nanos, rate);
        }
    }

    private void build(Topology topology, NicSpec card, List<BulkReceiver> receivers) {
        StackConfig config = StackConfig.defaults();
        int queue =
                (int)
                        Math.max(
                                LEAST_QUEUE,
                                bitsPerSecond / 8 * (rttNanos / 1_000) / 1_000_000 / MTU);
        LinkSpec all = LinkSpec.of(bitsPerSecond, rttNanos / 2).withQueuePackets(queue);
        LinkSpec access = LinkSpec.of(bitsPerSecond, rttNanos / 20).withQueuePackets(queue);
        LinkSpec middle =
                LinkSpec.of(bitsPerSecond, rttNanos / 2 - rttNanos / 10).withQueuePackets(queue);
        Switch left = pairs == 1 ? null : topology.addSwitch("left");
        Switch right = pairs == 1 ? null : topology.addSwitch("right");
        if (pairs > 1) {
            topology.connect(left, middle, right, middle);
        }
        for (int i = 0; i < pairs; i++) {
            Host client = topology.host("client" + i, config);
            Host server = topology.host("server" + i, config);
            if (pairs == 1) {
                topology.connect(client, card, all, server, card, all);
            } else {
                topology.connect(client, card, access, left, access);
                topology.connect(server, card, access, right, access);
            }
            Ledger ledger = new Ledger("flow " + i);
            server.start(
                    new Server(
                            PORT,
                            socket -> {
                                var receiver =
                                        new BulkReceiver(socket, Payload.synthetic(), ledger);
                                receivers.add(receiver);
                                return receiver;
                            }),
                    0);
            client.start(
                    new Client(
                            server.address(),
                            PORT,
                            socket ->
                                    new BulkSender(
                                            socket,
                                            BulkSender.ENDLESS,
                                            65_536,
                                            Payload.synthetic(),
                                            ledger)),
                    1_000_000);
        }
        topology.route();
    }
}
