package dev.sluice.stack;

import dev.sluice.memory.PacketBuffer;

/** Where {@link NetworkStack#flush} puts finished packets: a device, or the model of one. */
public interface PacketSink {
    /**
     * Takes one IP packet.
     *
     * @return true if the packet now belongs to the device; false if its queue is full, in which
     *     case the stack keeps this packet and everything behind it for the next flush
     */
    boolean transmit(long now, Interface iface, PacketBuffer packet);
}
