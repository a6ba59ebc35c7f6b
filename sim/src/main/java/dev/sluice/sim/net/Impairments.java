package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.seed.Rng;
import dev.sluice.wire.WireImage;

import java.util.function.Function;

/**
 * What may go wrong on a link, ready for {@link LinkSpec#with}.
 *
 * <p>Probabilities are given as integers, so many of so many packets, which makes them exact. Every
 * impairment draws from a generator of its own.
 */
public final class Impairments {
    private Impairments() {}

    /** Loses {@code numerator} of {@code denominator} packets, each independently of the others. */
    public static Function<Rng, Impairment> loss(long numerator, long denominator) {
        return rng ->
                (now, packet, fate) -> {
                    if (rng.chance(numerator, denominator)) {
                        fate.lose();
                    }
                };
    }

    /**
     * Loses packets in bursts: the model of Gilbert and Elliott. The link is in a good state, in
     * which it loses nothing, or in a bad one, in which it loses half of all packets.
     *
     * @param perMille how likely a packet finds the good state turned bad, of 1000
     * @param burstPackets how many packets a bad state lasts on average
     */
    public static Function<Rng, Impairment> burstLoss(int perMille, int burstPackets) {
        return rng -> new GilbertElliott(rng, perMille, 1000, 1, burstPackets, 1, 2);
    }

    /** Loses the packets that match. The test may keep state and then serves for one link only. */
    public static Function<Rng, Impairment> lossOf(PacketTest test) {
        return rng -> {
            long[] seen = {0};
            return (now, packet, fate) -> {
                if (test.matches(seen[0]++, packet)) {
                    fate.lose();
                }
            };
        };
    }

    /** Delays so many of so many packets by extra time, so that later ones overtake them. */
    public static Function<Rng, Impairment> reorder(
            long numerator, long denominator, long extraNanos) {
        return rng ->
                (now, packet, fate) -> {
                    if (rng.chance(numerator, denominator)) {
                        fate.delay(extraNanos, true);
                    }
                };
    }

    /**
     * Lets some packets be overtaken by exactly so many others.
     *
     * @param distance how many later packets arrive first
     * @param atMostNanos how long to wait for them; after that the packet arrives anyway
     */
    public static Function<Rng, Impairment> swap(
            long numerator, long denominator, int distance, long atMostNanos) {
        return rng ->
                (now, packet, fate) -> {
                    if (rng.chance(numerator, denominator)) {
                        fate.letPass(distance, atMostNanos);
                    }
                };
    }

    /** Delivers so many of so many packets twice. */
    public static Function<Rng, Impairment> duplicate(long numerator, long denominator) {
        return rng ->
                (now, packet, fate) -> {
                    if (rng.chance(numerator, denominator)) {
                        fate.duplicate();
                    }
                };
    }

    /**
     * Delays every packet by 0 to {@code maxNanos} more, evenly distributed.
     *
     * @param overtakable whether a packet may overtake one that was delayed longer; otherwise it
     *     waits
     */
    public static Function<Rng, Impairment> jitter(long maxNanos, boolean overtakable) {
        return rng -> (now, packet, fate) -> fate.delay(rng.between(0L, maxNanos), overtakable);
    }

    /**
     * Damages so many of so many packets: flips one bit, anywhere from the IP header to the
     * payload.
     */
    public static Function<Rng, Impairment> corrupt(long numerator, long denominator) {
        return rng ->
                (now, packet, fate) -> {
                    if (rng.chance(numerator, denominator)) {
                        flipBit(packet, rng.nextInt(packet.wireLength() * 8));
                    }
                };
    }

    /** Marks so many of so many packets that are ECN-capable: congestion experienced. */
    public static Function<Rng, Impairment> mark(long numerator, long denominator) {
        return rng ->
                (now, packet, fate) -> {
                    if (rng.chance(numerator, denominator)) {
                        mark(packet);
                    }
                };
    }

    private static void mark(PacketBuffer packet) {
        boolean ipv4 = PacketView.version(packet) == 4;
        int mask = ipv4 ? 0x03 : 0x30;
        int before = PacketView.u16(packet, 0);
        if ((before & mask) == 0) {
            return; // its sender would not understand
        }
        PacketView.put8(packet, 1, PacketView.u8(packet, 1) | mask);
        if (ipv4) {
            // RFC 1624: the header checksum follows the change.
            int sum = ~PacketView.u16(packet, 10) & 0xffff;
            sum += (~before & 0xffff) + PacketView.u16(packet, 0);
            sum = (sum & 0xffff) + (sum >>> 16);
            PacketView.put16(packet, 10, ~(sum + (sum >>> 16)) & 0xffff);
        }
    }

    /** Lets an impairment work on packets whose serialization begins before {@code end} only. */
    public static Function<Rng, Impairment> until(long end, Function<Rng, Impairment> impairment) {
        return rng -> {
            Impairment made = impairment.apply(rng);
            return (now, packet, fate) -> {
                if (now < end) {
                    made.apply(now, packet, fate);
                }
            };
        };
    }

    /** Flips a bit, or notes the damage where the bit or a checksum over it is not stored. */
    private static void flipBit(PacketBuffer packet, int bit) {
        int octet = bit >>> 3;
        if (packet.syntheticLength() > 0) {
            if (hitsTransport(packet, octet)) {
                packet.checksum(PacketBuffer.CHECKSUM_BAD);
            }
        } else if (packet.checksum() == PacketBuffer.CHECKSUM_VERIFIED) {
            WireImage.completeChecksum(packet);
            packet.checksum(PacketBuffer.CHECKSUM_UNVERIFIED);
        }
        if (octet < packet.length()) {
            PacketView.put8(packet, octet, PacketView.u8(packet, octet) ^ 1 << (bit & 7));
        }
    }

    /**
     * Whether the transport checksum covers this byte, the addresses of the pseudo-header included.
     */
    private static boolean hitsTransport(PacketBuffer packet, int octet) {
        return PacketView.version(packet) == 4
                ? octet >= 9 && octet != 10 && octet != 11
                : octet >= 4 && octet != 7;
    }
}
