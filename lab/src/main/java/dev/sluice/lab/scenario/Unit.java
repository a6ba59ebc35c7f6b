package dev.sluice.lab.scenario;

import java.util.Locale;

/** What the number of a {@link Measure} counts, and how it is shown. */
public enum Unit {
    /** Shown in milliseconds. */
    NANOSECONDS("ms", 1e6),
    /** Shown in megabits per second. */
    BITS_PER_SECOND("Mbit/s", 1e6),
    BYTES("bytes", 1),
    COUNT("", 1);

    private final String shown;
    private final double divisor;

    Unit(String shown, double divisor) {
        this.shown = shown;
        this.divisor = divisor;
    }

    /** The number as people read it, without the unit. */
    public String number(long value) {
        return divisor == 1
                ? Long.toString(value)
                : String.format(Locale.ROOT, "%.3f", value / divisor);
    }

    /** The number with the unit. */
    public String text(long value) {
        return withUnit(number(value));
    }

    String withUnit(String numbers) {
        return shown.isEmpty() ? numbers : numbers + " " + shown;
    }
}
