package dev.sluice.runtime.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.wire.IpProtocol;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.HexFormat;

class VirtioHeaderTest {
    private static final int CWR_ACK = 0x90;
    private static final int ACK = 0x10;

    private final PacketPool pool = new PacketPool(4 << 20);
    private final boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    @AfterEach
    void close() {
        pool.close();
    }

    /** A packet with TCP headers of 32 bytes and so much payload, 32 bytes into its buffer. */
    private PacketBuffer tcp(int version, int flags, int payload) {
        int ip = version == 4 ? 20 : 40;
        PacketBuffer packet = pool.acquire(PacketPool.LARGE);
        packet.window(32, ip + 32 + payload);
        set(packet, 0, version == 4 ? 0x45 : 0x60);
        set(packet, ip + 12, 0x80);
        set(packet, ip + 13, flags);
        return packet;
    }

    private static void set(PacketBuffer packet, int at, int value) {
        packet.segment().set(ValueLayout.JAVA_BYTE, packet.start() + at, (byte) value);
    }

    private static String header(PacketBuffer packet) {
        byte[] bytes = new byte[VirtioHeader.BYTES];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] =
                    packet.segment().get(ValueLayout.JAVA_BYTE, packet.start() - bytes.length + i);
        }
        return HexFormat.ofDelimiter(" ").formatHex(bytes);
    }

    private String u16(int value) {
        int low = value & 0xff;
        int high = value >>> 8;
        return little ? "%02x %02x".formatted(low, high) : "%02x %02x".formatted(high, low);
    }

    /** Puts a header in front of the window and takes it again, as the kernel would hand it up. */
    private boolean take(
            PacketBuffer packet, int flags, int type, int gsoSize, int start, int field) {
        packet.window(packet.offset() - VirtioHeader.BYTES, packet.length() + VirtioHeader.BYTES);
        set(packet, 0, flags);
        set(packet, 1, type);
        int[] words = {0, gsoSize, start, field};
        for (int i = 0; i < words.length; i++) {
            packet.segment()
                    .set(
                            ValueLayout.JAVA_SHORT_UNALIGNED,
                            packet.start() + 2 + 2 * i,
                            (short) words[i]);
        }
        return VirtioHeader.take(packet);
    }

    @Test
    void a_complete_packet_leaves_nothing_to_do() {
        PacketBuffer packet = tcp(4, ACK, 100);
        VirtioHeader.put(packet);
        assertThat(header(packet)).isEqualTo("00 00 00 00 00 00 00 00 00 00");
        assertThat(packet.offset()).isEqualTo(32);
    }

    @Test
    void a_partial_checksum_is_described_by_where_it_starts_and_lies() {
        PacketBuffer packet = tcp(4, ACK, 100);
        packet.checksum(PacketBuffer.CHECKSUM_PARTIAL);
        VirtioHeader.put(packet);
        assertThat(header(packet)).isEqualTo("01 00 00 00 00 00 " + u16(20) + " " + u16(16));
    }

    @Test
    void the_checksum_of_a_datagram_lies_elsewhere() {
        for (int version : new int[] {4, 6}) {
            PacketBuffer packet = tcp(version, 0, 0);
            set(packet, version == 4 ? 9 : 6, IpProtocol.UDP);
            packet.checksum(PacketBuffer.CHECKSUM_PARTIAL);
            VirtioHeader.put(packet);
            String start = u16(version == 4 ? 20 : 40);
            assertThat(header(packet)).isEqualTo("01 00 00 00 00 00 " + start + " " + u16(6));
        }
    }

    @Test
    void a_super_packet_names_its_segments_and_its_headers() {
        PacketBuffer packet = tcp(6, ACK, 4000);
        packet.checksum(PacketBuffer.CHECKSUM_PARTIAL);
        packet.segments(1428, 3);
        VirtioHeader.put(packet);
        assertThat(header(packet))
                .isEqualTo("01 04 " + u16(72) + " " + u16(1428) + " " + u16(40) + " " + u16(16));
    }

    @Test
    void a_super_packet_with_cwr_says_that_only_its_first_segment_has_it() {
        PacketBuffer packet = tcp(4, CWR_ACK, 4000);
        packet.checksum(PacketBuffer.CHECKSUM_PARTIAL);
        packet.segments(1448, 3);
        VirtioHeader.put(packet);
        assertThat(header(packet)).startsWith("01 81 " + u16(52));
    }

    @Test
    void a_received_super_packet_knows_its_segments() {
        PacketBuffer packet = tcp(4, ACK, 3 * 1448 + 1);
        assertThat(take(packet, 1, 1, 1448, 20, 16)).isTrue();
        assertThat(packet.segmentSize()).isEqualTo(1448);
        assertThat(packet.segmentCount()).isEqualTo(4);
        assertThat(packet.checksum()).isEqualTo(PacketBuffer.CHECKSUM_PARTIAL);
        assertThat(packet.offset()).isEqualTo(32);
        assertThat(packet.length()).isEqualTo(52 + 3 * 1448 + 1);
    }

    @Test
    void a_checksum_the_kernel_vouches_for_is_not_checked_again() {
        PacketBuffer packet = tcp(4, ACK, 10);
        assertThat(take(packet, 2, 0, 0, 0, 0)).isTrue();
        assertThat(packet.checksum()).isEqualTo(PacketBuffer.CHECKSUM_VERIFIED);
        PacketBuffer unknown = tcp(4, ACK, 10);
        assertThat(take(unknown, 0, 0, 0, 0, 0)).isTrue();
        assertThat(unknown.checksum()).isEqualTo(PacketBuffer.CHECKSUM_UNVERIFIED);
    }

    @Test
    void segmentation_of_another_protocol_or_outside_the_packet_is_refused() {
        assertThat(take(tcp(4, ACK, 4000), 1, 3, 1448, 20, 16)).as("UDP fragments").isFalse();
        assertThat(take(tcp(4, ACK, 4000), 1, 1, 0, 20, 16)).as("no size").isFalse();
        assertThat(take(tcp(4, ACK, 4000), 1, 1, 1448, 5000, 16)).as("start").isFalse();
        assertThat(take(tcp(4, ACK, 4000), 0, 1, 1448, 20, 16)).as("no checksum").isFalse();
    }
}
