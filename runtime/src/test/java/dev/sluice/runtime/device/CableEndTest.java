package dev.sluice.runtime.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.runtime.ffi.Poller;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Both ends of a cable in the hands of one thread, in a time of its own. */
class CableEndTest {
    private static final long MS = 1_000_000;

    private final PacketPool ours = new PacketPool(16 << 20);
    private final PacketPool theirs = new PacketPool(16 << 20);
    private final PacketBuffer[] batch = new PacketBuffer[64];
    private Device sender;
    private Device receiver;

    private void open(CableSpec spec) throws DeviceException {
        Cable cable = Cable.open(spec);
        sender = cable.first();
        receiver = cable.second();
        // Both ends have posted their first buffers.
        sender.receive(0, ours, batch);
        receiver.receive(0, theirs, batch);
    }

    @AfterEach
    void nothing_is_kept() {
        if (sender != null) {
            sender.releaseBuffers(ours);
            receiver.releaseBuffers(theirs);
            sender.close();
            receiver.close();
        }
        assertThat(ours.outstanding()).isZero();
        assertThat(theirs.outstanding()).isZero();
        ours.close();
        theirs.close();
    }

    /** Sends a packet whose every byte is {@code mark}; returns whether it was taken. */
    private boolean send(long now, int bytes, int mark) {
        PacketBuffer packet = ours.acquire(bytes + 100);
        packet.window(37, bytes);
        packet.segment().asSlice(packet.start(), bytes).fill((byte) mark);
        packet.checksum(PacketBuffer.CHECKSUM_PARTIAL);
        boolean taken = sender.transmit(now, packet);
        ours.release(packet);
        return taken;
    }

    /** Marks of what is there at that time, in order; every byte of a packet is checked. */
    private List<Integer> receive(long now) throws DeviceException {
        List<Integer> marks = new ArrayList<>();
        int count = receiver.receive(now, theirs, batch);
        for (int i = 0; i < count; i++) {
            PacketBuffer packet = batch[i];
            byte mark = packet.segment().get(ValueLayout.JAVA_BYTE, packet.start());
            for (int j = 1; j < packet.length(); j++) {
                assertThat(packet.segment().get(ValueLayout.JAVA_BYTE, packet.start() + j))
                        .isEqualTo(mark);
            }
            assertThat(packet.checksum()).isEqualTo(PacketBuffer.CHECKSUM_PARTIAL);
            marks.add((int) mark);
            theirs.release(packet);
        }
        return marks;
    }

    private static boolean isReadable(Device end) throws Exception {
        return new Poller(end.fd()).await(Poller.POLLIN, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 40, 256, 257, 2048, 5000, 32_768, 32_769, 65_535})
    void a_packet_arrives_whole_in_a_buffer_of_about_its_size(int bytes) throws Exception {
        open(CableSpec.named("c"));
        assertThat(send(0, bytes, 5)).isTrue();
        assertThat(receiver.receive(0, theirs, batch)).isEqualTo(1);
        assertThat(batch[0].length()).isEqualTo(bytes);
        assertThat(batch[0].capacity()).isEqualTo(PacketPool.sizeFor(bytes));
        theirs.release(batch[0]);
    }

    @Test
    void what_a_super_packet_says_of_itself_crosses_with_it() throws Exception {
        open(CableSpec.named("c"));
        PacketBuffer packet = ours.acquire(60_000);
        packet.window(320, 50_000);
        packet.segments(1460, 35);
        packet.checksum(PacketBuffer.CHECKSUM_PARTIAL);
        sender.transmit(0, packet);
        ours.release(packet);
        receiver.receive(0, theirs, batch);
        assertThat(batch[0].segmentSize()).isEqualTo(1460);
        assertThat(batch[0].segmentCount()).isEqualTo(35);
        assertThat(batch[0].checksum()).isEqualTo(PacketBuffer.CHECKSUM_PARTIAL);
        theirs.release(batch[0]);
    }

    @Test
    void packets_keep_their_order_through_many_rounds_of_the_ring() throws Exception {
        open(CableSpec.named("c").plain());
        int next = 0;
        int expected = 0;
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i <= round % 7; i++) {
                assertThat(send(0, 700, next++ % 100)).isTrue();
            }
            for (int mark : receive(0)) {
                assertThat(mark).isEqualTo(expected++ % 100);
            }
        }
        assertThat(expected).isEqualTo(next).isGreaterThan(256);
    }

    @Test
    void the_bell_rings_once_for_who_sleeps_and_is_silent_after_it_was_heard() throws Exception {
        open(CableSpec.named("c"));
        send(0, 100, 1);
        assertThat(isReadable(receiver)).as("nobody said he would sleep").isFalse();
        assertThat(receiver.nextArrival(7)).as("one waits").isEqualTo(7);
        assertThat(receive(0)).containsExactly(1);

        assertThat(receiver.nextArrival(7)).isEqualTo(Long.MAX_VALUE);
        send(0, 100, 2);
        send(0, 100, 3);
        assertThat(isReadable(receiver)).isTrue();
        assertThat(receive(0)).containsExactly(2, 3);
        assertThat(isReadable(receiver)).isFalse();
    }

    @Test
    void a_full_cable_refuses_and_rings_when_there_is_room() throws Exception {
        open(CableSpec.named("c"));
        int taken = 0;
        while (send(0, 100, taken % 100)) {
            taken++;
        }
        assertThat(taken).as("posted from the start").isEqualTo(8);
        assertThat(sender.nextArrival(0)).isEqualTo(Long.MAX_VALUE);
        assertThat(sender.pollsForRoom()).isFalse();
        assertThat(isReadable(sender)).isFalse();
        assertThat(receive(0)).hasSize(8);
        assertThat(isReadable(sender)).isTrue();
        sender.receive(0, ours, batch);
        assertThat(isReadable(sender)).isFalse();
        taken = 0;
        while (send(0, 100, 1)) {
            taken++;
        }
        assertThat(taken).as("it was full, so it is deeper").isEqualTo(16);
        assertThat(sender.dropped()).isZero();
        receive(0);
    }

    @Test
    void refusals_are_settled_however_often_they_happen() throws Exception {
        open(CableSpec.named("c"));
        for (int round = 0; round < 10; round++) {
            while (send(0, 100, 1)) {
                // Until it is full.
            }
            assertThat(send(0, 100, 1)).isFalse();
            receive(0);
            sender.receive(0, ours, batch);
            assertThat(isReadable(sender)).as("round %d", round).isFalse();
        }
    }

    @Test
    void without_memory_at_the_receiver_packets_are_lost_there_and_the_ring_goes_on()
            throws Exception {
        open(CableSpec.named("c"));
        List<PacketBuffer> all = new ArrayList<>();
        for (int size : new int[] {65_000, 30_000, 2000, 200}) {
            for (PacketBuffer b = theirs.acquire(size); b != null; b = theirs.acquire(size)) {
                all.add(b);
            }
        }
        send(0, 65_000, 1);
        assertThat(receive(0)).isEmpty();
        assertThat(receiver.dropped()).isEqualTo(1);
        all.forEach(theirs::release);
        send(0, 65_000, 2);
        assertThat(receive(0)).containsExactly(2);
    }

    // ---- time --------------------------------------------------------------------------------

    @Test
    void a_delayed_packet_is_there_at_its_time_and_the_receiver_knows_when() throws Exception {
        open(CableSpec.named("c").withDelay(10 * MS));
        send(5 * MS, 100, 1);
        send(7 * MS, 100, 2);
        assertThat(receive(8 * MS)).isEmpty();
        assertThat(receiver.nextArrival(8 * MS)).isEqualTo(15 * MS);
        assertThat(receive(15 * MS - 1)).isEmpty();
        assertThat(receive(15 * MS)).containsExactly(1);
        assertThat(receiver.nextArrival(15 * MS)).isEqualTo(17 * MS);
        assertThat(receive(20 * MS)).containsExactly(2);
        assertThat(receiver.nextArrival(20 * MS)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void more_may_be_on_the_way_than_the_ring_holds() throws Exception {
        open(CableSpec.named("c").plain().withDelay(10 * MS));
        for (int i = 0; i < 1000; i++) {
            while (!send(0, 1000, i % 100)) {
                assertThat(receive(0)).isEmpty();
            }
        }
        int arrived = 0;
        for (List<Integer> some = receive(10 * MS); !some.isEmpty(); some = receive(10 * MS)) {
            for (int mark : some) {
                assertThat(mark).isEqualTo(arrived++ % 100);
            }
        }
        assertThat(arrived).isEqualTo(1000);
    }

    @Test
    void a_line_sends_one_packet_after_the_other() throws Exception {
        // 1,250 bytes are 10 ms.
        open(CableSpec.named("c").withRate(1_000_000, 1_000_000));
        send(0, 1250, 1);
        send(0, 1250, 2);
        send(100 * MS, 1250, 3);
        assertThat(receive(10 * MS - 1)).isEmpty();
        assertThat(receive(10 * MS)).containsExactly(1);
        assertThat(receive(20 * MS)).containsExactly(2);
        assertThat(receive(110 * MS - 1)).isEmpty();
        assertThat(receive(110 * MS)).containsExactly(3);
    }

    @Test
    void a_queue_that_is_full_drops_the_last() throws Exception {
        open(CableSpec.named("c").withRate(1_000_000, 3 * 1250));
        for (int i = 1; i <= 5; i++) {
            assertThat(send(0, 1250, i)).isTrue();
        }
        assertThat(sender.dropped()).isEqualTo(2);
        assertThat(receive(1000 * MS)).containsExactly(1, 2, 3);
        send(1000 * MS, 1250, 6);
        assertThat(receive(1010 * MS)).containsExactly(6);
    }

    @Test
    void a_super_packet_takes_the_time_of_its_segments_with_their_headers() throws Exception {
        open(CableSpec.named("c").withRate(8_000, 1_000_000));
        // IPv4 and TCP without options, 3 segments of 100 bytes: 3 x 140 bytes, 1 ms each.
        PacketBuffer packet = ours.acquire(400);
        packet.window(0, 340);
        packet.segment().set(ValueLayout.JAVA_BYTE, packet.start(), (byte) 0x45);
        packet.segment().set(ValueLayout.JAVA_BYTE, packet.start() + 32, (byte) 0x50);
        packet.segments(100, 3);
        packet.checksum(PacketBuffer.CHECKSUM_PARTIAL);
        sender.transmit(0, packet);
        ours.release(packet);
        receiver.receive(0, theirs, batch);
        assertThat(receiver.nextArrival(0)).isEqualTo(420 * MS);
    }

    // ---- loss --------------------------------------------------------------------------------

    @Test
    void the_seed_decides_which_packets_are_lost() throws Exception {
        List<Integer> first = survivors(3);
        assertThat(survivors(3)).isEqualTo(first);
        assertThat(survivors(4)).isNotEqualTo(first);
        assertThat(first).hasSizeBetween(30, 70);
    }

    private List<Integer> survivors(long seed) throws Exception {
        if (sender != null) {
            sender.releaseBuffers(ours);
            receiver.releaseBuffers(theirs);
            sender.close();
            receiver.close();
        }
        open(CableSpec.named("c").withLoss(500_000_000, seed));
        List<Integer> marks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            send(0, 100, i);
            marks.addAll(receive(0));
        }
        assertThat(sender.dropped()).isEqualTo(100 - marks.size());
        return marks;
    }

    // ---- the end -----------------------------------------------------------------------------

    @Test
    void what_is_sent_to_an_end_that_is_closed_vanishes_and_what_it_sent_arrives()
            throws Exception {
        open(CableSpec.named("c"));
        send(0, 100, 1);
        sender.releaseBuffers(ours);
        sender.close();
        PacketBuffer reply = theirs.acquire(100);
        reply.window(0, 50);
        assertThat(receiver.transmit(0, reply)).isTrue();
        theirs.release(reply);
        assertThat(receiver.dropped()).isEqualTo(1);
        assertThat(receive(0)).containsExactly(1);
        assertThat(receiver.nextArrival(0)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void who_waits_for_room_is_woken_when_the_other_end_closes() throws Exception {
        open(CableSpec.named("c"));
        while (send(0, 100, 1)) {
            // Until it is full.
        }
        assertThat(sender.nextArrival(0)).isEqualTo(Long.MAX_VALUE);
        receiver.releaseBuffers(theirs);
        assertThat(isReadable(sender)).isTrue();
        sender.receive(0, ours, batch);
        assertThat(isReadable(sender)).isFalse();
        assertThat(send(0, 100, 2)).as("taken, and gone").isTrue();
        assertThat(sender.dropped()).isEqualTo(1);
    }

    @Test
    void closing_without_giving_buffers_back_still_keeps_the_sender_out_of_them() throws Exception {
        open(CableSpec.named("c"));
        receiver.close();
        assertThat(send(0, 100, 1)).isTrue();
        assertThat(sender.dropped()).isEqualTo(1);
    }

    @Test
    void an_impossible_cable_is_refused_with_the_limits() {
        CableSpec spec = CableSpec.named("c");
        assertThatThrownBy(() -> CableSpec.named(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a cable has a name");
        assertThatThrownBy(() -> spec.withMtu(1279))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the MTU of a cable is 1280 to 65535 bytes, not 1279");
        assertThatThrownBy(() -> spec.withRate(-1, 1500))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the rate of a cable is 0 to");
        assertThatThrownBy(() -> spec.withRate(1, 100))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the queue of a cable is 1500 to");
        assertThatThrownBy(() -> spec.withDelay(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the delay of a cable is 0 to");
        assertThatThrownBy(() -> spec.withLoss(CableSpec.BILLION + 1, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the loss of a cable is 0 to");
    }
}
