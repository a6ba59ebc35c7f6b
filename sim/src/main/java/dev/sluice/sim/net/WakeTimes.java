package dev.sluice.sim.net;

import java.util.Arrays;

/**
 * The wake events that somebody has in the event queue. Events cannot be taken back, so a new one
 * is scheduled only if it is earlier than all of them; a deadline that moved away is noticed when
 * the event of its old time fires. The times are therefore a stack, the earliest on top.
 */
final class WakeTimes {
    private long[] times = new long[8];
    private int size;

    /** Whether an event has to be scheduled for {@code deadline}; it is then taken to be. */
    boolean mustSchedule(long deadline) {
        if (deadline == Long.MAX_VALUE || size > 0 && times[size - 1] <= deadline) {
            return false;
        }
        if (size == times.length) {
            times = Arrays.copyOf(times, size * 2);
        }
        times[size++] = deadline;
        return true;
    }

    /** The earliest event fired. */
    void fired() {
        size--;
    }
}
