package dev.sluice.doctor.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.HexFormat;

class CaptureReaderTest {
    private static CaptureReader read(String hex) throws IOException {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        return new CaptureReader(new ByteArrayInputStream(bytes));
    }

    @Test
    void pcap_with_microseconds_little_endian() throws IOException {
        CaptureReader reader =
                read(
                        "d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000"
                                + "02000000 e8030000 03000000 05000000 aabbcc");
        assertThat(reader.next()).isTrue();
        assertThat(reader.on().linkType()).isEqualTo(1);
        assertThat(reader.timeNanos()).isEqualTo(2_001_000_000L);
        assertThat(reader.data()).containsExactly(0xaa, 0xbb, 0xcc);
        assertThat(reader.originalLength()).isEqualTo(5);
        assertThat(reader.next()).isFalse();
    }

    @Test
    void pcap_with_nanoseconds_big_endian() throws IOException {
        CaptureReader reader =
                read(
                        "a1b23c4d 0002 0004 00000000 00000000 0000ffff 00000065"
                                + "00000002 000003e8 00000001 00000001 45");
        assertThat(reader.next()).isTrue();
        assertThat(reader.on().linkType()).isEqualTo(101);
        assertThat(reader.timeNanos()).isEqualTo(2_000_001_000L);
    }

    @Test
    void pcapng_big_endian_with_unknown_blocks_and_default_resolution() throws IOException {
        CaptureReader reader =
                read(
                        "0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c"
                                + "0000000a 00000010 12345678 00000010"
                                + "00000001 00000014 0001 0000 00000000 00000014"
                                + "00000006 00000024 00000000 00000000 00000005 00000002 00000009"
                                + "01020000 00000024"
                                + "00000003 00000014 00000003 aabbcc00 00000014");
        assertThat(reader.next()).isTrue();
        assertThat(reader.timeNanos()).isEqualTo(5_000);
        assertThat(reader.data()).containsExactly(1, 2);
        assertThat(reader.originalLength()).isEqualTo(9);
        assertThat(reader.next()).isTrue();
        assertThat(reader.data()).containsExactly(0xaa, 0xbb, 0xcc);
        assertThat(reader.number()).isEqualTo(2);
        assertThat(reader.next()).isFalse();
    }

    @Test
    void timestamps_in_powers_of_two_with_an_offset() throws IOException {
        CaptureReader reader =
                read(
                        "0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c00000001"
                                + " 0000002c 0065 0000 00000000 0009 0001 8a000000000e 0008"
                                + " 0000000000000064 00000000 0000002c00000006 00000020 00000000"
                                + " 00000000 00000200 00000000 00000000 00000020");
        assertThat(reader.next()).isTrue();
        assertThat(reader.on().unitsPerSecond()).isEqualTo(1_024);
        assertThat(reader.timeNanos()).isEqualTo(100_500_000_000L);
    }

    @Test
    void damage_is_reported_with_its_place() throws IOException {
        assertThatThrownBy(() -> read("0102")).isInstanceOf(CaptureFormatException.class);
        assertThatThrownBy(() -> read("01020304 00000000"))
                .isInstanceOf(CaptureFormatException.class)
                .hasMessageContaining("4030201");
        CaptureReader cut =
                read(
                        "d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000"
                                + "02000000 e8030000 01000000 01000000 aa"
                                + "02000000 e8030000 03000000 05000000 aabb");
        assertThat(cut.next()).isTrue();
        assertThatThrownBy(cut::next)
                .isInstanceOf(CaptureFormatException.class)
                .hasMessageContaining("after packet 1");
        CaptureReader huge =
                read(
                        "d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000"
                                + "02000000 e8030000 ffffff7f 05000000");
        assertThatThrownBy(huge::next).isInstanceOf(CaptureFormatException.class);
        CaptureReader orphan =
                read(
                        "0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c00000006"
                            + " 00000020 00000000 00000000 00000200 00000000 00000000 00000020");
        assertThatThrownBy(orphan::next)
                .isInstanceOf(CaptureFormatException.class)
                .hasMessageContaining("undeclared interface");
    }
}
