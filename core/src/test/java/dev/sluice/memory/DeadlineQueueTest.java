package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.seed.Rng;

import org.junit.jupiter.api.Test;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

class DeadlineQueueTest {
    private final DeadlineQueue queue = new DeadlineQueue();

    @Test
    void an_empty_queue_has_no_deadline() {
        assertThat(queue.earliest()).isEqualTo(Long.MAX_VALUE);
        assertThat(queue.pollDue(Long.MAX_VALUE)).isEqualTo(-1);
        assertThat(queue.deadline(3)).isEqualTo(DeadlineQueue.NONE);
        queue.remove(17);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void a_deadline_is_due_at_its_own_time_and_not_before() {
        queue.set(5, 100);
        assertThat(queue.pollDue(99)).isEqualTo(-1);
        assertThat(queue.pollDue(100)).isEqualTo(5);
        assertThat(queue.size()).isZero();
    }

    @Test
    void equal_deadlines_come_out_by_handle() {
        for (int handle : new int[] {9, 3, 7, 1, 8, 2}) {
            queue.set(handle, 50);
        }
        assertThat(drain(50)).containsExactly(1, 2, 3, 7, 8, 9);
    }

    @Test
    void setting_again_moves_in_both_directions_and_none_removes() {
        queue.set(1, 10);
        queue.set(2, 20);
        queue.set(3, 30);
        queue.set(3, 5);
        queue.set(1, 40);
        assertThat(queue.deadline(1)).isEqualTo(40);
        queue.set(2, DeadlineQueue.NONE);
        assertThat(drain(100)).containsExactly(3, 1);
    }

    @Test
    void agrees_with_a_sorted_map_under_random_use() {
        Rng rng = new Rng(0xDEAD11);
        Map<Integer, Long> model = new TreeMap<>();
        for (int step = 0; step < 60_000; step++) {
            int handle = rng.nextInt(300);
            switch (rng.nextInt(4)) {
                case 0, 1 -> {
                    long deadline = rng.between(-50L, 50L);
                    queue.set(handle, deadline);
                    model.put(handle, deadline);
                }
                case 2 -> {
                    queue.remove(handle);
                    model.remove(handle);
                }
                default -> {
                    long now = rng.between(-60L, 60L);
                    int expected =
                            model.entrySet().stream()
                                    .filter(entry -> entry.getValue() <= now)
                                    .min(
                                            Comparator.comparing(Map.Entry<Integer, Long>::getValue)
                                                    .thenComparing(Map.Entry::getKey))
                                    .map(Map.Entry::getKey)
                                    .orElse(-1);
                    assertThat(queue.pollDue(now)).as("step %d", step).isEqualTo(expected);
                    model.remove(expected);
                }
            }
            assertThat(queue.size()).isEqualTo(model.size());
            assertThat(queue.earliest())
                    .isEqualTo(
                            model.values().stream().min(Long::compare).orElse(DeadlineQueue.NONE));
        }
    }

    private int[] drain(long now) {
        int[] drained = new int[queue.size()];
        int count = 0;
        for (int handle = queue.pollDue(now); handle >= 0; handle = queue.pollDue(now)) {
            drained[count++] = handle;
        }
        assertThat(count).isEqualTo(drained.length);
        return drained;
    }
}
