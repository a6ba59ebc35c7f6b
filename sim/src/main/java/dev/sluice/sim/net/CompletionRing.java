package dev.sluice.sim.net;

import dev.sluice.memory.TransmitOwner;

/**
 * Packets whose serialization has begun and whose owners wait to be told, in order of completion.
 */
final class CompletionRing {
    private long[] times = new long[64];
    private int[] truesizes = new int[64];
    private TransmitOwner[] owners = new TransmitOwner[64];
    private int head;
    private int size;

    void add(long time, TransmitOwner owner, int truesize) {
        if (size == times.length) {
            grow();
        }
        int index = (head + size++) & (times.length - 1);
        times[index] = time;
        owners[index] = owner;
        truesizes[index] = truesize;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** When the first one is complete; {@code Long.MAX_VALUE} if there is none. */
    long firstTime() {
        return size == 0 ? Long.MAX_VALUE : times[head];
    }

    TransmitOwner firstOwner() {
        return owners[head];
    }

    int firstTruesize() {
        return truesizes[head];
    }

    void removeFirst() {
        owners[head] = null;
        head = (head + 1) & (times.length - 1);
        size--;
    }

    private void grow() {
        int capacity = times.length * 2;
        long[] newTimes = new long[capacity];
        int[] newTruesizes = new int[capacity];
        TransmitOwner[] newOwners = new TransmitOwner[capacity];
        for (int i = 0; i < size; i++) {
            int from = (head + i) & (times.length - 1);
            newTimes[i] = times[from];
            newTruesizes[i] = truesizes[from];
            newOwners[i] = owners[from];
        }
        times = newTimes;
        truesizes = newTruesizes;
        owners = newOwners;
        head = 0;
    }
}
