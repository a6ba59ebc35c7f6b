package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;

/** Hand-made IP packets with just enough in them. */
final class TestPackets {
    static final int HEADERS = 40;

    private TestPackets() {}

    /** An IPv4 TCP segment with synthetic payload, from host 1 to host 2. */
    static PacketBuffer synthetic(PacketPool pool, int sequence, int payload) {
        PacketBuffer packet = pool.acquire(HEADERS);
        packet.window(0, HEADERS);
        header(packet, sequence, HEADERS + payload);
        packet.synthetic(sequence, payload);
        packet.checksum(PacketBuffer.CHECKSUM_VERIFIED);
        return packet;
    }

    /** An IPv4 TCP segment whose payload bytes count up from the sequence number. */
    static PacketBuffer stored(PacketPool pool, int sequence, int payload) {
        PacketBuffer packet = pool.acquire(HEADERS + payload);
        packet.window(0, HEADERS + payload);
        header(packet, sequence, HEADERS + payload);
        for (int i = 0; i < payload; i++) {
            PacketView.put8(packet, HEADERS + i, sequence + i);
        }
        packet.checksum(PacketBuffer.CHECKSUM_VERIFIED);
        return packet;
    }

    static void flags(PacketBuffer packet, int flags) {
        PacketView.put8(packet, 33, flags);
    }

    private static void header(PacketBuffer packet, int sequence, int totalLength) {
        for (int at = 0; at < HEADERS; at++) {
            PacketView.put8(packet, at, 0);
        }
        PacketView.put8(packet, 0, 0x45);
        PacketView.put16(packet, 2, totalLength);
        PacketView.put16(packet, 4, 100);
        PacketView.put16(packet, 6, 0x4000);
        PacketView.put8(packet, 8, 64);
        PacketView.put8(packet, 9, PacketView.TCP);
        PacketView.put32(packet, 12, 0x0a000001);
        PacketView.put32(packet, 16, 0x0a000002);
        PacketView.put16(packet, 20, 4000);
        PacketView.put16(packet, 22, 80);
        PacketView.put32(packet, 24, sequence);
        PacketView.put32(packet, 28, 1);
        PacketView.put8(packet, 32, 0x50);
        PacketView.put8(packet, 33, PacketView.ACK);
        PacketView.put16(packet, 34, 500);
    }
}
