package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;

/** Makes packets out of packets: whole copies, and the segments of a super-segment. */
final class PacketCopier {
    private final PacketPool pool;

    PacketCopier(PacketPool pool) {
        this.pool = pool;
    }

    /** A second packet that looks the same on the wire, or null if the pool is exhausted. */
    PacketBuffer copy(PacketBuffer packet) {
        PacketBuffer copy = pool.acquire(packet.length());
        if (copy == null) {
            return null;
        }
        copy.window(0, packet.length());
        PacketView.copy(packet, 0, copy, 0, packet.length());
        copy.synthetic(packet.syntheticOffset(), packet.syntheticLength());
        copy.segments(packet.segmentSize(), packet.segmentCount());
        copy.checksum(packet.checksum());
        copy.timeNanos(packet.timeNanos());
        return copy;
    }

    /**
     * Cuts one segment out of a super-segment as a TCP segmentation offload does (B-12.1): headers
     * replicated, sequence number advanced, IPv4 identification counted up, lengths and IPv4
     * checksum made right, FIN and PSH only on the last and CWR only on the first. The TCP checksum
     * is the device's own work and therefore good.
     *
     * @param headers bytes of IP and TCP header together
     * @param index which segment, from 0
     * @return the segment, or null if the pool is exhausted
     */
    PacketBuffer segment(PacketBuffer packet, int headers, int index) {
        int size = packet.segmentSize();
        boolean last = index == packet.segmentCount() - 1;
        int from = index * size;
        int payload = packet.wireLength() - headers;
        int length = last ? payload - from : size;
        int stored = Math.clamp(packet.length() - headers - from, 0, length);
        PacketBuffer segment = pool.acquire(headers + stored);
        if (segment == null) {
            return null;
        }
        segment.window(0, headers + stored);
        PacketView.copy(packet, 0, segment, 0, headers);
        if (stored > 0) {
            PacketView.copy(packet, headers + from, segment, headers, stored);
        }
        if (stored < length) {
            int storedInAll = packet.length() - headers;
            long offset = packet.syntheticOffset() + (from + stored - storedInAll);
            segment.synthetic(offset, length - stored);
        }
        int ip = PacketView.ipHeaderLength(segment);
        patchIp(segment, ip, headers + length, index);
        PacketView.put32(segment, ip + 4, PacketView.i32(segment, ip + 4) + from);
        int cleared =
                (last ? 0 : PacketView.FIN | PacketView.PSH) | (index == 0 ? 0 : PacketView.CWR);
        PacketView.put8(segment, ip + 13, PacketView.u8(segment, ip + 13) & ~cleared);
        segment.checksum(PacketBuffer.CHECKSUM_VERIFIED);
        segment.timeNanos(packet.timeNanos());
        return segment;
    }

    private static void patchIp(PacketBuffer segment, int ip, int length, int index) {
        if (PacketView.version(segment) == 6) {
            PacketView.put16(segment, 4, length - PacketView.IPV6_HEADER);
            return;
        }
        PacketView.put16(segment, 2, length);
        PacketView.put16(segment, 4, PacketView.u16(segment, 4) + index);
        PacketView.put16(segment, 10, 0);
        int sum = 0;
        for (int at = 0; at < ip; at += 2) {
            sum += PacketView.u16(segment, at);
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        sum = (sum & 0xffff) + (sum >>> 16);
        PacketView.put16(segment, 10, ~sum);
    }
}
