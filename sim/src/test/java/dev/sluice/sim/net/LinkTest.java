package dev.sluice.sim.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.PacketPool;
import dev.sluice.sim.engine.Simulation;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.List;

class LinkTest {
    private static final long MICROS = 1_000;

    private final Simulation simulation = new Simulation(1);
    private final PacketPool pool = new PacketPool(64 << 20);
    private RecordingEnd end = new RecordingEnd(pool, 0);

    @AfterEach
    void no_packet_is_lost_track_of() {
        simulation.runFor(1_000_000_000_000L);
        assertThat(pool.outstanding()).isZero();
        pool.close();
    }

    private Link link(LinkSpec spec) {
        Link link = new Link("a-b", simulation, pool, spec);
        link.connect(end);
        return link;
    }

    private void offer(Link link, int sequence, int wireLength) {
        link.offer(
                simulation.now(),
                TestPackets.synthetic(pool, sequence, wireLength - TestPackets.HEADERS));
    }

    private void run() {
        simulation.runFor(10_000_000_000L);
    }

    @Test
    void a_packet_takes_its_serialization_and_the_propagation_delay() {
        Link link = link(LinkSpec.of(1_000_000_000, 5 * MICROS));
        offer(link, 1, 1500);
        run();
        assertThat(end.times).containsExactly(12 * MICROS + 5 * MICROS);
    }

    @Test
    void overhead_counts_as_time_only() {
        Link link = link(LinkSpec.of(1_000_000_000, 0).withOverhead(38));
        offer(link, 1, 1462);
        run();
        assertThat(end.times).containsExactly(12 * MICROS);
    }

    @Test
    void packets_follow_each_other_without_a_gap() {
        Link link = link(LinkSpec.of(1_000_000_000, 5 * MICROS));
        offer(link, 1, 1500);
        offer(link, 2, 500);
        offer(link, 3, 1500);
        run();
        assertThat(end.times).containsExactly(17 * MICROS, 21 * MICROS, 33 * MICROS);
        assertThat(end.sequences).containsExactly(1, 2, 3);
    }

    @Test
    void a_rate_that_does_not_divide_a_second_does_not_drift() {
        Link link = link(LinkSpec.of(7_000_000, 0));
        for (int i = 0; i < 7_000; i++) {
            offer(link, i, 125);
        }
        run();
        // 7,000 packets of 1,000 bits at 7 Mbit/s are one second, exactly.
        assertThat(end.times.get(6_999)).isEqualTo(1_000_000_000L);
        // And each is out when its share of the second is over, rounded down.
        for (int i = 0; i < 7_000; i++) {
            assertThat(end.times.get(i)).isEqualTo((i + 1) * 1_000_000_000L / 7_000);
        }
    }

    @Test
    void an_idle_link_starts_at_once() {
        Link link = link(LinkSpec.of(1_000_000_000, 5 * MICROS));
        offer(link, 1, 1500);
        run();
        long later = simulation.now();
        offer(link, 2, 1500);
        run();
        assertThat(end.times.get(1)).isEqualTo(later + 17 * MICROS);
    }

    @Test
    void the_queue_drops_what_it_has_no_room_for() {
        Link link = link(LinkSpec.of(1_000_000_000, 0).withQueuePackets(2));
        for (int i = 1; i <= 5; i++) {
            offer(link, i, 1500); // one in serialization, two waiting, two dropped
        }
        simulation.runFor(12 * MICROS); // the first is out, so the second is in serialization
        offer(link, 6, 1500);
        offer(link, 7, 1500);
        run();
        assertThat(end.sequences).containsExactly(1, 2, 3, 6);
        assertThat(link.counts().refused()).isEqualTo(3);
    }

    @Test
    void a_byte_limit_counts_bytes() {
        Link link = link(LinkSpec.of(1_000_000_000, 0).withQueue(rng -> Fifo.ofBytes(2_000)));
        offer(link, 1, 1500);
        offer(link, 2, 1500);
        offer(link, 3, 600);
        offer(link, 4, 500);
        run();
        assertThat(end.sequences).containsExactly(1, 2, 4);
    }

    @Test
    void waiting_packets_are_counted_at_the_time_asked_for() {
        Link link = link(LinkSpec.of(1_000_000_000, 50 * MICROS));
        for (int i = 0; i < 4; i++) {
            offer(link, i, 1500);
        }
        assertThat(link.packetsWaiting(0)).isEqualTo(3);
        assertThat(link.bytesWaiting(0)).isEqualTo(4_500);
        assertThat(link.packetsWaiting(12 * MICROS - 1)).isEqualTo(3);
        assertThat(link.packetsWaiting(12 * MICROS)).isEqualTo(2);
        assertThat(link.packetsWaiting(30 * MICROS)).isEqualTo(1);
        assertThat(link.packetsInside()).isEqualTo(4);
    }

    @Test
    void a_packet_costs_one_event() {
        Link link = link(LinkSpec.of(1_000_000_000, 5 * MICROS));
        for (int i = 0; i < 1_000; i++) {
            offer(link, i, 1500);
        }
        run();
        assertThat(end.times).hasSize(1_000);
        assertThat(simulation.eventsHandled()).isEqualTo(1_000);
    }

    @Test
    void an_end_that_holds_gets_batches_with_true_arrival_times() {
        end = new RecordingEnd(pool, 30 * MICROS);
        Link link = link(LinkSpec.of(1_000_000_000, 0));
        for (int i = 0; i < 5; i++) {
            offer(link, i, 1500);
        }
        run();
        // The first arrives at 12, so the batch ends at 42 with what came at 12, 24 and 36.
        assertThat(end.batches).containsExactly(3, 2);
        assertThat(end.times)
                .isEqualTo(
                        List.of(12 * MICROS, 24 * MICROS, 36 * MICROS, 48 * MICROS, 60 * MICROS));
        assertThat(simulation.eventsHandled()).isEqualTo(2);
    }

    @Test
    void an_interrupted_link_loses_what_would_arrive_meanwhile() {
        Link link = link(LinkSpec.of(1_000_000_000, 100 * MICROS));
        link.interrupt(124 * MICROS, 148 * MICROS);
        for (int i = 1; i <= 4; i++) {
            offer(link, i, 1500); // they arrive at 112, 124, 136, 148
        }
        run();
        assertThat(end.sequences).containsExactly(1, 4);
        assertThat(link.counts().interrupted()).isEqualTo(2);
    }

    @Test
    void a_blackhole_swallows_large_packets_only() {
        Link link = link(LinkSpec.of(1_000_000_000, 0));
        link.loseLargerThan(1400);
        offer(link, 1, 1400);
        offer(link, 2, 1401);
        offer(link, 3, 60);
        run();
        assertThat(end.sequences).containsExactly(1, 3);
        assertThat(link.counts().blackholed()).isEqualTo(1);
        assertThat(link.counts().dropped()).isEqualTo(1);
    }
}
