package dev.sluice.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tcp.congestion.Bbr.State;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The state machine of draft-ietf-ccwg-bbr, one round trip per step; the cases of its appendix are
 * among them.
 */
class BbrTest {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final long RTT = 50 * MILLI;
    private static final int MSS = 1000;

    /** A path that holds 100 segments. */
    private static final long RATE = 2_000_000;

    private static final int BDP = 100;

    private final CongestionView view = new CongestionView();
    private final AckSample sample = new AckSample();
    private final LostSegments lost = new LostSegments();
    private final Bbr bbr = new Bbr();
    private int totalLost;

    @BeforeEach
    void start() {
        view.nowNanos = 7 * SECOND;
        view.mss = MSS;
        view.cwnd = 10;
        view.initialCwnd = 10;
        view.ssthresh = Integer.MAX_VALUE;
        view.srttNanos = RTT;
        view.selectiveAcks = true;
        view.seed = 1;
        view.deliveredTotal = 1;
        bbr.start(view);
    }

    /** A round trip in which {@code rate} was delivered; its last ACK comes in. */
    private void round(long rate, boolean appLimited) {
        long prior = view.deliveredTotal;
        view.nowNanos += RTT;
        ack(prior, rate, RTT, appLimited, (int) Math.max(1, rate * RTT / SECOND / MSS));
    }

    private void round(long rate) {
        round(rate, false);
    }

    private void ack(long prior, long rate, long rtt, boolean appLimited, int segments) {
        view.deliveredTotal += segments;
        view.delivered += segments;
        sample.delivered = segments;
        sample.acked = segments;
        sample.priorDelivered = prior;
        sample.rateDelivered = segments;
        sample.rateIntervalNanos = rate == 0 ? -1 : (long) segments * MSS * SECOND / rate;
        sample.rateAppLimited = appLimited;
        sample.rttNanos = rtt;
        sample.txInFlight = view.inFlight;
        bbr.control(view, sample);
        sample.lostSinceSent = 0;
    }

    /** Another ACK of the round under way. */
    private void sameRound(int segments) {
        view.nowNanos += MILLI;
        ack(0, RATE, RTT, false, segments);
    }

    private void lose(long start, int segments, int txInFlight) {
        totalLost += segments;
        lost.start = start;
        lost.end = start + (long) segments * MSS;
        lost.segments = segments;
        lost.txInFlight = txInFlight;
        lost.lostSinceSent = totalLost;
        lost.appLimited = false;
        sample.lostSinceSent = totalLost;
        bbr.onLost(view, lost);
    }

    private void inStartup() {
        for (long rate = 200_000; rate < RATE; rate *= 2) {
            round(rate);
        }
        round(RATE);
        assertThat(bbr.state()).isEqualTo(State.STARTUP);
    }

    private void inDrain() {
        inStartup();
        view.inFlight = 2 * BDP;
        for (int i = 0; i < 3; i++) {
            round(RATE);
        }
        assertThat(bbr.state()).isEqualTo(State.DRAIN);
    }

    private void inCruise() {
        inDrain();
        view.inFlight = BDP;
        sameRound(1);
        assertThat(bbr.state()).isEqualTo(State.PROBE_BW_CRUISE);
    }

    private void inRefill() {
        inCruise();
        long begun = view.nowNanos;
        while (bbr.state() == State.PROBE_BW_CRUISE) {
            round(RATE);
        }
        assertThat(bbr.state()).isEqualTo(State.PROBE_BW_REFILL);
        assertThat(view.nowNanos - begun).isBetween(2 * SECOND - RTT, 3 * SECOND + RTT);
    }

    private void inUp() {
        inRefill();
        round(RATE);
        assertThat(bbr.state()).isEqualTo(State.PROBE_BW_UP);
    }

    private void expectGain(int percent) {
        assertThat(view.pacingRate)
                .isBetween(RATE * percent / 100 * 97 / 100, RATE * percent / 100);
    }

    @Nested
    class Startup {
        @Test
        void the_first_rate_is_the_initial_window_per_round_trip_times_the_gain() {
            assertThat(view.pacingRate).isEqualTo(10L * MSS * 20 * 277 / 100);
        }

        @Test
        void without_an_rtt_a_millisecond_is_assumed_until_there_is_one() {
            view.srttNanos = 0;
            bbr.start(view);
            assertThat(view.pacingRate).isEqualTo(10L * MSS * 1000 * 277 / 100);
            view.srttNanos = RTT;
            round(100_000);
            assertThat(view.pacingRate).isLessThan(1_000_000);
        }

        @Test
        void rate_and_window_follow_what_is_delivered() {
            inStartup();
            expectGain(277);
            assertThat(view.cwnd).isGreaterThanOrEqualTo(2 * BDP);
        }

        @Test
        void three_rounds_without_a_quarter_more_end_it() {
            inStartup();
            view.inFlight = 300;
            round(RATE + RATE / 5);
            round(RATE);
            assertThat(bbr.state()).isEqualTo(State.STARTUP);
            round(RATE);
            assertThat(bbr.state()).isEqualTo(State.DRAIN);
        }

        @Test
        void growth_begins_the_count_anew() {
            inStartup();
            round(RATE);
            round(RATE);
            round(RATE * 5 / 4);
            view.inFlight = 300;
            round(RATE * 5 / 4);
            round(RATE * 5 / 4);
            assertThat(bbr.state()).isEqualTo(State.STARTUP);
        }

        @Test
        void an_application_limit_never_ends_it() {
            inStartup();
            for (int i = 0; i < 50; i++) {
                round(RATE / 2, true);
            }
            assertThat(bbr.state()).isEqualTo(State.STARTUP);
            assertThat(bbr.bandwidth()).isEqualTo(RATE);
        }

        @Test
        void six_holes_and_more_than_two_per_cent_in_recovery_end_it_even_then() {
            inStartup();
            view.state = CongestionState.RECOVERY;
            view.inFlight = 200;
            for (int i = 0; i < 6; i++) {
                lose(10_000L * i, 1, 200);
            }
            round(RATE, true);
            assertThat(bbr.state()).isEqualTo(State.DRAIN);
            assertThat(bbr.inflightLongterm()).isGreaterThanOrEqualTo(BDP);
            assertThat(bbr.inflightLongterm()).isLessThan(Integer.MAX_VALUE);
        }

        @Test
        void one_large_hole_does_not() {
            inStartup();
            view.state = CongestionState.RECOVERY;
            view.inFlight = 200;
            for (int i = 0; i < 6; i++) {
                lose(1_000L * i, 1, 200);
            }
            round(RATE);
            assertThat(bbr.state()).isEqualTo(State.STARTUP);
        }

        @Test
        void without_selective_acknowledgments_one_loss_does() {
            inStartup();
            view.selectiveAcks = false;
            view.state = CongestionState.RECOVERY;
            view.inFlight = 200;
            lose(1, 1, 200);
            sameRound(1);
            assertThat(bbr.state()).isEqualTo(State.DRAIN);
        }

        @Test
        void a_congestion_mark_ends_it() {
            inStartup();
            view.inFlight = 200;
            view.ecn = true;
            view.deliveredCe = 1;
            sameRound(1);
            assertThat(bbr.state()).isEqualTo(State.DRAIN);
        }

        @Test
        void a_loss_that_was_none_brings_it_back() {
            inStartup();
            view.state = CongestionState.RECOVERY;
            view.inFlight = 200;
            view.selectiveAcks = false;
            lose(1, 1, 200);
            sameRound(1);
            assertThat(bbr.state()).isEqualTo(State.DRAIN);
            int before = view.cwnd;
            assertThat(bbr.undoCwnd(view)).isGreaterThanOrEqualTo(before);
            assertThat(bbr.state()).isEqualTo(State.STARTUP);
            assertThat(bbr.inflightLongterm()).isEqualTo(Integer.MAX_VALUE);
        }
    }

    @Nested
    class Drain {
        @Test
        void it_paces_at_half_until_what_is_in_flight_fits_the_path() {
            inDrain();
            expectGain(50);
            view.inFlight = BDP + 1;
            sameRound(1);
            assertThat(bbr.state()).isEqualTo(State.DRAIN);
            view.inFlight = BDP;
            sameRound(1);
            assertThat(bbr.state()).as("nothing to let go").isEqualTo(State.PROBE_BW_CRUISE);
        }

        @Test
        void it_gives_up_after_three_rounds() {
            inDrain();
            for (int i = 0; i < 3; i++) {
                round(RATE);
                assertThat(bbr.state()).isEqualTo(State.DRAIN);
            }
            round(RATE);
            assertThat(bbr.state()).isEqualTo(State.PROBE_BW_DOWN);
            expectGain(90);
        }
    }

    @Nested
    class ProbeBw {
        @Test
        void cruising_keeps_the_rate_and_twice_the_volume_of_the_path() {
            inCruise();
            expectGain(100);
            round(RATE);
            assertThat(view.cwnd).isBetween(2 * BDP, 4 * BDP);
        }

        @Test
        void refilling_takes_a_round_and_then_it_goes_up() {
            inRefill();
            expectGain(100);
            sameRound(1);
            assertThat(bbr.state()).isEqualTo(State.PROBE_BW_REFILL);
            round(RATE);
            assertThat(bbr.state()).isEqualTo(State.PROBE_BW_UP);
            expectGain(125);
        }

        @Test
        void going_up_ends_when_delivery_grows_no_more() {
            inUp();
            for (int i = 0; i < 2; i++) {
                round(RATE);
                assertThat(bbr.state()).isEqualTo(State.PROBE_BW_UP);
            }
            round(RATE);
            assertThat(bbr.state()).isEqualTo(State.PROBE_BW_DOWN);
        }

        @Test
        void more_bandwidth_is_found() {
            inUp();
            long rate = RATE;
            for (int i = 0; i < 10; i++) {
                rate = rate * 5 / 4 + 1;
                round(rate);
            }
            assertThat(bbr.state()).isEqualTo(State.PROBE_BW_UP);
            assertThat(bbr.bandwidth()).isEqualTo(rate);
        }

        @Test
        void less_bandwidth_is_noticed_after_two_cycles() {
            inUp();
            int cycles = 0;
            State before = bbr.state();
            for (int i = 0; i < 400 && bbr.bandwidth() > RATE / 10; i++) {
                view.inFlight = BDP / 10;
                round(RATE / 10);
                if (bbr.state() == State.PROBE_BW_DOWN && before != State.PROBE_BW_DOWN) {
                    cycles++;
                }
                before = bbr.state();
            }
            assertThat(bbr.bandwidth()).isEqualTo(RATE / 10);
            assertThat(cycles).isBetween(1, 3);
        }

        @Test
        void loss_above_two_per_cent_while_going_up_sets_a_bound_and_turns_back() {
            inUp();
            view.inFlight = 150;
            lose(1, 3, 150);
            assertThat(bbr.state()).isEqualTo(State.PROBE_BW_UP);
            lose(50_000, 1, 150);
            assertThat(bbr.state()).isEqualTo(State.PROBE_BW_DOWN);
            assertThat(bbr.inflightLongterm()).isBetween(140, 150);
            round(RATE);
            assertThat(view.cwnd).isLessThanOrEqualTo(bbr.inflightLongterm());
        }

        @Test
        void the_probe_after_that_stops_at_the_bound_and_is_followed_by_another() {
            inUp();
            view.inFlight = 150;
            lose(1, 4, 150);
            totalLost = 0;
            view.inFlight = 50;
            while (bbr.state() != State.PROBE_BW_UP) {
                round(RATE);
            }
            int bound = bbr.inflightLongterm();
            view.inFlight = bound;
            round(RATE);
            assertThat(bbr.state()).isEqualTo(State.PROBE_BW_DOWN);
            view.inFlight = BDP;
            round(RATE);
            assertThat(bbr.state()).as("without cruising").isEqualTo(State.PROBE_BW_REFILL);
        }

        @Test
        void a_used_bound_rises_faster_every_round() {
            inUp();
            view.inFlight = 150;
            lose(1, 4, 150);
            totalLost = 0;
            view.inFlight = 50;
            while (bbr.state() != State.PROBE_BW_UP) {
                round(RATE);
            }
            view.inFlight = 0;
            view.cwndLimited = true;
            int[] bounds = new int[6];
            for (int i = 0; i < bounds.length; i++) {
                view.cwnd = 400;
                round(RATE);
                assertThat(bbr.state()).isEqualTo(State.PROBE_BW_UP);
                bounds[i] = bbr.inflightLongterm();
            }
            assertThat(bounds[4] - bounds[3]).isGreaterThan(bounds[3] - bounds[2]);
            assertThat(bounds[5] - bounds[4]).isBetween(6, 10);
        }

        @Test
        void loss_while_cruising_lowers_rate_and_window_by_at_most_three_tenths_a_round() {
            inCruise();
            int window = view.cwnd;
            lose(1, 20, 100);
            round(RATE / 2);
            assertThat(bbr.bandwidth()).isEqualTo(RATE * 7 / 10);
            assertThat(view.cwnd).isGreaterThanOrEqualTo(window * 7 / 10);
            round(RATE / 2);
            assertThat(bbr.bandwidth()).as("no further loss").isEqualTo(RATE * 7 / 10);
        }

        @Test
        void refilling_forgets_those_losses() {
            inCruise();
            lose(1, 20, 100);
            round(RATE / 2);
            round(RATE / 2);
            while (bbr.state() == State.PROBE_BW_CRUISE) {
                round(RATE / 2);
            }
            round(RATE / 2);
            assertThat(bbr.bandwidth()).isEqualTo(RATE);
        }

        @Test
        void a_loss_that_was_none_resumes_the_probe() {
            inUp();
            view.inFlight = 150;
            lose(1, 4, 150);
            assertThat(bbr.state()).isEqualTo(State.PROBE_BW_DOWN);
            bbr.undoCwnd(view);
            assertThat(bbr.state()).isEqualTo(State.PROBE_BW_REFILL);
            assertThat(bbr.inflightLongterm()).isEqualTo(Integer.MAX_VALUE);
        }

        @Test
        void a_small_path_is_probed_as_often_as_reno_would() {
            inCruise();
            view.cwnd = 5;
            int rounds = 0;
            while (bbr.state() == State.PROBE_BW_CRUISE) {
                view.nowNanos -= RTT - MILLI;
                view.cwnd = 5;
                round(RATE);
                rounds++;
            }
            assertThat(rounds).isLessThanOrEqualTo(6);
        }

        @Test
        void what_arrives_in_bursts_is_added_to_the_window() {
            inCruise();
            for (int i = 0; i < 20; i++) {
                view.nowNanos += RTT;
                ack(view.deliveredTotal, RATE, RTT, false, 1);
                ack(0, RATE, RTT, false, 80);
                view.inFlight = BDP;
            }
            assertThat(view.cwnd).isGreaterThan(2 * BDP + 50);
        }
    }

    @Nested
    class ProbeRtt {
        private void untilProbeRtt() {
            inCruise();
            long begun = view.nowNanos;
            while (bbr.state() != State.PROBE_RTT) {
                view.nowNanos += RTT;
                ack(view.deliveredTotal, RATE, RTT + MILLI, false, 50);
                assertThat(view.nowNanos - begun).isLessThan(6 * SECOND);
            }
            assertThat(view.nowNanos).isGreaterThan(7 * SECOND + 5 * SECOND);
        }

        @Test
        void after_five_seconds_without_a_lower_rtt_half_the_path_is_left_empty() {
            untilProbeRtt();
            assertThat(view.cwnd).isBetween(BDP / 2, BDP / 2 + 2);
            assertThat(view.markAppLimited).isTrue();
            expectGain(100);
        }

        @Test
        void it_lasts_200_ms_and_a_round_once_the_queue_is_gone() {
            untilProbeRtt();
            int window = 2 * BDP;
            view.inFlight = BDP;
            round(RATE, true);
            view.inFlight = BDP / 2;
            round(RATE, true);
            long begun = view.nowNanos;
            while (bbr.state() == State.PROBE_RTT) {
                round(RATE, true);
            }
            assertThat(view.nowNanos - begun).isBetween(200 * MILLI, 300 * MILLI);
            assertThat(bbr.state()).isEqualTo(State.PROBE_BW_CRUISE);
            assertThat(view.cwnd).isGreaterThanOrEqualTo(window);
        }

        @Test
        void the_minimum_rtt_rises_only_after_ten_seconds() {
            inCruise();
            view.inFlight = 10;
            long end = view.nowNanos + 8 * SECOND;
            while (view.nowNanos < end) {
                view.nowNanos += 2 * RTT;
                ack(view.deliveredTotal, RATE, 2 * RTT, false, 50);
            }
            assertThat(bbr.minRttNanos()).isEqualTo(RTT);
            end = view.nowNanos + 8 * SECOND;
            while (view.nowNanos < end) {
                view.nowNanos += 2 * RTT;
                ack(view.deliveredTotal, RATE, 2 * RTT, false, 50);
            }
            assertThat(bbr.minRttNanos()).isEqualTo(2 * RTT);
        }

        @Test
        void idleness_was_rest_enough() {
            inCruise();
            view.nowNanos += 6 * SECOND;
            view.inFlight = 0;
            view.appLimited = true;
            bbr.onEvent(view, CongestionEvent.TRANSMIT_START);
            expectGain(100);
            view.inFlight = 5;
            ack(view.deliveredTotal, RATE, RTT + MILLI, true, 1);
            assertThat(bbr.state()).isNotEqualTo(State.PROBE_RTT);
        }

        @Test
        void from_startup_it_leads_back_there() {
            inStartup();
            while (bbr.state() == State.STARTUP) {
                view.nowNanos += RTT;
                ack(view.deliveredTotal, RATE / 2, RTT + MILLI, true, 1);
            }
            assertThat(bbr.state()).isEqualTo(State.PROBE_RTT);
            view.inFlight = 4;
            while (bbr.state() == State.PROBE_RTT) {
                round(RATE / 2, true);
            }
            assertThat(bbr.state()).isEqualTo(State.STARTUP);
        }
    }

    @Nested
    class Recovery {
        @Test
        void the_window_before_a_timeout_comes_back_after_it() {
            inCruise();
            round(RATE);
            int window = view.cwnd;
            assertThat(bbr.ssthresh(view)).isEqualTo(Integer.MAX_VALUE);
            view.cwnd = 1;
            bbr.onState(view, CongestionState.LOSS);
            view.state = CongestionState.LOSS;
            sameRound(2);
            assertThat(view.cwnd).isBetween(3, 5);
            bbr.onState(view, CongestionState.OPEN);
            assertThat(view.cwnd).isEqualTo(window);
        }

        @Test
        void the_window_is_never_below_four_segments_nor_the_rate_below_one_per_round_trip() {
            inCruise();
            for (int i = 0; i < 400; i++) {
                view.inFlight = 1;
                lose(10_000L * i, 1, 2);
                round(1_000);
                assertThat(view.cwnd).isGreaterThanOrEqualTo(4);
                assertThat(view.pacingRate).isGreaterThanOrEqualTo(MSS * SECOND / RTT);
            }
        }
    }

    @Nested
    class Volumes {
        @Test
        void the_volume_where_losses_crossed_the_threshold_is_inside_the_burst() {
            lost.segments = 40;
            lost.txInFlight = 140;
            lost.lostSinceSent = 40;
            // Of 102 segments in flight 2 are just below two per cent.
            assertThat(BbrModel.inflightAtLoss(lost)).isEqualTo(102);
        }

        @Test
        void large_products_are_scaled_without_overflow() {
            assertThat(AckSample.scale(12_500_000_000L, 10 * SECOND, SECOND))
                    .isBetween(124_999_000_000L, 125_001_000_000L);
            assertThat(AckSample.scale(3, 5, 2)).isEqualTo(7);
        }
    }
}
