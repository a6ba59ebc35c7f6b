package dev.sluice.sim.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.StackConfig;
import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;
import dev.sluice.sim.net.Topology;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** The programs that echo and that read slowly. */
class SessionsTest {
    private static final long SECOND = 1_000_000_000L;

    private final Simulation simulation = new Simulation(1);
    private final Topology topology = new Topology(simulation, 64L << 20);
    private final Host client = topology.host("client", StackConfig.defaults());
    private final Host server = topology.host("server", StackConfig.defaults());

    SessionsTest() {
        LinkSpec link = LinkSpec.of(100_000_000, 1_000_000);
        topology.connect(client, NicSpec.standard(), link, server, NicSpec.standard(), link);
        topology.route();
    }

    @AfterEach
    void close() {
        topology.close();
    }

    @Test
    void an_echo_session_returns_every_byte_and_then_the_end() {
        // What comes back is compared with what was sent, byte for byte, by the same payload.
        Payload payload = Payload.stored(99);
        Ledger there = new Ledger("there");
        Ledger back = new Ledger("back");
        server.start(EchoSession.server(7), 0);
        client.start(
                new Client(
                        server.address(),
                        7,
                        s ->
                                new DuplexSession(
                                        s,
                                        payload,
                                        500_000,
                                        10_000,
                                        there,
                                        payload,
                                        loop(there, back))),
                0);
        simulation.runFor(100 * SECOND);
        assertThat(there.written()).isEqualTo(500_000);
        assertThat(back.delivered()).isEqualTo(500_000);
        assertThat(back.isComplete()).isTrue();
        assertThat(server.stack().endpoints()).isZero();
    }

    /** What is echoed counts as written by the one who will read it. */
    private static Ledger loop(Ledger there, Ledger back) {
        back.wrote(500_000);
        back.endOfWriting();
        assertThat(there.written()).isZero();
        return back;
    }

    @Test
    void a_slow_reader_closes_the_window_and_gets_everything() {
        Payload payload = Payload.stored(5);
        Ledger ledger = new Ledger("slow");
        List<SlowReader> readers = new ArrayList<>();
        server.start(
                new Server(
                        80,
                        socket -> {
                            SlowReader reader =
                                    new SlowReader(socket, payload, ledger, 10_000, SECOND / 100);
                            readers.add(reader);
                            return reader;
                        }),
                0);
        client.start(
                new Client(
                        server.address(),
                        80,
                        s -> new BulkSender(s, 3_000_000, 50_000, payload, ledger)),
                0);
        simulation.runFor(SECOND);
        // A megabyte per second is what it reads, however fast the link is.
        assertThat(readers.getFirst().received()).isBetween(900_000L, 1_010_000L);
        simulation.runFor(30 * SECOND);
        assertThat(ledger.isComplete()).isTrue();
        assertThat(readers.getFirst().received()).isEqualTo(3_000_000);
        assertThat(readers.getFirst().isClosed()).isTrue();
    }
}
