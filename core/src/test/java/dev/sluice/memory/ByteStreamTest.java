package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sluice.seed.Rng;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

class ByteStreamTest {
    private final BlockPool pool = new BlockPool(256, 1 << 20);
    private final ByteStream stream = new ByteStream(pool);

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void the_first_byte_is_at_one() {
        assertThat(stream.head()).isEqualTo(1);
        assertThat(stream.end()).isEqualTo(1);
        assertThat(stream.put(bytes(1, 10), 0, 10)).isEqualTo(10);
        assertThat(stream.end()).isEqualTo(11);
        assertThat(copy(1, 10)).containsExactly(bytes(1, 10));
    }

    @Test
    void any_range_can_be_copied_again_until_it_is_released() {
        stream.put(bytes(1, 1_000), 0, 1_000);
        assertThat(copy(250, 20)).containsExactly(bytes(250, 20));
        assertThat(copy(900, 101)).containsExactly(bytes(900, 101));
        assertThat(copy(3, 700)).containsExactly(bytes(3, 700));
        stream.release(600);
        assertThat(stream.head()).isEqualTo(600);
        assertThat(stream.size()).isEqualTo(401);
        assertThat(copy(600, 401)).containsExactly(bytes(600, 401));
    }

    @Test
    void an_empty_stream_holds_no_block() {
        stream.put(bytes(1, 300), 0, 300);
        assertThat(pool.outstanding()).isEqualTo(2);
        stream.release(257);
        assertThat(pool.outstanding()).isEqualTo(1);
        stream.release(301);
        assertThat(pool.outstanding()).isZero();
        stream.put(bytes(301, 256), 0, 256);
        assertThat(pool.outstanding()).isEqualTo(1);
        assertThat(copy(301, 256)).containsExactly(bytes(301, 256));
        stream.release(557);
        assertThat(pool.outstanding()).isZero();
    }

    @Test
    void contiguous_ranges_lead_through_the_whole_stream() {
        stream.put(bytes(1, 700), 0, 700);
        long offset = 101;
        int ranges = 0;
        while (offset < stream.end()) {
            int length = stream.contiguousAt(offset);
            for (int i = 0; i < length; i++) {
                byte stored =
                        stream.segmentAt(offset)
                                .get(ValueLayout.JAVA_BYTE, stream.addressAt(offset) + i);
                assertThat(stored).isEqualTo(SyntheticContent.byteAt(offset + i));
            }
            offset += length;
            ranges++;
        }
        assertThat(offset).isEqualTo(701);
        assertThat(ranges).isEqualTo(3);
    }

    @Test
    void all_kinds_of_sources_are_taken() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(600);
            SyntheticContent.fill(segment, 5, 1, 300);
            assertThat(stream.put(segment, 5, 300)).isEqualTo(300);
        }
        for (boolean direct : new boolean[] {true, false}) {
            ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(400) : ByteBuffer.allocate(400);
            buffer.put(7, bytes(stream.end(), 350));
            buffer.position(7).limit(357);
            assertThat(stream.put(buffer)).isEqualTo(350);
            assertThat(buffer.remaining()).isZero();
        }
        assertThat(copy(1, 1_000)).containsExactly(bytes(1, 1_000));
    }

    @Test
    void a_used_up_pool_cuts_a_write_short() {
        BlockPool small = new BlockPool(64 << 10, 1 << 18);
        ByteStream bounded = new ByteStream(small);
        byte[] much = new byte[300_000];
        assertThat(bounded.put(much, 0, much.length)).isEqualTo(4 * 65_536);
        assertThat(bounded.put(much, 0, 1)).isZero();
        assertThat(small.refusals()).isEqualTo(2);
        bounded.release(65_537);
        assertThat(bounded.put(much, 0, 1)).isEqualTo(1);
        ByteStream other = new ByteStream(small);
        assertThat(other.put(much, 0, 1)).isZero();
        assertThat(other.end()).isEqualTo(1);
        bounded.release(bounded.end());
        assertThat(other.put(much, 0, 1)).isEqualTo(1);
        other.release(2);
        assertThat(small.outstanding()).isZero();
        small.close();
    }

    @Test
    void synthetic_bytes_need_no_block_and_have_their_own_content() {
        assertThat(stream.putSynthetic(1_000_000_000)).isEqualTo(1_000_000_000);
        assertThat(stream.isSynthetic()).isTrue();
        assertThat(stream.segmentAt(1)).isNull();
        assertThat(copy(123_456_789, 50)).containsExactly(bytes(123_456_789, 50));
        assertThat(pool.outstanding()).isZero();
        assertThatIllegalStateException().isThrownBy(() -> stream.put(new byte[1], 0, 1));
        assertThat(stream.end()).isEqualTo(1_000_000_001);
        stream.release(1_000_000_001);
        assertThat(stream.isSynthetic()).isFalse();
        stream.put(bytes(stream.end(), 5), 0, 5);
        assertThatIllegalStateException().isThrownBy(() -> stream.putSynthetic(1));
        assertThat(copy(1_000_000_001, 5)).containsExactly(bytes(1_000_000_001, 5));
    }

    @Test
    void a_closed_stream_gives_its_blocks_back_and_takes_nothing() {
        stream.put(bytes(1, 1_000), 0, 1_000);
        stream.close();
        assertThat(pool.outstanding()).isZero();
        assertThat(stream.isClosed()).isTrue();
        assertThat(stream.put(new byte[3], 0, 3)).isEqualTo(ByteStream.CLOSED);
        assertThat(stream.putSynthetic(3)).isEqualTo(ByteStream.CLOSED);
        stream.close();
        assertThat(pool.outstanding()).isZero();
    }

    @Test
    void agrees_with_an_array_under_random_use() {
        Rng rng = new Rng(0xB17E5);
        for (int step = 0; step < 20_000; step++) {
            long head = stream.head();
            long end = stream.end();
            switch (rng.nextInt(3)) {
                case 0 -> {
                    int length = rng.nextInt(600);
                    assertThat(stream.put(bytes(end, length), 0, length)).isEqualTo(length);
                }
                case 1 -> {
                    long offset = rng.between(head, end);
                    int length = (int) Math.min(rng.nextInt(800), end - offset);
                    assertThat(copy(offset, length)).containsExactly(bytes(offset, length));
                }
                default -> stream.release(rng.chance(1, 4) ? end : rng.between(head, end));
            }
            long held = stream.end() - stream.head();
            assertThat(pool.outstanding())
                    .isBetween(held == 0 ? 0 : 1L, held == 0 ? 0 : held / 256 + 2);
        }
    }

    @Test
    void two_threads_pass_every_byte_in_order_and_leave_no_block() throws InterruptedException {
        BlockPool shared = new BlockPool(256, 1 << 18);
        long total = 600_000;
        for (int round = 0; round < 3; round++) {
            ByteStream between = new ByteStream(shared);
            Rng rng = new Rng(round);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread producer = new Thread(() -> produce(between, rng.split("producer"), total));
            producer.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
            producer.start();
            consume(between, rng.split("consumer"), total);
            producer.join();
            assertThat(failure.get()).isNull();
            // What the producer did last may have been to append nothing while the last block was
            // released.
            assertThat(shared.outstanding()).isZero();
        }
        shared.close();
    }

    @Test
    void the_last_to_leave_returns_the_blocks() throws InterruptedException {
        BlockPool shared = new BlockPool(256, 1 << 18);
        Rng rng = new Rng(0xC105E);
        for (int round = 0; round < 200; round++) {
            ByteStream between = new ByteStream(shared);
            Thread producer =
                    new Thread(
                            () -> {
                                byte[] some = new byte[700];
                                while (between.put(some, 0, some.length) != ByteStream.CLOSED) {
                                    Thread.yield();
                                }
                            });
            producer.start();
            long enough = rng.nextInt(20_000);
            while (between.end() < enough) {
                Thread.yield();
            }
            between.release(between.end());
            between.close();
            producer.join();
            assertThat(shared.outstanding()).as("round %d", round).isZero();
        }
        shared.close();
    }

    private static void produce(ByteStream stream, Rng rng, long total) {
        byte[] some = new byte[900];
        long next = 1;
        while (next <= total) {
            int length = (int) Math.min(rng.between(1, 900), total + 1 - next);
            SyntheticContent.fill(some, 0, next, length);
            int done = stream.put(some, 0, length);
            next += done;
            if (done == 0) {
                Thread.yield();
            }
        }
    }

    private static void consume(ByteStream stream, Rng rng, long total) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(2_000);
            while (stream.head() <= total) {
                int length = (int) Math.min(rng.between(1, 2_000), stream.size());
                if (length == 0) {
                    Thread.yield();
                    continue;
                }
                long offset = stream.head();
                stream.copyOut(offset, length, target, 0);
                for (int i = 0; i < length; i++) {
                    if (target.get(ValueLayout.JAVA_BYTE, i)
                            != SyntheticContent.byteAt(offset + i)) {
                        throw new AssertionError("wrong byte at " + (offset + i));
                    }
                }
                stream.release(offset + length);
            }
        }
    }

    private byte[] copy(long offset, int length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(length + 10L);
            stream.copyOut(offset, length, target, 3);
            return Arrays.copyOfRange(target.toArray(ValueLayout.JAVA_BYTE), 3, 3 + length);
        }
    }

    private static byte[] bytes(long offset, int length) {
        byte[] bytes = new byte[length];
        SyntheticContent.fill(bytes, 0, offset, length);
        return bytes;
    }
}
