package dev.sluice.lab.packetdrill;

import dev.sluice.doctor.capture.CaptureReader;
import dev.sluice.doctor.capture.PcapngWriter;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Packets of script runs as capture files. */
public final class Captures {
    private static final String DEVICE = "tun0";

    private Captures() {}

    /** All packets of a capture of raw IP packets; their direction is not told apart. */
    static List<ScriptResult.CapturedPacket> read(Path file) throws IOException {
        List<ScriptResult.CapturedPacket> packets = new ArrayList<>();
        try (CaptureReader reader =
                new CaptureReader(new BufferedInputStream(Files.newInputStream(file)))) {
            while (reader.next()) {
                packets.add(
                        new ScriptResult.CapturedPacket(
                                reader.timeNanos(), reader.isOutgoing(), reader.data()));
            }
        }
        return packets;
    }

    /** Writes the packets of a run as pcapng; times count from the start of the script. */
    public static void write(ScriptResult result, Path file) throws IOException {
        if (file.getParent() != null) {
            Files.createDirectories(file.getParent());
        }
        try (PcapngWriter writer =
                new PcapngWriter(new BufferedOutputStream(Files.newOutputStream(file)))) {
            int device = writer.addInterface(DEVICE);
            for (ScriptResult.CapturedPacket packet : result.capture()) {
                writer.packet(
                        device,
                        packet.timeNanos(),
                        packet.outbound(),
                        packet.bytes(),
                        0,
                        packet.bytes().length,
                        null);
            }
        }
    }
}
