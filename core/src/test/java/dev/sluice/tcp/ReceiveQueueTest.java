package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.seed.Rng;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

class ReceiveQueueTest {
    private static final int MAX_ISLANDS = 1000;
    private static final int TRUESIZE = 2048 + 576;

    private final PacketPool pool = new PacketPool(64 << 20);
    private final ReceiveQueue queue = new ReceiveQueue();

    @AfterEach
    void close() {
        queue.clear(pool);
        assertThat(pool.outstanding()).as("packets not given back").isZero();
        pool.close();
    }

    // ---- blocks ------------------------------------------------------------------------------

    @Test
    void first_block_is_the_island_of_the_last_segment() {
        insert(1001, 2001);
        insert(3001, 4001);
        insert(5001, 6001);
        assertThat(blocks()).containsExactly("5001:6001", "3001:4001", "1001:2001");

        insert(4001, 5001);
        assertThat(blocks()).containsExactly("3001:6001", "1001:2001");
    }

    @Test
    void a_fifth_island_pushes_the_oldest_block_out_and_comes_back_when_it_changes() {
        for (int i = 1; i <= 5; i++) {
            insert(i * 2000, i * 2000 + 1000);
        }
        assertThat(blocks()).containsExactly("10000:11000", "8000:9000", "6000:7000", "4000:5000");

        // RFC 2018 section 4: the first block covers all contiguous data, not the new segment
        // alone.
        insert(3000, 3500);
        assertThat(blocks().getFirst()).isEqualTo("2000:3500");
    }

    @Test
    void a_change_beyond_the_second_block_is_distant() {
        assertThat(insert(2000, 3000) & ReceiveQueue.DISTANT_BLOCK).isZero();
        assertThat(insert(4000, 5000) & ReceiveQueue.DISTANT_BLOCK).isZero();
        assertThat(insert(6000, 7000) & ReceiveQueue.DISTANT_BLOCK).isNotZero();
        assertThat(insert(7000, 8000) & ReceiveQueue.DISTANT_BLOCK).isZero();
        assertThat(insert(3000, 3500) & ReceiveQueue.DISTANT_BLOCK).isNotZero();
    }

    @Test
    void blocks_below_the_first_hole_are_forgotten_when_it_is_filled() {
        insert(1001, 2001);
        insert(3001, 4001);
        assertThat(queue.advance(pool, 1001, true)).isEqualTo(ReceiveQueue.KEPT);
        deliverFirst();
        assertThat(blocks()).containsExactly("3001:4001");
    }

    // ---- duplicates --------------------------------------------------------------------------

    @Test
    void a_whole_duplicate_is_reported_once_and_before_its_island() {
        insert(1001, 3001);
        int bits = insert(1501, 2001);
        assertThat(bits & ReceiveQueue.DUPLICATE).isNotZero();
        assertThat(bits & ReceiveQueue.KEPT).isZero();
        assertThat(blocks()).containsExactly("1501:2001", "1001:3001");
        queue.onSent();
        assertThat(blocks()).containsExactly("1001:3001");
    }

    @Test
    void a_duplicate_that_was_not_written_into_a_segment_stays() {
        insert(1001, 3001);
        insert(1501, 2001);
        queue.onSent();
        assertThat(blocks()).startsWith("1501:2001");
    }

    @Test
    void overlap_on_both_sides_keeps_what_is_new_and_reports_the_first_duplicate() {
        insert(1001, 2001);
        insert(3001, 4001);
        int bits = insert(1501, 3501);
        assertThat(bits & ReceiveQueue.OVERLAPPED).isNotZero();
        assertThat(blocks()).containsExactly("1501:2001", "1001:4001");
        assertThat(queue.islands()).isEqualTo(1);
    }

    @Test
    void touching_duplicates_become_one_report() {
        queue.duplicate(1001, 2001);
        queue.duplicate(2001, 3001);
        queue.duplicate(5001, 6001);
        assertThat(blocks()).containsExactly("1001:3001");
    }

    @Test
    void nothing_is_reported_if_the_peer_does_not_want_it() {
        insert(1001, 3001);
        queue.insert(pool, null, 1501, 2001, false, false, MAX_ISLANDS);
        assertThat(blocks()).containsExactly("1001:3001");
    }

    // ---- FIN, bounds -------------------------------------------------------------------------

    @Test
    void a_fin_beyond_a_hole_waits_for_its_turn() {
        PacketBuffer packet = real(1001, 2001);
        int bits = queue.insert(pool, packet, 1001, 2002, true, true, MAX_ISLANDS);
        assertThat(bits & ReceiveQueue.KEPT).isNotZero();
        assertThat(queue.finAt()).isEqualTo(2001);
        assertThat(queue.advance(pool, 1001, true)).isEqualTo(ReceiveQueue.KEPT);
        assertThat(deliverFirst()).isEqualTo(2002);
    }

    @Test
    void a_bare_fin_is_an_island_without_packets() {
        assertThat(
                        queue.insert(pool, null, 1001, 1002, true, true, MAX_ISLANDS)
                                & ReceiveQueue.KEPT)
                .isZero();
        insert(501, 1001);
        assertThat(queue.islands()).isEqualTo(1);
        assertThat(queue.highestEnd()).isEqualTo(1002);
        assertThat(queue.advance(pool, 501, true)).isEqualTo(ReceiveQueue.KEPT);
        assertThat(deliverFirst()).isEqualTo(1002);
    }

    @Test
    void an_island_too_many_is_refused_but_growth_is_not() {
        assertThat(queue.insert(pool, real(1001, 2001), 1001, 2001, false, true, 1)).isNotZero();
        PacketBuffer refused = real(3001, 4001);
        assertThat(queue.insert(pool, refused, 3001, 4001, false, true, 1))
                .isEqualTo(ReceiveQueue.FULL);
        pool.release(refused);
        int bits = queue.insert(pool, real(2001, 3001), 2001, 3001, false, true, 1);
        assertThat(bits & ReceiveQueue.KEPT).isNotZero();
    }

    // ---- making room -------------------------------------------------------------------------

    @Test
    void pruning_takes_the_highest_data_and_forgets_the_blocks() {
        for (int i = 0; i < 10; i++) {
            insert(1001 + i * 1000, 2001 + i * 1000);
        }
        insert(50_001, 51_001);
        int freed = queue.prune(pool, 1, 3 * TRUESIZE);
        assertThat(freed).isEqualTo(3 * TRUESIZE);
        assertThat(queue.highestEnd()).isEqualTo(9001);
        assertThat(blocks()).isEmpty();
    }

    @Test
    void pruning_never_reaches_below_the_arriving_segment() {
        insert(1001, 2001);
        insert(2001, 3001);
        insert(3001, 4001);
        assertThat(queue.prune(pool, 3001, 100 * TRUESIZE)).isEqualTo(TRUESIZE);
        assertThat(queue.highestEnd()).isEqualTo(3001);
        assertThat(queue.prune(pool, 3001, 100 * TRUESIZE)).isZero();
    }

    @Test
    void collapsing_saves_memory_and_no_byte() {
        // Chunks too large to be copied on arrival, in buffers twice their size.
        for (int i = 0; i < 100; i++) {
            insert(1001 + i * 700, 1701 + i * 700);
        }
        int before = queue.truesize();
        int removed = queue.collapse(pool);
        assertThat(removed).isPositive();
        assertThat(queue.truesize()).isLessThan(before / 3);
        assertThat(pool.outstanding()).isEqualTo(100 - removed);
        assertThat(queue.advance(pool, 1001, true)).isEqualTo(ReceiveQueue.KEPT);
        assertThat(deliverAndCheck(1001)).isEqualTo(71_001);
        assertThat(queue.truesize()).isZero();
    }

    @Test
    void collapsing_synthetic_payload_joins_the_ranges() {
        for (int i = 0; i < 50; i++) {
            PacketBuffer packet = synthetic(1001 + i * 1000, 2001 + i * 1000);
            queue.insert(pool, packet, 1001 + i * 1000, 2001 + i * 1000, false, true, MAX_ISLANDS);
        }
        assertThat(queue.collapse(pool)).isEqualTo(49);
        assertThat(queue.advance(pool, 1001, true)).isEqualTo(ReceiveQueue.KEPT);
        assertThat(deliverAndCheck(1001)).isEqualTo(51_001);
    }

    @Test
    void small_payloads_move_into_small_buffers_and_behind_each_other() {
        insert(1001, 1101);
        int one = queue.truesize();
        assertThat(one).isLessThan(TRUESIZE / 2);
        assertThat(insert(1101, 1201) & ReceiveQueue.COALESCED).isNotZero();
        assertThat(queue.truesize()).isEqualTo(one);
        assertThat(pool.outstanding()).isEqualTo(1);
        assertThat(queue.advance(pool, 1001, true)).isEqualTo(ReceiveQueue.KEPT);
        assertThat(deliverAndCheck(1001)).isEqualTo(1201);
    }

    // ---- random orders against a naive model ---------------------------------------------------

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void every_byte_is_delivered_once_and_in_order_whatever_the_order_of_arrival(long seed) {
        for (int round = 0; round < 40; round++) {
            new RandomArrivals(new Rng(seed * 1000 + round)).run();
        }
    }

    /** Segments of one stream in any order and any cut, and what a set of received offsets says. */
    private final class RandomArrivals {
        private static final int KINDS = 3;

        private final Rng rng;
        private final int length;
        private final boolean[] received;
        private final List<long[]> recent = new ArrayList<>();
        private long rcvNxt = 1;

        RandomArrivals(Rng rng) {
            this.rng = rng;
            this.length = rng.between(50, 20_000);
            this.received = new boolean[length + 2];
        }

        void run() {
            int kind = rng.nextInt(KINDS);
            int longest = rng.between(1, 3000);
            for (int i = 0; i < 150; i++) {
                int start = rng.between(1, length);
                arrive(start, Math.min(length + 1, start + rng.between(1, longest)), kind);
            }
            while (rcvNxt <= length) {
                long end = Math.min(length + 1, rcvNxt + rng.between(1, longest));
                arrive((int) (rcvNxt - Math.min(rcvNxt - 1, rng.nextInt(10))), (int) end, kind);
            }
            assertThat(queue.isEmpty()).isTrue();
            assertThat(queue.truesize()).isZero();
            assertThat(pool.outstanding()).isZero();
            queue.reset();
        }

        private void arrive(int start, int end, int kind) {
            if (end <= rcvNxt) {
                return;
            }
            PacketBuffer packet = packet(start, end, kind);
            if (start > rcvNxt) {
                outOfOrder(packet, start, end);
            } else {
                inOrder(packet, start, end);
            }
            checkIslands();
        }

        private void outOfOrder(PacketBuffer packet, int start, int end) {
            boolean duplicate = false;
            boolean fresh = false;
            for (int i = start; i < end; i++) {
                duplicate |= received[i];
                fresh |= !received[i];
            }
            int bits = queue.insert(pool, packet, start, end, false, true, MAX_ISLANDS);
            if ((bits & ReceiveQueue.KEPT) == 0) {
                pool.release(packet);
            }
            assertThat((bits & ReceiveQueue.KEPT) != 0).isEqualTo(fresh);
            assertThat((bits & ReceiveQueue.DUPLICATE) != 0).isEqualTo(!fresh);
            assertThat((bits & ReceiveQueue.DUPLICATE_REPORTED) != 0).isEqualTo(duplicate);
            checkDuplicate(start, end, duplicate);
            for (int i = start; i < end; i++) {
                received[i] = true;
            }
            touch(start);
            checkBlocks();
        }

        private void inOrder(PacketBuffer packet, int start, int end) {
            for (int i = start; i < end; i++) {
                received[i] = true;
            }
            PacketBuffer fresh = Payload.dropFirst(pool, packet, (int) (rcvNxt - start));
            assertThat(Payload.length(fresh)).isEqualTo((int) (end - rcvNxt));
            check(fresh, rcvNxt);
            pool.release(fresh);
            rcvNxt = end;
            if ((queue.advance(pool, rcvNxt, true) & ReceiveQueue.KEPT) != 0) {
                rcvNxt = deliverAndCheck(rcvNxt);
            }
            int naive = 1;
            while (naive <= length && received[naive]) {
                naive++;
            }
            assertThat(rcvNxt).isEqualTo(naive);
            recent.removeIf(block -> block[1] <= rcvNxt);
            blocks();
            queue.onSent();
            checkBlocks();
        }

        private PacketBuffer packet(int start, int end, int kind) {
            if (kind == 0) {
                return real(start, end);
            }
            if (kind == 1) {
                return synthetic(start, end);
            }
            PacketBuffer first = null;
            PacketBuffer last = null;
            int at = start;
            while (at < end) {
                int to = Math.min(end, at + rng.between(1, 900));
                PacketBuffer piece = rng.nextBoolean() ? real(at, to) : mixed(at, to);
                if (first == null) {
                    first = piece;
                } else {
                    last.chain(piece);
                }
                last = piece;
                at = to;
            }
            return first;
        }

        private void touch(int offset) {
            int from = offset;
            while (from > rcvNxt && received[from - 1]) {
                from--;
            }
            int to = offset;
            while (to <= length && received[to]) {
                to++;
            }
            long low = from;
            long high = to;
            recent.removeIf(block -> block[0] >= low && block[1] <= high);
            recent.addFirst(new long[] {low, high});
            while (recent.size() > 4) {
                recent.removeLast();
            }
        }

        private void checkBlocks() {
            List<String> expected = new ArrayList<>();
            for (long[] block : recent) {
                expected.add(block[0] + ":" + block[1]);
            }
            assertThat(blocks()).isEqualTo(expected);
        }

        private void checkDuplicate(int start, int end, boolean expected) {
            assertThat(queue.hasDuplicate()).isEqualTo(expected);
            if (!expected) {
                return;
            }
            String[] edges = blocks().getFirst().split(":");
            int from = Integer.parseInt(edges[0]);
            int to = Integer.parseInt(edges[1]);
            assertThat(from).isBetween(start, end);
            assertThat(to).isBetween(from + 1, end);
            for (int i = from; i < to; i++) {
                assertThat(received[i]).isTrue();
            }
            queue.onSent();
        }

        private void checkIslands() {
            int islands = 0;
            long highest = 0;
            for (int i = (int) rcvNxt + 1; i <= length; i++) {
                if (received[i]) {
                    highest = i + 1;
                    islands += received[i - 1] ? 0 : 1;
                }
            }
            assertThat(queue.islands()).isEqualTo(islands);
            assertThat(queue.highestEnd()).isEqualTo(highest);
        }
    }

    // ---- packets -----------------------------------------------------------------------------

    private int insert(int start, int end) {
        PacketBuffer packet = real(start, end);
        int bits = queue.insert(pool, packet, start, end, false, true, MAX_ISLANDS);
        if ((bits & ReceiveQueue.KEPT) == 0) {
            pool.release(packet);
        }
        return bits;
    }

    /** A packet with headers in front and every byte stored. */
    private PacketBuffer real(int start, int end) {
        PacketBuffer packet = pool.acquire(Math.max(end - start + 54, PacketPool.SMALL + 1));
        packet.window(54, end - start);
        for (int i = 0; i < end - start; i++) {
            packet.segment().set(ValueLayout.JAVA_BYTE, packet.start() + i, content(start + i));
        }
        packet.truesize(TRUESIZE);
        return packet;
    }

    private PacketBuffer synthetic(int start, int end) {
        PacketBuffer packet = pool.acquire(PacketPool.SMALL);
        packet.window(54, 0);
        packet.synthetic(start, end - start);
        packet.truesize(TRUESIZE);
        return packet;
    }

    /** Some bytes stored, the rest synthetic. */
    private PacketBuffer mixed(int start, int end) {
        int stored = (end - start) / 2;
        PacketBuffer packet = real(start, start + stored);
        packet.synthetic(start + stored, end - start - stored);
        return packet;
    }

    private static byte content(long offset) {
        return (byte) (offset * 31 + (offset >> 8));
    }

    private List<String> blocks() {
        long[] starts = new long[5];
        long[] ends = new long[5];
        int n = queue.sackBlocks(starts, ends, 5);
        List<String> blocks = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            blocks.add(starts[i] + ":" + ends[i]);
        }
        return blocks;
    }

    private long deliverFirst() {
        PacketBuffer packet = queue.takeFirst();
        while (packet != null) {
            pool.release(packet);
            packet = queue.takeFirst();
        }
        return queue.finishFirst();
    }

    private long deliverAndCheck(long from) {
        long at = from;
        PacketBuffer packet = queue.takeFirst();
        while (packet != null) {
            check(packet, at);
            at += Payload.length(packet);
            pool.release(packet);
            packet = queue.takeFirst();
        }
        assertThat(queue.finishFirst()).isEqualTo(at);
        return at;
    }

    private static void check(PacketBuffer packet, long from) {
        long at = from;
        for (PacketBuffer b = packet; b != null; b = b.chain()) {
            for (int i = 0; i < b.length(); i++) {
                byte octet = b.segment().get(ValueLayout.JAVA_BYTE, b.start() + i);
                if (octet != content(at + i)) {
                    assertThat(octet).as("byte %d", at + i).isEqualTo(content(at + i));
                }
            }
            at += b.length();
            if (b.syntheticLength() > 0) {
                assertThat(b.syntheticOffset()).isEqualTo(at);
            }
            at += b.syntheticLength();
        }
    }
}
