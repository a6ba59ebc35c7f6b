package dev.sluice.sim.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PacketCopierTest {
    private final PacketPool pool = new PacketPool(16 << 20);
    private final PacketCopier copier = new PacketCopier(pool);

    @AfterEach
    void nothing_leaks() {
        assertThat(pool.outstanding()).isZero();
        pool.close();
    }

    private static int ipv4HeaderSum(PacketBuffer packet) {
        int sum = 0;
        for (int at = 0; at < 20; at += 2) {
            sum += PacketView.u16(packet, at);
        }
        return (sum & 0xffff) + (sum >>> 16);
    }

    @Test
    void segments_carry_headers_and_shares_of_the_payload() {
        PacketBuffer whole = TestPackets.stored(pool, 1_000, 2_500);
        TestPackets.flags(whole, PacketView.ACK | PacketView.PSH | PacketView.FIN | PacketView.CWR);
        whole.segments(1_000, 3);
        int[] lengths = {1_000, 1_000, 500};
        int[] flags = {
            PacketView.ACK | PacketView.CWR,
            PacketView.ACK,
            PacketView.ACK | PacketView.PSH | PacketView.FIN
        };
        for (int i = 0; i < 3; i++) {
            PacketBuffer segment = copier.segment(whole, TestPackets.HEADERS, i);
            assertThat(segment.wireLength()).isEqualTo(TestPackets.HEADERS + lengths[i]);
            assertThat(PacketView.u16(segment, 2)).isEqualTo(TestPackets.HEADERS + lengths[i]);
            assertThat(PacketView.u16(segment, 4)).isEqualTo(100 + i);
            assertThat(ipv4HeaderSum(segment)).isEqualTo(0xffff);
            assertThat(PacketView.sequence(segment)).isEqualTo(1_000 + i * 1_000);
            assertThat(PacketView.flags(segment)).isEqualTo(flags[i]);
            assertThat(PacketView.u8(segment, TestPackets.HEADERS))
                    .isEqualTo(1_000 + i * 1_000 & 0xff);
            assertThat(segment.segmentCount()).isEqualTo(1);
            assertThat(segment.checksum()).isEqualTo(PacketBuffer.CHECKSUM_VERIFIED);
            pool.release(segment);
        }
        pool.release(whole);
    }

    @Test
    void synthetic_payload_is_divided_by_offset() {
        PacketBuffer whole = TestPackets.synthetic(pool, 5_000, 2_500);
        whole.segments(1_000, 3);
        PacketBuffer last = copier.segment(whole, TestPackets.HEADERS, 2);
        assertThat(last.length()).isEqualTo(TestPackets.HEADERS);
        assertThat(last.syntheticLength()).isEqualTo(500);
        assertThat(last.syntheticOffset()).isEqualTo(7_000);
        assertThat(last.capacity()).isEqualTo(PacketPool.SMALL);
        pool.release(last);
        pool.release(whole);
    }

    @Test
    void payload_may_be_stored_in_front_and_synthetic_behind() {
        PacketBuffer whole = TestPackets.stored(pool, 1, 1_500);
        whole.synthetic(90_001, 1_500);
        whole.segments(1_000, 3);
        PacketBuffer middle = copier.segment(whole, TestPackets.HEADERS, 1);
        assertThat(middle.length()).isEqualTo(TestPackets.HEADERS + 500);
        assertThat(middle.syntheticLength()).isEqualTo(500);
        assertThat(middle.syntheticOffset()).isEqualTo(90_001);
        PacketBuffer last = copier.segment(whole, TestPackets.HEADERS, 2);
        assertThat(last.length()).isEqualTo(TestPackets.HEADERS);
        assertThat(last.syntheticOffset()).isEqualTo(90_501);
        assertThat(last.syntheticLength()).isEqualTo(1_000);
        pool.release(middle);
        pool.release(last);
        pool.release(whole);
    }

    @Test
    void a_copy_looks_the_same_on_the_wire() {
        PacketBuffer packet = TestPackets.synthetic(pool, 5_000, 900);
        packet.checksum(PacketBuffer.CHECKSUM_BAD);
        PacketBuffer copy = copier.copy(packet);
        assertThat(copy.wireLength()).isEqualTo(packet.wireLength());
        assertThat(copy.syntheticOffset()).isEqualTo(5_000);
        assertThat(copy.checksum()).isEqualTo(PacketBuffer.CHECKSUM_BAD);
        assertThat(PacketView.sequence(copy)).isEqualTo(5_000);
        assertThat(copy.owner()).isNull();
        pool.release(copy);
        pool.release(packet);
    }
}
