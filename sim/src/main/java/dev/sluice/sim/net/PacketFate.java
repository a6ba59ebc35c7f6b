package dev.sluice.sim.net;

/** What the impairments of a link decided about one packet; owned by the link and reused. */
public final class PacketFate {
    private boolean lost;
    private long delayNanos;
    private boolean overtakable;
    private int copies;
    private int heldFor;
    private long heldAtMostNanos;

    PacketFate() {}

    void reset() {
        lost = false;
        delayNanos = 0;
        overtakable = false;
        copies = 0;
        heldFor = 0;
    }

    /** The packet never arrives. */
    public void lose() {
        lost = true;
    }

    /**
     * The packet arrives later than it would.
     *
     * @param nanos added to the delay decided so far
     * @param overtakable whether packets sent later may arrive earlier; if not, they wait behind it
     */
    public void delay(long nanos, boolean overtakable) {
        delayNanos += nanos;
        this.overtakable |= overtakable;
    }

    /** One more copy of the packet arrives, right behind it. */
    public void duplicate() {
        copies++;
    }

    /**
     * The packet lets others pass.
     *
     * @param packets how many later packets arrive before it
     * @param atMostNanos how long it waits for them beyond its own time
     */
    public void letPass(int packets, long atMostNanos) {
        heldFor = packets;
        heldAtMostNanos = atMostNanos;
    }

    boolean isLost() {
        return lost;
    }

    long delayNanos() {
        return delayNanos;
    }

    boolean isOvertakable() {
        return overtakable;
    }

    int copies() {
        return copies;
    }

    int heldFor() {
        return heldFor;
    }

    long heldAtMostNanos() {
        return heldAtMostNanos;
    }
}
