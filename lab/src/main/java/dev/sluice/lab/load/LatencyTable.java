package dev.sluice.lab.load;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Shows latencies in the form of wrk2, so that tools and eyes that know its output know ours: the
 * eight percentiles, and the spectrum that histogram plotters read.
 */
public final class LatencyTable {
    private static final double[] PERCENTILES = {50, 75, 90, 99, 99.9, 99.99, 99.999, 100};
    private static final int TICKS_PER_HALF_DISTANCE = 5;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MINUTE = 60e9;

    /** wrk changes to the next unit a little before the value reaches 1 of it. */
    private static final double NEXT_UNIT_FROM = 0.85;

    /** Letters of the longest unit; shorter ones are padded, so that the numbers are in line. */
    private static final int UNIT_WIDTH = 2;

    private LatencyTable() {}

    /** The lines of the short table. */
    public static List<String> lines(LatencyRecorder recorder) {
        List<String> lines = new ArrayList<>();
        lines.add("  Latency Distribution (HdrHistogram - Recorded Latency)");
        for (double percentile : PERCENTILES) {
            lines.add(
                    String.format(
                                    Locale.ROOT,
                                    "%7.3f%%%s",
                                    percentile,
                                    time(recorder.atPercentile(percentile)))
                            .stripTrailing());
        }
        return lines;
    }

    /** The lines of the detailed spectrum, in milliseconds. */
    public static List<String> spectrum(LatencyRecorder recorder) {
        Histogram histogram = recorder.histogram();
        List<String> lines = new ArrayList<>();
        lines.add("  Detailed Percentile spectrum:");
        lines.add(
                String.format(
                        Locale.ROOT,
                        "%12s %12s %12s %12s",
                        "Value",
                        "Percentile",
                        "TotalCount",
                        "1/(1-Percentile)"));
        lines.add("");
        for (HistogramIterationValue each : histogram.percentiles(TICKS_PER_HALF_DISTANCE)) {
            lines.add(row(each));
        }
        lines.add(
                String.format(
                        Locale.ROOT,
                        "#[Mean    = %12.3f, StdDeviation   = %12.3f]",
                        histogram.getMean() / NANOS_PER_MILLI,
                        histogram.getStdDeviation() / NANOS_PER_MILLI));
        lines.add(
                String.format(
                        Locale.ROOT,
                        "#[Max     = %12.3f, Total count    = %12d]",
                        histogram.getMaxValue() / NANOS_PER_MILLI,
                        histogram.getTotalCount()));
        return lines;
    }

    private static String row(HistogramIterationValue value) {
        double fraction = value.getPercentileLevelIteratedTo() / 100;
        String start =
                String.format(
                        Locale.ROOT,
                        "%12.3f %12.6f %12d",
                        value.getValueIteratedTo() / NANOS_PER_MILLI,
                        fraction,
                        value.getTotalCountToThisValue());
        return fraction < 1
                ? start + String.format(Locale.ROOT, " %12.2f", 1 / (1 - fraction))
                : start + String.format(Locale.ROOT, " %12s", "inf");
    }

    /** A time with two decimals in the unit wrk would choose, ten characters wide. */
    static String time(long nanos) {
        double divisor = NANOS_PER_MICRO;
        String unit = "us";
        if (nanos >= NANOS_PER_MINUTE * NEXT_UNIT_FROM) {
            divisor = NANOS_PER_MINUTE;
            unit = "m";
        } else if (nanos >= NANOS_PER_SECOND) {
            divisor = NANOS_PER_SECOND;
            unit = "s";
        } else if (nanos >= NANOS_PER_MILLI * NEXT_UNIT_FROM) {
            divisor = NANOS_PER_MILLI;
            unit = "ms";
        }
        String padded = unit + " ".repeat(UNIT_WIDTH - unit.length());
        return String.format(Locale.ROOT, "%8.2f%s", nanos / divisor, padded);
    }
}
