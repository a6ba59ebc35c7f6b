package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.seed.Rng;
import dev.sluice.tcp.policy.BindingPromise;
import dev.sluice.tcp.policy.MeasuredRatio;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiveWindowTest {
    private static final int MIB = 1 << 20;
    private static final int LARGEST = 32 * MIB;
    private static final long MILLI = 1_000_000;
    private static final int ADVMSS = 1460;
    private static final BindingPromise PROMISE = new BindingPromise();

    private final ReceiveWindow window = new ReceiveWindow();

    // ---- the SYN (B-7.1, B-7.4)
    // ------------------------------------------------------------------

    @ParameterizedTest(
            name =
                    "buffer {0}, mss {1}, clamp {2}, locked {3}, tcp_rmem[2] {4}: window {5}, scale"
                            + " {6}")
    @CsvSource({
        "131072, 1460, 0, false, 6291456, 64240, 7",
        "131072, 1460, 0, false, 33554432, 64240, 10",
        "131072, 65483, 0, false, 33554432, 65483, 10",
        "262144, 1460, 0, false, 33554432, 65535, 10",
        "4096, 1460, 0, false, 33554432, 1460, 10", // one segment
        "2304, 1460, 0, true, 33554432, 1152, 0", // a fixed buffer limits the scale
        "400000, 1460, 0, true, 33554432, 65535, 2",
        "131072, 1460, 10000, false, 33554432, 8760, 0" // TCP_WINDOW_CLAMP too
    })
    void initial_window_and_scale(
            int buffer, int mss, int clamp, boolean locked, int largest, int expected, int shift) {
        window.start(new MeasuredRatio(), buffer);
        window.selectInitial(mss, clamp, locked, true, largest, false);
        assertThat(window.synWindow()).isEqualTo(expected);
        assertThat(window.rcvWindShift).isEqualTo((byte) shift);
    }

    @Test
    void without_scaling_the_window_stays_within_sixteen_bits() {
        window.start(new MeasuredRatio(), MIB);
        window.selectInitial(1460, 0, false, true, LARGEST, false);
        window.withoutScaling();
        establish();
        assertThat(select()).isLessThanOrEqualTo(65_535);
        assertThat(window.rcvWindShift).isZero();
    }

    @Test
    void old_peers_that_take_windows_for_signed_get_small_ones() {
        window.start(new MeasuredRatio(), MIB);
        window.selectInitial(1460, 0, false, false, LARGEST, true);
        assertThat(window.synWindow()).isEqualTo(32_767);
        establish();
        assertThat(window.select(536, false, true, PROMISE) & 0xffff).isLessThanOrEqualTo(32_767);
    }

    @Test
    void first_windows_are_those_of_linux() {
        open(131_072, 6 * MIB);
        assertThat(select()).as("64240 rounded up").isEqualTo(502);
        window.rcvNxt += 500;
        window.rmemAlloc += 1024;
        assertThat(select()).isEqualTo(501);
    }

    // ---- selection (B-7.6)
    // -----------------------------------------------------------------------

    @Test
    void a_window_is_rounded_up_so_that_it_is_not_scaled_away() {
        open(4608, LARGEST);
        window.rcvNxt += window.rcvWnd;
        assertThat(window.rcvWindShift).isEqualTo((byte) 10);
        assertThat(select()).as("1460 bytes become two units").isEqualTo(2);
    }

    @ParameterizedTest(name = "{0} of 131072 bytes used, segment size {1}: {2}")
    @CsvSource({
        "0, 1460, 64128",
        "65536, 1460, 32768",
        "120000, 1460, 5504",
        "123000, 1460, 0", // less than a sixteenth
        "120000, 6000, 0", // less than a segment
        "140000, 1460, 0" // overdrawn
    })
    void free_space_becomes_window(int used, int rcvMss, int expected) {
        open(131_072, 6 * MIB);
        window.rmemAlloc = used;
        assertThat(window.wish(rcvMss, false)).isEqualTo(expected);
    }

    @Test
    void the_right_edge_stays_when_space_is_gone() {
        open(131_072, 6 * MIB);
        select();
        long edge = window.windowEnd();
        window.rcvNxt += 1000;
        window.rmemAlloc = 200_000;
        int selected = window.select(1460, false, false, PROMISE);
        assertThat(selected & ReceiveWindow.WANTED_ZERO).isNotZero();
        assertThat(window.windowEnd()).isBetween(edge, edge + 127);
    }

    @Test
    void a_full_buffer_closes_even_if_segments_are_shorter_than_the_granularity() {
        open(131_072, LARGEST);
        select();
        long edge = window.windowEnd();
        while (window.rcvWnd > 0) {
            window.rcvNxt += 1000;
            window.rmemAlloc += 2048;
            select();
            // Rounding up needs memory, of which there is at most the buffer.
            assertThat(window.windowEnd()).isLessThan(edge + 4096);
            assertThat(window.rcvWup + window.rcvWnd).isGreaterThan(window.windowEnd() - 1024);
        }
        assertThat(window.rcvNxt).isGreaterThan(edge - 1024);
    }

    @Test
    void retraction_needs_the_option_and_is_remembered() {
        open(131_072, 6 * MIB);
        select();
        long edge = window.windowEnd();
        window.rcvNxt += 1000;
        window.rmemAlloc = 200_000;
        assertThat(window.select(1460, true, false, PROMISE)).isZero();
        assertThat(window.offered()).isZero();
        assertThat(window.windowEnd()).as("data under way is still acceptable").isEqualTo(edge);
        window.rmemAlloc = 0;
        window.select(1460, true, false, PROMISE);
        assertThat(window.windowEnd()).isGreaterThanOrEqualTo(edge);
    }

    @Test
    void no_memory_closes_the_window() {
        open(131_072, 6 * MIB);
        select();
        long edge = window.windowEnd();
        window.close();
        assertThat(window.offered()).isZero();
        assertThat(window.windowEnd()).isEqualTo(edge);
    }

    @Test
    void without_scaling_small_changes_are_not_announced() {
        window.start(new MeasuredRatio(), 40_000);
        window.selectInitial(1000, 0, false, false, LARGEST, false);
        establish(1000);
        assertThat(window.rcvWnd).isEqualTo(20_000);
        window.rcvNxt += 20_000;
        window.rmemAlloc = 3000;
        assertThat(window.select(1000, false, false, PROMISE)).isEqualTo(18_000);
        window.rmemAlloc = 2500;
        assertThat(window.select(1000, false, false, PROMISE))
                .as("within a segment")
                .isEqualTo(18_000);
        window.rmemAlloc = 0;
        assertThat(window.select(1000, false, false, PROMISE)).isEqualTo(19_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void whatever_happens_the_right_edge_never_moves_left(long seed) {
        Rng rng = new Rng(seed);
        ReceiveWindow w = new ReceiveWindow();
        int mss = rng.between(88, 9000);
        w.start(new MeasuredRatio(), rng.between(2304, MIB));
        w.selectInitial(mss, 0, rng.nextBoolean(), rng.nextInt(4) > 0, LARGEST, false);
        w.onSyn();
        w.onEstablished(MILLI, mss);
        long now = MILLI;
        for (int i = 0; i < 20_000; i++) {
            now += rng.between(1, 2_000_000);
            long edge = w.windowEnd();
            switch (rng.nextInt(6)) {
                case 0 -> {
                    int length = rng.between(0, Math.min(w.offered(), 3 * mss));
                    int truesize = length * 2 + rng.between(300, 3000);
                    w.rcvNxt += length;
                    w.rmemAlloc += truesize;
                    if (length > 0) {
                        w.grow(length, truesize, mss, mss, LARGEST);
                        w.sampleByWindow(now);
                    }
                }
                case 1 -> {
                    w.readEnd += rng.between(0, w.unread());
                    w.rmemAlloc = w.unread() == 0 ? 0 : rng.between(0, w.rmemAlloc);
                    w.tune(now, true, rng.between(0, 50_000), LARGEST, MILLI);
                }
                case 2 -> w.measureRatio(rng.between(1, mss), rng.between(mss, 3 * mss));
                case 3 -> w.buffer(rng.between(2304, MIB));
                default -> {
                    int field = w.select(mss, false, false, PROMISE) & 0xffff;
                    assertThat(field << w.rcvWindShift).isEqualTo(w.rcvWnd);
                    assertThat(w.rcvWup).isEqualTo(w.rcvNxt);
                }
            }
            assertThat(w.windowEnd()).isGreaterThanOrEqualTo(edge);
        }
    }

    // ---- ratio, receiver slow start, SO_RCVBUF
    // ---------------------------------------------------

    @Test
    void the_measured_ratio_moves_clamp_and_reference() {
        open(131_072, 6 * MIB);
        assertThat(window.ratio()).isEqualTo(128);
        window.measureRatio(1448, 2624);
        assertThat(window.ratio()).isEqualTo(141);
        assertThat(window.windowClamp).isEqualTo(131_072 * 141 / 256);
        window.measureRatio(100, 2624);
        assertThat(window.ratio()).isEqualTo(9);
        assertThat(window.windowClamp).isEqualTo(131_072 * 9 / 256);
        assertThat(window.rcvSsthresh).isEqualTo(window.windowClamp);
        assertThat(window.space()).isLessThanOrEqualTo(window.windowClamp);
    }

    @ParameterizedTest(name = "payload {0} in {1}: {2}")
    @CsvSource({"1448, 2624, 141", "1, 4000, 1", "65536, 66144, 253", "2000, 1000, 256"})
    void ratio_is_payload_per_memory(int payload, int truesize, int expected) {
        assertThat(new MeasuredRatio().measure(128, payload, truesize)).isEqualTo(expected);
    }

    @Test
    void good_segments_widen_the_window_bad_ones_only_while_it_is_small() {
        open(131_072, 6 * MIB);
        window.buffer(6 * MIB);
        window.rcvSsthresh = 20_000;
        assertThat(window.grow(1448, 2624, 1448, ADVMSS, 6 * MIB)).isTrue();
        assertThat(window.rcvSsthresh).isEqualTo(20_000 + 2 * ADVMSS);
        assertThat(window.grow(127, 200, 1448, ADVMSS, 6 * MIB)).as("too small").isFalse();

        window.rcvSsthresh = 20_000;
        assertThat(window.grow(200, 2624, 1448, ADVMSS, 6 * MIB)).isTrue();
        window.rcvSsthresh = 2 * MIB;
        assertThat(window.grow(200, 2624, 1448, ADVMSS, 6 * MIB)).isFalse();
    }

    @Test
    void a_smaller_buffer_takes_the_clamp_along() {
        open(131_072, 6 * MIB);
        window.buffer(2304);
        assertThat(window.windowClamp).isEqualTo(1152);
        assertThat(window.rcvSsthresh).isEqualTo(1152);
        window.buffer(131_072);
        assertThat(window.windowClamp).isEqualTo(65_536);
    }

    @Test
    void overflow_raises_the_buffer_or_lowers_the_window() {
        open(131_072, 6 * MIB);
        window.rmemAlloc = 200_000;
        window.onOverflow(true, 6 * MIB, ADVMSS);
        assertThat(window.rcvBuf).isEqualTo(200_000);
        window.rmemAlloc = 300_000;
        window.onOverflow(false, 6 * MIB, ADVMSS);
        assertThat(window.rcvBuf).isEqualTo(200_000);
        assertThat(window.rcvSsthresh).isEqualTo(2 * ADVMSS);
    }

    // ---- auto-tuning (B-7.10)
    // --------------------------------------------------------------------

    @Test
    void reading_more_than_last_time_doubles_the_buffer_and_leaves_room_to_double_again() {
        open(131_072, 32 * MIB);
        window.sampleByTimestamp(10 * MILLI, true);
        assertThat(window.space()).isEqualTo(14_600);
        read(43_800);
        window.tune(30 * MILLI, true, 0, 32 * MIB, MILLI);
        // 2 * 43800, plus 2 * 87600 * (43800 - 14600) / 14600, times two for the ratio of one half.
        assertThat(window.rcvBuf).isEqualTo(2 * (87_600 + 4 * 87_600));
        assertThat(window.space()).isEqualTo(43_800);
        assertThat(window.windowClamp).isEqualTo(window.rcvBuf / 2);
    }

    @Test
    void it_waits_for_a_round_trip_and_for_a_known_one() {
        open(131_072, 32 * MIB);
        read(60_000);
        window.tune(30 * MILLI, true, 0, 32 * MIB, MILLI);
        assertThat(window.space()).as("round trip unknown").isEqualTo(14_600);
        window.sampleByTimestamp(50 * MILLI, true);
        window.tune(30 * MILLI, true, 0, 32 * MIB, MILLI);
        assertThat(window.space()).as("too early").isEqualTo(14_600);
        window.tune(60 * MILLI, true, 0, 32 * MIB, MILLI);
        assertThat(window.space()).isEqualTo(60_000);
    }

    @Test
    void a_short_round_trip_brakes_the_growth() {
        open(131_072, 32 * MIB);
        window.sampleByTimestamp(102_400, true);
        read(100_000);
        window.tune(30 * MILLI, true, 0, 32 * MIB, MILLI);
        // 200000 plus 200000 * 0.1024 ms / 1 ms.
        assertThat(window.rcvBuf).isEqualTo(2 * (200_000 + 20_480));
    }

    @Test
    void what_is_not_read_yet_does_not_count() {
        open(131_072, 32 * MIB);
        window.sampleByTimestamp(10 * MILLI, true);
        read(30_000);
        window.rcvNxt += 20_000;
        window.tune(30 * MILLI, true, 0, 32 * MIB, MILLI);
        assertThat(window.space()).isEqualTo(14_600);
    }

    @Test
    void a_locked_buffer_stays() {
        open(131_072, 32 * MIB);
        window.sampleByTimestamp(10 * MILLI, true);
        read(60_000);
        window.tune(30 * MILLI, false, 0, 32 * MIB, MILLI);
        assertThat(window.rcvBuf).isEqualTo(131_072);
        assertThat(window.space()).isEqualTo(60_000);
    }

    @Test
    void without_timestamps_the_shortest_window_is_the_round_trip() {
        open(131_072, 32 * MIB);
        select();
        window.sampleByWindow(100 * MILLI);
        window.rcvNxt += 1000;
        window.sampleByWindow(101 * MILLI);
        assertThat(window.receiverRttNanos()).as("not a window yet").isZero();
        window.rcvNxt += window.rcvWnd;
        window.sampleByWindow(130 * MILLI);
        assertThat(window.receiverRttNanos()).isBetween(30 * MILLI - 2048, 30 * MILLI + 2048);
        window.rcvNxt += window.rcvWnd;
        window.sampleByWindow(230 * MILLI);
        assertThat(window.receiverRttNanos())
                .as("larger: ignored")
                .isLessThanOrEqualTo(30 * MILLI + 2048);
    }

    @Test
    void with_timestamps_samples_are_smoothed_and_large_ones_need_an_empty_queue() {
        open(131_072, 32 * MIB);
        window.sampleByTimestamp(8 * MILLI, true);
        window.sampleByTimestamp(16 * MILLI, false);
        assertThat(window.receiverRttNanos()).isBetween(8 * MILLI - 2048, 8 * MILLI);
        window.sampleByTimestamp(16 * MILLI, true);
        assertThat(window.receiverRttNanos()).isBetween(9 * MILLI - 2048, 9 * MILLI + 2048);
    }

    // ---- urgent data
    // -----------------------------------------------------------------------------

    @Test
    void a_promise_covers_a_buffer_that_shrank() {
        open(131_072, 32 * MIB);
        select();
        window.buffer(2304);
        assertThat(PROMISE.admits(64_000 * 2, window.rcvBuf, window.promisedSpace())).isTrue();
        assertThat(PROMISE.admits(200_000, window.rcvBuf, window.promisedSpace())).isFalse();
    }

    @ParameterizedTest(name = "wish {0}, offered {1}, drained {2}, half {3}, mss {4}: {5}")
    @CsvSource({
        "1500, 1000, true, 400, 16640, true", // the sender cannot fill a segment
        "1500, 1000, false, 400, 16640, false",
        "1500, 1200, true, 400, 16640, false", // not worth it
        "64000, 61000, true, 32000, 1460, false" // plenty: no extra ACK
    })
    void a_drained_small_buffer_is_announced(
            int wish, int offered, boolean drained, int half, int mss, boolean expected) {
        assertThat(PROMISE.announces(wish, offered, drained, half, mss)).isEqualTo(expected);
    }

    // ---- fixtures
    // --------------------------------------------------------------------------------

    private void open(int buffer, int largest) {
        window.start(new MeasuredRatio(), buffer);
        window.selectInitial(ADVMSS, 0, false, true, largest, false);
        establish();
    }

    private void establish() {
        establish(ADVMSS);
    }

    private void establish(int advertisedMss) {
        window.onSyn();
        window.onEstablished(MILLI, advertisedMss);
    }

    private int select() {
        return window.select(536, false, false, PROMISE) & 0xffff;
    }

    private void read(int bytes) {
        window.rcvNxt += bytes;
        window.readEnd += bytes;
    }

    @Test
    void every_echo_is_sampled_once() {
        assertThat(window.isNewEcho(77)).isTrue();
        assertThat(window.isNewEcho(77)).isFalse();
        assertThat(window.isNewEcho(78)).isTrue();
    }
}
