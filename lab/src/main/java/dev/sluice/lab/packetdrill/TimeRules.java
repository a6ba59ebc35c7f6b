package dev.sluice.lab.packetdrill;

import java.util.Locale;
import java.util.Optional;

/** Arithmetic on the times of a script. All times are nanoseconds since its start. */
final class TimeRules {
    private static final long NANOS_PER_MICRO = 1_000L;

    private TimeRules() {}

    /**
     * Times at which an event may happen, before tolerance.
     *
     * @param earliest for exact times the same as {@code latest}
     */
    record Span(long earliest, long latest) {
        /** Any time at all. */
        static final Span ALWAYS = new Span(Long.MIN_VALUE, Long.MAX_VALUE);

        boolean isAlways() {
            return equals(ALWAYS);
        }
    }

    /** The span of a time specification, where {@code base} is what relative times count from. */
    static Span span(TimeSpec time, long base) {
        return switch (time) {
            case TimeSpec.Absolute absolute -> new Span(absolute.nanos(), absolute.nanos());
            case TimeSpec.Relative relative ->
                    new Span(base + relative.nanos(), base + relative.nanos());
            case TimeSpec.AbsoluteRange range -> new Span(range.fromNanos(), range.toNanos());
            case TimeSpec.RelativeRange range ->
                    new Span(base + range.fromNanos(), base + range.toNanos());
            case TimeSpec.AnyTime any -> Span.ALWAYS;
        };
    }

    /** When the blocking call that begins at {@code spec} must return. */
    static long blockingEnd(TimeSpec spec, long endNanos, long base) {
        return spec instanceof TimeSpec.Relative ? base + endNanos : endNanos;
    }

    /**
     * What is wrong with the time of an event, if anything.
     *
     * @param previous time of the event before, from which the share of the tolerance is measured
     */
    static Optional<String> check(Span span, long previous, long actual, Tolerance tolerance) {
        if (span.isAlways()) {
            return Optional.empty();
        }
        long earliest = span.earliest() - tolerance.slack(span.earliest() - previous);
        long latest = span.latest() + tolerance.slack(span.latest() - previous);
        if (actual >= earliest && actual <= latest) {
            return Optional.empty();
        }
        String expected =
                span.earliest() == span.latest()
                        ? seconds(span.earliest())
                        : seconds(span.earliest()) + " to " + seconds(span.latest());
        long off = actual < earliest ? span.earliest() - actual : actual - span.latest();
        String direction = actual < earliest ? " early" : " late";
        return Optional.of(
                "expected at "
                        + expected
                        + " s, happened at "
                        + seconds(actual)
                        + " s, "
                        + seconds(off)
                        + " s too"
                        + direction);
    }

    /** Seconds with six decimals. */
    static String seconds(long nanos) {
        long micros = Math.floorDiv(nanos + NANOS_PER_MICRO / 2, NANOS_PER_MICRO);
        String sign = micros < 0 ? "-" : "";
        long size = Math.abs(micros);
        return String.format(Locale.ROOT, "%s%d.%06d", sign, size / 1_000_000, size % 1_000_000);
    }
}
