package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.seed.Rng;

import org.junit.jupiter.api.Test;

class MemoryAccountTest {
    private static final int PAGE = MemoryAccount.PAGE;
    private static final int BIG = 1 << 20;

    /** Pressure ends at 100 pages, begins above 150, and 200 are the limit. */
    private final MemoryAccount account = new MemoryAccount(100, 150, 200, 4096, 4096);

    @Test
    void a_socket_reserves_whole_pages_and_uses_them_up_first() {
        int forward = account.admitReceive(0, 0, 700, 0, 0);
        assertThat(forward).isEqualTo(PAGE);
        forward -= 700;
        assertThat(account.admitReceive(0, forward, 3_396, 700, 0)).isEqualTo(3_396);
        assertThat(account.pages()).isEqualTo(1);
        assertThat(account.admitReceive(0, forward, 3_397, 700, 0)).isEqualTo(3_396 + PAGE);
        assertThat(account.pages()).isEqualTo(2);
    }

    @Test
    void memory_given_back_goes_home_in_whole_pages() {
        int forward = account.force(0, 10_000) - 10_000;
        assertThat(account.pages()).isEqualTo(3);
        forward = account.uncharge(0, forward, 5_000);
        assertThat(forward).isEqualTo(3 * PAGE - 5_000 - PAGE);
        assertThat(account.pages()).isEqualTo(2);
        forward = account.uncharge(0, forward, 5_000);
        assertThat(forward).isZero();
        assertThat(account.pages()).isZero();
    }

    @Test
    void pressure_begins_above_the_second_limit_and_ends_below_the_first() {
        account.force(0, 150 * PAGE);
        assertThat(account.softPressure()).isTrue();
        account.admitReceive(1_000, 0, 1, 0, 0);
        assertThat(account.pressure()).isTrue();
        assertThat(account.pressures()).isEqualTo(1);
        account.uncharge(2_000, 0, 51 * PAGE);
        assertThat(account.pages()).isEqualTo(100);
        assertThat(account.pressure()).as("still at the first limit").isTrue();
        account.uncharge(3_500, 0, PAGE);
        assertThat(account.pressure()).isFalse();
        assertThat(account.softPressure()).isFalse();
        assertThat(account.pressureNanos()).isEqualTo(2_500);
        assertThat(account.pressureChanges()).isEqualTo(2);
    }

    @Test
    void pressure_does_not_begin_at_the_second_limit_and_an_admission_at_the_first_ends_it() {
        account.force(0, 149 * PAGE);
        account.admitReceive(0, 0, 1, 0, 0);
        assertThat(account.pages()).isEqualTo(150);
        assertThat(account.pressure()).isFalse();
        account.admitReceive(0, 0, 1, 0, 0);
        assertThat(account.pressure()).isTrue();
        account.limits(152, 160, 200);
        account.admitReceive(70, 0, 1, 0, 0);
        assertThat(account.pages()).isEqualTo(152);
        assertThat(account.pressure()).isFalse();
    }

    @Test
    void without_pressure_everybody_gets_more_up_to_the_limit() {
        account.socketOpened();
        account.force(0, 149 * PAGE);
        assertThat(account.admitReceive(0, 0, PAGE, BIG, BIG)).isEqualTo(PAGE);
        assertThat(account.admitSend(0, 0, 1, BIG, BIG, 8 * BIG, true))
                .as("pressure begins with this very admission")
                .isEqualTo(MemoryAccount.REFUSED);
    }

    @Test
    void under_pressure_a_socket_below_its_minimum_or_its_fair_share_still_gets_memory() {
        pressTo(180);
        for (int i = 0; i < 10; i++) {
            account.socketOpened();
        }
        assertThat(account.admitReceive(0, 0, 1, 4_095, BIG)).as("below rmem[0]").isPositive();
        assertThat(account.admitReceive(0, 0, 1, 4_096, BIG)).isEqualTo(MemoryAccount.REFUSED);
        assertThat(account.admitSend(0, 0, 1, BIG, 4_095, BIG, true))
                .as("below wmem[0]")
                .isPositive();
        assertThat(account.admitSend(0, 0, 1, BIG, 4_096, BIG, true))
                .isEqualTo(MemoryAccount.REFUSED);
        // Ten sockets, 200 pages: the share is below 20 pages, the new one included.
        assertThat(account.admitReceive(0, 0, 1, 9 * PAGE, 9 * PAGE)).isPositive();
        assertThat(account.admitReceive(0, 0, 1, 10 * PAGE, 9 * PAGE))
                .isEqualTo(MemoryAccount.REFUSED);
        account.socketClosed();
        assertThat(account.admitReceive(0, 0, 1, 10 * PAGE, 9 * PAGE)).isPositive();
    }

    @Test
    void above_the_limit_even_small_sockets_are_refused_and_nothing_is_reserved() {
        pressTo(200);
        assertThat(account.overLimit()).isFalse();
        assertThat(account.admitReceive(0, 0, 1, 0, 0)).isEqualTo(MemoryAccount.REFUSED);
        assertThat(account.admitSend(0, 0, 1, 0, 0, BIG, true)).isEqualTo(MemoryAccount.REFUSED);
        assertThat(account.pages()).isEqualTo(200);
        assertThat(account.admitReceive(0, 10, 10, 0, 0)).as("already reserved").isEqualTo(10);
        assertThat(account.force(0, 1)).isEqualTo(PAGE);
        assertThat(account.overLimit()).isTrue();
    }

    @Test
    void a_suppressed_send_shrinks_the_buffer_and_passes_a_socket_at_its_limit() {
        pressTo(200);
        // Not locked: 40000 shrinks to 10000 and 20000 queued are beyond it.
        assertThat(account.admitSend(0, 0, 100, 0, 20_000, 40_000, false)).isEqualTo(PAGE);
        assertThat(account.suppressed()).isTrue();
        assertThat(MemoryAccount.moderatedSendBuffer(40_000, 20_000)).isEqualTo(10_000);
        assertThat(MemoryAccount.moderatedSendBuffer(8_000, 20_000)).isEqualTo(8_000);
        assertThat(MemoryAccount.moderatedSendBuffer(40_000, 2_000)).isEqualTo(4_608);
        account.uncharge(0, 0, PAGE);
        // Locked at 100 kB with 10 kB queued: writable, and refused (B-1.3.2).
        assertThat(account.admitSend(0, 0, 100, 0, 10_000, 100_000, true))
                .isEqualTo(MemoryAccount.REFUSED);
        assertThat(account.suppressed()).isTrue();
        assertThat(account.admitSend(0, 0, 100, 0, 99_900, 100_000, true)).isPositive();
        account.uncharge(0, 0, 50 * PAGE);
        account.admitSend(0, 0, 100, 0, 0, 100_000, true);
        assertThat(account.suppressed()).isFalse();
    }

    @Test
    void payload_may_always_bring_a_socket_up_to_its_minimum() {
        pressTo(200);
        assertThat(account.admitPayload(0, 0, 1_000, 0, 0, BIG, true)).isEqualTo(PAGE);
        assertThat(account.admitPayload(0, 0, 60_000, 0, 1_000, BIG, true)).isEqualTo(PAGE);
        assertThat(account.admitPayload(0, 0, 1_000, 0, 4_096, BIG, true)).isZero();
        assertThat(account.admitPayload(0, 96, 1_000, 0, 4_096, BIG, true)).isEqualTo(96);
    }

    @Test
    void usage_is_always_the_sum_of_what_the_sockets_hold() {
        Rng rng = new Rng(0xACC7);
        int sockets = 20;
        int[] forward = new int[sockets];
        int[] rmem = new int[sockets];
        int[] wmem = new int[sockets];
        for (int i = 0; i < sockets; i++) {
            account.socketOpened();
        }
        for (int step = 0; step < 50_000; step++) {
            int s = rng.nextInt(sockets);
            int size = rng.between(1, 9_000);
            int before = forward[s];
            boolean draining = step / 1_000 % 2 == 1;
            switch (rng.chance(draining ? 1 : 4, 5) ? rng.nextInt(2) : rng.between(2, 3)) {
                case 0 -> {
                    int after = account.admitReceive(step, before, size, rmem[s], wmem[s]);
                    if (after != MemoryAccount.REFUSED) {
                        forward[s] = after - size;
                        rmem[s] += size;
                    }
                }
                case 1 -> {
                    int after =
                            account.admitPayload(
                                    step, before, size, rmem[s], wmem[s], 100_000, true);
                    int charge = Math.min(after, size);
                    forward[s] = after - charge;
                    wmem[s] += charge;
                }
                case 2 -> {
                    int freed = rng.between(0, rmem[s]);
                    rmem[s] -= freed;
                    forward[s] = account.uncharge(step, before, freed);
                }
                default -> {
                    int freed = rng.between(0, wmem[s]);
                    wmem[s] -= freed;
                    forward[s] = account.uncharge(step, before, freed);
                }
            }
            long held = 0;
            for (int i = 0; i < sockets; i++) {
                assertThat(forward[i]).isNotNegative();
                held += forward[i] + rmem[i] + wmem[i];
            }
            assertThat(account.pages() * PAGE).isEqualTo(held);
            if (account.pages() > 150) {
                assertThat(account.pressure()).isTrue();
            } else if (account.pages() < 100) {
                assertThat(account.pressure()).isFalse();
            }
        }
        assertThat(account.pressures()).isGreaterThan(1);
        for (int i = 0; i < sockets; i++) {
            int left = account.uncharge(60_000, forward[i], rmem[i] + wmem[i]);
            account.close(60_000, left);
            account.socketClosed();
        }
        assertThat(account.pages()).isZero();
        assertThat(account.sockets()).isZero();
    }

    private void pressTo(int pages) {
        account.force(0, (pages - 1) * PAGE);
        account.admitReceive(0, 0, 1, 0, 0);
        assertThat(account.pages()).isEqualTo(pages);
        assertThat(account.pressure()).isTrue();
    }
}
