package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AckPolicyTest {
    private static final long MILLI = 1_000_000;
    private static final long RTO = 200 * MILLI;
    private static final long MAX_DELAY = 200 * MILLI;
    private static final long RTO_MIN = 200 * MILLI;
    private static final int WINDOW = 65_535;

    private final AckPolicy policy = new AckPolicy();

    // ---- ATO (B-3.3) ---------------------------------------------------------------------------

    @Test
    void first_data_starts_at_forty_milliseconds_with_quick_acks() {
        policy.onDataReceived(5 * MILLI, RTO, WINDOW);
        assertThat(policy.atoNanos()).isEqualTo(40 * MILLI);
        assertThat(policy.inQuickAck()).isTrue();
    }

    @ParameterizedTest(name = "ato {0} ms, gap {1} ms, rto {2} ms -> {3} ms")
    @CsvSource({
        "40, 1, 200, 40", // short gaps converge to 40
        "100, 20, 200, 70",
        "40, 21, 200, 41", // half of the ATO plus the gap
        "120, 100, 200, 160",
        "120, 100, 150, 150", // never above the RTO
        "40, 40, 200, 40", // a gap of the ATO or more changes nothing
        "40, 150, 200, 40"
    })
    void ato_follows_the_gap(long ato, long gap, long rto, long expected) {
        reach(ato);
        long last = policy.lastDataReceived();
        policy.onDataReceived(last + gap * MILLI, rto * MILLI, WINDOW);
        assertThat(policy.atoNanos()).isEqualTo(expected * MILLI);
    }

    @Test
    void a_gap_beyond_the_rto_brings_quick_acks_back() {
        reach(40);
        assertThat(policy.inQuickAck()).isFalse();
        policy.onDataReceived(policy.lastDataReceived() + RTO + 1, RTO, WINDOW);
        assertThat(policy.inQuickAck()).isTrue();
    }

    @Test
    void every_expiry_doubles_the_ato_up_to_the_rto() {
        reach(40);
        policy.onDelayExpired(RTO);
        assertThat(policy.atoNanos()).isEqualTo(80 * MILLI);
        policy.onDelayExpired(RTO);
        policy.onDelayExpired(RTO);
        assertThat(policy.atoNanos()).isEqualTo(RTO);
    }

    @Test
    void an_expiry_ends_an_interactive_exchange() {
        reach(80);
        policy.enterPingPong();
        policy.onDelayExpired(RTO);
        assertThat(policy.inPingPong()).isFalse();
        assertThat(policy.atoNanos()).isEqualTo(40 * MILLI);
    }

    // ---- delay (B-3.2) -------------------------------------------------------------------------

    @ParameterizedTest(name = "ato {0} ms, srtt {1} ms, pingpong {2} -> {3} ms")
    @CsvSource({
        "40, 0, false, 40",
        "40, 5, false, 40", // never below the least ATO
        "120, 5, false, 40", // a known round trip bounds the wait
        "120, 60, false, 60",
        "120, 300, false, 120",
        "800, 0, false, 199", // below the RTO floor by a tick
        "800, 0, true, 199"
    })
    void delay_is_the_ato_within_bounds(long ato, long srtt, boolean pingPong, long expected) {
        reach(ato);
        if (pingPong) {
            policy.enterPingPong();
        }
        assertThat(policy.delayNanos(srtt * MILLI, MAX_DELAY, RTO_MIN)).isEqualTo(expected * MILLI);
    }

    @Test
    void an_idle_exchange_may_wait_longer_where_the_bounds_allow() {
        reach(800);
        assertThat(policy.delayNanos(0, 1000 * MILLI, 1000 * MILLI)).isEqualTo(500 * MILLI);
        policy.enterPingPong();
        assertThat(policy.delayNanos(0, 1000 * MILLI, 1000 * MILLI)).isEqualTo(200 * MILLI);
    }

    // ---- quick ACKs and pingpong (B-3.4, B-3.5)
    // --------------------------------------------------

    @ParameterizedTest(name = "window {0}, mss {1}, max {2} -> {3} ACKs")
    @CsvSource({
        "65535, 1460, 16, 16",
        "14600, 1460, 16, 5",
        "1000, 1460, 16, 2",
        "65535, 1460, 2, 2"
    })
    void budget_follows_the_window(int window, int rcvMss, int max, int expected) {
        policy.rcvMss = rcvMss;
        policy.enterQuickAck(max, window);
        assertThat(acksUntilDelayed()).isEqualTo(expected);
    }

    @Test
    void only_acks_that_were_owed_use_the_budget() {
        policy.rcvMss = 1460;
        policy.enterQuickAck(2, WINDOW);
        for (int i = 0; i < 10; i++) {
            policy.onAckSent(1, 1);
        }
        assertThat(policy.inQuickAck()).isTrue();
        assertThat(acksUntilDelayed()).isEqualTo(2);
    }

    @Test
    void an_ack_of_less_than_everything_settles_nothing() {
        policy.scheduleNow();
        policy.onAckSent(1000, 2000);
        assertThat(policy.isScheduled()).isTrue();
        assertThat(policy.isImmediate()).isTrue();
        policy.onAckSent(2000, 2000);
        assertThat(policy.isScheduled()).isFalse();
        assertThat(policy.isImmediate()).isFalse();
    }

    @Test
    void data_sent_soon_after_data_received_makes_the_exchange_interactive() {
        policy.onDataReceived(MILLI, RTO, WINDOW);
        policy.onDataSent(60 * MILLI);
        assertThat(policy.inPingPong()).as("too late for an answer").isFalse();
        policy.onDataReceived(70 * MILLI, RTO, WINDOW);
        policy.onDataSent(71 * MILLI);
        assertThat(policy.inPingPong()).isTrue();
        assertThat(policy.inQuickAck()).as("interactive exchanges wait for the answer").isFalse();
        policy.enterQuickAck(AckPolicy.MAX_QUICK_ACKS, WINDOW);
        assertThat(policy.inQuickAck()).isTrue();
    }

    @Test
    void the_threshold_says_how_many_answers_it_takes() {
        policy.start(0, 3, 40 * MILLI, 16);
        policy.onDataReceived(MILLI, RTO, WINDOW);
        policy.onDataSent(2 * MILLI);
        policy.onDataSent(3 * MILLI);
        assertThat(policy.inPingPong()).isFalse();
        policy.onDataSent(4 * MILLI);
        assertThat(policy.inPingPong()).isTrue();
    }

    @Test
    void nothing_is_an_answer_before_the_first_data() {
        policy.onDataSent(0);
        assertThat(policy.inPingPong()).isFalse();
    }

    @Test
    void two_pushed_segments_deserve_an_ack_even_in_an_interactive_exchange() {
        policy.rcvMss = 1460;
        policy.enterPingPong();
        measure(100, true);
        assertThat(policy.pushDeservesAck()).isFalse();
        measure(100, true);
        assertThat(policy.pushDeservesAck()).isTrue();
    }

    // ---- the peer's segment size (B-3.8)
    // ---------------------------------------------------------

    @ParameterizedTest(name = "advmss {0}, sendMss {1}, window {2} -> {3}")
    @CsvSource({
        "1460, 1448, 64240, 536",
        "1460, 1448, 800, 400",
        "1460, 1448, 100, 88",
        "200, 1448, 64240, 200"
    })
    void first_guess_is_modest(int advertised, int send, int window, int expected) {
        policy.initRcvMss(advertised, send, window);
        assertThat(policy.rcvMss).isEqualTo(expected);
    }

    @Test
    void a_longer_segment_raises_the_estimate_at_once_up_to_what_we_advertised() {
        assertThat(measure(1000, false)).isTrue();
        assertThat(policy.rcvMss).isEqualTo(1000);
        assertThat(measure(1000, false)).isFalse();
        assertThat(measure(9000, false)).isTrue();
        assertThat(policy.rcvMss).isEqualTo(1460);
    }

    @Test
    void a_shorter_segment_lowers_it_only_the_second_time_in_a_row() {
        measure(1460, false);
        measure(1200, false);
        assertThat(policy.rcvMss).isEqualTo(1460);
        measure(1100, false);
        measure(1200, false);
        assertThat(policy.rcvMss).isEqualTo(1460);
        measure(1200, false);
        assertThat(policy.rcvMss).isEqualTo(1200);
    }

    @Test
    void a_short_pushed_segment_says_nothing_about_the_size() {
        measure(1460, false);
        measure(300, true);
        measure(300, true);
        assertThat(policy.rcvMss).isEqualTo(1460);
        measure(300, false);
        measure(300, false);
        assertThat(policy.rcvMss).isEqualTo(300);
    }

    @Test
    void options_that_come_and_go_do_not_look_like_another_size() {
        measure(1448, false);
        // Twelve bytes of SACK displaced payload, so nothing became smaller.
        policy.measureSegment(1436, 24, 12, false, false, 1460);
        policy.measureSegment(1436, 24, 12, false, false, 1460);
        assertThat(policy.rcvMss).isEqualTo(1448);
    }

    // ---- SACK compression (B-3.6)
    // ----------------------------------------------------------------

    @Test
    void three_duplicates_per_hole_go_out_and_then_forty_four_are_held() {
        for (int i = 0; i < 3; i++) {
            assertThat(policy.sendsDuplicate(1000, 44)).isTrue();
        }
        for (int i = 0; i < 44; i++) {
            assertThat(policy.sendsDuplicate(1000, 44)).isFalse();
        }
        assertThat(policy.compressed()).isEqualTo(44);
        assertThat(policy.sendsDuplicate(1000, 44)).isTrue();
        policy.onAckSent(1000, 1000);
        assertThat(policy.compressed()).isZero();
        assertThat(policy.sendsDuplicate(1000, 44)).isFalse();
        assertThat(policy.sendsDuplicate(2000, 44)).as("another hole").isTrue();
    }

    // ---- replies (B-10.5)
    // ------------------------------------------------------------------------

    @Test
    void one_reply_per_half_second() {
        assertThat(policy.mayReplyOutOfWindow(0, 500 * MILLI)).isTrue();
        assertThat(policy.mayReplyOutOfWindow(499 * MILLI, 500 * MILLI)).isFalse();
        assertThat(policy.mayReplyOutOfWindow(500 * MILLI, 500 * MILLI)).isTrue();
    }

    private boolean measure(int length, boolean pushed) {
        return policy.measureSegment(length, 0, 0, pushed, pushed, 1460);
    }

    private int acksUntilDelayed() {
        int acks = 0;
        while (policy.inQuickAck()) {
            policy.schedule();
            policy.onAckSent(1, 1);
            acks++;
        }
        return acks;
    }

    /** Brings the ATO to a value by means of the rules, with the quick ACKs used up. */
    private void reach(long millis) {
        policy.start(0, 1, millis * MILLI, 16);
        policy.onDataReceived(MILLI, RTO, WINDOW);
        acksUntilDelayed();
        assertThat(policy.atoNanos()).isEqualTo(millis * MILLI);
        policy.start(0, 1, 40 * MILLI, 16);
    }
}
