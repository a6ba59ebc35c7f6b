package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;

/** Where a link ends: a network card or a port of a router. */
public interface LinkEnd {
    /**
     * A packet arrived and belongs to this end now.
     *
     * @param arrival when its last bit arrived, nanoseconds; up to {@link #holdNanos} ago
     */
    void packetArrived(long arrival, PacketBuffer packet);

    /** That was all that had arrived by {@code now}. */
    void batchComplete(long now);

    /**
     * How long after the arrival of a packet this end wants to hear of it, together with what
     * follows in the meantime (interrupt coalescing), nanoseconds.
     */
    long holdNanos();
}
