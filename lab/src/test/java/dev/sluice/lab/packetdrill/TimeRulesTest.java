package dev.sluice.lab.packetdrill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimeRulesTest {
    private static final long MS = 1_000_000L;

    @Test
    void times_count_from_the_start_or_from_a_base() {
        assertThat(TimeRules.span(new TimeSpec.Absolute(5), 100))
                .isEqualTo(new TimeRules.Span(5, 5));
        assertThat(TimeRules.span(new TimeSpec.Relative(5), 100))
                .isEqualTo(new TimeRules.Span(105, 105));
        assertThat(TimeRules.span(new TimeSpec.AbsoluteRange(5, 6), 100))
                .isEqualTo(new TimeRules.Span(5, 6));
        assertThat(TimeRules.span(new TimeSpec.RelativeRange(5, 6), 100))
                .isEqualTo(new TimeRules.Span(105, 106));
        assertThat(TimeRules.span(new TimeSpec.AnyTime(), 100).isAlways()).isTrue();
        assertThat(TimeRules.blockingEnd(new TimeSpec.Relative(1), 7, 100)).isEqualTo(107);
        assertThat(TimeRules.blockingEnd(new TimeSpec.Absolute(1), 7, 100)).isEqualTo(7);
    }

    @Test
    void slack_is_the_larger_of_a_constant_and_a_share_of_the_gap() {
        assertThat(Tolerance.DEFAULT.slack(10 * MS)).isEqualTo(4 * MS);
        assertThat(Tolerance.DEFAULT.slack(80 * MS)).isEqualTo(10 * MS);
        assertThat(Tolerance.DEFAULT.slack(-5)).isEqualTo(4 * MS);
        assertThat(Tolerance.STRICT.slack(1_000 * MS)).isEqualTo(MS);
    }

    @Test
    void an_event_within_the_slack_is_right() {
        TimeRules.Span at = new TimeRules.Span(100 * MS, 100 * MS);

        assertThat(TimeRules.check(at, 90 * MS, 104 * MS, Tolerance.DEFAULT)).isEmpty();
        assertThat(TimeRules.check(at, 90 * MS, 96 * MS, Tolerance.DEFAULT)).isEmpty();
        assertThat(TimeRules.check(at, 0, 112 * MS, Tolerance.DEFAULT)).isEmpty();
    }

    @Test
    void an_event_outside_the_slack_is_told_by_how_much() {
        TimeRules.Span at = new TimeRules.Span(100 * MS, 100 * MS);

        assertThat(TimeRules.check(at, 90 * MS, 105 * MS, Tolerance.DEFAULT))
                .hasValue("expected at 0.100000 s, happened at 0.105000 s, 0.005000 s too late");
        assertThat(TimeRules.check(at, 90 * MS, 95 * MS - 1, Tolerance.DEFAULT))
                .hasValue("expected at 0.100000 s, happened at 0.095000 s, 0.005000 s too early");
        assertThat(TimeRules.check(at, 0, 102 * MS, Tolerance.STRICT)).isPresent();
    }

    @Test
    void both_ends_of_a_range_have_slack() {
        TimeRules.Span range = new TimeRules.Span(100 * MS, 200 * MS);

        assertThat(TimeRules.check(range, 99 * MS, 96 * MS, Tolerance.DEFAULT)).isEmpty();
        assertThat(TimeRules.check(range, 99 * MS, 212 * MS, Tolerance.DEFAULT)).isEmpty();
        assertThat(TimeRules.check(range, 99 * MS, 95 * MS, Tolerance.DEFAULT))
                .hasValueSatisfying(
                        text -> assertThat(text).startsWith("expected at 0.100000 to 0.200000 s"));
        assertThat(TimeRules.check(range, 99 * MS, 213 * MS, Tolerance.DEFAULT)).isPresent();
        assertThat(TimeRules.check(TimeRules.Span.ALWAYS, 0, 1L << 50, Tolerance.STRICT)).isEmpty();
    }
}
