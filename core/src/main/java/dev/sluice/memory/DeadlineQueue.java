package dev.sluice.memory;

import java.util.Arrays;

/**
 * A priority queue of deadlines, at most one for each handle (a small non-negative number, such as
 * that of a connection).
 *
 * <p>Ordered by deadline and then by handle, so that equal deadlines come out in the same order on
 * every run. An indexed four-way heap in primitive arrays: setting, moving and removing cost O(log
 * n), looking at the earliest O(1), and nothing is allocated except when the arrays grow. Deadlines
 * are nanoseconds on the clock of the caller; {@link #NONE} is no deadline.
 */
public final class DeadlineQueue {
    /** The deadline of a handle that has none. */
    public static final long NONE = Long.MAX_VALUE;

    private static final int[] NO_INTS = {};
    private static final long[] NO_LONGS = {};

    /** Position in the heap to deadline and handle. */
    private long[] deadlines = NO_LONGS;

    private int[] handles = NO_INTS;

    /** Handle to position in the heap plus one; 0 for a handle that is not queued. */
    private int[] places = NO_INTS;

    private int size;

    /** An empty queue; the arrays come with the first deadline. */
    public DeadlineQueue() {}

    /** Gives {@code handle} the deadline, replacing the one it had; {@link #NONE} removes it. */
    public void set(int handle, long deadline) {
        if (deadline == NONE) {
            remove(handle);
            return;
        }
        if (handle >= places.length) {
            places = Arrays.copyOf(places, grown(places.length, handle + 1));
        }
        int place = places[handle] - 1;
        if (place < 0) {
            if (size == handles.length) {
                handles = Arrays.copyOf(handles, grown(size, size + 1));
                deadlines = Arrays.copyOf(deadlines, handles.length);
            }
            siftUp(size++, handle, deadline);
        } else if (deadline < deadlines[place]) {
            siftUp(place, handle, deadline);
        } else {
            siftDown(place, handle, deadline);
        }
    }

    /** Forgets the deadline of {@code handle}, if it has one. */
    public void remove(int handle) {
        int place = handle < places.length ? places[handle] - 1 : -1;
        if (place < 0) {
            return;
        }
        places[handle] = 0;
        size--;
        if (place == size) {
            return;
        }
        int moved = handles[size];
        long deadline = deadlines[size];
        if (place > 0 && before(deadline, moved, (place - 1) >>> 2)) {
            siftUp(place, moved, deadline);
        } else {
            siftDown(place, moved, deadline);
        }
    }

    /** The earliest deadline, or {@link #NONE} if nothing is queued. */
    public long earliest() {
        return size == 0 ? NONE : deadlines[0];
    }

    /** The deadline of {@code handle}, or {@link #NONE}. */
    public long deadline(int handle) {
        int place = handle < places.length ? places[handle] - 1 : -1;
        return place < 0 ? NONE : deadlines[place];
    }

    /**
     * Removes the earliest handle whose deadline is {@code now} or before and returns it; -1 if
     * none is.
     */
    public int pollDue(long now) {
        if (size == 0 || deadlines[0] > now) {
            return -1;
        }
        int handle = handles[0];
        remove(handle);
        return handle;
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    private void siftUp(int from, int handle, long deadline) {
        int place = from;
        while (place > 0) {
            int parent = (place - 1) >>> 2;
            if (!before(deadline, handle, parent)) {
                break;
            }
            put(place, handles[parent], deadlines[parent]);
            place = parent;
        }
        put(place, handle, deadline);
    }

    private void siftDown(int from, int handle, long deadline) {
        int place = from;
        for (int first = 4 * place + 1; first < size && first > 0; first = 4 * place + 1) {
            int least = first;
            int end = Math.min(first + 4, size);
            for (int child = first + 1; child < end; child++) {
                if (before(deadlines[child], handles[child], least)) {
                    least = child;
                }
            }
            if (!before(deadlines[least], handles[least], deadline, handle)) {
                break;
            }
            put(place, handles[least], deadlines[least]);
            place = least;
        }
        put(place, handle, deadline);
    }

    private void put(int place, int handle, long deadline) {
        handles[place] = handle;
        deadlines[place] = deadline;
        places[handle] = place + 1;
    }

    private boolean before(long deadline, int handle, int place) {
        return before(deadline, handle, deadlines[place], handles[place]);
    }

    private static boolean before(long deadline, int handle, long other, int otherHandle) {
        return deadline < other || (deadline == other && handle < otherHandle);
    }

    private static int grown(int length, int needed) {
        return Math.max(needed, Math.max(16, length + (length >> 1)));
    }
}
