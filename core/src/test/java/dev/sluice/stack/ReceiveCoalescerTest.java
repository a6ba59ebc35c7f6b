package dev.sluice.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.wire.Checksum;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** B-12.4. */
class ReceiveCoalescerTest {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int MSS = 1_000;
    private static final int ACK = 0x10;
    private static final int PSH = 0x08;

    private final PacketPool pool = new PacketPool(64 << 20);
    private final ReceiveCoalescer coalescer = new ReceiveCoalescer(64);
    private final List<PacketBuffer> batch = new ArrayList<>();

    @AfterEach
    void every_packet_is_still_there() {
        batch.forEach(pool::release);
        assertThat(pool.outstanding()).isZero();
        pool.close();
    }

    private static void put8(PacketBuffer packet, int at, int value) {
        packet.segment().set(ValueLayout.JAVA_BYTE, packet.start() + at, (byte) value);
    }

    private static void put16(PacketBuffer packet, int at, int value) {
        packet.segment().set(SHORT, packet.start() + at, (short) value);
    }

    private static void put32(PacketBuffer packet, int at, int value) {
        packet.segment().set(INT, packet.start() + at, value);
    }

    private static int u8(PacketBuffer packet, int at) {
        return packet.segment().get(ValueLayout.JAVA_BYTE, packet.start() + at) & 0xff;
    }

    /** IPv4 with a timestamps option, so headers of 20 + 32 bytes. */
    private PacketBuffer segment(int sequence, int payload) {
        int headers = 52;
        PacketBuffer packet = pool.acquire(headers + payload);
        packet.window(0, headers + payload);
        packet.segment().asSlice(packet.start(), headers).fill((byte) 0);
        put8(packet, 0, 0x45);
        put16(packet, 2, headers + payload);
        put16(packet, 4, sequence & 0xffff);
        put16(packet, 6, 0x4000);
        put8(packet, 8, 64);
        put8(packet, 9, 6);
        put32(packet, 12, 0x0a000001);
        put32(packet, 16, 0x0a000002);
        put16(packet, 20, 4_000);
        put16(packet, 22, 80);
        put32(packet, 24, sequence);
        put32(packet, 28, 77);
        put8(packet, 32, 0x80);
        put8(packet, 33, ACK);
        put16(packet, 34, 500);
        put32(packet, 40, 0x0101080a);
        put32(packet, 44, 1_234);
        put32(packet, 48, 4_321);
        packet.checksum(PacketBuffer.CHECKSUM_VERIFIED);
        return packet;
    }

    private PacketBuffer segment6(int sequence, int payload) {
        PacketBuffer packet = pool.acquire(60 + payload);
        packet.window(0, 60 + payload);
        packet.segment().asSlice(packet.start(), 60).fill((byte) 0);
        put8(packet, 0, 0x60);
        put16(packet, 4, 20 + payload);
        put8(packet, 6, 6);
        put8(packet, 7, 64);
        put8(packet, 23, 1);
        put8(packet, 39, 2);
        put16(packet, 40, 4_000);
        put16(packet, 42, 80);
        put32(packet, 44, sequence);
        put8(packet, 52, 0x50);
        put8(packet, 53, ACK);
        packet.checksum(PacketBuffer.CHECKSUM_VERIFIED);
        return packet;
    }

    /** Ends the batch; counts of segments, in order of delivery. */
    private List<Integer> counts(PacketBuffer... packets) {
        for (PacketBuffer packet : packets) {
            coalescer.add(packet);
        }
        return take();
    }

    private List<Integer> take() {
        List<Integer> counts = new ArrayList<>();
        PacketBuffer packet = coalescer.take();
        while (packet != null) {
            PacketBuffer next = packet.next();
            packet.next(null);
            batch.add(packet);
            counts.add(packet.segmentCount());
            packet = next;
        }
        return counts;
    }

    @Test
    void consecutive_segments_become_one() {
        PacketBuffer head = segment(1, MSS);
        PacketBuffer second = segment(1 + MSS, MSS);
        PacketBuffer last = segment(1 + 2 * MSS, 10);
        assertThat(counts(head, second, last)).containsExactly(3);
        assertThat(head.segmentSize()).isEqualTo(MSS);
        assertThat(head.wireLength()).isEqualTo(52 + MSS);
        assertThat(head.chain()).isSameAs(second);
        assertThat(second.chain()).isSameAs(last);
        assertThat(second.offset()).isEqualTo(52);
        assertThat(second.length()).isEqualTo(MSS);
        assertThat(last.length()).isEqualTo(10);
    }

    @Test
    void a_segment_alone_stays_an_ordinary_packet() {
        PacketBuffer only = segment(1, MSS);
        assertThat(counts(only)).containsExactly(1);
        assertThat(only.segmentSize()).isZero();
        assertThat(coalescer.take()).isNull();
    }

    @Test
    void a_shorter_segment_ends_it() {
        assertThat(counts(segment(1, MSS), segment(1_001, 500), segment(1_501, 500)))
                .containsExactly(2, 1);
    }

    @Test
    void a_longer_segment_does_not_join() {
        assertThat(counts(segment(1, 500), segment(501, 501))).containsExactly(1, 1);
    }

    @Test
    void push_joins_and_ends_it_and_marks_the_head() {
        PacketBuffer head = segment(1, MSS);
        PacketBuffer pushed = segment(1_001, MSS);
        put8(pushed, 33, ACK | PSH);
        assertThat(counts(head, pushed, segment(2_001, MSS))).containsExactly(2, 1);
        assertThat(u8(head, 33)).isEqualTo(ACK | PSH);
    }

    @Test
    void a_gap_or_a_repetition_starts_another() {
        assertThat(counts(segment(1, MSS), segment(2_001, MSS), segment(3_001, MSS)))
                .containsExactly(1, 2);
        assertThat(counts(segment(1, MSS), segment(1, MSS))).containsExactly(1, 1);
    }

    @Test
    void sequence_numbers_may_wrap() {
        assertThat(counts(segment(-500, MSS), segment(500, MSS))).containsExactly(2);
    }

    @Test
    void special_flags_do_not_join_and_keep_their_place() {
        for (int flag : new int[] {0x01, 0x02, 0x04, 0x20, 0x80}) {
            PacketBuffer special = segment(1_001, MSS);
            put8(special, 33, ACK | flag);
            assertThat(counts(segment(1, MSS), special, segment(2_001, MSS)))
                    .as("flag %02x", flag)
                    .containsExactly(1, 1, 1);
        }
    }

    @Test
    void a_pure_acknowledgment_ends_it() {
        assertThat(counts(segment(1, MSS), segment(1_001, 0), segment(1_001, MSS)))
                .containsExactly(1, 1, 1);
    }

    @Test
    void different_headers_do_not_join() {
        int[][] changes = {
            {1, 0x03}, // CE
            {1, 0x02}, // ECT(0)
            {8, 63}, // time to live
            {6, 0}, // DF
            {31, 78}, // acknowledgment
            {33, ACK | 0x40}, // ECE
            {35, 1}, // window
            {47, 9}, // timestamp value
        };
        for (int[] change : changes) {
            PacketBuffer other = segment(1_001, MSS);
            put8(other, change[0], change[1]);
            assertThat(counts(segment(1, MSS), other))
                    .as("byte %d", change[0])
                    .containsExactly(1, 1);
        }
    }

    @Test
    void flows_do_not_disturb_each_other() {
        PacketBuffer otherPort = segment(1, MSS);
        put16(otherPort, 20, 4_001);
        PacketBuffer otherHost = segment(1, MSS);
        put32(otherHost, 12, 0x0a000009);
        PacketBuffer joins = segment(1_001, MSS);
        put16(joins, 20, 4_001);
        assertThat(counts(segment(1, MSS), otherPort, otherHost, segment(1_001, MSS), joins))
                .containsExactly(2, 2, 1);
    }

    @Test
    void more_flows_than_fit_are_delivered_all_the_same() {
        for (int round = 0; round < 2; round++) {
            for (int port = 0; port < 20; port++) {
                PacketBuffer packet = segment(1 + round * MSS, MSS);
                put16(packet, 20, 5_000 + port);
                coalescer.add(packet);
            }
        }
        assertThat(take().stream().mapToInt(Integer::intValue).sum()).isEqualTo(40);
    }

    @Test
    void only_what_somebody_vouched_for_joins() {
        PacketBuffer unverified = segment(1_001, MSS);
        unverified.checksum(PacketBuffer.CHECKSUM_UNVERIFIED);
        assertThat(counts(segment(1, MSS), unverified)).containsExactly(1, 1);
    }

    @Test
    void sixty_four_kilobytes_are_the_limit() {
        for (int i = 0; i < 70; i++) {
            coalescer.add(segment(1 + i * MSS, MSS));
        }
        assertThat(take()).containsExactly(64, 6);
        ReceiveCoalescer wide = new ReceiveCoalescer(1_000);
        int size = 1_448;
        for (int i = 0; i < 46; i++) {
            wide.add(segment(1 + i * size, size));
        }
        PacketBuffer first = wide.take();
        assertThat(first.segmentCount()).isEqualTo(45);
        batch.add(first.next());
        first.next(null);
        batch.add(first);
    }

    @Test
    void the_number_of_segments_has_a_limit() {
        ReceiveCoalescer narrow = new ReceiveCoalescer(2);
        for (int i = 0; i < 3; i++) {
            narrow.add(segment(1 + i * MSS, MSS));
        }
        PacketBuffer first = narrow.take();
        assertThat(first.segmentCount()).isEqualTo(2);
        batch.add(first.next());
        first.next(null);
        batch.add(first);
    }

    @Test
    void ipv6_joins_too() {
        PacketBuffer congested = segment6(2_001, MSS);
        put8(congested, 1, 0x30);
        assertThat(counts(segment6(1, MSS), segment6(1_001, MSS), congested)).containsExactly(2, 1);
    }

    @Test
    void what_is_no_whole_tcp_packet_passes_unchanged() {
        PacketBuffer udp = segment(1, MSS);
        put8(udp, 9, 17);
        PacketBuffer fragment = segment(1_001, MSS);
        put16(fragment, 6, 0x2000);
        PacketBuffer cut = segment(1, MSS);
        cut.window(0, 700);
        PacketBuffer tiny = segment(1, 0);
        tiny.window(0, 12);
        PacketBuffer longOffset = segment(1, 0);
        put8(longOffset, 32, 0xf0);
        assertThat(counts(udp, fragment, cut, tiny, longOffset)).containsExactly(1, 1, 1, 1, 1);
    }

    @Test
    void synthetic_payload_joins_without_being_stored() {
        PacketBuffer[] packets = new PacketBuffer[3];
        for (int i = 0; i < 3; i++) {
            packets[i] = segment(1 + i * MSS, MSS);
            packets[i].window(packets[i].offset(), 52);
            packets[i].synthetic(1 + i * MSS, MSS);
        }
        assertThat(counts(packets)).containsExactly(3);
        assertThat(packets[1].length()).isZero();
        assertThat(packets[1].wireLength()).isEqualTo(MSS);
        assertThat(packets[2].syntheticOffset()).isEqualTo(2_001);
    }

    /** With the checksums it would have on the wire, and nobody's word for them. */
    private PacketBuffer unverified(int sequence, int payload) {
        PacketBuffer packet = segment(sequence, payload);
        packet.segment().asSlice(packet.start() + 52, payload).fill((byte) 3);
        put16(packet, 10, Checksum.finish(Checksum.sum(packet.segment(), packet.start(), 20)));
        int pseudo =
                Checksum.pseudoHeader(
                        0,
                        IpAddress.ipv4Lo(0x0a000001),
                        0,
                        IpAddress.ipv4Lo(0x0a000002),
                        6,
                        32 + payload);
        int sum = Checksum.sum(packet.segment(), packet.start() + 20, 32 + payload);
        put16(packet, 36, Checksum.finish(pseudo + sum));
        packet.checksum(PacketBuffer.CHECKSUM_UNVERIFIED);
        return packet;
    }

    private List<Integer> countsVerifying(PacketBuffer... packets) {
        ReceiveCoalescer verifying = ReceiveCoalescer.verifying(64);
        for (PacketBuffer packet : packets) {
            verifying.add(packet);
        }
        List<Integer> counts = new ArrayList<>();
        for (PacketBuffer p = verifying.take(); p != null; p = p.next()) {
            batch.add(p);
            counts.add(p.segmentCount());
        }
        return counts;
    }

    @Test
    void checksums_are_verified_where_nobody_vouches_for_them() {
        PacketBuffer head = unverified(1, MSS);
        assertThat(countsVerifying(head, unverified(1 + MSS, MSS))).containsExactly(2);
        assertThat(head.checksum()).isEqualTo(PacketBuffer.CHECKSUM_VERIFIED);
    }

    @Test
    void what_is_damaged_stays_alone_and_unverified() {
        PacketBuffer payload = unverified(1 + MSS, MSS);
        put8(payload, 60, 4);
        PacketBuffer header = unverified(1 + 2 * MSS, MSS);
        put8(header, 8, 63);
        assertThat(countsVerifying(unverified(1, MSS), payload, header, unverified(1 + 3 * MSS, 9)))
                .containsExactly(1, 1, 1, 1);
        assertThat(payload.checksum()).isEqualTo(PacketBuffer.CHECKSUM_UNVERIFIED);
        assertThat(header.checksum()).isEqualTo(PacketBuffer.CHECKSUM_UNVERIFIED);
    }
}
