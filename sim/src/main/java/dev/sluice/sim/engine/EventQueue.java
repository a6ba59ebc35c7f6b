package dev.sluice.sim.engine;

import java.util.Arrays;

/**
 * Pending events in primitive arrays: a heap with four children per node, ordered by time and then
 * by rank.
 *
 * <p>Ranks are unique, so the order is total and does not depend on the shape of the heap. Nothing
 * is allocated unless the queue outgrows its arrays. An event cannot be taken back; whoever no
 * longer wants one ignores it when it fires.
 */
final class EventQueue {
    private static final int ARITY_SHIFT = 2;

    private long[] times = new long[64];
    private long[] ranks = new long[64];
    private long[] targets = new long[64];
    private long[] arguments = new long[64];
    private int size;

    int size() {
        return size;
    }

    /** Time of the earliest event, or {@code Long.MAX_VALUE} if there is none. */
    long firstTime() {
        return size == 0 ? Long.MAX_VALUE : times[0];
    }

    /** Handler and code of the earliest event, as they were given to {@link #add}. */
    long firstTarget() {
        return targets[0];
    }

    long firstArgument() {
        return arguments[0];
    }

    void add(long time, long rank, long target, long argument) {
        if (size == times.length) {
            grow();
        }
        int hole = size++;
        while (hole > 0) {
            int parent = (hole - 1) >>> ARITY_SHIFT;
            if (!isBefore(time, rank, parent)) {
                break;
            }
            move(parent, hole);
            hole = parent;
        }
        put(hole, time, rank, target, argument);
    }

    void removeFirst() {
        int last = --size;
        if (last == 0) {
            return;
        }
        long time = times[last];
        long rank = ranks[last];
        int hole = 0;
        while (true) {
            int child = (hole << ARITY_SHIFT) + 1;
            if (child >= last) {
                break;
            }
            int end = Math.min(child + 4, last);
            int least = child;
            for (int other = child + 1; other < end; other++) {
                if (isBefore(times[other], ranks[other], least)) {
                    least = other;
                }
            }
            if (isBefore(time, rank, least)) {
                break;
            }
            move(least, hole);
            hole = least;
        }
        put(hole, time, rank, targets[last], arguments[last]);
    }

    private boolean isBefore(long time, long rank, int index) {
        long other = times[index];
        return time < other || time == other && rank < ranks[index];
    }

    private void move(int from, int to) {
        put(to, times[from], ranks[from], targets[from], arguments[from]);
    }

    private void put(int index, long time, long rank, long target, long argument) {
        times[index] = time;
        ranks[index] = rank;
        targets[index] = target;
        arguments[index] = argument;
    }

    private void grow() {
        int capacity = size * 2;
        times = Arrays.copyOf(times, capacity);
        ranks = Arrays.copyOf(ranks, capacity);
        targets = Arrays.copyOf(targets, capacity);
        arguments = Arrays.copyOf(arguments, capacity);
    }
}
