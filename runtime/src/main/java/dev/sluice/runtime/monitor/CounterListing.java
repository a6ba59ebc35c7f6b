package dev.sluice.runtime.monitor;

import dev.sluice.trace.Counter;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Counters as {@code nstat} prints them: name, value and rate. */
public final class CounterListing {
    private CounterListing() {}

    /** Values by name, in the order of {@link Counter}. */
    public static Map<String, Long> named(long[] values) {
        Map<String, Long> named = new LinkedHashMap<>();
        for (Counter counter : Counter.values()) {
            named.put(counter.nstatName(), values[counter.ordinal()]);
        }
        return named;
    }

    /**
     * A line for each counter.
     *
     * @param seconds in which they were counted, for the rate; 0 if there is none
     * @param zeros those that are 0 too
     */
    public static String of(Map<String, Long> values, double seconds, boolean zeros) {
        StringBuilder out = new StringBuilder();
        for (Counter counter : Counter.values()) {
            // A JVM that runs another version may have others.
            long value = values.getOrDefault(counter.nstatName(), 0L);
            if (value != 0 || zeros) {
                double rate = seconds > 0 ? value / seconds : 0;
                out.append(
                        String.format(
                                Locale.ROOT, "%-32s%-16d%.1f%n", counter.nstatName(), value, rate));
            }
        }
        return out.toString();
    }

    /** What was counted between two moments. */
    public static Map<String, Long> difference(Map<String, Long> earlier, Map<String, Long> later) {
        Map<String, Long> difference = new LinkedHashMap<>();
        later.forEach(
                (name, value) -> difference.put(name, value - earlier.getOrDefault(name, 0L)));
        return difference;
    }
}
