package dev.sluice.sim.check;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.Nic;
import dev.sluice.sim.net.PacketTap;
import dev.sluice.sim.net.PacketView;
import dev.sluice.sim.net.Topology;

import java.util.HashMap;
import java.util.Map;

/**
 * No host takes back window it has offered: the right edge of what it advertises never moves left
 * (RFC 9293 section 3.8.6: SHLD-14). Watches outgoing packets.
 *
 * <p>A window in units of {@code 2^scale} bytes can only be rounded down when it is written, so an
 * edge may seem to move left by less than one unit.
 */
public final class WindowChecker implements Checker, PacketTap {
    private static final int SCALE_OPTION = 3;

    /** Both ends of a connection, the sending one first. */
    private record Direction(
            long fromHi, long fromLo, int fromPort, long toHi, long toLo, int toPort) {
        Direction reversed() {
            return new Direction(toHi, toLo, toPort, fromHi, fromLo, fromPort);
        }
    }

    /** What one end said so far. */
    private static final class Offer {
        int scaleOffered = -1;
        boolean edgeKnown;
        int edge;
    }

    private final Map<Direction, Offer> offers = new HashMap<>();

    /** A checker that has seen nothing yet. */
    public WindowChecker() {}

    @Override
    public void install(Topology topology) {
        for (Host host : topology.hosts()) {
            host.tap(this);
        }
    }

    @Override
    public void packet(long time, Nic nic, boolean sent, PacketBuffer packet) {
        if (!sent || !PacketView.isTcp(packet)) {
            return;
        }
        Direction direction =
                new Direction(
                        PacketView.sourceHi(packet),
                        PacketView.sourceLo(packet),
                        PacketView.sourcePort(packet),
                        PacketView.destinationHi(packet),
                        PacketView.destinationLo(packet),
                        PacketView.destinationPort(packet));
        int flags = PacketView.flags(packet);
        if ((flags & PacketView.SYN) != 0) {
            Offer offer = offers.computeIfAbsent(direction, key -> new Offer());
            offer.scaleOffered = scaleOption(packet);
            offer.edgeKnown = false;
            return;
        }
        Offer offer = offers.get(direction);
        if (offer == null || (flags & PacketView.RST) != 0 || (flags & PacketView.ACK) == 0) {
            return;
        }
        Offer peer = offers.get(direction.reversed());
        boolean scaled = offer.scaleOffered >= 0 && peer != null && peer.scaleOffered >= 0;
        int scale = scaled ? offer.scaleOffered : 0;
        int edge = PacketView.acknowledgment(packet) + (PacketView.window(packet) << scale);
        int moved = edge - offer.edge;
        boolean closed = PacketView.window(packet) == 0;
        if (offer.edgeKnown && !closed && moved <= -(1 << scale)) {
            throw new CheckFailure(
                    time,
                    nic.name() + " took back " + -moved + " bytes of window from " + direction);
        }
        if (!offer.edgeKnown || closed || moved > 0) {
            offer.edge = edge;
            offer.edgeKnown = true;
        }
    }

    /** The shift count of a window scale option, or -1. */
    private static int scaleOption(PacketBuffer packet) {
        int at = PacketView.ipHeaderLength(packet) + 20;
        int end = PacketView.headersLength(packet);
        while (at < end) {
            int kind = PacketView.u8(packet, at);
            if (kind == 0) {
                return -1;
            }
            if (kind == 1) {
                at++;
                continue;
            }
            if (at + 1 >= end || PacketView.u8(packet, at + 1) < 2) {
                return -1;
            }
            if (kind == SCALE_OPTION) {
                return Math.min(PacketView.u8(packet, at + 2), 14);
            }
            at += PacketView.u8(packet, at + 1);
        }
        return -1;
    }

    @Override
    public void verify(long now) {}
}
