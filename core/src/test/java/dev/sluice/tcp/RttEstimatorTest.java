package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.seed.Rng;

import org.junit.jupiter.api.Test;

class RttEstimatorTest {
    private static final long MILLI = 1_000_000L;
    private static final long MIN = 200 * MILLI;
    private static final long MAX = 120_000 * MILLI;
    private static final long WINDOW = 300_000 * MILLI;

    private final RttEstimator rtt = new RttEstimator();

    @Test
    void nothing_is_known_before_the_first_sample_and_the_timeout_is_one_second() {
        assertThat(rtt.srttNanos()).isZero();
        assertThat(rtt.minRttNanos()).isZero();
        assertThat(rtt.rtoNanos).isEqualTo(1000 * MILLI);
    }

    @Test
    void the_first_sample_counts_twice_for_the_variance_but_at_least_the_floor() {
        sample(10);
        assertThat(rtt.rtoNanos).isEqualTo(210 * MILLI);
        RttEstimator slow = new RttEstimator();
        slow.sample(150 * MILLI, 1, 1, MIN, MAX);
        assertThat(slow.rtoNanos).isEqualTo(450 * MILLI);
    }

    @Test
    void a_steady_path_ends_at_srtt_plus_200_ms() {
        for (int i = 0; i < 300; i++) {
            rtt.sample(80 * MILLI, i * 10L + 1, i * 10L + 11, MIN, MAX);
        }
        assertThat(rtt.srttNanos()).isEqualTo(80 * MILLI);
        assertThat(rtt.rtoNanos).isCloseTo(280 * MILLI, within(MILLI / 100));
    }

    @Test
    void a_falling_rtt_does_not_raise_the_timeout() {
        for (int i = 0; i < 100; i++) {
            rtt.sample(400 * MILLI, i * 10L + 1, i * 10L + 11, MIN, MAX);
        }
        long before = rtt.rtoNanos;
        rtt.sample(20 * MILLI, 2000, 2010, MIN, MAX);
        assertThat(rtt.rtoNanos).isLessThan(before);
    }

    @Test
    void the_timeout_never_exceeds_its_ceiling() {
        sample(100_000);
        assertThat(rtt.rtoNanos).isEqualTo(MAX);
    }

    @Test
    void backing_off_doubles_and_a_sample_ends_it() {
        sample(10);
        assertThat(rtt.backOff(MAX)).isEqualTo(420 * MILLI);
        assertThat(rtt.backOff(MAX)).isEqualTo(840 * MILLI);
        assertThat(rtt.backoff).isEqualTo((byte) 2);
        for (int i = 0; i < 40; i++) {
            rtt.backOff(MAX);
        }
        assertThat(rtt.rtoNanos).isEqualTo(MAX);
        sample(10);
        assertThat(rtt.rtoNanos).isEqualTo(210 * MILLI);
        assertThat(rtt.backoff).isZero();
    }

    @Test
    void follows_the_formulas_of_jacobson_with_linux_changes() {
        Rng rng = new Rng(42);
        double srtt = 0;
        double deviation = 0;
        double roundMax = 0;
        double variance = 0;
        long roundEnd = 0;
        long una = 1;
        for (int i = 0; i < 5_000; i++) {
            long nxt = una + 100;
            long m = rng.between(MILLI, 900 * MILLI);
            if (i == 0) {
                srtt = m;
                deviation = m / 2.0;
                variance = Math.max(4 * deviation, MIN);
                roundMax = variance;
                roundEnd = nxt;
            } else {
                double error = m - srtt;
                srtt += error / 8;
                double change = Math.abs(error) - deviation;
                deviation += error < 0 && change > 0 ? change / 32 : change / 4;
                if (4 * deviation > roundMax) {
                    roundMax = 4 * deviation;
                    variance = Math.max(variance, roundMax);
                }
                if (una > roundEnd) {
                    if (roundMax < variance) {
                        variance -= (variance - roundMax) / 4;
                    }
                    roundEnd = nxt;
                    roundMax = MIN;
                }
            }
            rtt.sample(m, una, nxt, MIN, MAX);
            assertThat((double) rtt.srttNanos()).isCloseTo(srtt, within(1000.0));
            assertThat((double) rtt.rttVarNanos).isCloseTo(variance, within(4000.0));
            una += rng.nextInt(60);
        }
    }

    @Test
    void the_minimum_forgets_what_is_older_than_its_window() {
        rtt.sampleMinimum(0, 5 * MILLI, WINDOW);
        rtt.sampleMinimum(1000 * MILLI, 9 * MILLI, WINDOW);
        assertThat(rtt.minRttNanos()).isEqualTo(5 * MILLI);
        rtt.sampleMinimum(200_000 * MILLI, 7 * MILLI, WINDOW);
        assertThat(rtt.minRttNanos()).as("still in the window").isEqualTo(5 * MILLI);
        rtt.sampleMinimum(351_000 * MILLI, 8 * MILLI, WINDOW);
        assertThat(rtt.minRttNanos()).isEqualTo(7 * MILLI);
        rtt.sampleMinimum(2_000_000 * MILLI, 12 * MILLI, WINDOW);
        assertThat(rtt.minRttNanos()).as("after a long silence").isEqualTo(12 * MILLI);
    }

    private void sample(long millis) {
        rtt.sample(millis * MILLI, 1, 1, MIN, MAX);
    }
}
