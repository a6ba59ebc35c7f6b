package dev.sluice.verify.readme;

import static org.assertj.core.api.Assertions.assertThat;

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
import dev.sluice.stack.NetworkStack;
import dev.sluice.verify.Checkout;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

/** The example of docs/congestion-control.md is compiled, registered as it says, and run. */
class CongestionControlPageTest {
    private static final Pattern BLOCK = Pattern.compile("(?s)\n```java\n(.*?)\n```\n");
    private static final Pattern CLASS = Pattern.compile("(?m)^(?:public )?final class (\\w+)");
    private static final long SECOND = 1_000_000_000L;

    @TempDir Path directory;
    private URLClassLoader loader;

    @BeforeEach
    void compile() throws IOException {
        String page = Files.readString(Checkout.root().resolve("docs/congestion-control.md"));
        List<String> arguments = new ArrayList<>();
        Path core =
                Path.of(
                        NetworkStack.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath());
        arguments.addAll(List.of("-Xlint:all", "-Werror", "-cp", core.toString()));
        arguments.addAll(List.of("-d", directory.toString()));
        Matcher blocks = BLOCK.matcher(page);
        while (blocks.find()) {
            Matcher name = CLASS.matcher(blocks.group(1));
            assertThat(name.find()).isTrue();
            Path file = directory.resolve(name.group(1) + ".java");
            Files.writeString(file, blocks.group(1));
            arguments.add(file.toString());
        }
        int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, arguments.toArray(String[]::new));
        assertThat(status).isZero();
        loader = new URLClassLoader(new URL[] {directory.toUri().toURL()});
    }

    @Test
    void the_example_fills_a_link_and_keeps_its_queue_short() throws Exception {
        double[] alone = run("", 1);
        assertThat(alone[0]).as("Mbit/s").isGreaterThan(90);
        assertThat(alone[1]).as("packets waiting").isBetween(3.0, 20.0);
    }

    @Test
    void among_cubic_flows_it_starves() throws Exception {
        assertThat(run("cubic", 2)[0]).isLessThan(30);
    }

    /** Mbit/s of the first flow and packets waiting on average, of so many flows. */
    private double[] run(String others, int flows) throws Exception {
        Ledger ledger = new Ledger("page");
        List<BulkReceiver> receivers = new ArrayList<>();
        try (Topology topology = new Topology(new Simulation(1), 256L << 20)) {
            Host client = topology.host("client", StackConfig.defaults());
            Host server = topology.host("server", StackConfig.defaults());
            LinkSpec link = LinkSpec.of(100_000_000, 10_000_000).withQueuePackets(170);
            topology.connect(client, NicSpec.standard(), link, server, NicSpec.standard(), link);
            topology.route();
            register(client.stack());
            server.start(
                    new Server(
                            80,
                            socket -> {
                                receivers.add(
                                        new BulkReceiver(socket, Payload.synthetic(), ledger));
                                return receivers.getLast();
                            }),
                    0);
            for (int i = 0; i < flows; i++) {
                String congestion = i == 0 ? "" : others;
                client.start(
                        new Client(
                                server.address(),
                                80,
                                socket -> {
                                    if (!congestion.isEmpty()) {
                                        assertThat(socket.setCongestionControl(congestion))
                                                .isZero();
                                    }
                                    return new BulkSender(
                                            socket,
                                            BulkSender.ENDLESS,
                                            65_536,
                                            Payload.synthetic(),
                                            ledger);
                                }),
                        i * SECOND / 10);
            }
            topology.simulation().runFor(5 * SECOND);
            long before = receivers.getFirst().received();
            double waiting = 0;
            for (int i = 0; i < 1_000; i++) {
                topology.simulation().runFor(SECOND / 100);
                waiting +=
                        topology.link("client", "server")
                                .packetsWaiting(topology.simulation().now());
            }
            double bits = (receivers.getFirst().received() - before) * 8.0;
            return new double[] {bits / 10e6, waiting / 1_000};
        }
    }

    private void register(NetworkStack stack) throws Exception {
        Class<?> registration = loader.loadClass("Registration");
        Method register = registration.getDeclaredMethod("register", NetworkStack.class);
        register.setAccessible(true);
        register.invoke(null, stack);
        assertThat(stack.tcp().knowsCongestionControl("shortqueue")).isTrue();
    }
}
