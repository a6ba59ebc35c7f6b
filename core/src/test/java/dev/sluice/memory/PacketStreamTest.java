package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.seed.Rng;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

class PacketStreamTest {
    private final PacketPool pool = new PacketPool(8 << 20);
    private final PacketStream stream = new PacketStream();

    @AfterEach
    void every_buffer_went_back_to_the_pool() {
        stream.skip(Integer.MAX_VALUE);
        stream.reclaim(pool);
        assertThat(pool.outstanding()).isZero();
        pool.close();
    }

    @Test
    void bytes_come_out_in_order_whatever_the_sizes() {
        assertThat(stream.available()).isZero();
        append(real(1, 100));
        append(real(101, 1));
        append(real(102, 200));
        assertThat(stream.end()).isEqualTo(302);
        assertThat(read(50)).containsExactly(content(1, 50));
        assertThat(read(60)).containsExactly(content(51, 60));
        assertThat(stream.readPosition()).isEqualTo(111);
        assertThat(read(500)).containsExactly(content(111, 191));
        assertThat(read(10)).isEmpty();
    }

    @Test
    void a_finished_buffer_is_handed_back_with_its_truesize() {
        append(charged(real(1, 100), 700));
        append(charged(real(101, 100), 900));
        assertThat(stream.reclaim(pool)).isZero();
        stream.skip(99);
        assertThat(stream.reclaim(pool)).isZero();
        stream.skip(1);
        assertThat(stream.reclaim(pool)).isEqualTo(700);
        assertThat(pool.outstanding()).isEqualTo(1);
        stream.skip(1_000);
        assertThat(stream.reclaim(pool)).isEqualTo(900);
        assertThat(pool.outstanding()).isZero();
        append(charged(real(201, 10), 50));
        assertThat(read(10)).containsExactly(content(201, 10));
        assertThat(stream.reclaim(pool)).isEqualTo(50);
    }

    @Test
    void chained_buffers_count_as_several() {
        PacketBuffer head = charged(real(1, 100), 10);
        PacketBuffer middle = charged(synthetic(101, 0, 1_000), 20);
        head.chain(middle);
        middle.chain(charged(real(1_101, 50), 30));
        assertThat(stream.append(head)).isZero();
        assertThat(stream.available()).isEqualTo(1_150);
        assertThat(read(600)).containsExactly(content(1, 600));
        assertThat(stream.reclaim(pool)).isEqualTo(10);
        assertThat(read(550)).containsExactly(content(601, 550));
        assertThat(stream.reclaim(pool)).isEqualTo(50);
    }

    @Test
    void real_and_synthetic_bytes_may_share_a_buffer() {
        assertThat(stream.append(synthetic(1, 40, 5_000))).isZero();
        assertThat(read(41)).containsExactly(content(1, 41));
        assertThat(read(4_000)).containsExactly(content(42, 4_000));
        assertThat(stream.skip(10_000)).isEqualTo(999);
        assertThat(stream.readPosition()).isEqualTo(5_041);
    }

    @Test
    void misplaced_synthetic_bytes_are_reported() {
        assertThat(stream.append(synthetic(1, 0, 100))).isZero();
        assertThat(stream.append(synthetic(102, 0, 100))).isEqualTo(100);
        assertThat(stream.append(synthetic(201, 0, 100))).isZero();
        assertThat(stream.append(synthetic(300, 0, 7))).isEqualTo(7);
    }

    @Test
    void an_empty_packet_adds_nothing_and_goes_back_at_once() {
        stream.append(charged(real(1, 0), 300));
        assertThat(stream.available()).isZero();
        assertThat(stream.reclaim(pool)).isEqualTo(300);
    }

    @Test
    void peeking_leaves_everything_where_it_is() {
        append(real(1, 100));
        append(synthetic(101, 0, 100));
        byte[] peeked = new byte[150];
        assertThat(stream.peek(peeked, 0, 150)).isEqualTo(150);
        assertThat(peeked).containsExactly(content(1, 150));
        ByteBuffer buffer = ByteBuffer.allocate(500);
        assertThat(stream.peek(buffer)).isEqualTo(200);
        assertThat(buffer.position()).isZero();
        assertThat(stream.available()).isEqualTo(200);
        assertThat(read(200)).containsExactly(content(1, 200));
    }

    @Test
    void all_kinds_of_destinations_are_filled() {
        append(real(1, 300));
        append(synthetic(301, 0, 600));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(400);
            assertThat(stream.read(segment, 10, 350)).isEqualTo(350);
            byte[] bytes = segment.toArray(ValueLayout.JAVA_BYTE);
            assertThat(Arrays.copyOfRange(bytes, 10, 360)).containsExactly(content(1, 350));
        }
        ByteBuffer direct = ByteBuffer.allocateDirect(300).position(50);
        assertThat(stream.read(direct)).isEqualTo(250);
        assertThat(direct.position()).isEqualTo(300);
        byte[] bytes = new byte[250];
        direct.get(50, bytes);
        assertThat(bytes).containsExactly(content(351, 250));
        ByteBuffer heap = ByteBuffer.allocate(1_000);
        assertThat(stream.read(heap)).isEqualTo(300);
        assertThat(heap.position()).isEqualTo(300);
        assertThat(Arrays.copyOf(heap.array(), 300)).containsExactly(content(601, 300));
    }

    @Test
    void random_packets_and_reads_keep_every_byte_and_every_charge() {
        Rng rng = new Rng(0xF00D);
        long charged = 0;
        long reclaimed = 0;
        for (int step = 0; step < 30_000; step++) {
            if (rng.nextBoolean() && stream.available() < 100_000) {
                PacketBuffer packet = random(rng, stream.end());
                for (PacketBuffer piece = packet; piece != null; piece = piece.chain()) {
                    piece.truesize(rng.between(1, 3_000));
                    charged += piece.truesize();
                }
                assertThat(stream.append(packet)).isZero();
            } else {
                long position = stream.readPosition();
                int wanted = rng.nextInt(3_000);
                int ready = (int) Math.min(wanted, stream.available());
                if (rng.chance(1, 3)) {
                    assertThat(stream.skip(wanted)).isEqualTo(ready);
                } else {
                    assertThat(read(wanted)).containsExactly(content(position, ready));
                }
                assertThat(stream.readPosition()).isEqualTo(position + ready);
            }
            reclaimed += stream.reclaim(pool);
            if (stream.available() == 0) {
                assertThat(reclaimed).isEqualTo(charged);
                assertThat(pool.outstanding()).isZero();
            }
        }
    }

    @Test
    void two_threads_pass_every_byte_in_order_and_leave_no_buffer() throws InterruptedException {
        long total = 400_000;
        for (int round = 0; round < 3; round++) {
            PacketStream between = new PacketStream();
            Rng rng = new Rng(round);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Rng readerRng = rng.split("reader");
            Thread reader = new Thread(() -> readAll(between, readerRng, total));
            reader.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
            reader.start();
            while (between.end() <= total && failure.get() == null) {
                if (between.available() < 50_000) {
                    between.append(random(rng, between.end()));
                } else {
                    Thread.yield();
                }
                between.reclaim(pool);
            }
            reader.join();
            assertThat(failure.get()).isNull();
            between.skip(Integer.MAX_VALUE);
            between.reclaim(pool);
            assertThat(pool.outstanding()).isZero();
        }
    }

    private static void readAll(PacketStream stream, Rng rng, long total) {
        byte[] some = new byte[2_000];
        while (stream.readPosition() <= total) {
            long position = stream.readPosition();
            int done = stream.read(some, 0, rng.between(1, some.length));
            for (int i = 0; i < done; i++) {
                if (some[i] != SyntheticContent.byteAt(position + i)) {
                    throw new AssertionError("wrong byte at " + (position + i));
                }
            }
            if (done == 0) {
                Thread.yield();
            }
        }
    }

    private void append(PacketBuffer packet) {
        assertThat(stream.append(packet)).isZero();
    }

    private PacketBuffer random(Rng rng, long offset) {
        PacketBuffer head = synthetic(offset, rng.nextInt(200), rng.nextInt(1_000));
        if (rng.chance(1, 4)) {
            head.chain(random(rng, offset + head.wireLength()));
        }
        return head;
    }

    private PacketBuffer real(long offset, int length) {
        return synthetic(offset, length, 0);
    }

    private PacketBuffer synthetic(long offset, int real, int synthetic) {
        PacketBuffer buffer = pool.acquire(Math.max(real + 40, 1));
        buffer.window(40, real);
        SyntheticContent.fill(buffer.segment(), buffer.start(), offset, real);
        buffer.synthetic(offset + real, synthetic);
        return buffer;
    }

    private static PacketBuffer charged(PacketBuffer buffer, int truesize) {
        buffer.truesize(truesize);
        return buffer;
    }

    private byte[] read(int length) {
        byte[] bytes = new byte[length];
        int done = stream.read(bytes, 0, length);
        return Arrays.copyOf(bytes, done);
    }

    private static byte[] content(long offset, int length) {
        byte[] bytes = new byte[length];
        SyntheticContent.fill(bytes, 0, offset, length);
        return bytes;
    }
}
