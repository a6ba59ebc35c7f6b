package dev.sluice.lab.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** The time of blocks, from the write of their last byte to its read. */
class BlockTimerTest {
    private final List<Long> latencies = new ArrayList<>();
    private final BlockTimer timer = new BlockTimer(100, latencies::add);

    @Test
    void a_block_counts_when_its_last_byte_is_read() {
        timer.accepted(10, 150);
        timer.read(20, 99);
        assertThat(latencies).isEmpty();
        timer.read(30, 100);
        assertThat(latencies).containsExactly(20L);
        timer.accepted(40, 300);
        timer.read(100, 300);
        assertThat(latencies).containsExactly(20L, 60L, 60L);
    }

    @Test
    void many_blocks_may_be_under_way() {
        for (int i = 1; i <= 1_000; i++) {
            timer.accepted(i, i * 100L);
            if (i % 3 == 0) {
                timer.read(i, i / 3 * 100L);
            }
        }
        timer.read(2_000, 100_000);
        assertThat(latencies).hasSize(1_000);
        // Block n was accepted at n and read at 3n, or at the end.
        for (int n = 1; n <= 1_000; n++) {
            assertThat(latencies.get(n - 1)).isEqualTo((n <= 333 ? 3L * n : 2_000) - n);
        }
    }
}
