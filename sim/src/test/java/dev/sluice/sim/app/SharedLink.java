package dev.sluice.sim.app;

import dev.sluice.config.StackConfig;
import dev.sluice.config.Sysctl;
import dev.sluice.sim.check.Checker;
import dev.sluice.sim.check.InvariantChecker;
import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.Link;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;
import dev.sluice.sim.net.Switch;
import dev.sluice.sim.net.Topology;
import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.TcpInfo;

import java.util.ArrayList;
import java.util.List;

/** Senders without end, each on a host of its own, and one link that all their data has to pass. */
final class SharedLink implements AutoCloseable {
    private static final long MEGABIT = 1_000_000;
    private static final long GIGABIT = 1_000_000_000;
    private static final long STAGGER_NANOS = 100_000_000L;
    private static final int PORT = 80;

    private final Ledger ledger = new Ledger("shared link");
    private final Checker checker = new InvariantChecker();
    private final Simulation simulation;
    private final Topology topology;
    private final Switch middle;
    private final Host server;
    private final List<BulkSender> senders = new ArrayList<>();
    private final List<BulkReceiver> receivers = new ArrayList<>();
    private long[] marked = {};
    private long markedNanos;

    /**
     * @param bottleneck the link to the receiver; the way back is as long, and ten times as fast
     */
    SharedLink(long seed, LinkSpec bottleneck) {
        simulation = new Simulation(seed);
        topology = new Topology(simulation, 512L << 20);
        middle = topology.addSwitch("middle");
        server = topology.host("server", StackConfig.defaults());
        LinkSpec back = LinkSpec.of(10 * bottleneck.bitsPerSecond(), bottleneck.delayNanos());
        topology.connect(server, NicSpec.standard(), back, middle, bottleneck);
        server.start(new Server(PORT, this::receive), 0);
    }

    /** A link of so many Mbit/s and, there and back, so many milliseconds. */
    static LinkSpec link(int megabits, int roundTripMillis, int queuePackets) {
        return LinkSpec.of(megabits * MEGABIT, roundTripMillis * 500_000L)
                .withQueuePackets(queuePackets);
    }

    private BulkReceiver receive(StreamSocket socket) {
        BulkReceiver receiver = new BulkReceiver(socket, Payload.synthetic(), ledger);
        receivers.add(receiver);
        return receiver;
    }

    /** Adds senders that use one congestion control, each beginning a little after the other. */
    SharedLink with(int count, String congestion) {
        StackConfig config =
                StackConfig.builder().set(Sysctl.TCP_CONGESTION_CONTROL, congestion).build();
        LinkSpec wide = LinkSpec.of(10 * GIGABIT, 1_000);
        for (int i = 0; i < count; i++) {
            int number = topology.hosts().size();
            Host client = topology.host(congestion + number, config);
            topology.connect(client, NicSpec.standard(), wide, middle, wide);
            client.start(new Client(server.address(), PORT, this::send), number * STAGGER_NANOS);
        }
        return this;
    }

    private BulkSender send(StreamSocket socket) {
        BulkSender sender =
                new BulkSender(socket, BulkSender.ENDLESS, 65_536, Payload.synthetic(), ledger);
        senders.add(sender);
        return sender;
    }

    SharedLink start() {
        topology.route();
        checker.install(topology);
        return this;
    }

    void runMillis(long millis) {
        simulation.runFor(millis * 1_000_000);
    }

    /** {@link #megabits} counts from here. */
    void mark() {
        marked = new long[receivers.size()];
        for (int i = 0; i < marked.length; i++) {
            marked[i] = receivers.get(i).received();
        }
        markedNanos = simulation.now();
    }

    /** What each receiver got since the mark, in bits per microsecond. */
    double[] megabits() {
        double[] rates = new double[marked.length];
        double micros = (simulation.now() - markedNanos) / 1000.0;
        for (int i = 0; i < rates.length; i++) {
            rates[i] = (receivers.get(i).received() - marked[i]) * 8 / micros;
        }
        return rates;
    }

    static double sum(double[] rates) {
        double sum = 0;
        for (double rate : rates) {
            sum += rate;
        }
        return sum;
    }

    /** Jain's index: 1 if all are equal, 1/n if one has everything. */
    static double fairness(double[] rates) {
        double squares = 0;
        for (double rate : rates) {
            squares += rate * rate;
        }
        double sum = sum(rates);
        return sum * sum / (rates.length * squares);
    }

    Link bottleneck() {
        return topology.link("middle", "server");
    }

    int queued() {
        return bottleneck().packetsWaiting(simulation.now());
    }

    TcpInfo info(int sender) {
        return senders.get(sender).socket().info(simulation.now());
    }

    @Override
    public void close() {
        checker.verify(simulation.now());
        topology.close();
    }
}
