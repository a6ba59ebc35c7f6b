package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;

/** Packets on their way along a link, with the times at which they arrive, in order of arrival. */
final class PacketRing {
    private long[] times = new long[64];
    private PacketBuffer[] packets = new PacketBuffer[64];
    private int head;
    private int size;

    void add(long time, PacketBuffer packet) {
        if (size == times.length) {
            grow();
        }
        int index = (head + size++) & (times.length - 1);
        times[index] = time;
        packets[index] = packet;
    }

    int size() {
        return size;
    }

    /** When the first one arrives; {@code Long.MAX_VALUE} if there is none. */
    long firstTime() {
        return size == 0 ? Long.MAX_VALUE : times[head];
    }

    PacketBuffer removeFirst() {
        PacketBuffer packet = packets[head];
        packets[head] = null;
        head = (head + 1) & (times.length - 1);
        size--;
        return packet;
    }

    private void grow() {
        int capacity = times.length * 2;
        long[] newTimes = new long[capacity];
        PacketBuffer[] newPackets = new PacketBuffer[capacity];
        for (int i = 0; i < size; i++) {
            int from = (head + i) & (times.length - 1);
            newTimes[i] = times[from];
            newPackets[i] = packets[from];
        }
        times = newTimes;
        packets = newPackets;
        head = 0;
    }
}
