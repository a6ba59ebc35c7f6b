package dev.sluice.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who becomes the guest, and for how long. */
class GuestBookTest {
    private final GuestBook book = new GuestBook();
    private final Gate mine = new Gate();
    private final Gate other = new Gate();

    @BeforeEach
    void start() {
        book.started();
    }

    private void woken(Gate gate, int times) {
        for (int i = 0; i < times; i++) {
            book.woken(gate);
        }
    }

    @Test
    void one_that_is_woken_again_and_again_is_invited() {
        woken(mine, 31);
        assertThat(book.enter(mine)).isFalse();
        woken(mine, 1);
        assertThat(book.enter(mine)).isTrue();
        assertThat(book.isGuest(mine)).isTrue();
        assertThat(book.isSeated()).isTrue();
    }

    @Test
    void one_of_several_is_not() {
        for (int i = 0; i < 100; i++) {
            book.woken(mine);
            book.woken(other);
        }
        assertThat(book.enter(mine)).isFalse();
        assertThat(book.enter(other)).isFalse();
    }

    @Test
    void there_is_one_guest_at_a_time() {
        woken(mine, 32);
        book.enter(mine);
        woken(other, 10);
        assertThat(book.enter(other)).isFalse();
    }

    @Test
    void the_guest_comes_back_without_another_invitation() {
        woken(mine, 32);
        book.enter(mine);
        book.leave();
        assertThat(book.isSeated()).isFalse();
        assertThat(book.enter(mine)).isTrue();
    }

    @Test
    void a_guest_that_works_for_others_is_dismissed() {
        woken(mine, 32);
        book.enter(mine);
        book.leave();
        boolean dismissed = false;
        for (int i = 0; i < 17; i++) {
            dismissed |= book.woken(other);
        }
        assertThat(dismissed).isTrue();
        assertThat(book.isGuest(mine)).isFalse();
        assertThat(book.hasGuest()).isFalse();
    }

    @Test
    void a_guest_that_works_for_itself_stays() {
        woken(mine, 32);
        for (int i = 0; i < 100; i++) {
            book.enter(mine);
            book.leave();
            book.woken(other);
        }
        assertThat(book.isGuest(mine)).isTrue();
    }

    @Test
    void the_loop_rests_only_while_the_guest_sits_and_is_woken_when_it_gets_up() {
        woken(mine, 32);
        assertThat(book.rest()).isFalse();
        book.enter(mine);
        assertThat(book.rest()).isTrue();
        assertThat(book.leave()).isTrue();
        assertThat(book.rest()).isFalse();
    }

    @Test
    void a_virtual_thread_never_drives() throws InterruptedException {
        woken(mine, 32);
        boolean[] entered = new boolean[1];
        Thread.ofVirtual().start(() -> entered[0] = book.enter(mine)).join();
        assertThat(entered[0]).isFalse();
    }

    @Test
    void nobody_enters_before_the_start_or_after_the_end() {
        GuestBook fresh = new GuestBook();
        for (int i = 0; i < 32; i++) {
            fresh.woken(mine);
        }
        assertThat(fresh.enter(mine)).isFalse();
        woken(mine, 32);
        book.stop();
        assertThat(book.enter(mine)).isFalse();
    }
}
