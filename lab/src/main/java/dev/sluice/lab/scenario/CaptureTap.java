package dev.sluice.lab.scenario;

import dev.sluice.doctor.capture.PcapngWriter;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.sim.net.Host;
import dev.sluice.sim.net.Nic;
import dev.sluice.sim.net.PacketTap;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Captures what a simulated host sends and receives, in virtual time, into a pcapng file. */
public final class CaptureTap implements PacketTap, AutoCloseable {
    private final PcapngWriter writer;
    private final Nic[] nics;

    /**
     * Begins a capture of every card of a host, which must be connected; {@link #close} ends it.
     */
    public CaptureTap(Host host, Path file) throws IOException {
        writer = new PcapngWriter(new BufferedOutputStream(Files.newOutputStream(file)));
        nics = host.nics().toArray(new Nic[0]);
        for (Nic nic : nics) {
            writer.addInterface(nic.name());
        }
        host.tap(this);
    }

    @Override
    public void packet(long time, Nic nic, boolean sent, PacketBuffer packet) {
        for (int i = 0; i < nics.length; i++) {
            if (nics[i] == nic) {
                writer.packet(i, time, sent, packet, null);
            }
        }
    }

    /** Packets captured. */
    public long packets() {
        return writer.packets();
    }

    @Override
    public void close() {
        writer.close();
    }
}
