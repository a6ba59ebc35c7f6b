package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.StackConfig;
import dev.sluice.memory.BlockPool;
import dev.sluice.memory.MemoryAccount;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.seed.Rng;
import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.TcpHeader;
import dev.sluice.wire.TcpOptionWriter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** Data and its acknowledgment on a whole connection, segment by segment. */
class DataArrivesTest {
    private static final long MILLI = 1_000_000;
    private static final int MSS = 1000;
    private static final int PEER_ISS = 0xffff_f000;
    private static final int IPV4_HEADER = 20;

    private final PacketPool packets = new PacketPool(64 << 20);
    private final BlockPool blocks = new BlockPool(4096, 1 << 20);
    private final Counters counters = new Counters();
    private final TcpHeader header = new TcpHeader();
    private final byte[] sink = new byte[1 << 16];

    private TcpContext context;
    private TcpConnection c;
    private long now = 1000 * MILLI;
    private int ourIss;
    private int clock = 5000;
    private boolean timestamps;

    @AfterEach
    void nothing_is_lost() {
        if (c.state() != TcpState.CLOSED) {
            c.abort(now);
        }
        drain();
        context.dataArrives.release(now, c);
        assertThat(c.receiveWindow.rmemAlloc).isZero();
        assertThat(packets.outstanding()).isZero();
        packets.close();
        blocks.close();
    }

    // ---- when to acknowledge (B-3)
    // ---------------------------------------------------------------

    @Test
    void first_segments_are_acknowledged_at_once() {
        open("net.ipv4.tcp_timestamps", "0");
        data(1, MSS);
        assertThat(sent()).containsExactly("ack 1001");
        data(1001, MSS);
        assertThat(sent()).containsExactly("ack 2001");
    }

    @Test
    void afterwards_every_second_full_segment_is() {
        openAndLeaveQuickAcks();
        data(1, MSS);
        assertThat(sent()).isEmpty();
        assertThat(c.deadline(TcpTimer.DELAYED_ACK)).isEqualTo(now + 40 * MILLI);
        data(1001, MSS);
        assertThat(sent()).containsExactly("ack 2001");
        assertThat(c.isArmed(TcpTimer.DELAYED_ACK)).isFalse();
    }

    @Test
    void a_single_segment_is_acknowledged_by_the_timer() {
        openAndLeaveQuickAcks();
        data(1, 100);
        assertThat(sent()).isEmpty();
        runTimersAt(now + 40 * MILLI);
        assertThat(sent()).containsExactly("ack 101");
        assertThat(counters.get(Counter.DELAYED_ACKS)).isEqualTo(1);
    }

    @Test
    void reading_two_segments_that_were_not_acknowledged_sends_the_ack() {
        openAndLeaveQuickAcks();
        data(1, 100, TcpHeader.PSH);
        assertThat(sent()).isEmpty();
        data(101, 100, TcpHeader.PSH);
        assertThat(sent()).isEmpty();
        read(200);
        assertThat(sent()).containsExactly("ack 201");
    }

    @Test
    void the_quick_ack_option_sends_what_is_owed() {
        openAndLeaveQuickAcks();
        c.ackPolicy.enterPingPong();
        data(1, 100);
        read(100);
        assertThat(sent()).as("an answer may come").isEmpty();
        context.dataArrives.onQuickAckOption(now, c, 1);
        assertThat(sent()).containsExactly("ack 101");
    }

    // ---- out of order (B-3.6, RFC 2018, RFC 2883)
    // --------------------------------------------------

    @Test
    void a_hole_is_reported_at_once_and_its_end_too() {
        openAndLeaveQuickAcks();
        data(1001, MSS);
        assertThat(sent()).containsExactly("ack 1 sack 1001:2001");
        data(3001, MSS);
        assertThat(sent()).containsExactly("ack 1 sack 3001:4001 1001:2001");
        data(1, MSS);
        assertThat(sent()).containsExactly("ack 2001 sack 3001:4001");
        data(2001, MSS);
        assertThat(sent()).containsExactly("ack 4001");
        assertThat(c.receiveQueue).as("back in the pool").isNull();
        assertThat(c.available()).isEqualTo(4000);
    }

    @Test
    void duplicate_acks_are_compressed_after_three_per_hole() {
        openAndLeaveQuickAcks();
        c.receiveWindow.sampleByTimestamp(30 * MILLI, true);
        for (int i = 0; i < 3; i++) {
            data(1001 + i * MSS, MSS);
            assertThat(sent()).hasSize(1);
        }
        for (int i = 3; i < 8; i++) {
            data(1001 + i * MSS, MSS);
        }
        assertThat(sent()).isEmpty();
        assertThat(c.deadline(TcpTimer.SACK_COMPRESSION)).isEqualTo(now + MILLI);
        runTimersAt(now + MILLI);
        assertThat(sent()).containsExactly("ack 1 sack 1001:9001");
        assertThat(counters.get(Counter.TCP_ACK_COMPRESSED)).isEqualTo(4);
    }

    @Test
    void without_sack_every_duplicate_is_answered() {
        open("net.ipv4.tcp_timestamps", "0", "net.ipv4.tcp_sack", "0");
        leaveQuickAcks();
        for (int i = 0; i < 10; i++) {
            data(1001 + i * MSS, MSS);
            assertThat(sent()).containsExactly("ack 1");
        }
    }

    @Test
    void old_data_is_answered_at_once_with_a_duplicate_report() {
        openAndLeaveQuickAcks();
        data(1, MSS);
        data(1001, MSS);
        sent();
        data(1, MSS);
        assertThat(sent()).containsExactly("ack 2001 sack 1:1001");
        assertThat(counters.get(Counter.TCP_DSACK_OLD_SENT)).isEqualTo(1);
        assertThat(counters.get(Counter.DELAYED_ACK_LOST)).isEqualTo(1);
        assertThat(c.receiveQueue).isNull();
        data(2001, MSS);
        assertThat(sent()).as("quick ACKs again").containsExactly("ack 3001");
    }

    @Test
    void a_partly_old_segment_gives_its_new_part() {
        openAndLeaveQuickAcks();
        data(1, MSS);
        data(501, MSS);
        assertThat(c.available()).isEqualTo(1500);
        assertThat(sent()).containsExactly("ack 1501 sack 501:1001");
    }

    @Test
    void an_out_of_order_duplicate_is_reported_with_its_block() {
        openAndLeaveQuickAcks();
        data(1001, 2000);
        sent();
        data(1501, 500);
        assertThat(sent()).containsExactly("ack 1 sack 1501:2001 1001:3001");
        assertThat(counters.get(Counter.TCP_DSACK_OFO_SENT)).isEqualTo(1);
    }

    // ---- FIN
    // -------------------------------------------------------------------------------------

    @Test
    void a_fin_beyond_a_hole_takes_effect_when_the_hole_is_filled() {
        openAndLeaveQuickAcks();
        data(1001, MSS, TcpHeader.FIN);
        assertThat(sent()).containsExactly("ack 1 sack 1001:2002");
        assertThat(c.state()).isEqualTo(TcpState.ESTABLISHED);
        data(1, MSS);
        assertThat(c.state()).isEqualTo(TcpState.CLOSE_WAIT);
        assertThat(c.receiveWindow.rcvNxt).isEqualTo(2002);
        assertThat(c.receiveWindow.unread()).isEqualTo(2000);
        assertThat(sent()).containsExactly("ack 2002");
    }

    @Test
    void what_was_queued_beyond_a_fin_is_forgotten() {
        openAndLeaveQuickAcks();
        data(3001, MSS);
        data(1, MSS, TcpHeader.FIN);
        assertThat(c.state()).isEqualTo(TcpState.CLOSE_WAIT);
        assertThat(c.receiveWindow.rcvNxt).isEqualTo(1002);
        assertThat(c.receiveQueue).isNull();
        sent();
    }

    // ---- window and memory
    // -------------------------------------------------------------------------

    @Test
    void a_reader_that_stops_closes_the_window_and_opens_it_again() {
        open("net.ipv4.tcp_timestamps", "0", "net.ipv4.tcp_moderate_rcvbuf", "0");
        int at = 1;
        while (c.receiveWindow.offered() >= MSS) {
            data(at, MSS);
            at += MSS;
            runTimersAt(now + 200 * MILLI);
        }
        sent();
        int left = c.receiveWindow.offered();
        if (left > 0) {
            data(at, left);
            runTimersAt(now + 200 * MILLI);
            at += left;
        }
        assertThat(c.receiveWindow.rcvWnd).isZero();
        assertThat(counters.get(Counter.TCP_TO_ZERO_WINDOW_ADV)).isEqualTo(1);
        assertThat(counters.get(Counter.TCP_RCV_Q_DROP)).isZero();
        sent();
        data(at, 1);
        long next = c.receiveWindow.rcvNxt;
        assertThat(next).isBetween((long) at, at + 1L);
        assertThat(sent()).as("a probe").containsExactly("ack " + next);
        while (c.available() > 0) {
            read(MSS);
        }
        assertThat(sent()).contains("ack " + next);
        assertThat(counters.get(Counter.TCP_FROM_ZERO_WINDOW_ADV)).isEqualTo(1);
        assertThat(c.receiveWindow.offered()).isGreaterThan(10 * MSS);
    }

    @Test
    void a_promise_holds_after_the_buffer_shrank() {
        open("net.ipv4.tcp_timestamps", "0");
        long promised = c.receiveWindow.windowEnd();
        c.ownSettings().lockedRcvBuf = 2304;
        c.receiveBufferChanged(now);
        int at = 1;
        while (at + MSS <= promised) {
            data(at, MSS);
            at += MSS;
        }
        assertThat(c.available()).isEqualTo(at - 1);
        assertThat(counters.get(Counter.TCP_RCV_Q_DROP)).isZero();
        assertThat(c.receiveWindow.windowEnd()).isLessThan(promised + 1024);
    }

    @Test
    void data_beyond_the_window_is_refused_while_something_is_unread() {
        openAndLeaveQuickAcks();
        data(1, MSS);
        int edge = (int) c.receiveWindow.windowEnd();
        sent();
        data(1001, edge);
        assertThat(sent()).containsExactly("ack 1001");
        assertThat(counters.get(Counter.BEYOND_WINDOW)).isEqualTo(1);
        read(MSS);
        sent();
    }

    // ---- acceptability
    // -----------------------------------------------------------------------------

    @Test
    void acks_to_stray_acks_are_limited_to_one_per_half_second() {
        openAndLeaveQuickAcks();
        data(1, MSS);
        data(1001, MSS);
        sent();
        data(1, 0);
        assertThat(sent()).containsExactly("ack 2001");
        data(1, 0);
        assertThat(sent()).isEmpty();
        assertThat(counters.get(Counter.TCP_ACK_SKIPPED_SEQ)).isEqualTo(1);
        now += 500 * MILLI;
        data(1, 0);
        assertThat(sent()).containsExactly("ack 2001");
    }

    @Test
    void an_old_timestamp_is_answered_and_its_data_ignored() {
        timestamps = true;
        open();
        data(1, MSS);
        sent();
        assertThat(c.timestamps.tsRecent).isEqualTo(5000);
        clock = 4000;
        data(1001, MSS);
        assertThat(c.available()).isEqualTo(1000);
        assertThat(sent()).containsExactly("ack 1001");
        assertThat(counters.get(Counter.PAWS_ESTAB)).isEqualTo(1);
        clock = 5001;
        data(1001, MSS);
        assertThat(c.available()).isEqualTo(2000);
        assertThat(c.timestamps.tsRecent).isEqualTo(5001);
        sent();
    }

    // ---- random
    // ------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16})
    void any_order_of_arrival_delivers_the_stream_and_acknowledges_what_it_has(long seed) {
        Rng rng = new Rng(seed);
        open("net.ipv4.tcp_timestamps", "0");
        int length = 200_000;
        BitSet received = new BitSet();
        int at = 1;
        int readSoFar = 0;
        while (c.receiveWindow.rcvNxt <= length) {
            long rcvNxt = c.receiveWindow.rcvNxt;
            int room = (int) Math.min(c.receiveWindow.offered(), length + 1 - rcvNxt);
            int start = (int) rcvNxt;
            if (rng.nextInt(3) > 0) {
                start = Math.max(1, start - 2000 + rng.nextInt(2000 + Math.max(1, room)));
            }
            int most = (int) Math.min(3 * MSS, rcvNxt + room - start);
            if (most > 0) {
                int bytes = rng.between(1, most);
                data(start, bytes);
                received.set(start, start + bytes);
            }
            at = received.nextClearBit(1);
            assertThat(c.receiveWindow.rcvNxt).isEqualTo(at);
            if (rng.nextInt(4) == 0) {
                readSoFar += read(rng.between(1, 50_000));
            }
            now += rng.between(0, 3_000_000);
            runTimersAt(now);
            for (String segment : sent()) {
                checkBlocks(segment, received);
            }
            c.checkInvariants();
        }
        while (c.available() > 0) {
            readSoFar += read(50_000);
        }
        sent();
        assertThat(readSoFar).isEqualTo(length);
        assertThat(counters.get(Counter.INVARIANT_FAILURES)).isZero();
    }

    private static void checkBlocks(String segment, BitSet received) {
        String[] words = segment.split(" ");
        for (int i = 3; i < words.length; i++) {
            String[] edges = words[i].split(":");
            int from = Integer.parseInt(edges[0]);
            int to = Integer.parseInt(edges[1]);
            assertThat(received.nextClearBit(from)).as(segment).isGreaterThanOrEqualTo(to);
        }
    }

    // ---- fixture
    // -----------------------------------------------------------------------------------

    private void open(String... sysctls) {
        StackConfig.Builder builder = StackConfig.builder();
        for (int i = 0; i < sysctls.length; i += 2) {
            builder.set(sysctls[i], sysctls[i + 1]);
        }
        StackConfig config = builder.build();
        MemoryAccount memory =
                new MemoryAccount(
                        config.memMinPages,
                        config.memPressurePages,
                        config.memMaxPages,
                        config.rmemMin,
                        config.wmemMin);
        context =
                new TcpContext(
                        config, packets, blocks, memory, counters, StackObserver.NONE, new Rng(1));
        c =
                context.open(
                        now,
                        context.defaultSettings(),
                        new Route(0, 1500, 0, false, true, 65_536, true, false, new DeviceQueue(1)),
                        IpAddress.ipv4(0x0a00_0001),
                        1111,
                        IpAddress.ipv4(0x0a00_0002),
                        80,
                        false);
        PacketBuffer syn = context.takePacket();
        header.wrap(syn.segment(), syn.start() + IPV4_HEADER, syn.length() - IPV4_HEADER);
        ourIss = header.segSeq();
        packets.release(syn);
        now += 10 * MILLI;
        arrive(-1, 0, TcpHeader.SYN | TcpHeader.ACK);
        assertThat(c.state()).isEqualTo(TcpState.ESTABLISHED);
        assertThat(sent()).containsExactly("ack 1");
    }

    private void openAndLeaveQuickAcks() {
        open("net.ipv4.tcp_timestamps", "0");
        leaveQuickAcks();
    }

    /** As after some seconds of a quiet exchange: the estimate of the segment size is right. */
    private void leaveQuickAcks() {
        c.ackPolicy.onDataReceived(now - MILLI, 200 * MILLI, c.receiveWindow.rcvWnd);
        c.ackPolicy.rcvMss = MSS;
        c.ackPolicy.dropQuickAcks();
    }

    private void data(int start, int bytes) {
        data(start, bytes, 0);
    }

    private void data(int start, int bytes, int flags) {
        arrive(start - 1, bytes, TcpHeader.ACK | flags);
    }

    /**
     * A segment with synthetic payload; {@code position} counts from the first byte of the stream.
     */
    private void arrive(int position, int bytes, int flags) {
        boolean syn = (flags & TcpHeader.SYN) != 0;
        PacketBuffer packet = packets.acquire(PacketPool.SMALL);
        TcpOptionWriter options = new TcpOptionWriter();
        if (syn) {
            options.mss(1460);
            options.sackPermitted();
            options.windowScale(7);
        }
        if (timestamps) {
            options.timestamps(clock, c.timestamps.clock(now - MILLI));
        }
        long start = packet.base() + IPV4_HEADER;
        int optionBytes = options.write(packet.segment(), start + TcpHeader.LENGTH);
        int headerBytes = TcpHeader.LENGTH + optionBytes;
        TcpHeader.write(
                packet.segment(),
                start,
                80,
                1111,
                PEER_ISS + 1 + position,
                ourIss + 1,
                headerBytes,
                flags,
                syn ? 65_535 : 500,
                0);
        packet.window(IPV4_HEADER + headerBytes, 0);
        packet.synthetic(position + 1, bytes);
        packet.truesize(bytes + 600);
        assertThat(header.wrap(packet.segment(), start, headerBytes, headerBytes + bytes)).isNull();
        if (!context.onSegment(now, c, header, packet, 0)) {
            packets.release(packet);
        }
    }

    private int read(int most) {
        if (c.input() == null) {
            return 0;
        }
        int bytes = c.input().read(sink, 0, Math.min(most, sink.length));
        c.read(now, bytes);
        return bytes;
    }

    private void runTimersAt(long time) {
        now = time;
        if (c.timers != null && c.timers.earliest() <= now) {
            context.timerExpiry.run(now, c);
        }
    }

    /** What was sent since the last call: acknowledgment and blocks, in offsets. */
    private List<String> sent() {
        List<String> segments = new ArrayList<>();
        PacketBuffer packet = context.takePacket();
        while (packet != null) {
            header.wrap(
                    packet.segment(), packet.start() + IPV4_HEADER, packet.length() - IPV4_HEADER);
            StringBuilder text = new StringBuilder("ack " + offset(header.segAck()));
            int n = header.options().sackCount();
            String[] blocks = new String[n];
            for (int i = 0; i < n; i++) {
                blocks[i] =
                        offset(header.options().sackLeft(i))
                                + ":"
                                + offset(header.options().sackRight(i));
            }
            if (n > 0) {
                text.append(" sack ").append(String.join(" ", Arrays.asList(blocks)));
            }
            segments.add(text.toString());
            packets.release(packet);
            packet = context.takePacket();
        }
        return segments;
    }

    private void drain() {
        PacketBuffer packet = context.takePacket();
        while (packet != null) {
            packets.release(packet);
            packet = context.takePacket();
        }
    }

    private static int offset(int wire) {
        return wire - PEER_ISS;
    }
}
