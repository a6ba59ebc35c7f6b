package dev.sluice.doctor.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.SyntheticContent;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HexFormat;

class PcapngWriterTest {
    private final PacketPool pool = new PacketPool(8 << 20);
    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final PcapngWriter writer = new PcapngWriter(file);

    @AfterEach
    void close() {
        pool.close();
    }

    private CaptureReader reader() throws IOException {
        return new CaptureReader(new ByteArrayInputStream(file.toByteArray()));
    }

    private static int checksumOf(byte[] packet) {
        return (packet[36] & 0xff) << 8 | packet[37] & 0xff;
    }

    @Test
    void a_file_begins_with_section_and_interface() {
        writer.addInterface("eth0");
        String hex = HexFormat.of().formatHex(file.toByteArray());
        assertThat(hex)
                .isEqualTo(
                        "0a0d0d0a"
                                + "2c000000"
                                + "4d3c2b1a"
                                + "01000000"
                                + "ffffffffffffffff"
                                + "04000600"
                                + "536c75696365"
                                + "0000"
                                + "00000000"
                                + "2c000000"
                                + "01000000"
                                + "28000000"
                                + "65000000"
                                + "00000000"
                                + "02000400"
                                + "65746830"
                                + "09000100"
                                + "09000000"
                                + "00000000"
                                + "28000000");
    }

    @Test
    void what_was_written_is_read_back() throws IOException {
        int client = writer.addInterface("client.eth0");
        int server = writer.addInterface("server.eth0");
        PacketBuffer packet = CapturePackets.of(pool, CapturePackets.SYN);
        writer.packet(client, 1_234_567_890_123L, true, packet, "first, lost");
        writer.packet(server, 1_234_567_990_124L, false, packet, null);

        CaptureReader reader = reader();
        assertThat(reader.next()).isTrue();
        assertThat(reader.number()).isEqualTo(1);
        assertThat(reader.on())
                .isEqualTo(new CaptureInterface("client.eth0", 101, 1_000_000_000L, 0));
        assertThat(reader.timeNanos()).isEqualTo(1_234_567_890_123L);
        assertThat(reader.isOutgoing()).isTrue();
        assertThat(reader.comment()).isEqualTo("first, lost");
        assertThat(reader.originalLength()).isEqualTo(44);
        assertThat(reader.data()).isEqualTo(HexFormat.of().parseHex(CapturePackets.SYN));
        assertThat(reader.next()).isTrue();
        assertThat(reader.interfaceNumber()).isEqualTo(1);
        assertThat(reader.isOutgoing()).isFalse();
        assertThat(reader.comment()).isNull();
        assertThat(reader.next()).isFalse();
    }

    @Test
    void a_checksum_left_to_the_device_is_written_complete() throws IOException {
        int eth0 = writer.addInterface("eth0");
        PacketBuffer packet = CapturePackets.of(pool, CapturePackets.SYN);
        for (byte state :
                new byte[] {PacketBuffer.CHECKSUM_PARTIAL, PacketBuffer.CHECKSUM_VERIFIED}) {
            packet.checksum(state);
            writer.packet(eth0, 0, true, packet, null);
        }
        packet.checksum(PacketBuffer.CHECKSUM_BAD);
        writer.packet(eth0, 0, true, packet, null);
        CaptureReader reader = reader();
        for (int i = 0; i < 2; i++) {
            reader.next();
            assertThat(checksumOf(reader.data())).isEqualTo(SYN_CHECKSUM);
        }
        reader.next();
        assertThat(checksumOf(reader.data())).isNotEqualTo(SYN_CHECKSUM);
    }

    /** Pseudo-header and segment of {@link CapturePackets#SYN}, added by hand. */
    private static final int SYN_CHECKSUM = synChecksum();

    private static int synChecksum() {
        int sum = 0x0a00 + 0x0001 + 0x0a00 + 0x0002 + 6 + 24;
        sum += 0x0fa0 + 0x0050 + 0x0001 + 0x6002 + 0xffff + 0x0204 + 0x05b4;
        return ~((sum & 0xffff) + (sum >>> 16)) & 0xffff;
    }

    @Test
    void synthetic_payload_is_produced() throws IOException {
        int eth0 = writer.addInterface("eth0");
        PacketBuffer packet = CapturePackets.of(pool, CapturePackets.DATA6);
        packet.synthetic(5_000_000_000L, 10);
        packet.checksum(PacketBuffer.CHECKSUM_VERIFIED);
        writer.packet(eth0, 0, true, packet, null);
        CaptureReader reader = reader();
        reader.next();
        assertThat(reader.data()).hasSize(70);
        for (int i = 0; i < 10; i++) {
            assertThat(reader.data()[60 + i])
                    .isEqualTo(SyntheticContent.byteAt(5_000_000_000L + i));
        }
    }

    @Test
    void an_unknown_interface_is_refused() {
        PacketBuffer packet = CapturePackets.of(pool, CapturePackets.SYN);
        assertThatThrownBy(() -> writer.packet(0, 0, true, packet, null))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
