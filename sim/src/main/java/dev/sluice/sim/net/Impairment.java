package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;

/**
 * Something that happens to packets on a link.
 *
 * <p>A link asks its impairments in their order, once per packet, when the packet has left the
 * queue; those after the one that loses it are not asked. An impairment may change the packet
 * itself.
 */
public interface Impairment {
    /**
     * Decides about one packet.
     *
     * @param now when its serialization began, nanoseconds
     * @param packet the packet, as it is on the wire
     * @param fate what was decided so far; add to it
     */
    void apply(long now, PacketBuffer packet, PacketFate fate);
}
