package dev.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import dev.sluice.runtime.device.Cable;
import dev.sluice.runtime.device.CableSpec;
import dev.sluice.runtime.device.Device;
import dev.sluice.runtime.device.DeviceException;
import dev.sluice.runtime.service.Service;
import dev.sluice.trace.Counter;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Two live stacks joined by a cable. */
@Timeout(120)
class CableTest {
    private static final IpAddress SERVER = IpAddress.parse("10.9.0.1").address();
    private static final IpAddress CLIENT = IpAddress.parse("10.9.0.2").address();
    private static final int MIB = 1 << 20;
    private static final long MILLISECOND = 1_000_000;

    private record Pair(LiveStack server, LiveStack client) implements AutoCloseable {
        static Pair on(CableSpec spec) throws DeviceException {
            Cable cable = Cable.open(spec);
            LiveStack server = stack(cable.first(), SERVER);
            LiveStack client = stack(cable.second(), CLIENT);
            for (Service service : Service.values()) {
                service.listen(server.stack());
            }
            server.start();
            client.start();
            return new Pair(server, client);
        }

        private static LiveStack stack(Device end, IpAddress address) throws DeviceException {
            LiveStack stack = new LiveStack(LiveStack.config().build(), end);
            stack.addAddress(address, 24);
            return stack;
        }

        long count(LiveStack stack, Counter counter) {
            return stack.loop().call(now -> stack.stack().counters().get(counter));
        }

        @Override
        public void close() {
            client.close();
            server.close();
        }
    }

    @Test
    void bytes_cross_in_super_packets_that_nobody_splits_or_sums() throws Exception {
        try (Pair pair = Pair.on(CableSpec.named("lan"))) {
            EchoClient echo = EchoClient.start(pair.client(), SERVER, 64 * MIB);
            assertThat(echo.outcome()).matches("[0-9a-f]{64}");
            long segments = pair.count(pair.server(), Counter.TCP_IN_SEGS);
            long packets = pair.count(pair.server(), Counter.IP_IN_RECEIVES);
            assertThat(segments).as("segments of 1460 bytes").isGreaterThan(64L * MIB / 1460);
            assertThat(packets).as("IP packets").isLessThan(segments / 5);
        }
    }

    @Test
    void a_plain_cable_carries_packets_of_the_MTU_with_checksums() throws Exception {
        try (Pair pair = Pair.on(CableSpec.named("lan").plain())) {
            EchoClient echo = EchoClient.start(pair.client(), SERVER, 16 * MIB);
            assertThat(echo.outcome()).matches("[0-9a-f]{64}");
            assertThat(pair.count(pair.server(), Counter.TCP_IN_SEGS))
                    .isGreaterThan(16L * MIB / 1460);
            assertThat(pair.count(pair.server(), Counter.TCP_IN_CSUM_ERRORS)).isZero();
        }
    }

    @Test
    void the_MTU_of_the_cable_is_kept() throws Exception {
        try (Pair pair = Pair.on(CableSpec.named("lan").withMtu(9000).plain())) {
            EchoClient echo = EchoClient.start(pair.client(), SERVER, 16 * MIB);
            assertThat(echo.outcome()).matches("[0-9a-f]{64}");
            assertThat(pair.count(pair.server(), Counter.TCP_IN_SEGS))
                    .isBetween(16L * MIB / 8960, 16L * MIB / 3000);
        }
    }

    @Test
    void eight_connections_at_once_share_a_cable() throws Exception {
        try (Pair pair = Pair.on(CableSpec.named("lan"))) {
            List<EchoClient> clients = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                clients.add(EchoClient.start(pair.client(), SERVER, 8 * MIB));
            }
            assertThat(clients).allSatisfy(c -> assertThat(c.outcome()).matches("[0-9a-f]{64}"));
        }
    }

    @Test
    void what_a_cable_loses_is_sent_again() throws Exception {
        CableSpec lossy = CableSpec.named("lan").plain().withLoss(10_000_000, 3);
        try (Pair pair = Pair.on(lossy.withDelay(MILLISECOND))) {
            EchoClient echo = EchoClient.start(pair.client(), SERVER, 4 * MIB);
            assertThat(echo.outcome()).matches("[0-9a-f]{64}");
            assertThat(pair.count(pair.client(), Counter.TCP_RETRANS_SEGS)).isPositive();
        }
    }

    @Test
    void super_packets_may_be_lost_too() throws Exception {
        CableSpec lossy = CableSpec.named("lan").withLoss(50_000_000, 4);
        try (Pair pair = Pair.on(lossy)) {
            EchoClient echo = EchoClient.start(pair.client(), SERVER, 16 * MIB);
            assertThat(echo.outcome()).matches("[0-9a-f]{64}");
            assertThat(pair.count(pair.client(), Counter.TCP_RETRANS_SEGS)).isPositive();
        }
    }

    @Test
    void a_delayed_cable_makes_the_round_trip_that_long() throws Exception {
        try (Pair pair = Pair.on(CableSpec.named("lan").withDelay(20 * MILLISECOND))) {
            long before = pair.client().loop().now();
            EchoClient echo = EchoClient.start(pair.client(), SERVER, 1);
            assertThat(echo.outcome()).matches("[0-9a-f]{64}");
            // Handshake, then data with FIN and its echo: never faster than two round trips.
            assertThat(pair.client().loop().now() - before).isGreaterThan(80 * MILLISECOND);
        }
    }

    @Test
    void a_rate_bounds_how_fast_bytes_cross_and_its_queue_drops_what_is_too_much()
            throws Exception {
        CableSpec slow = CableSpec.named("lan").withRate(100_000_000, 64_000).plain();
        try (Pair pair = Pair.on(slow.withDelay(2 * MILLISECOND))) {
            long before = pair.client().loop().now();
            EchoClient echo = EchoClient.start(pair.client(), SERVER, 4 * MIB);
            assertThat(echo.outcome()).matches("[0-9a-f]{64}");
            long nanos = pair.client().loop().now() - before;
            // Headers included the line needs 344 ms for 4 MiB.
            assertThat(nanos).isGreaterThan(340 * MILLISECOND);
            assertThat(pair.count(pair.client(), Counter.TCP_RETRANS_SEGS)).isPositive();
        }
    }

    @Test
    void when_one_end_is_closed_the_other_goes_on_and_its_packets_vanish() throws Exception {
        Cable cable = Cable.open(CableSpec.named("lan"));
        LiveStack server = Pair.stack(cable.first(), SERVER);
        Service.ECHO.listen(server.stack());
        server.start();
        try (LiveStack client = Pair.stack(cable.second(), CLIENT)) {
            client.start();
            EchoClient endless = EchoClient.start(client, SERVER, Long.MAX_VALUE);
            while (client.loop().call(now -> client.stack().counters().get(Counter.TCP_IN_SEGS))
                    < 1000) {
                Thread.onSpinWait();
            }
            server.close();
            // The reset of the closing stack arrives; a new connection gets no answer.
            assertThat(endless.outcome()).isEqualTo("error -104");
            EchoClient unanswered = EchoClient.start(client, SERVER, 10);
            assertThat(client.loop().thread().isAlive()).isTrue();
            long sent =
                    client.loop().call(n -> client.stack().counters().get(Counter.TCP_OUT_SEGS));
            assertThat(sent).isPositive();
            assertThat(unanswered.isRunning()).isTrue();
            assertThat(cable.second().dropped()).isPositive();
        }
    }

    @Test
    void a_stack_that_starts_late_gets_what_waited_for_it() throws Exception {
        Cable cable = Cable.open(CableSpec.named("lan"));
        try (LiveStack client = Pair.stack(cable.second(), CLIENT);
                LiveStack server = Pair.stack(cable.first(), SERVER)) {
            client.start();
            EchoClient echo = EchoClient.start(client, SERVER, MIB);
            Service.ECHO.listen(server.stack());
            server.start();
            assertThat(echo.outcome()).matches("[0-9a-f]{64}");
        }
    }

    @Test
    void nothing_is_allocated_for_a_segment() throws Exception {
        try (Pair pair = Pair.on(CableSpec.named("lan").plain())) {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long[] ids = {
                pair.client().loop().thread().threadId(), pair.server().loop().thread().threadId()
            };
            EchoClient.start(pair.client(), SERVER, 64 * MIB).outcome();
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 3 && least >= 1_000_000; i++) {
                long before = allocated(threads, ids);
                EchoClient.start(pair.client(), SERVER, 64 * MIB).outcome();
                least = Math.min(least, allocated(threads, ids) - before);
            }
            // 90,000 segments; what is left are the buffers of one connection and of its session.
            assertThat(least).isLessThan(1_000_000);
        }
    }

    private static long allocated(ThreadMXBean threads, long[] ids) {
        long sum = 0;
        for (long bytes : threads.getThreadAllocatedBytes(ids)) {
            sum += bytes;
        }
        return sum;
    }
}
