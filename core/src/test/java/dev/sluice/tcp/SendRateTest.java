package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tcp.congestion.AckSample;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Pacing, delivery rate samples, validation and idle restart of the window. */
class SendRateTest {
    private static final long MILLI = 1_000_000L;

    @Nested
    class Pacing {
        private final Pacer pacer = new Pacer();

        @Test
        void the_rate_is_a_multiple_of_a_window_per_round_trip() {
            pacer.update(200, 1000, 10, 100 * MILLI, Pacer.UNLIMITED);
            assertThat(pacer.rateBytesPerSecond).isEqualTo(200_000);
            pacer.update(120, 65_535, 1 << 22, 1_000, Pacer.UNLIMITED);
            assertThat(pacer.rateBytesPerSecond).as("no overflow").isPositive();
            pacer.update(200, 1000, 10, 100 * MILLI, 50_000);
            assertThat(pacer.rateBytesPerSecond).isEqualTo(50_000);
        }

        @Test
        void segments_leave_at_once_unless_pacing_is_enforced() {
            pacer.update(200, 1000, 10, 100 * MILLI, Pacer.UNLIMITED);
            pacer.onSent(0, 100_000, 50);
            assertThat(pacer.earliestDeparture()).isLessThanOrEqualTo(0);
        }

        @Test
        void the_next_departure_is_when_this_packet_has_drained() {
            pacer.enforced = true;
            pacer.update(100, 1000, 10, 100 * MILLI, Pacer.UNLIMITED);
            pacer.onSent(5 * MILLI, 1000, 3);
            assertThat(pacer.earliestDeparture()).as("the first ten").isEqualTo(5 * MILLI);
            pacer.onSent(5 * MILLI, 1000, 20);
            assertThat(pacer.earliestDeparture()).isEqualTo(15 * MILLI);
            assertThat(pacer.delay(7 * MILLI)).isEqualTo(8 * MILLI);
        }

        @Test
        void lateness_is_repaid_by_half_a_packet_at_most() {
            pacer.enforced = true;
            pacer.update(100, 1000, 10, 100 * MILLI, Pacer.UNLIMITED);
            pacer.onSent(0, 1000, 20);
            pacer.onSent(12 * MILLI, 1000, 21);
            assertThat(pacer.earliestDeparture()).isEqualTo(20 * MILLI);
            pacer.onSent(100 * MILLI, 1000, 22);
            assertThat(pacer.earliestDeparture()).isEqualTo(105 * MILLI);
        }
    }

    @Nested
    class DeliveryRate {
        private final Scoreboard board = new Scoreboard();
        private final RateSampler sampler = new RateSampler();
        private final AckOutcome outcome = new AckOutcome();
        private final AckSample sample = new AckSample();
        private long nxt = 1;

        @Test
        void a_flight_of_ten_per_round_trip_is_measured_as_such() {
            for (int i = 0; i < 10; i++) {
                send(i * MILLI);
            }
            for (int i = 0; i < 10; i++) {
                ack(100 * MILLI + i * MILLI);
                send(100 * MILLI + i * MILLI);
            }
            for (int i = 0; i < 10; i++) {
                ack(200 * MILLI + i * MILLI);
            }
            assertThat(sample.rateDelivered).isEqualTo(10);
            assertThat(sample.rateIntervalNanos).isEqualTo(100 * MILLI);
            assertThat(sampler.deliveryRate(100)).isEqualTo(10_000);
            assertThat(sampler.deliveryRateAppLimited()).isFalse();
        }

        @Test
        void samples_are_application_limited_until_the_bubble_is_delivered() {
            send(0);
            sampler.markAppLimited(1);
            send(MILLI);
            ack(50 * MILLI);
            assertThat(sample.rateAppLimited).isFalse();
            ack(51 * MILLI);
            assertThat(sample.rateAppLimited).isTrue();
            assertThat(sampler.isAppLimited()).isFalse();
        }

        @Test
        void a_sample_tells_what_was_in_flight_and_lost_when_its_segment_was_sent() {
            send(0);
            send(0);
            board.markLost(board.first());
            send(MILLI);
            ack(50 * MILLI);
            assertThat(sample.txInFlight).isEqualTo(1);
            assertThat(sample.lostSinceSent).isEqualTo(1);
            ack(51 * MILLI);
            ack(52 * MILLI);
            assertThat(sample.txInFlight).isEqualTo(2);
            assertThat(sample.lostSinceSent).isZero();
        }

        @Test
        void after_an_idle_time_samples_are_application_limited() {
            sampler.begin(500);
            assertThat(sampler.delivered()).isEqualTo(500);
            send(0);
            ack(50 * MILLI);
            assertThat(sample.rateAppLimited).isTrue();
            assertThat(sample.priorDelivered).isEqualTo(500);
            assertThat(sampler.isAppLimited()).isFalse();
        }

        @Test
        void an_interval_shorter_than_the_minimum_rtt_is_no_sample() {
            send(0);
            outcome.clear(10 * MILLI, 40 * MILLI, 0, 1);
            board.acknowledge(101, true, outcome);
            sampler.addDelivered(1);
            sampler.sample(outcome, 1, 0, false, sample);
            assertThat(sample.rateIntervalNanos).isEqualTo(-1);
            assertThat(sampler.deliveryRate(100)).isZero();
        }

        private void send(long now) {
            boolean first = board.isEmpty();
            int row = board.append(nxt, nxt + 100, 100, 0, now);
            sampler.onSent(board, row, now, first, board.inFlight());
            nxt += 100;
        }

        private void ack(long now) {
            long una = board.start(board.first());
            outcome.clear(now, 0, 0, una);
            board.acknowledge(una + 100, true, outcome);
            sampler.addDelivered(outcome.delivered);
            sampler.sample(outcome, outcome.delivered, board.totalLost(), false, sample);
        }
    }

    @Nested
    class Validation {
        private final CwndValidation validation = new CwndValidation();
        private final CongestionWindow window = new CongestionWindow(20, 3);

        @Test
        void slow_start_may_grow_while_half_the_window_is_used() {
            output(0, 10, 1, 101, false);
            assertThat(validation.mayGrow(window)).isFalse();
            output(0, 11, 1, 111, false);
            assertThat(validation.mayGrow(window)).isTrue();
        }

        @Test
        void avoidance_may_grow_only_if_the_window_was_the_limit() {
            window.ssthresh = 20;
            output(0, 19, 1, 101, false);
            assertThat(validation.mayGrow(window)).isFalse();
            output(1, 20, 1, 111, true);
            assertThat(validation.mayGrow(window)).isTrue();
            output(2, 3, 50, 120, false);
            assertThat(validation.mayGrow(window)).as("in the same round").isTrue();
            output(3, 3, 111, 130, false);
            assertThat(validation.mayGrow(window)).as("in the next").isFalse();
        }

        @Test
        void a_window_unused_for_a_timeout_shrinks_half_way_to_its_use() {
            window.cwnd = 40;
            window.ssthresh = 30;
            output(0, 12, 1, 101, false);
            output(199 * MILLI, 12, 101, 201, false);
            assertThat(window.cwnd).isEqualTo(40);
            output(200 * MILLI, 14, 201, 301, false);
            assertThat(window.cwnd).isEqualTo(27);
            assertThat(window.ssthresh).isEqualTo(30);
        }

        @Test
        void an_idle_window_is_halved_per_timeout_down_to_the_restart_window() {
            window.cwnd = 64;
            window.ssthresh = 20;
            window.restartAfterIdle(250 * MILLI, 200 * MILLI, 10);
            assertThat(window.cwnd).isEqualTo(32);
            assertThat(window.ssthresh).isEqualTo(48);
            window.restartAfterIdle(10_000 * MILLI, 200 * MILLI, 10);
            assertThat(window.cwnd).isEqualTo(10);
            window.cwnd = 4;
            window.restartAfterIdle(10_000 * MILLI, 200 * MILLI, 10);
            assertThat(window.cwnd).isEqualTo(4);
        }

        @Test
        void reordering_is_remembered_in_segments_up_to_a_bound() {
            assertThat(window.noteReordering(250, 100, 300)).isFalse();
            assertThat(window.noteReordering(701, 100, 300)).isTrue();
            assertThat(window.reordering).isEqualTo(8);
            window.noteReordering(1_000_000, 100, 300);
            assertThat(window.reordering).isEqualTo(300);
            assertThat(window.reordSeen).isEqualTo(3);
        }

        private void output(long now, int packets, long una, long nxt, boolean limited) {
            validation.afterOutput(
                    now, window, packets, una, nxt, limited, 200 * MILLI, 10, true, true);
        }
    }
}
