package dev.sluice.doctor.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What Wireshark's own parser makes of our captures. */
class TsharkTest {
    @TempDir private Path directory;

    @BeforeEach
    void tshark_is_installed() {
        boolean found = false;
        for (String path : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            found |= Files.isExecutable(Path.of(path, "tshark"));
        }
        assumeTrue(found, "tshark is not installed: captures are checked by our own reader only");
    }

    private List<String> tshark(Path file, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("tshark", "-n", "-r", file.toString()));
        command.addAll(List.of(arguments));
        Path errors = directory.resolve("errors");
        Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(Files.readString(errors)).isZero();
        assertThat(
                        Files.readAllLines(errors).stream()
                                .filter(l -> !l.startsWith("Running as user")))
                .isEmpty();
        return output.lines().toList();
    }

    private Path capture() throws IOException {
        Path file = directory.resolve("test.pcapng");
        try (PacketPool pool = new PacketPool(8 << 20);
                PcapngWriter writer =
                        new PcapngWriter(new BufferedOutputStream(Files.newOutputStream(file)))) {
            int client = writer.addInterface("client.eth0");
            int server = writer.addInterface("server.eth0");
            PacketBuffer syn = CapturePackets.of(pool, CapturePackets.SYN);
            syn.checksum(PacketBuffer.CHECKSUM_PARTIAL);
            writer.packet(client, 1_000_000_001L, true, syn, "the first one");
            writer.packet(server, 1_000_500_001L, false, syn, null);
            PacketBuffer data = CapturePackets.of(pool, CapturePackets.DATA6);
            data.synthetic(77, 10);
            data.checksum(PacketBuffer.CHECKSUM_VERIFIED);
            writer.packet(client, 2_000_000_000L, true, data, null);
            data.checksum(PacketBuffer.CHECKSUM_BAD);
            writer.packet(client, 3_000_000_000L, true, data, null);
        }
        return file;
    }

    @Test
    void tshark_sees_names_times_lengths_and_comments() throws Exception {
        List<String> lines =
                tshark(
                        capture(),
                        "-T",
                        "fields",
                        "-E",
                        "separator=|",
                        "-e",
                        "frame.interface_name",
                        "-e",
                        "frame.time_epoch",
                        "-e",
                        "frame.len",
                        "-e",
                        "frame.comment",
                        "-e",
                        "tcp.options.mss_val");
        assertThat(lines)
                .containsExactly(
                        "client.eth0|1.000000001|44|the first one|1460",
                        "server.eth0|1.000500001|44||1460",
                        "client.eth0|2.000000000|70||",
                        "client.eth0|3.000000000|70||");
    }

    @Test
    void tshark_finds_checksums_good_unless_they_were_meant_to_be_bad() throws Exception {
        List<String> lines =
                tshark(
                        capture(),
                        "-o",
                        "ip.check_checksum:TRUE",
                        "-o",
                        "tcp.check_checksum:TRUE",
                        "-T",
                        "fields",
                        "-E",
                        "separator=|",
                        "-e",
                        "ip.checksum.status",
                        "-e",
                        "tcp.checksum.status");
        assertThat(lines).containsExactly("1|1", "1|1", "|1", "|0");
    }
}
