package dev.sluice.sim.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.seed.Rng;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.wire.WireImage;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

class ImpairmentsTest {
    private static final long MICROS = 1_000;
    private static final int MANY = 20_000;

    private final PacketPool pool = new PacketPool(64 << 20);

    @AfterEach
    void no_packet_is_lost_track_of() {
        assertThat(pool.outstanding()).isZero();
        pool.close();
    }

    /** Sends so many numbered packets of 100 bytes, one every 10 microseconds. */
    private RecordingEnd send(long seed, int count, Function<Rng, Impairment> impairment) {
        Simulation simulation = new Simulation(seed);
        RecordingEnd end = new RecordingEnd(pool, 0);
        LinkSpec spec = LinkSpec.of(80_000_000, 50 * MICROS).with(impairment);
        Link link = new Link("a-b", simulation, pool, spec);
        link.connect(end);
        for (int i = 0; i < count; i++) {
            link.offer(simulation.now(), TestPackets.synthetic(pool, i, 60));
            simulation.runFor(10 * MICROS);
        }
        simulation.runFor(1_000_000_000);
        assertThat(link.packetsInside()).isZero();
        LinkCounts counts = link.counts();
        assertThat(counts.entered() + counts.duplicated())
                .isEqualTo(counts.delivered() + counts.dropped());
        return end;
    }

    private static List<Integer> upTo(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void uniform_loss_loses_its_share() {
        RecordingEnd end = send(1, MANY, Impairments.loss(1, 20));
        assertThat(MANY - end.sequences.size()).isBetween(900, 1_100);
    }

    @Test
    void uniform_loss_has_no_memory() {
        RecordingEnd end = send(2, MANY, Impairments.loss(1, 5));
        assertThat(burstsOf(end, MANY).averageLength()).isBetween(1.2, 1.3);
    }

    @Test
    void burst_loss_comes_in_bursts() {
        RecordingEnd end = send(3, MANY, Impairments.burstLoss(10, 10));
        // A bad state begins after 100 packets on average and lasts for 10, in which half are lost.
        double expected = MANY * 10 / 110.0 / 2;
        assertThat(MANY - end.sequences.size())
                .isBetween((int) (expected * 0.75), (int) (expected * 1.25));
        assertThat(burstsOf(end, MANY).averageLength()).isBetween(1.6, 2.1);
    }

    private record Bursts(int lost, int bursts) {
        double averageLength() {
            return (double) lost / bursts;
        }
    }

    private static Bursts burstsOf(RecordingEnd end, int count) {
        HashSet<Integer> arrived = new HashSet<>(end.sequences);
        int lost = 0;
        int bursts = 0;
        for (int i = 0; i < count; i++) {
            if (!arrived.contains(i)) {
                lost++;
                if (i == 0 || arrived.contains(i - 1)) {
                    bursts++;
                }
            }
        }
        return new Bursts(lost, bursts);
    }

    @Test
    void a_predicate_picks_its_victims() {
        RecordingEnd end = send(1, 6, Impairments.lossOf(PacketTest.numbers(0, 3)));
        assertThat(end.sequences).containsExactly(1, 2, 4, 5);
        RecordingEnd second = send(1, 4, Impairments.lossOf(PacketTest.nth(2, PacketTest.data())));
        assertThat(second.sequences).containsExactly(0, 1, 3);
        assertThat(send(1, 3, Impairments.lossOf(PacketTest.pureAck())).sequences).hasSize(3);
        assertThat(send(1, 3, Impairments.lossOf(PacketTest.anyFlag(PacketView.ACK))).sequences)
                .isEmpty();
    }

    @Test
    void delayed_packets_are_overtaken() {
        RecordingEnd end = send(5, 1_000, Impairments.reorder(1, 10, 25 * MICROS));
        assertThat(end.sequences).hasSize(1_000).doesNotHaveDuplicates();
        int late = 0;
        for (int i = 0; i < 1_000; i++) {
            int sequence = end.sequences.get(i);
            long onTime = sequence * 10L * MICROS + 60 * MICROS;
            assertThat(end.times.get(i)).isIn(onTime, onTime + 25 * MICROS);
            late += end.times.get(i) == onTime ? 0 : 1;
        }
        assertThat(late).isBetween(70, 130);
        assertThat(end.sequences).isNotEqualTo(upTo(1_000));
    }

    @Test
    void a_swap_lets_exactly_so_many_pass() {
        RecordingEnd end = send(1, 6, swapFirst(3, 1_000_000));
        assertThat(end.sequences).containsExactly(1, 2, 3, 0, 4, 5);
    }

    @Test
    void a_swap_does_not_wait_for_ever() {
        RecordingEnd end = send(1, 3, swapFirst(5, 100 * MICROS));
        assertThat(end.sequences).containsExactly(1, 2, 0);
        assertThat(end.times.get(2)).isEqualTo(60 * MICROS + 100 * MICROS);
    }

    private static Function<Rng, Impairment> swapFirst(int distance, long atMostNanos) {
        return rng ->
                (now, packet, fate) -> {
                    if (PacketView.sequence(packet) == 0) {
                        fate.letPass(distance, atMostNanos);
                    }
                };
    }

    @Test
    void duplicates_follow_their_original() {
        RecordingEnd end = send(6, MANY, Impairments.duplicate(1, 50));
        int copies = end.sequences.size() - MANY;
        assertThat(copies).isBetween(320, 480);
        for (int i = 1; i < end.sequences.size(); i++) {
            assertThat(end.sequences.get(i) - end.sequences.get(i - 1)).isIn(0, 1);
        }
    }

    @Test
    void jitter_without_overtaking_keeps_the_order() {
        RecordingEnd end = send(7, 2_000, Impairments.jitter(100 * MICROS, false));
        assertThat(end.sequences).isEqualTo(upTo(2_000));
        assertThat(end.times).isSorted();
        assertThat(end.times.get(1_999) - end.times.get(1_998)).isNotEqualTo(10 * MICROS);
    }

    @Test
    void jitter_with_overtaking_stays_within_its_bound() {
        RecordingEnd end = send(8, 2_000, Impairments.jitter(100 * MICROS, true));
        assertThat(end.sequences)
                .isNotEqualTo(upTo(2_000))
                .containsExactlyInAnyOrderElementsOf(upTo(2_000));
        for (int i = 0; i < 2_000; i++) {
            long extra = end.times.get(i) - (end.sequences.get(i) * 10L * MICROS + 60 * MICROS);
            assertThat(extra).isBetween(0L, 100 * MICROS);
        }
    }

    @Test
    void damage_to_synthetic_payload_is_noted() {
        RecordingEnd end = send(9, MANY, Impairments.corrupt(1, 10));
        long bad = end.checksums.stream().filter(c -> c == PacketBuffer.CHECKSUM_BAD).count();
        assertThat(bad).isBetween(1_600L, 2_100L);
    }

    @Test
    void damage_to_stored_bytes_is_one_flipped_bit_under_a_true_checksum() {
        Impairment corrupt = Impairments.corrupt(1, 1).apply(new Rng(3));
        for (int i = 0; i < 200; i++) {
            PacketBuffer packet = TestPackets.stored(pool, 7, 80);
            PacketBuffer original = TestPackets.stored(pool, 7, 80);
            WireImage.completeChecksum(original);

            corrupt.apply(0, packet, new PacketFate());

            assertThat(packet.checksum()).isEqualTo(PacketBuffer.CHECKSUM_UNVERIFIED);
            int flipped = 0;
            for (int at = 0; at < 120; at++) {
                flipped +=
                        Integer.bitCount(PacketView.u8(packet, at) ^ PacketView.u8(original, at));
            }
            assertThat(flipped).isEqualTo(1);
            pool.release(packet);
            pool.release(original);
        }
    }

    @Test
    void only_what_is_ecn_capable_is_marked_and_the_header_checksum_follows() {
        Impairment mark = Impairments.mark(1, 1).apply(new Rng(1));
        for (int field = 0; field < 4; field++) {
            PacketBuffer packet = TestPackets.stored(pool, 7, 80);
            PacketView.put8(packet, 1, 0xb8 | field);
            PacketView.put16(packet, 10, ~headerSum(packet) & 0xffff);
            mark.apply(0, packet, new PacketFate());
            assertThat(PacketView.u8(packet, 1)).isEqualTo(field == 0 ? 0xb8 : 0xbb);
            assertThat(headerSum(packet)).isEqualTo(0xffff);
            pool.release(packet);
        }
    }

    private static int headerSum(PacketBuffer packet) {
        int sum = 0;
        for (int at = 0; at < 20; at += 2) {
            sum += PacketView.u16(packet, at);
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        return (sum & 0xffff) + (sum >>> 16);
    }

    @Test
    void the_same_seed_gives_the_same_fate() {
        Function<Rng, Impairment> loss = Impairments.loss(1, 3);
        assertThat(send(11, 500, loss).sequences).isEqualTo(send(11, 500, loss).sequences);
        assertThat(send(12, 500, loss).sequences).isNotEqualTo(send(11, 500, loss).sequences);
    }
}
