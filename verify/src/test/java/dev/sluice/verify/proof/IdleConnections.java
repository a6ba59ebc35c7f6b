package dev.sluice.verify.proof;

import dev.sluice.config.StackConfig;
import dev.sluice.sim.app.IdleClients;
import dev.sluice.sim.app.Server;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;
import dev.sluice.sim.net.Topology;
import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.TcpState;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

import javax.management.JMException;
import javax.management.ObjectName;

/**
 * A program that establishes many connections between two simulated hosts, leaves them alone and
 * prints how much heap each of their endpoints takes, sockets and tables included.
 *
 * <p>A program and not a test, because the figure depends on the options of the JVM.
 */
final class IdleConnections {
    private static final int PORT = 7;

    /** One port has fewer local ports to be reached from than a host has clients here. */
    private static final int PORTS = 5;

    private static final int BATCH = 100;
    private static final long BATCH_NANOS = 1_000_000;
    private static final long MEMORY = 64L << 20;

    /** After the last handshake: every delayed timer of it has long run out. */
    private static final long REST_NANOS = 300_000_000_000L;

    private IdleConnections() {}

    /** Prints bytes of heap per endpoint, then the classes with the most of it. */
    public static void main(String[] args) throws JMException {
        int count = Integer.parseInt(args[0]);
        Simulation simulation = new Simulation(1);
        try (Topology topology = new Topology(simulation, MEMORY)) {
            Host client = topology.host("client", StackConfig.defaults());
            Host server = topology.host("server", StackConfig.defaults());
            LinkSpec link = LinkSpec.of(1_000_000_000, 100_000);
            topology.connect(client, NicSpec.standard(), link, server, NicSpec.standard(), link);
            topology.route();
            // What one connection needs is loaded, and what the first one creates is there.
            List<Keeper> keepers = new ArrayList<>();
            List<IdleClients> clients = new ArrayList<>();
            begin(client, server, PORT - 1, 1, keepers, clients);
            simulation.runFor(REST_NANOS);
            long before = usedAfterCollection();
            for (int i = 0; i < PORTS; i++) {
                begin(client, server, PORT + i, count / PORTS, keepers, clients);
            }
            simulation.runFor(count / BATCH * BATCH_NANOS + REST_NANOS);
            long used = usedAfterCollection() - before;
            int established = count(clients, keepers) - 2;
            if (established != count / PORTS * PORTS * 2) {
                throw new AssertionError("endpoints established: " + established);
            }
            System.out.println(used / established);
            System.out.println(histogram());
        }
    }

    private static void begin(
            Host client,
            Host server,
            int port,
            int count,
            List<Keeper> keepers,
            List<IdleClients> clients) {
        Keeper keeper = new Keeper(count);
        keepers.add(keeper);
        server.start(new Server(port, keeper::keep), server.now());
        IdleClients opener = new IdleClients(server.address(), port, count, BATCH, BATCH_NANOS);
        clients.add(opener);
        client.start(opener, client.now());
    }

    /** Where accepted sockets stay. */
    private static final class Keeper {
        private final StreamSocket[] sockets;
        private int size;

        Keeper(int count) {
            sockets = new StreamSocket[count];
        }

        App keep(StreamSocket socket) {
            sockets[size++] = socket;
            return null;
        }
    }

    private static int count(List<IdleClients> clients, List<Keeper> keepers) {
        int established = 0;
        for (IdleClients each : clients) {
            for (int i = 0; i < each.opened(); i++) {
                established += each.socket(i).state() == TcpState.ESTABLISHED ? 1 : 0;
            }
        }
        for (Keeper each : keepers) {
            for (int i = 0; i < each.size; i++) {
                established += each.sockets[i].state() == TcpState.ESTABLISHED ? 1 : 0;
            }
        }
        return established;
    }

    /** Bytes reachable: the serial collector leaves nothing else after a full collection. */
    private static long usedAfterCollection() {
        System.gc();
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static String histogram() throws JMException {
        Object text =
                ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                "gcClassHistogram",
                                new Object[] {new String[0]},
                                new String[] {String[].class.getName()});
        return String.join("\n", text.toString().lines().limit(25).toList());
    }
}
