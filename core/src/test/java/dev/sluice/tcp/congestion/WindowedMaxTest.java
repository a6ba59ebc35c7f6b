package dev.sluice.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.seed.Rng;

import org.junit.jupiter.api.Test;

/** The filter of three candidates. */
class WindowedMaxTest {
    private final WindowedMax filter = new WindowedMax();

    @Test
    void the_largest_value_counts_for_a_window() {
        assertThat(filter.update(10, 0, 50)).isEqualTo(50);
        for (int tick = 1; tick <= 10; tick++) {
            assertThat(filter.update(10, tick, 20)).isEqualTo(50);
        }
        assertThat(filter.update(10, 11, 20)).isEqualTo(20);
    }

    @Test
    void a_new_maximum_counts_at_once() {
        filter.update(10, 0, 50);
        assertThat(filter.update(10, 3, 60)).isEqualTo(60);
        assertThat(filter.update(10, 13, 10)).isEqualTo(60);
        assertThat(filter.update(10, 14, 10)).isEqualTo(10);
    }

    @Test
    void what_comes_out_was_put_in_within_the_window() {
        Rng rng = new Rng(5);
        long[] values = new long[500];
        for (int tick = 0; tick < values.length; tick++) {
            values[tick] = rng.nextInt(1000);
            long result = filter.update(8, tick, values[tick]);
            long most = 0;
            boolean found = false;
            for (int i = Math.max(0, tick - 8); i <= tick; i++) {
                most = Math.max(most, values[i]);
                found |= values[i] == result;
            }
            assertThat(result).isBetween(values[tick], most);
            assertThat(found).as("value %d at %d", result, tick).isTrue();
        }
    }

    @Test
    void a_silence_longer_than_the_window_forgets_everything() {
        filter.update(10, 0, 50);
        filter.update(10, 1, 40);
        assertThat(filter.update(10, 100, 5)).isEqualTo(5);
    }
}
