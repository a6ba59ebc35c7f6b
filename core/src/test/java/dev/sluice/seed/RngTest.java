package dev.sluice.seed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

import java.util.stream.LongStream;

class RngTest {
    @Test
    void the_numbers_are_those_of_the_published_algorithm() {
        // First outputs of the reference SplitMix64 for the seed 1234567.
        Rng rng = new Rng(1_234_567);
        assertThat(rng.nextLong()).isEqualTo(6457827717110365317L);
        assertThat(rng.nextLong()).isEqualTo(3203168211198807973L);
        assertThat(Long.toUnsignedString(rng.nextLong())).isEqualTo("9817491932198370423");
        assertThat(rng.nextLong()).isEqualTo(4593380528125082431L);
        assertThat(Long.toUnsignedString(rng.nextLong())).isEqualTo("16408922859458223821");
    }

    @Test
    void a_seed_and_a_label_mean_the_same_for_ever() {
        Rng root = new Rng(42);
        assertThat(draws(root.split("ports"), 3))
                .containsExactly(-23187058823372033L, -8412183617089272479L, -2545274135047171287L);
        assertThat(root.split("link a-b loss").seed()).isEqualTo(1526198659799422531L);
        assertThat(root.split("host", 7).seed()).isEqualTo(7872400750188482502L);
        assertThat(new Rng(42).nextInt(1000)).isEqualTo(741);
        assertThat(new Rng(42).between(-5L, 1_000_000_000_000L)).isEqualTo(741_564_878_771L);
    }

    @Test
    void splitting_neither_disturbs_the_parent_nor_depends_on_its_use() {
        Rng used = new Rng(9);
        used.nextLong();
        Rng late = used.split("x");
        Rng fresh = new Rng(9);
        Rng early = fresh.split("x");
        fresh.split("another");
        assertThat(draws(late, 5)).containsExactly(draws(early, 5));
        fresh.nextLong();
        assertThat(fresh.nextLong()).isEqualTo(used.nextLong());
    }

    @Test
    void different_labels_give_different_streams() {
        Rng root = new Rng(0);
        assertThat(LongStream.range(0, 1000).map(i -> root.split("c", i).seed()).distinct().count())
                .isEqualTo(1000);
        assertThat(root.split("a").seed()).isNotEqualTo(root.split("b").seed());
        assertThat(root.split("a").seed()).isNotEqualTo(new Rng(1).split("a").seed());
    }

    @Test
    void every_number_below_the_bound_is_equally_likely() {
        Rng rng = new Rng(3);
        int[] seen = new int[7];
        for (int i = 0; i < 70_000; i++) {
            seen[rng.nextInt(7)]++;
        }
        // Standard deviation is about 93; six of them either way.
        for (int count : seen) {
            assertThat(count).isBetween(9_440, 10_560);
        }
    }

    @Test
    void a_bound_that_does_not_divide_the_range_has_no_bias() {
        // A plain remainder would give the lower third three eighths of all draws.
        Rng rng = new Rng(4);
        int bound = 3 << 29;
        int low = 0;
        for (int i = 0; i < 30_000; i++) {
            if (rng.nextInt(bound) < bound / 3) {
                low++;
            }
        }
        assertThat(low).isBetween(9_500, 10_500);
        int lowLong = 0;
        for (int i = 0; i < 30_000; i++) {
            if (rng.nextLong(3L << 61) < 1L << 61) {
                lowLong++;
            }
        }
        assertThat(lowLong).isBetween(9_500, 10_500);
    }

    @Test
    void chance_is_the_given_ratio() {
        Rng rng = new Rng(5);
        int hits = 0;
        for (int i = 0; i < 100_000; i++) {
            assertThat(rng.chance(0, 10)).isFalse();
            assertThat(rng.chance(10, 10)).isTrue();
            if (rng.chance(3, 100)) {
                hits++;
            }
        }
        assertThat(hits).isBetween(2_650, 3_350);
    }

    @Test
    void between_includes_both_ends() {
        Rng rng = new Rng(6);
        boolean low = false;
        boolean high = false;
        for (int i = 0; i < 1_000; i++) {
            int drawn = rng.between(-2, 2);
            assertThat(drawn).isBetween(-2, 2);
            low |= drawn == -2;
            high |= drawn == 2;
        }
        assertThat(low && high).isTrue();
        assertThat(rng.between(8, 8)).isEqualTo(8);
    }

    @Test
    void an_impossible_request_is_refused() {
        Rng rng = new Rng(7);
        assertThatIllegalArgumentException().isThrownBy(() -> rng.nextInt(0));
        assertThatIllegalArgumentException().isThrownBy(() -> rng.nextLong(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> rng.between(2, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> rng.chance(2, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rng.between(Long.MIN_VALUE, Long.MAX_VALUE));
    }

    private static long[] draws(Rng rng, int count) {
        return LongStream.generate(rng::nextLong).limit(count).toArray();
    }
}
