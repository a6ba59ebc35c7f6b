package dev.sluice.lab.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

/** Latencies as wrk2 prints them. */
class LatencyTableTest {
    private static LatencyRecorder recorder(long... nanos) {
        LatencyRecorder recorder = new LatencyRecorder();
        for (long each : nanos) {
            recorder.record(each);
        }
        return recorder;
    }

    @Test
    void table_has_the_eight_percentiles_of_wrk2() {
        long[] nanos = new long[100];
        Arrays.fill(nanos, 0, 98, 1_000_000);
        Arrays.fill(nanos, 98, 100, 42_000_000);
        assertThat(LatencyTable.lines(recorder(nanos)))
                .containsExactly(
                        "  Latency Distribution (HdrHistogram - Recorded Latency)",
                        " 50.000%    1.00ms",
                        " 75.000%    1.00ms",
                        " 90.000%    1.00ms",
                        " 99.000%   42.01ms",
                        " 99.900%   42.01ms",
                        " 99.990%   42.01ms",
                        " 99.999%   42.01ms",
                        "100.000%   42.01ms");
    }

    @Test
    void nothing_recorded_is_shown_as_zero() {
        assertThat(LatencyTable.lines(recorder())).hasSize(9).contains(" 50.000%    0.00us");
    }

    @Test
    void units_change_where_those_of_wrk_do() {
        assertThat(
                        List.of(
                                LatencyTable.time(840_000),
                                LatencyTable.time(850_000),
                                LatencyTable.time(999_990_000),
                                LatencyTable.time(1_000_000_000),
                                LatencyTable.time(90_000_000_000L)))
                .containsExactly(
                        "  840.00us", "    0.85ms", "  999.99ms", "    1.00s ", "    1.50m ");
    }

    @Test
    void spectrum_counts_up_to_everything() {
        List<String> lines = LatencyTable.spectrum(recorder(1_000_000, 2_000_000, 3_000_000));
        assertThat(lines.get(0)).isEqualTo("  Detailed Percentile spectrum:");
        assertThat(lines.get(1))
                .isEqualTo("       Value   Percentile   TotalCount 1/(1-Percentile)");
        assertThat(lines.get(3)).isEqualTo("       1.000     0.000000            1         1.00");
        assertThat(lines)
                .contains("       3.000     1.000000            3          inf")
                .contains("#[Max     =        3.000, Total count    =            3]");
    }

    @Test
    void three_digits_are_kept() {
        assertThat(recorder(123_456_789).atPercentile(50)).isBetween(123_456_789L, 123_580_000L);
    }
}
