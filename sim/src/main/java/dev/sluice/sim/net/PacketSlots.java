package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;

import java.util.Arrays;

/** Packets under small numbers that an event can carry. */
final class PacketSlots {
    private PacketBuffer[] packets = new PacketBuffer[16];
    private int[] free = new int[16];
    private int freeCount;
    private int used;

    int size() {
        return used - freeCount;
    }

    int add(PacketBuffer packet) {
        int slot;
        if (freeCount > 0) {
            slot = free[--freeCount];
        } else {
            if (used == packets.length) {
                packets = Arrays.copyOf(packets, used * 2);
                free = Arrays.copyOf(free, used * 2);
            }
            slot = used++;
        }
        packets[slot] = packet;
        return slot;
    }

    PacketBuffer remove(int slot) {
        PacketBuffer packet = packets[slot];
        packets[slot] = null;
        free[freeCount++] = slot;
        return packet;
    }
}
