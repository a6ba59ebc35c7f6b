package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;

/** First in, first out, with a limit on packets and one on bytes: a drop-tail queue. */
public final class Fifo implements Qdisc {
    private final int limitPackets;
    private final long limitBytes;
    private PacketBuffer first;
    private PacketBuffer last;
    private int packets;
    private long bytes;

    /** A queue that refuses the packet with which it would exceed either limit. */
    public Fifo(int limitPackets, long limitBytes) {
        if (limitPackets < 1 || limitBytes < 1) {
            throw new IllegalArgumentException("a queue needs room for something");
        }
        this.limitPackets = limitPackets;
        this.limitBytes = limitBytes;
    }

    /** A queue that holds as many packets and any number of bytes. */
    public static Fifo ofPackets(int limit) {
        return new Fifo(limit, Long.MAX_VALUE);
    }

    /** A queue that holds as many bytes in any number of packets. */
    public static Fifo ofBytes(long limit) {
        return new Fifo(Integer.MAX_VALUE, limit);
    }

    /** A queue that never refuses. */
    public static Fifo unlimited() {
        return new Fifo(Integer.MAX_VALUE, Long.MAX_VALUE);
    }

    @Override
    public boolean enqueue(long now, PacketBuffer packet) {
        int length = packet.wireLength();
        if (packets >= limitPackets || bytes + length > limitBytes) {
            return false;
        }
        packet.next(null);
        if (first == null) {
            first = packet;
        } else {
            last.next(packet);
        }
        last = packet;
        packets++;
        bytes += length;
        return true;
    }

    @Override
    public PacketBuffer dequeue(long now) {
        PacketBuffer packet = first;
        if (packet == null) {
            return null;
        }
        first = packet.next();
        packet.next(null);
        packets--;
        bytes -= packet.wireLength();
        return packet;
    }

    @Override
    public int packets() {
        return packets;
    }

    @Override
    public long bytes() {
        return bytes;
    }
}
