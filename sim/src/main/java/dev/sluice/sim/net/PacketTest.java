package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;

/** A question about a packet, for impairments that pick their victims. */
public interface PacketTest {
    /**
     * @param index how many packets the impairment has seen before this one
     * @param packet the packet as it is on the wire
     */
    boolean matches(long index, PacketBuffer packet);

    /** Exactly these packets, counted from 0, whatever they are. */
    static PacketTest numbers(long... indexes) {
        return (index, packet) -> {
            for (long each : indexes) {
                if (each == index) {
                    return true;
                }
            }
            return false;
        };
    }

    /** TCP segments with payload. */
    static PacketTest data() {
        return (index, packet) -> PacketView.isTcp(packet) && PacketView.payloadLength(packet) > 0;
    }

    /** TCP segments with nothing but an acknowledgment. */
    static PacketTest pureAck() {
        int notPure = PacketView.SYN | PacketView.FIN | PacketView.RST;
        return (index, packet) ->
                PacketView.isTcp(packet)
                        && PacketView.payloadLength(packet) == 0
                        && (PacketView.flags(packet) & (notPure | PacketView.ACK))
                                == PacketView.ACK;
    }

    /** TCP segments with at least one of these flags, as in {@link PacketView}. */
    static PacketTest anyFlag(int flags) {
        return (index, packet) ->
                PacketView.isTcp(packet) && (PacketView.flags(packet) & flags) != 0;
    }

    /** The {@code n}-th packet, from 0, of those that match another test. */
    static PacketTest nth(long n, PacketTest test) {
        long[] seen = {0};
        return (index, packet) -> test.matches(index, packet) && seen[0]++ == n;
    }
}
