package dev.sluice.lab.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Ranges, what lies in them, and how they read. */
class VerdictTest {
    private static final Measure TIME = new Measure("time", Unit.NANOSECONDS, o -> 0);
    private static final Measure NUMBER = new Measure("number", Unit.COUNT, o -> 0);

    @Test
    void both_ends_of_a_range_belong_to_it() {
        Expectation range = Expectation.between(TIME, 10, 20, "");
        assertThat(new Verdict(range, 9).held()).isFalse();
        assertThat(new Verdict(range, 10).held()).isTrue();
        assertThat(new Verdict(range, 20).held()).isTrue();
        assertThat(new Verdict(range, 21).held()).isFalse();
    }

    @Test
    void what_never_came_to_an_end_is_never_as_expected() {
        Verdict verdict = new Verdict(Expectation.atLeast(TIME, 1, ""), Long.MAX_VALUE);
        assertThat(verdict.held()).isFalse();
        assertThat(verdict.measuredText()).isEqualTo("nothing");
    }

    @Test
    void ranges_read_well() {
        assertThat(Expectation.between(TIME, 42_000_000, 42_100_000, "").range())
                .isEqualTo("42.000 to 42.100 ms");
        assertThat(Expectation.exactly(NUMBER, 99, "").range()).isEqualTo("99");
        assertThat(Expectation.atLeast(TIME, 1_500_000, "").range()).isEqualTo("at least 1.500 ms");
    }

    @Test
    void an_empty_range_is_refused() {
        assertThatThrownBy(() -> Expectation.between(TIME, 2, 1, ""))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
