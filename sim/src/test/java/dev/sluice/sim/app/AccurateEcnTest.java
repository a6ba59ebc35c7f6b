package dev.sluice.sim.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.StackConfig;
import dev.sluice.config.Sysctl;
import dev.sluice.sim.check.InvariantChecker;
import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.Impairments;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;
import dev.sluice.sim.net.Topology;
import dev.sluice.tcp.TcpInfo;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

/** Both ends of a connection with accurate ECN agree on what happened between them. */
class AccurateEcnTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int BYTES = 3_000_000;

    @ParameterizedTest
    @CsvSource({
        "cubic, 0, false",
        "cubic, 1, true",
        "cubic, 2, false",
        "cubic, 3, true",
        "reno, 2, true",
        "dctcp, 2, false",
        "bbr, 2, true",
        "bbr, 1, false"
    })
    void the_sender_knows_exactly_what_arrived_marked(
            String congestion, int option, boolean offloads) {
        Ledger ledger = new Ledger("accurate");
        List<BulkReceiver> receivers = new ArrayList<>();
        List<BulkSender> senders = new ArrayList<>();
        StackConfig config =
                StackConfig.builder()
                        .set(Sysctl.TCP_ECN, 3)
                        .set(Sysctl.TCP_ECN_OPTION, option)
                        .set(Sysctl.TCP_CONGESTION_CONTROL, congestion)
                        .build();
        try (Topology topology = new Topology(new Simulation(5), 64L << 20)) {
            Host client = topology.host("client", config);
            Host server = topology.host("server", config);
            NicSpec card = offloads ? NicSpec.standard() : NicSpec.standard().withoutOffloads();
            LinkSpec back = LinkSpec.of(50_000_000, 5_000_000).withQueuePackets(100);
            LinkSpec there = back.with(Impairments.mark(1, 50));
            topology.connect(client, card, there, server, card, back);
            topology.route();
            InvariantChecker checker = new InvariantChecker();
            checker.install(topology);
            server.start(
                    new Server(
                            80,
                            socket -> {
                                receivers.add(
                                        new BulkReceiver(socket, Payload.synthetic(), ledger));
                                return receivers.getLast();
                            }),
                    0);
            client.start(
                    new Client(
                            server.address(),
                            80,
                            socket -> {
                                senders.add(
                                        new BulkSender(
                                                socket,
                                                BulkSender.ENDLESS,
                                                20_000,
                                                Payload.synthetic(),
                                                ledger));
                                return senders.getLast();
                            }),
                    0);
            while (ledger.delivered() < BYTES) {
                topology.simulation().runFor(SECOND / 100);
                assertThat(topology.simulation().now()).isLessThan(100 * SECOND);
            }
            checker.verify(topology.simulation().now());
            // What is on its way is the difference: at most the window.
            TcpInfo sender = senders.getFirst().socket().info(topology.simulation().now());
            TcpInfo receiver = receivers.getFirst().socket().info(topology.simulation().now());
            assertThat(sender.ecnMode).isEqualTo(2);
            assertThat(receiver.ecnMode).isEqualTo(2);
            assertThat(sender.accecnFailMode).isZero();
            assertThat(receiver.receivedCe).isGreaterThan(BYTES / 1460 / 100);
            assertThat(receiver.receivedCe - sender.deliveredCe)
                    .isBetween(0, Math.max(5, sender.sndCwnd / 10));
            assertThat(receiver.receivedCeBytes).isGreaterThan(receiver.receivedCe * 1000);
            if (option > 0) {
                assertThat(receiver.receivedCeBytes - sender.deliveredCeBytes)
                        .isBetween(0, sender.sndCwnd * 300);
                assertThat(receiver.receivedE0Bytes).isGreaterThan(BYTES / 2);
            }
        }
    }
}
