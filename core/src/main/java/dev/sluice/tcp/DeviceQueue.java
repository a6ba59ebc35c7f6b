package dev.sluice.tcp;

/**
 * How full the queue in front of a device is: what a sender on this host learns at once, while a
 * loss further on takes a round trip (Linux's NET_XMIT_DROP, B-4.14). One for each interface, kept
 * by the stack and asked by its connections.
 */
public final class DeviceQueue {
    private int limit;
    private int waiting;

    /**
     * @param limit packets that may wait
     */
    public DeviceQueue(int limit) {
        this.limit = limit;
    }

    /** Changes how many packets may wait; 0 for a device that takes none. */
    public void limit(int packets) {
        limit = packets;
    }

    /** A packet joined the queue, or left it if {@code change} is negative. */
    public void add(int change) {
        waiting += change;
    }

    /** Packets that wait. */
    public int waiting() {
        return waiting;
    }

    /** A packet sent now would be dropped. */
    public boolean isFull() {
        return waiting >= limit;
    }
}
