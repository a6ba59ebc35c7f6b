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
    @CsvSource({
        "0, 256",
        "256, 256",
        "257, 2048",
        "2048, 2048",
        "2049, 4096",
        "4096, 4096",
        "4097, 8192",
        "8192, 8192",
        "8193, 16384",
        "16384, 16384",
        "16385, 32768",
        "32768, 32768",
        "32769, 66048",
        "66048, 66048"
    })
    void the_smallest_size_that_is_large_enough_is_given(int bytes, int capacity) {
        PacketBuffer buffer = pool.acquire(bytes);
        assertThat(buffer.capacity()).isEqualTo(capacity).isEqualTo(PacketPool.sizeFor(bytes));
        pool.release(buffer);
        assertThat(pool.acquire(bytes)).as("back among its size").isSameAs(buffer);
    }

    @Test
    void from_2_KiB_on_a_packet_is_charged_less_than_twice_its_length_and_a_bit() {
        for (int bytes = 2049; bytes <= 65_535; bytes++) {
            int charge = Truesize.SLAB.received(bytes, 1, PacketPool.sizeFor(bytes));
            assertThat(charge).as("packet of %d bytes", bytes).isBetween(bytes, 2 * bytes + 700);
        }
    }

    @Test
    void at_the_limit_a_larger_buffer_does_as_well() {
        PacketBuffer large = pool.acquire(60_000);
        PacketBuffer medium = pool.acquire(2000);
        pool.release(large);
        assertThat(pool.slabBytes()).isEqualTo(2 << 20);
        assertThat(pool.acquire(10).capacity()).isEqualTo(2048);
        assertThat(pool.acquire(5000).capacity()).isEqualTo(66_048);
        pool.release(medium);
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
