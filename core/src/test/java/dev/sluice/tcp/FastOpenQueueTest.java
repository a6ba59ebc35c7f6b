package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FastOpenQueueTest {
    private static final long SECOND = 1_000_000_000L;

    private final FastOpenQueue queue = new FastOpenQueue();

    @Test
    void a_listener_without_a_limit_has_no_room_for_any() {
        assertThat(queue.hasRoom(0)).isFalse();
    }

    @Test
    void a_completed_handshake_frees_its_place_at_once() {
        queue.limit(1);
        queue.enter();
        assertThat(queue.hasRoom(0)).isFalse();
        queue.leave(0, false);
        assertThat(queue.hasRoom(0)).isTrue();
    }

    @Test
    void a_reset_keeps_its_place_for_a_minute() {
        queue.limit(1);
        queue.enter();
        queue.leave(5 * SECOND, true);
        assertThat(queue.hasRoom(64 * SECOND)).isFalse();
        assertThat(queue.hasRoom(65 * SECOND)).isTrue();
    }

    @Test
    void resets_beyond_the_first_few_are_remembered_in_order() {
        queue.limit(20);
        for (int i = 0; i < 20; i++) {
            queue.enter();
            queue.leave(i * SECOND, true);
        }
        for (int i = 0; i < 20; i++) {
            assertThat(queue.hasRoom((59 + i) * SECOND)).isFalse();
            assertThat(queue.hasRoom((60 + i) * SECOND)).isTrue();
            queue.enter();
        }
    }
}
