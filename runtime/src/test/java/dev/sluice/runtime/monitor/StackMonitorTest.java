package dev.sluice.runtime.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.runtime.LiveStack;
import dev.sluice.runtime.device.Cable;
import dev.sluice.runtime.device.CableSpec;
import dev.sluice.runtime.device.Device;
import dev.sluice.trace.Counter;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;

import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** What live stacks say about themselves. */
@Timeout(60)
class StackMonitorTest {
    private static final String ADDRESS = "10.8.2.1";

    private LiveStack client;
    private LiveStack server;

    @BeforeEach
    void open() throws Exception {
        Cable cable = Cable.open(CableSpec.named("monitor"));
        client = stack(cable.first(), "10.8.2.2");
        server = stack(cable.second(), ADDRESS);
    }

    private static LiveStack stack(Device device, String address) throws Exception {
        LiveStack stack = new LiveStack(LiveStack.config().build(), device);
        stack.addAddress(IpAddress.parse(address).address(), 24);
        stack.start();
        return stack;
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private interface Use {
        void with(ServerSocket listener, Socket own, Socket accepted) throws Exception;
    }

    private void connected(Use use) throws Exception {
        try (ServerSocket listener =
                        server.serverSocketFactory()
                                .createServerSocket(8080, 7, InetAddress.getByName(ADDRESS));
                Socket own = client.socketFactory().createSocket(ADDRESS, 8080);
                Socket accepted = listener.accept()) {
            own.getOutputStream().write(new byte[1000]);
            accepted.getInputStream().readNBytes(900);
            accepted.getOutputStream().write(1);
            own.getInputStream().read();
            use.with(listener, own, accepted);
        }
    }

    @Test
    void connections_are_listed_as_ss_does() throws Exception {
        connected(
                (listener, own, accepted) -> {
                    String peer = "10.8.2.2:" + own.getLocalPort();
                    String[] lines = server.monitor().sockets("ti").split("\\R");
                    assertThat(lines).hasSize(2);
                    assertThat(lines[0].split(" +"))
                            .startsWith("ESTAB", "100")
                            .endsWith(ADDRESS + ":8080", peer);
                    assertThat(lines[1])
                            .matches("\\t ts sack cubic wscale:\\d+,\\d+ rto:[\\d.]+ rtt:.*")
                            .contains(" bytes_received:1000 ")
                            .contains(" bytes_sent:1 ")
                            .containsPattern(" mss:\\d+ pmtu:\\d+ rcvmss:\\d+ advmss:\\d+ cwnd:10 ")
                            .containsPattern(" segs_out:\\d+ segs_in:\\d+ data_segs_out:1 ")
                            .containsPattern(" send [\\d.]+[KMG]?bps ");
                });
    }

    @Test
    void rates_are_whole_numbers_if_they_are_to_be_numeric() throws Exception {
        connected(
                (listener, own, accepted) ->
                        assertThat(client.monitor().sockets("in"))
                                .containsPattern(" send \\d+bps "));
    }

    @Test
    void listening_sockets_have_their_queue_and_its_limit() throws Exception {
        connected(
                (listener, own, accepted) -> {
                    String[] words = server.monitor().sockets("l").strip().split(" +");
                    assertThat(words)
                            .containsExactly("LISTEN", "0", "7", ADDRESS + ":8080", "0.0.0.0:*");
                    assertThat(client.monitor().sockets("l")).isEmpty();
                    assertThat(server.monitor().sockets("a").lines())
                            .extracting(line -> line.split(" ")[0])
                            .containsExactly("LISTEN", "ESTAB");
                });
    }

    @Test
    void a_connection_in_time_wait_is_among_all() throws Exception {
        connected(
                (listener, own, accepted) -> {
                    own.close();
                    accepted.getInputStream().readAllBytes();
                    accepted.close();
                    while (!client.monitor().sockets("a").startsWith("TIME-WAIT")) {
                        Thread.onSpinWait();
                    }
                    assertThat(client.monitor().sockets("")).isEmpty();
                });
    }

    @Test
    void counters_have_the_names_of_nstat() throws Exception {
        connected(
                (listener, own, accepted) -> {
                    Map<String, Long> values = server.monitor().getCounters();
                    assertThat(values)
                            .hasSize(Counter.count())
                            .containsEntry("TcpPassiveOpens", 1L);
                    assertThat(server.monitor().getNstat().lines())
                            .contains("%-32s%-16d0.0".formatted("TcpPassiveOpens", 1))
                            .noneMatch(line -> line.startsWith("TcpAttemptFails"));
                });
    }

    @Test
    void differences_and_rates_are_per_second() {
        Map<String, Long> difference =
                CounterListing.difference(
                        Map.of("TcpInSegs", 10L, "TcpOutSegs", 1L),
                        Map.of("TcpInSegs", 15L, "TcpOutSegs", 1L));
        assertThat(CounterListing.of(difference, 2, false).lines())
                .containsExactly("%-32s%-16d2.5".formatted("TcpInSegs", 5));
        assertThat(CounterListing.of(difference, 2, true).lines()).hasSize(Counter.count());
    }

    @Test
    void a_published_stack_is_seen_by_jmx_until_it_is_closed() throws Exception {
        MBeanServer jmx = ManagementFactory.getPlatformMBeanServer();
        server.publish("web");
        client.publish("web");
        ObjectName name = new ObjectName("dev.sluice:type=LiveStack,name=web");
        ObjectName second = new ObjectName("dev.sluice:type=LiveStack,name=web#2");
        LiveStackMXBean seen = JMX.newMXBeanProxy(jmx, name, LiveStackMXBean.class);
        assertThat(seen.getName()).isEqualTo("web");
        assertThat(seen.getCounters()).hasSize(Counter.count());
        assertThat(seen.getConnections()).isZero();
        assertThat(jmx.isRegistered(second)).isTrue();
        assertThatThrownBy(() -> server.publish("again")).isInstanceOf(IllegalStateException.class);
        server.close();
        assertThat(jmx.isRegistered(name)).isFalse();
        assertThat(server.monitor().sockets("a")).isEmpty();
    }

    @Test
    void any_name_will_do() throws Exception {
        server.publish("a=b, c*");
        assertThat(server.monitor().getName()).isEqualTo("a=b, c*");
        assertThat(
                        ManagementFactory.getPlatformMBeanServer()
                                .queryNames(StackMonitor.pattern(), null))
                .hasSize(1);
    }
}
