package dev.sluice.sim.check;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.Nic;
import dev.sluice.sim.net.PacketTap;
import dev.sluice.sim.net.Topology;
import dev.sluice.wire.WireImage;

import java.util.zip.CRC32C;

/**
 * One number for all packets of a run: times, places, directions and every byte on the wire. Two
 * runs with the same number did the same.
 */
public final class PacketDigest implements PacketTap {
    private static final long FNV_PRIME = 0x100000001B3L;

    private final CRC32C crc = new CRC32C();
    private final byte[] image = new byte[65_536];
    private long hash = 0xCBF29CE484222325L;
    private long packets;

    /** The digest of no packets. */
    public PacketDigest() {}

    /** Takes part in every host of the network. */
    public void install(Topology topology) {
        for (Host host : topology.hosts()) {
            host.tap(this);
        }
    }

    @Override
    public void packet(long time, Nic nic, boolean sent, PacketBuffer packet) {
        packets++;
        mix(time);
        mix(nic.name().hashCode());
        mix(sent ? 1 : 0);
        int length = WireImage.copy(packet, image, 0);
        crc.reset();
        crc.update(image, 0, length);
        mix(crc.getValue());
    }

    private void mix(long value) {
        hash = (hash ^ value) * FNV_PRIME;
        hash ^= hash >>> 32;
    }

    /** The number so far. */
    public long value() {
        return hash;
    }

    /** Packets that went into it. */
    public long packets() {
        return packets;
    }
}
