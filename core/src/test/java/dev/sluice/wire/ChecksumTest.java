package dev.sluice.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

class ChecksumTest {
    private final MemorySegment segment = Arena.ofAuto().allocate(1 << 17);
    private final SplittableRandom random = new SplittableRandom(1);

    /** RFC 1071 word by word, with the carry brought round at every step. */
    private static int naiveSum(byte[] bytes, int from, int length) {
        int sum = 0;
        for (int i = 0; i < length; i += 2) {
            int high = bytes[from + i] & 0xff;
            int low = i + 1 < length ? bytes[from + i + 1] & 0xff : 0;
            sum += high << 8 | low;
            if (sum > 0xffff) {
                sum -= 0xffff;
            }
        }
        return sum;
    }

    private byte[] fill(long start, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, segment, start, length);
        return bytes;
    }

    @Test
    void sum_agrees_with_the_definition_for_every_small_length_and_alignment() {
        for (int length = 0; length <= 300; length++) {
            for (int start = 0; start < 8; start++) {
                byte[] bytes = fill(start, length);
                assertThat(Checksum.sum(segment, start, length))
                        .as("length %d at %d", length, start)
                        .isEqualTo(naiveSum(bytes, 0, length));
            }
        }
    }

    @Test
    void sum_agrees_with_the_definition_for_large_and_extreme_content() {
        for (int length : new int[] {1460, 9000, 65_507, 65_535, 65_536, 100_001}) {
            byte[] bytes = fill(3, length);
            assertThat(Checksum.sum(segment, 3, length)).isEqualTo(naiveSum(bytes, 0, length));
        }
        segment.fill((byte) 0xff);
        assertThat(Checksum.sum(segment, 0, 65_536)).isEqualTo(0xffff);
        segment.fill((byte) 0);
        assertThat(Checksum.sum(segment, 0, 65_536)).isZero();
    }

    @Test
    void parts_combine_at_even_and_at_odd_positions() {
        for (int i = 0; i < 2_000; i++) {
            int length = random.nextInt(200);
            int cut = random.nextInt(length + 1);
            byte[] bytes = fill(5, length);
            int second = Checksum.sum(segment, 5 + cut, length - cut);
            int whole =
                    Checksum.sum(segment, 5, cut)
                            + ((cut & 1) == 0 ? second : Checksum.swap(second));
            assertThat(Checksum.finish(whole)).isEqualTo(~naiveSum(bytes, 0, length) & 0xffff);
        }
    }

    @Test
    void copying_sums_what_it_copies() {
        byte[] bytes = fill(11, 1461);
        int sum = Checksum.copyAndSum(segment, 11, segment, 70_001, 1461);
        assertThat(sum).isEqualTo(naiveSum(bytes, 0, 1461));
        assertThat(MemorySegment.mismatch(segment, 11, 1472, segment, 70_001, 71_462))
                .isEqualTo(-1);
    }

    @Test
    void incremental_update_equals_a_fresh_checksum() {
        for (int i = 0; i < 20_000; i++) {
            fill(0, 20);
            int before = Checksum.finish(Checksum.sum(segment, 0, 20));
            int at = 2 * random.nextInt(9);
            int oldWord = BigEndian.i32(segment, at);
            int newWord = random.nextInt();
            BigEndian.put32(segment, at, newWord);
            assertThat(Checksum.update32(before, oldWord, newWord))
                    .isEqualTo(Checksum.finish(Checksum.sum(segment, 0, 20)));
        }
        // The case that RFC 1624 was written for: the old equation gives 0xffff here.
        assertThat(Checksum.update16(0xdd2f, 0x5555, 0x3285)).isZero();
    }

    @Test
    void one_pseudo_header_formula_serves_both_families() {
        int source = random.nextInt();
        int destination = random.nextInt();
        BigEndian.put32(segment, 0, source);
        BigEndian.put32(segment, 4, destination);
        BigEndian.put32(segment, 8, IpProtocol.TCP << 16 | 1480);
        assertThat(
                        Checksum.pseudoHeader(
                                0,
                                IpAddress.ipv4Lo(source),
                                0,
                                IpAddress.ipv4Lo(destination),
                                IpProtocol.TCP,
                                1480))
                .isEqualTo(Checksum.sum(segment, 0, 12));

        fill(0, 32);
        BigEndian.put32(segment, 32, 70_000);
        BigEndian.put32(segment, 36, IpProtocol.UDP);
        assertThat(
                        Checksum.pseudoHeader(
                                BigEndian.i64(segment, 0),
                                BigEndian.i64(segment, 8),
                                BigEndian.i64(segment, 16),
                                BigEndian.i64(segment, 24),
                                IpProtocol.UDP,
                                70_000))
                .isEqualTo(Checksum.sum(segment, 0, 40));
    }

    @Test
    void full_partial_and_summed_while_copied_tcp_checksums_agree_and_verify() {
        long source = IpAddress.ipv4Lo(0x0a000001);
        long destination = IpAddress.ipv4Lo(0x0a000002);
        for (int length = 20; length < 120; length++) {
            fill(0, length);
            fill(200, length);
            TcpHeader.write(segment, 0, 1000, 2000, 1, 2, 20, TcpHeader.ACK, 100, 0);
            int pseudo = Checksum.pseudoHeader(0, source, 0, destination, IpProtocol.TCP, length);
            TcpHeader.writeChecksum(segment, 0, length, pseudo);
            int full = TcpHeader.checksum(segment, 0);

            TcpHeader.writePartialChecksum(segment, 0, pseudo);
            Checksum.completePartial(segment, 0, length, TcpHeader.CHECKSUM_FIELD);
            assertThat(TcpHeader.checksum(segment, 0)).isEqualTo(full);

            int payload = Checksum.copyAndSum(segment, 20, segment, 20, length - 20);
            TcpHeader.writeChecksumOfHeader(segment, 0, 20, pseudo + payload);
            assertThat(TcpHeader.checksum(segment, 0)).isEqualTo(full);

            assertThat(verify(length, source, destination)).isTrue();
            int bit = random.nextInt(8 * length);
            BigEndian.put8(segment, bit >> 3, BigEndian.u8(segment, bit >> 3) ^ 1 << (bit & 7));
            assertThat(verify(length, source, destination)).as("bit %d", bit).isFalse();
        }
    }

    private boolean verify(int length, long source, long destination) {
        return Checksum.verifyTransport(
                segment, 0, length, IpProtocol.TCP, 0, source, 0, destination);
    }

    @Test
    void udp_without_a_checksum_is_for_ipv4_only_and_a_computed_zero_is_sent_as_ones() {
        UdpHeader.write(segment, 0, 53, 53, 10);
        BigEndian.put16(segment, 8, 0);
        long four = IpAddress.ipv4Lo(0x01020304);
        assertThat(Checksum.verifyTransport(segment, 0, 10, IpProtocol.UDP, 0, four, 0, four))
                .isTrue();
        assertThat(Checksum.verifyTransport(segment, 0, 10, IpProtocol.UDP, 1, 2, 1, 3)).isFalse();

        int pseudo = Checksum.pseudoHeader(1, 2, 1, 3, IpProtocol.UDP, 10);
        int soFar = Checksum.fold(pseudo + Checksum.sum(segment, 0, 10));
        BigEndian.put16(segment, 8, 0xffff - soFar); // now everything sums to 0xffff
        UdpHeader.writeChecksum(segment, 0, 10, pseudo);
        assertThat(BigEndian.u16(segment, UdpHeader.CHECKSUM_FIELD)).isEqualTo(0xffff);
        assertThat(Checksum.verifyTransport(segment, 0, 10, IpProtocol.UDP, 1, 2, 1, 3)).isTrue();
    }
}
