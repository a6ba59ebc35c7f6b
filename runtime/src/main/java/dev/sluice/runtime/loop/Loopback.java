package dev.sluice.runtime.loop;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.stack.Interface;

/** Packets on their way from a stack to itself. Belongs to the holder of the stack. */
final class Loopback {
    private final Interface iface;
    private PacketBuffer first;
    private PacketBuffer last;

    Loopback(Interface iface) {
        this.iface = iface;
    }

    Interface iface() {
        return iface;
    }

    /** Takes a packet that was sent; nothing of the sender's sticks to it any more. */
    void add(PacketBuffer packet) {
        packet.owner(null);
        packet.truesize(0);
        packet.next(null);
        if (first == null) {
            first = packet;
        } else {
            last.next(packet);
        }
        last = packet;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** The oldest, or null. */
    PacketBuffer take() {
        PacketBuffer packet = first;
        if (packet != null) {
            first = packet.next();
            packet.next(null);
        }
        return packet;
    }

    void release(PacketPool pool) {
        for (PacketBuffer p = take(); p != null; p = take()) {
            pool.release(p);
        }
    }
}
