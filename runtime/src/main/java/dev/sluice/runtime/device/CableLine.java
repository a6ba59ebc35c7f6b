package dev.sluice.runtime.device;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.seed.Rng;
import dev.sluice.wire.TcpHeader;

import java.lang.foreign.ValueLayout;

/**
 * What one direction of a {@link Cable} does to packets: loses some, lets them wait for a line of
 * limited rate, delays all by the same time. Used by the sending side; keeps the order of packets.
 */
final class CableLine {
    /** {@link #arrival} of a packet that never arrives. */
    static final long LOST = Long.MIN_VALUE;

    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final int IPV6_HEADER = 40;
    private static final int TCP_DATA_OFFSET = 12;

    private final CableSpec spec;
    private final Rng losses;
    private final long queueNanos;

    /** When the line will have sent all it was given. */
    private long freeAt = Long.MIN_VALUE;

    CableLine(CableSpec spec, String direction) {
        this.spec = spec;
        losses = new Rng(spec.seed()).split("cable " + direction);
        queueNanos = spec.bitsPerSecond() == 0 ? 0 : nanosFor(spec.queueBytes());
    }

    /** Whether packets arrive later than they are sent. */
    static boolean delays(CableSpec spec) {
        return spec.bitsPerSecond() > 0 || spec.delayNanos() > 0;
    }

    /** When the packet that is sent now will be there, or {@link #LOST}. */
    long arrival(long now, PacketBuffer packet) {
        if (spec.lossPerBillion() > 0 && losses.chance(spec.lossPerBillion(), CableSpec.BILLION)) {
            return LOST;
        }
        if (spec.bitsPerSecond() == 0) {
            return now + spec.delayNanos();
        }
        long begin = Math.max(now, freeAt);
        long sending = nanosFor(wireBytes(packet));
        if (begin > now && begin - now + sending > queueNanos) {
            return LOST;
        }
        freeAt = begin + sending;
        return freeAt + spec.delayNanos();
    }

    private long nanosFor(long bytes) {
        // At most 2^30 bytes: 8 * 2^30 * 10^9 is less than 2^63.
        return bytes * 8 * NANOS_PER_SECOND / spec.bitsPerSecond();
    }

    /** Bytes of IP packets: a super-packet is sent as packets of the MTU, each with its headers. */
    private static long wireBytes(PacketBuffer packet) {
        int copies = packet.segmentCount() - 1;
        return copies == 0 ? packet.length() : packet.length() + (long) copies * headers(packet);
    }

    private static int headers(PacketBuffer packet) {
        int first = packet.segment().get(ValueLayout.JAVA_BYTE, packet.start());
        int ip = (first >>> 4 & 0xf) == 4 ? (first & 0xf) * 4 : IPV6_HEADER;
        int offset =
                packet.segment().get(ValueLayout.JAVA_BYTE, packet.start() + ip + TCP_DATA_OFFSET);
        return ip + Math.max(TcpHeader.LENGTH, (offset & 0xf0) >>> 2);
    }
}
