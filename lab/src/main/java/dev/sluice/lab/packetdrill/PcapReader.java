package dev.sluice.lab.packetdrill;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads classic pcap files of raw IP or Ethernet packets, as tcpdump writes them. */
final class PcapReader {
    private static final int MAGIC_MICROS = 0xa1b2c3d4;
    private static final int MAGIC_NANOS = 0xa1b23c4d;
    private static final int FILE_HEADER_BYTES = 24;
    private static final int PACKET_HEADER_BYTES = 16;
    private static final int LINK_ETHERNET = 1;
    private static final int ETHERNET_HEADER_BYTES = 14;

    private PcapReader() {}

    /**
     * All packets from the IP header on; their direction is not told apart.
     *
     * @throws IOException if the file cannot be read or is of another form
     */
    static List<ScriptResult.CapturedPacket> read(Path file) throws IOException {
        ByteBuffer data = ByteBuffer.wrap(Files.readAllBytes(file));
        if (data.remaining() < FILE_HEADER_BYTES) {
            throw new IOException(file + " is too short for a pcap file");
        }
        int magic = data.getInt(0);
        boolean swapped =
                magic == Integer.reverseBytes(MAGIC_MICROS)
                        || magic == Integer.reverseBytes(MAGIC_NANOS);
        data.order(swapped ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        int plain = data.getInt(0);
        if (plain != MAGIC_MICROS && plain != MAGIC_NANOS) {
            throw new IOException(file + " is not a pcap file");
        }
        long fraction = plain == MAGIC_NANOS ? 1 : 1_000;
        int skip = data.getInt(20) == LINK_ETHERNET ? ETHERNET_HEADER_BYTES : 0;
        List<ScriptResult.CapturedPacket> packets = new ArrayList<>();
        data.position(FILE_HEADER_BYTES);
        while (data.remaining() >= PACKET_HEADER_BYTES) {
            long seconds = Integer.toUnsignedLong(data.getInt());
            long nanos = seconds * 1_000_000_000L + data.getInt() * fraction;
            int length = data.getInt();
            data.getInt();
            if (length < skip || length > data.remaining()) {
                throw new IOException(file + " ends in the middle of a packet");
            }
            byte[] bytes = new byte[length];
            data.get(bytes);
            packets.add(
                    new ScriptResult.CapturedPacket(
                            nanos, false, Arrays.copyOfRange(bytes, skip, length)));
        }
        return packets;
    }
}
