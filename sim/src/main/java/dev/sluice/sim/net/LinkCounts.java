package dev.sluice.sim.net;

/** Packets of one link by what became of them. */
public final class LinkCounts {
    long entered;
    long refused;
    long blackholed;
    long lost;
    long interrupted;
    long duplicated;
    long delivered;

    LinkCounts() {}

    /** Packets offered to the link. */
    public long entered() {
        return entered;
    }

    /** Packets the queue had no room for. */
    public long refused() {
        return refused;
    }

    /** Packets lost for their size. */
    public long blackholed() {
        return blackholed;
    }

    /** Packets lost by an impairment. */
    public long lost() {
        return lost;
    }

    /** Packets lost while the link was interrupted. */
    public long interrupted() {
        return interrupted;
    }

    /** Copies made. */
    public long duplicated() {
        return duplicated;
    }

    /** Packets that arrived, copies included. */
    public long delivered() {
        return delivered;
    }

    /** Packets that did not arrive for any reason. */
    public long dropped() {
        return refused + blackholed + lost + interrupted;
    }
}
