package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;

/**
 * Sees the packets of a host as they are on the wire: outgoing ones after segmentation, incoming
 * ones before coalescing. It looks and does not touch.
 */
public interface PacketTap {
    /**
     * @param time when the card took the packet to send it, or when its last bit arrived;
     *     nanoseconds
     * @param nic the card
     * @param sent true for an outgoing packet
     * @param packet the packet, valid during the call
     */
    void packet(long time, Nic nic, boolean sent, PacketBuffer packet);
}
