package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;

/**
 * A queue in front of a link.
 *
 * <p>The link asks for the next packet at the moment its serialization would begin, with that
 * moment as {@code now}, though it may ask later in the course of the run (see {@link Link}); the
 * calls on one queue still come in the order of their times. A queue must give out a packet
 * whenever it holds one.
 */
public interface Qdisc {
    /**
     * Offers a packet.
     *
     * @return true if the queue took it; false if it refuses it, and the caller keeps and drops it
     */
    boolean enqueue(long now, PacketBuffer packet);

    /** The packet whose serialization begins at {@code now}, or null if the queue is empty. */
    PacketBuffer dequeue(long now);

    /** Packets waiting. */
    int packets();

    /** Bytes waiting, as on the wire. */
    long bytes();
}
