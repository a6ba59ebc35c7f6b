package dev.sluice.verify.proof;

import dev.sluice.config.StackConfig;
import dev.sluice.lab.scenario.CaptureTap;
import dev.sluice.sim.app.BulkReceiver;
import dev.sluice.sim.app.BulkSender;
import dev.sluice.sim.app.Client;
import dev.sluice.sim.app.DuplexSession;
import dev.sluice.sim.app.Payload;
import dev.sluice.sim.app.Server;
import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.check.PacketDigest;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.Impairments;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;
import dev.sluice.sim.net.Topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A program that simulates transfers over a link with every kind of fault, captures them at both
 * hosts, and prints what the packets and the captures amount to: two runs did the same if they
 * print the same.
 */
final class RecordedRun {
    private static final int STORED = 80;
    private static final int SYNTHETIC = 81;
    private static final long SECOND = 1_000_000_000L;

    private RecordedRun() {}

    /** Arguments: the seed, and a directory for the captures. */
    public static void main(String[] args) throws IOException, NoSuchAlgorithmException {
        Path directory = Path.of(args[1]);
        Path atClient = directory.resolve("client.pcapng");
        Path atServer = directory.resolve("server.pcapng");
        System.out.println(simulate(Long.parseLong(args[0]), atClient, atServer));
        System.out.println("client.pcapng " + hash(atClient));
        System.out.println("server.pcapng " + hash(atServer));
    }

    private static String simulate(long seed, Path atClient, Path atServer) throws IOException {
        Simulation simulation = new Simulation(seed);
        try (Topology topology = new Topology(simulation, 64L << 20)) {
            Host client = topology.host("client", StackConfig.defaults());
            Host server = topology.host("server", StackConfig.defaults());
            LinkSpec link =
                    LinkSpec.of(50_000_000, 5_000_000)
                            .withQueuePackets(60)
                            .with(Impairments.loss(1, 100))
                            .with(Impairments.reorder(2, 100, 3_000_000))
                            .with(Impairments.duplicate(1, 100))
                            .with(Impairments.corrupt(1, 200));
            topology.connect(client, NicSpec.standard(), link, server, NicSpec.standard(), link);
            topology.route();
            PacketDigest digest = new PacketDigest();
            digest.install(topology);
            Ledger up = new Ledger("to the server");
            Ledger down = new Ledger("to the client");
            Ledger bulk = new Ledger("bulk");
            startExchange(client, server, up, down);
            startBulk(client, server, bulk);
            try (CaptureTap first = new CaptureTap(client, atClient);
                    CaptureTap second = new CaptureTap(server, atServer)) {
                simulation.runFor(120 * SECOND);
                if (!up.isComplete() || !down.isComplete() || !bulk.isComplete()) {
                    throw new AssertionError("the transfers did not finish");
                }
                return "packets %d digest %016x events %d captured %d %d"
                        .formatted(
                                digest.packets(),
                                digest.value(),
                                simulation.eventsHandled(),
                                first.packets(),
                                second.packets());
            }
        }
    }

    /** Both directions at once, of bytes that exist. */
    private static void startExchange(Host client, Host server, Ledger up, Ledger down) {
        Payload here = Payload.stored(1);
        Payload there = Payload.stored(1L << 40);
        server.start(
                new Server(
                        STORED, s -> new DuplexSession(s, there, 300_000, 5_000, down, here, up)),
                0);
        client.start(
                new Client(
                        server.address(),
                        STORED,
                        s -> new DuplexSession(s, here, 400_000, 7_000, up, there, down)),
                0);
    }

    private static void startBulk(Host client, Host server, Ledger bulk) {
        Payload payload = Payload.synthetic();
        server.start(new Server(SYNTHETIC, s -> new BulkReceiver(s, payload, bulk)), 0);
        client.start(
                new Client(
                        server.address6(),
                        SYNTHETIC,
                        s -> new BulkSender(s, 2_000_000, 30_000, payload, bulk)),
                10_000_000);
    }

    private static String hash(Path file) throws IOException, NoSuchAlgorithmException {
        byte[] sha = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        return Files.size(file) + " bytes, SHA-256 " + HexFormat.of().formatHex(sha);
    }
}
