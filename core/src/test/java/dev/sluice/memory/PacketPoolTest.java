package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

class PacketPoolTest {
    private final PacketPool pool = new PacketPool(2 << 20);

    @AfterEach
    void close() {
        pool.close();
    }

    @ParameterizedTest
    @CsvSource({"0, 256", "256, 256", "257, 2048", "2048, 2048", "2049, 66048", "66048, 66048"})
    void the_smallest_size_that_is_large_enough_is_given(int bytes, int capacity) {
        assertThat(pool.acquire(bytes).capacity()).isEqualTo(capacity);
    }

    @Test
    void a_packet_larger_than_the_largest_size_is_refused() {
        assertThat(pool.acquire(PacketPool.LARGE + 1)).isNull();
        assertThat(pool.outstanding()).isZero();
    }

    @Test
    void the_limit_is_never_passed_and_released_buffers_are_given_again() {
        List<PacketBuffer> buffers = new ArrayList<>();
        for (PacketBuffer b = pool.acquire(2048); b != null; b = pool.acquire(2048)) {
            buffers.add(b);
        }
        assertThat(buffers).hasSize((2 << 20) / 2048).doesNotHaveDuplicates();
        assertThat(pool.slabBytes()).isEqualTo(2 << 20);
        assertThat(pool.acquire(1)).as("no slab left for another size").isNull();
        buffers.forEach(pool::release);
        assertThat(pool.outstanding()).isZero();
        assertThat(pool.acquire(2048)).isIn(buffers);
    }

    @Test
    void a_buffer_comes_back_blank_with_all_that_is_chained_to_it() {
        PacketBuffer head = pool.acquire(100);
        PacketBuffer chained = pool.acquire(2000);
        head.chain(chained);
        head.window(10, 20);
        head.synthetic(5, 7);
        head.segments(1460, 3);
        head.truesize(99);
        head.timeNanos(8);
        head.checksum(PacketBuffer.CHECKSUM_BAD);
        pool.release(head);
        assertThat(pool.outstanding()).isZero();
        PacketBuffer again = pool.acquire(100);
        assertThat(again).isSameAs(head);
        assertThat(again.wireLength()).isZero();
        assertThat(again.offset()).isZero();
        assertThat(again.segmentSize()).isZero();
        assertThat(again.segmentCount()).isEqualTo(1);
        assertThat(again.truesize()).isZero();
        assertThat(again.timeNanos()).isZero();
        assertThat(again.checksum()).isEqualTo(PacketBuffer.CHECKSUM_UNVERIFIED);
        assertThat(again.chain()).isNull();
        assertThat(again.next()).isNull();
    }

    @Test
    void releasing_twice_is_found_out() {
        PacketBuffer buffer = pool.acquire(1);
        pool.release(buffer);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> pool.release(buffer))
                .withMessage("packet buffer released twice");
    }
}
