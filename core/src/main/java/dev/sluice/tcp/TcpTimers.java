package dev.sluice.tcp;

import java.util.Arrays;

/**
 * The deadlines of one connection, one slot per {@link TcpTimer}, in nanoseconds.
 *
 * <p>Held only while at least one of them is armed, so that an idle connection needs none.
 */
final class TcpTimers {
    /** A slot that is not armed. */
    static final long UNARMED = Long.MAX_VALUE;

    private final long[] deadline = new long[TcpTimer.COUNT];
    private long earliest = UNARMED;

    /** Link of the pool's free list. */
    TcpTimers nextFree;

    TcpTimers() {
        Arrays.fill(deadline, UNARMED);
    }

    long deadline(TcpTimer timer) {
        return deadline[timer.ordinal()];
    }

    void arm(TcpTimer timer, long deadlineNanos) {
        int slot = timer.ordinal();
        long previous = deadline[slot];
        deadline[slot] = deadlineNanos;
        if (deadlineNanos <= earliest) {
            earliest = deadlineNanos;
        } else if (previous == earliest) {
            recompute();
        }
    }

    void disarm(TcpTimer timer) {
        int slot = timer.ordinal();
        long previous = deadline[slot];
        if (previous != UNARMED) {
            deadline[slot] = UNARMED;
            if (previous == earliest) {
                recompute();
            }
        }
    }

    void disarmAll() {
        Arrays.fill(deadline, UNARMED);
        earliest = UNARMED;
    }

    /** The earliest armed deadline, or {@link #UNARMED}. */
    long earliest() {
        return earliest;
    }

    private void recompute() {
        long min = UNARMED;
        for (long d : deadline) {
            if (d < min) {
                min = d;
            }
        }
        earliest = min;
    }
}
