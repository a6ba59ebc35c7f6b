package dev.sluice.sim.net;

/**
 * What a network card is like.
 *
 * @param mtu largest IP packet on the wire, bytes
 * @param segmentation splits super-segments (TSO)
 * @param checksums completes transport checksums
 * @param coalescing merges received segments (GRO)
 * @param ringPackets packets that may wait in the card, counted on the wire; a card that is full
 *     refuses and the stack keeps its packets
 * @param transmitHoldNanos how long after a packet is out its completion is reported, with all that
 *     are out by then
 * @param receiveHoldNanos how long after a packet arrived it is handed up, with all that arrived by
 *     then
 */
public record NicSpec(
        int mtu,
        boolean segmentation,
        boolean checksums,
        boolean coalescing,
        int ringPackets,
        long transmitHoldNanos,
        long receiveHoldNanos) {
    public NicSpec {
        if (mtu < 68 || ringPackets < 1 || transmitHoldNanos < 0 || receiveHoldNanos < 0) {
            throw new IllegalArgumentException("not a network card");
        }
    }

    /** MTU 1500, every offload, a ring of 1024 packets and no interrupt moderation. */
    public static NicSpec standard() {
        return new NicSpec(1500, true, true, true, 1024, 0, 0);
    }

    /** A card that does nothing but send and receive packets. */
    public NicSpec withoutOffloads() {
        return new NicSpec(
                mtu, false, false, false, ringPackets, transmitHoldNanos, receiveHoldNanos);
    }

    public NicSpec withMtu(int bytes) {
        return new NicSpec(
                bytes,
                segmentation,
                checksums,
                coalescing,
                ringPackets,
                transmitHoldNanos,
                receiveHoldNanos);
    }

    public NicSpec withCoalescing(boolean on) {
        return new NicSpec(
                mtu, segmentation, checksums, on, ringPackets, transmitHoldNanos, receiveHoldNanos);
    }

    public NicSpec withRing(int packets) {
        return new NicSpec(
                mtu,
                segmentation,
                checksums,
                coalescing,
                packets,
                transmitHoldNanos,
                receiveHoldNanos);
    }

    /** Interrupt moderation, nanoseconds. */
    public NicSpec withHold(long transmitNanos, long receiveNanos) {
        return new NicSpec(
                mtu, segmentation, checksums, coalescing, ringPackets, transmitNanos, receiveNanos);
    }
}
