package dev.sluice.trace;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The counters of one stack.
 *
 * <p>Written by the owner of the stack only, readable by any thread at any time: every access is
 * opaque, so a reader sees each counter whole and eventually, without any order between two
 * counters (architecture section 8). Stacks that share a host are summed by the reader.
 */
public final class Counters {
    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] values = new long[Counter.count()];

    /** All counters start at 0. */
    public Counters() {}

    /** Owner only. */
    public void increment(Counter counter) {
        add(counter, 1);
    }

    /** Owner only; negative amounts are for gauges such as {@link Counter#TCP_CURR_ESTAB}. */
    public void add(Counter counter, long amount) {
        int index = counter.ordinal();
        VALUE.setOpaque(values, index, values[index] + amount);
    }

    public long get(Counter counter) {
        return (long) VALUE.getOpaque(values, counter.ordinal());
    }

    /** All values now, indexed by {@link Counter#ordinal()}. */
    public long[] snapshot() {
        long[] copy = new long[values.length];
        addTo(copy);
        return copy;
    }

    /**
     * Adds all values to {@code sums}, indexed by {@link Counter#ordinal()}: how several stacks are
     * summed.
     */
    public void addTo(long[] sums) {
        for (int i = 0; i < values.length; i++) {
            sums[i] += (long) VALUE.getOpaque(values, i);
        }
    }

    /** What was counted between two snapshots; gauges show their change. */
    public static long[] difference(long[] earlier, long[] later) {
        long[] difference = new long[later.length];
        for (int i = 0; i < later.length; i++) {
            difference[i] = later[i] - earlier[i];
        }
        return difference;
    }
}
