package dev.sluice.verify.random;

import dev.sluice.config.StackConfig;
import dev.sluice.config.Sysctl;
import dev.sluice.sim.app.Client;
import dev.sluice.sim.app.DuplexSession;
import dev.sluice.sim.app.Payload;
import dev.sluice.sim.app.Server;
import dev.sluice.sim.check.CheckFailure;
import dev.sluice.sim.check.Checker;
import dev.sluice.sim.check.ConservationChecker;
import dev.sluice.sim.check.InvariantChecker;
import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.check.PacketDigest;
import dev.sluice.sim.check.WindowChecker;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.fault.Fault;
import dev.sluice.sim.fault.FaultInjector;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.Impairments;
import dev.sluice.sim.net.Link;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.PacketTap;
import dev.sluice.sim.net.Topology;
import dev.sluice.socket.SocketOption;
import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.TcpInfo;
import dev.sluice.verify.random.RandomOptions.FlowOptions;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Two hosts, a bad link and some connections, all drawn from one seed. While the faults last
 * nothing may break; when they are over, everything that is still open has to come to its end.
 */
final class RandomRun {
    private static final int PORT = 7_000;
    private static final long SECOND = 1_000_000_000L;

    /** Enough for the longest back-off of a timer to pass several times (B-0.5: 120 s). */
    private static final long LIVENESS = 1_000 * SECOND;

    /**
     * TIME_WAIT and FIN_WAIT_2 take 60 s each, the last retransmission of an orphan several
     * minutes.
     */
    private static final long FAREWELL = 1_000 * SECOND;

    private final RandomOptions options;
    private final Simulation simulation;
    private final PacketTap[] taps;
    private final List<Checker> checkers =
            List.of(new InvariantChecker(), new ConservationChecker(), new WindowChecker());
    private final PacketDigest digest = new PacketDigest();
    private final List<DuplexSession> sessions = new ArrayList<>();
    private final List<Ledger> ledgers = new ArrayList<>();
    private long packets;

    /**
     * @param taps see every packet of both hosts
     */
    RandomRun(RandomOptions options, PacketTap... taps) {
        this.options = options;
        this.taps = taps;
        simulation = new Simulation(options.seed());
    }

    /**
     * Runs to the end; a digest of every packet. Throws an AssertionError where something is wrong.
     */
    long run() {
        try (Topology topology = new Topology(simulation, 256L << 20)) {
            build(topology);
            checkers.forEach(checker -> checker.install(topology));
            digest.install(topology);
            for (Host host : topology.hosts()) {
                for (PacketTap tap : taps) {
                    host.tap(tap);
                }
            }
            simulation.runUntil(options.faultNanos());
            checkers.forEach(checker -> checker.verify(simulation.now()));
            long bound = simulation.now() + LIVENESS;
            while (simulation.now() < bound && !allClosed()) {
                simulation.runFor(SECOND);
            }
            verifyAllClosed();
            simulation.runFor(FAREWELL);
            checkers.forEach(checker -> checker.verify(simulation.now()));
            verifyNothingLeft(topology);
            packets = digest.packets();
            return digest.value();
        }
    }

    /** Packets seen at the hosts. */
    long packets() {
        return packets;
    }

    private void build(Topology topology) {
        Host client = topology.host("client", config(options.ecnClient()));
        Host server = topology.host("server", config(options.ecnServer()));
        topology.connect(
                client,
                options.clientCard(),
                marking(options.there().spec(options.faultNanos())),
                server,
                options.serverCard(),
                marking(options.back().spec(options.faultNanos())));
        topology.route();
        if (options.partition()) {
            FaultInjector injector = new FaultInjector(topology);
            long from = options.faultNanos() / 3;
            injector.inject(new Fault.Partition(from, "client", "server", from));
        }
        for (int i = 0; i < options.flows().size(); i++) {
            start(client, server, options.flows().get(i), i);
        }
    }

    private LinkSpec marking(LinkSpec spec) {
        return options.marks() == 0 ? spec : spec.with(Impairments.mark(options.marks(), 1000));
    }

    private StackConfig config(int ecn) {
        return StackConfig.builder()
                .set("net.ipv4.tcp_sack", options.sack() ? "1" : "0")
                .set("net.ipv4.tcp_timestamps", options.timestamps() ? "1" : "0")
                .set("net.ipv4.tcp_window_scaling", options.windowScaling() ? "1" : "0")
                .set("net.ipv4.tcp_congestion_control", options.congestion())
                .set(Sysctl.TCP_ECN, ecn)
                .set(Sysctl.TCP_ECN_OPTION, options.ecnOption())
                .build();
    }

    private void start(Host client, Host server, FlowOptions flow, int number) {
        Ledger up = ledger("flow " + number + " to the server");
        Ledger down = ledger("flow " + number + " to the client");
        long base = number * (1L << 40);
        server.start(
                new Server(
                        PORT + number,
                        128,
                        setUp(flow, flow.serverSendBuffer(), flow.serverReceiveBuffer()),
                        socket ->
                                session(
                                        new DuplexSession(
                                                socket,
                                                payload(flow, base + (1L << 39)),
                                                flow.serverBytes(),
                                                flow.writeSize(),
                                                down,
                                                payload(flow, base),
                                                up),
                                        flow.serverPatience())),
                0);
        client.start(
                new Client(
                        options.ipv6() ? server.address6() : server.address(),
                        PORT + number,
                        setUp(flow, flow.clientSendBuffer(), flow.clientReceiveBuffer()),
                        socket ->
                                session(
                                        new DuplexSession(
                                                socket,
                                                payload(flow, base),
                                                flow.clientBytes(),
                                                flow.writeSize(),
                                                up,
                                                payload(flow, base + (1L << 39)),
                                                down),
                                        flow.clientPatience())),
                flow.startNanos());
    }

    private static Payload payload(FlowOptions flow, long base) {
        return flow.synthetic() ? Payload.synthetic() : Payload.stored(base);
    }

    private DuplexSession session(DuplexSession session, long patience) {
        sessions.add(session);
        return session.closingAfter(patience);
    }

    private Ledger ledger(String name) {
        Ledger ledger = new Ledger(name);
        ledgers.add(ledger);
        return ledger;
    }

    private static Consumer<StreamSocket> setUp(
            FlowOptions flow, int sendBuffer, int receiveBuffer) {
        return socket -> {
            // A peer that gave up says so once; if that is lost, only asking brings it out.
            socket.setOption(0, SocketOption.SO_KEEPALIVE, 1);
            socket.setOption(0, SocketOption.TCP_KEEPIDLE, 60);
            if (sendBuffer > 0) {
                socket.setOption(0, SocketOption.SO_SNDBUF, sendBuffer);
            }
            if (receiveBuffer > 0) {
                socket.setOption(0, SocketOption.SO_RCVBUF, receiveBuffer);
            }
            if (flow.noDelay()) {
                socket.setOption(0, SocketOption.TCP_NODELAY, 1);
            }
            if (flow.reset()) {
                socket.setOption(0, SocketOption.SO_LINGER, 0);
            }
        };
    }

    private boolean allClosed() {
        return sessions.stream().allMatch(DuplexSession::isClosed);
    }

    private void verifyAllClosed() {
        StringBuilder open = new StringBuilder();
        for (DuplexSession session : sessions) {
            if (!session.isClosed()) {
                open.append(describe(session));
            }
        }
        if (!open.isEmpty()) {
            throw new CheckFailure(
                    simulation.now(),
                    "still open after "
                            + LIVENESS / SECOND
                            + " s without faults: "
                            + open
                            + books());
        }
    }

    private void verifyNothingLeft(Topology topology) {
        for (Host host : topology.hosts()) {
            if (host.stack().endpoints() != 0) {
                throw new CheckFailure(
                        simulation.now(),
                        host.name() + " still has " + host.stack().endpoints() + " endpoints");
            }
        }
        for (Link link : topology.links()) {
            if (link.packetsInside() != 0) {
                throw new CheckFailure(simulation.now(), link.name() + " still holds packets");
            }
        }
        if (topology.packets().outstanding() != 0) {
            throw new CheckFailure(
                    simulation.now(), topology.packets().outstanding() + " packet buffers leaked");
        }
    }

    private String describe(DuplexSession session) {
        TcpInfo info = session.socket().info(simulation.now());
        return "state %d, ca %d, rto %d us, retransmits %d, probes %d, unacked %d, sacked %d, lost %d, notsent %d, cwnd %d, snd_wnd %d, rcv_wnd %d, mss %d, sent %d of it again %d, acked %d, received %d, unread %d; "
                .formatted(
                        info.state,
                        info.caState,
                        info.rto,
                        info.retransmits,
                        info.probes,
                        info.unacked,
                        info.sacked,
                        info.lost,
                        info.notsentBytes,
                        info.sndCwnd,
                        info.sndWnd,
                        info.rcvWnd,
                        info.sndMss,
                        info.bytesSent,
                        info.bytesRetrans,
                        info.bytesAcked,
                        info.bytesReceived,
                        session.socket().unread());
    }

    private String books() {
        StringBuilder text = new StringBuilder();
        for (Ledger each : ledgers) {
            text.append(each.name()).append(": written ").append(each.written());
            text.append(", delivered ").append(each.delivered()).append("; ");
        }
        return text.toString();
    }
}
