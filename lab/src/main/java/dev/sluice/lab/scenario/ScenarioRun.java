package dev.sluice.lab.scenario;

import dev.sluice.lab.load.BlockTimer;
import dev.sluice.sim.app.BulkReceiver;
import dev.sluice.sim.app.BulkSender;
import dev.sluice.sim.app.Client;
import dev.sluice.sim.app.Payload;
import dev.sluice.sim.app.RequestClient;
import dev.sluice.sim.app.RequestSession;
import dev.sluice.sim.app.Server;
import dev.sluice.sim.check.CheckFailure;
import dev.sluice.sim.check.Checker;
import dev.sluice.sim.check.ConservationChecker;
import dev.sluice.sim.check.InvariantChecker;
import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.check.WindowChecker;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.Topology;
import dev.sluice.socket.SocketOption;
import dev.sluice.socket.StreamSocket;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** One run of a scenario in a simulation of its own. */
public final class ScenarioRun {
    /** Of no protocol that analyzers would try to read the payload as. */
    private static final int PORT = 20_007;

    private static final int WRITE_BYTES = 65_536;
    private static final long MEMORY_BYTES = 64L << 20;
    private static final long STEP_NANOS = 1_000_000;

    /** The client starts when the server certainly listens. */
    private static final long CLIENT_START_NANOS = 1_000_000;

    /** For the last acknowledgments and the end of the connection, after the last byte. */
    private static final long EPILOGUE_NANOS = 1_000_000_000;

    private final Scenario scenario;
    private final long seed;
    private final Ledger ledger = new Ledger("client to server");
    private long[] latencies = new long[256];
    private int latencyCount;
    private RequestClient requests;
    private long busyUntil;

    private ScenarioRun(Scenario scenario, long seed) {
        this.scenario = scenario;
        this.seed = seed;
    }

    /**
     * Runs a scenario to its end.
     *
     * @param directory where to leave the captures; made if it is not there
     * @throws IOException if a capture cannot be written
     */
    public static Outcome run(Scenario scenario, long seed, Path directory) throws IOException {
        Files.createDirectories(directory);
        return new ScenarioRun(scenario, seed).run(directory);
    }

    private Outcome run(Path directory) throws IOException {
        Simulation simulation = new Simulation(seed);
        try (Topology topology = new Topology(simulation, MEMORY_BYTES)) {
            Host client = topology.host(Endpoint.CLIENT.hostName(), scenario.config());
            Host server = topology.host(Endpoint.SERVER.hostName(), scenario.config());
            topology.connect(
                    client,
                    scenario.card(),
                    scenario.toServer(),
                    server,
                    scenario.card(),
                    scenario.toClient());
            topology.route();
            Path clientFile = directory.resolve(client.name() + ".pcapng");
            Path serverFile = directory.resolve(server.name() + ".pcapng");
            String violation;
            try (CaptureTap _ = new CaptureTap(client, clientFile);
                    CaptureTap _ = new CaptureTap(server, serverFile)) {
                violation = drive(topology, client, server);
            }
            return new Outcome(
                    scenario,
                    seed,
                    deliveredBytes(),
                    busyUntil - CLIENT_START_NANOS,
                    topology.link(client.name(), server.name()).counts().dropped(),
                    Arrays.copyOf(latencies, latencyCount),
                    client.stack().counters().snapshot(),
                    server.stack().counters().snapshot(),
                    List.of(clientFile, serverFile),
                    violation);
        }
    }

    /** Runs the programs under the eyes of the checkers; what those found, or null. */
    private String drive(Topology topology, Host client, Host server) {
        List<Checker> checkers =
                List.of(new InvariantChecker(), new ConservationChecker(), new WindowChecker());
        checkers.forEach(checker -> checker.install(topology));
        Simulation simulation = topology.simulation();
        start(client, server);
        try {
            while (!isDone() && simulation.now() < scenario.limitNanos()) {
                simulation.runFor(STEP_NANOS);
            }
            simulation.runFor(EPILOGUE_NANOS);
            checkers.forEach(checker -> checker.verify(simulation.now()));
            return null;
        } catch (CheckFailure failure) {
            return failure.getMessage();
        }
    }

    private void start(Host client, Host server) {
        switch (scenario.workload()) {
            case Workload.Bulk bulk -> startBulk(bulk, client, server);
            case Workload.Exchanges exchanges -> startExchanges(exchanges, client, server);
        }
    }

    private void startBulk(Workload.Bulk bulk, Host client, Host server) {
        Payload payload = Payload.synthetic();
        BlockTimer timer = new BlockTimer(bulk.blockBytes(), this::latency);
        server.start(new Server(PORT, socket -> receiver(socket, payload, timer)), 0);
        client.start(
                new Client(
                        server.address(),
                        PORT,
                        socket -> {
                            BulkSender sender =
                                    new BulkSender(
                                            socket, bulk.bytes(), WRITE_BYTES, payload, ledger);
                            return (now, process, events) -> {
                                sender.run(now, process, events);
                                timer.accepted(now, sender.written());
                            };
                        }),
                CLIENT_START_NANOS);
    }

    private App receiver(StreamSocket socket, Payload payload, BlockTimer timer) {
        BulkReceiver receiver = new BulkReceiver(socket, payload, ledger);
        return (now, process, events) -> {
            long before = receiver.received();
            receiver.run(now, process, events);
            timer.read(now, receiver.received());
            if (receiver.received() > before) {
                busyUntil = now;
            }
        };
    }

    private void startExchanges(Workload.Exchanges work, Host client, Host server) {
        server.start(RequestSession.server(PORT, work.exchange()), 0);
        client.start(
                new Client(
                        server.address(),
                        PORT,
                        socket -> {
                            if (work.noDelay()) {
                                socket.setOption(client.now(), SocketOption.TCP_NODELAY, 1);
                            }
                            requests =
                                    new RequestClient(
                                            socket,
                                            work.exchange(),
                                            work.rounds(),
                                            work.pauseNanos(),
                                            nanos -> {
                                                latency(nanos);
                                                busyUntil = client.now();
                                            });
                            return requests;
                        }),
                CLIENT_START_NANOS);
    }

    private void latency(long nanos) {
        if (latencyCount == latencies.length) {
            latencies = Arrays.copyOf(latencies, latencyCount * 2);
        }
        latencies[latencyCount++] = nanos;
    }

    private boolean isDone() {
        return switch (scenario.workload()) {
            case Workload.Bulk _ -> ledger.isComplete();
            case Workload.Exchanges _ -> requests != null && requests.isClosed();
        };
    }

    private long deliveredBytes() {
        return switch (scenario.workload()) {
            case Workload.Bulk _ -> ledger.delivered();
            case Workload.Exchanges work -> {
                int answered = requests == null ? 0 : requests.answered();
                yield (long) answered
                        * (work.exchange().requestBytes() + work.exchange().responseBytes());
            }
        };
    }
}
