package dev.sluice.tcp.congestion;

/**
 * The largest value of the last so many ticks, kept with three candidates (Kathleen Nichols'
 * filter): the best, and the best of what came after each of them.
 */
final class WindowedMax {
    private final long[] values = new long[3];
    private final long[] times = new long[3];

    void reset(long time, long value) {
        for (int i = 0; i < 3; i++) {
            set(i, time, value);
        }
    }

    long value() {
        return values[0];
    }

    /**
     * Takes a value.
     *
     * @param window how many ticks a value counts
     * @param time ticks, never decreasing
     * @return the largest value now
     */
    long update(long window, long time, long value) {
        if (value >= values[0] || time - times[2] > window) {
            reset(time, value);
            return value;
        }
        if (value >= values[1]) {
            set(1, time, value);
            set(2, time, value);
        } else if (value >= values[2]) {
            set(2, time, value);
        }
        age(window, time, value);
        return values[0];
    }

    /** Drops the best when it is too old; keeps the candidates spread over the window. */
    private void age(long window, long time, long value) {
        long since = time - times[0];
        if (since > window) {
            advance();
            set(2, time, value);
            if (time - times[0] > window) {
                advance();
                set(2, time, value);
            }
        } else if (times[1] == times[0] && since > window / 4) {
            set(1, time, value);
            set(2, time, value);
        } else if (times[2] == times[1] && since > window / 2) {
            set(2, time, value);
        }
    }

    private void advance() {
        set(0, times[1], values[1]);
        set(1, times[2], values[2]);
    }

    private void set(int index, long time, long value) {
        times[index] = time;
        values[index] = value;
    }
}
