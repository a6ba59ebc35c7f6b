package dev.sluice.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class CongestionControlTest {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1000 * MILLI;

    private final CongestionView view = new CongestionView();
    private final AckSample sample = new AckSample();

    CongestionControlTest() {
        view.cwnd = 10;
        view.ssthresh = Integer.MAX_VALUE;
        view.mayGrow = true;
        view.maxSuperSegment = 65536;
        view.mss = 1000;
    }

    @Nested
    class Reno {
        private final NewReno reno = new NewReno();

        @Test
        void slow_start_adds_what_is_acknowledged_and_hands_the_rest_on() {
            view.ssthresh = 15;
            reno.grow(view, 3);
            assertThat(view.cwnd).isEqualTo(13);
            reno.grow(view, 10);
            assertThat(view.cwnd).isEqualTo(15);
            assertThat(view.cwndCnt).isEqualTo(8);
        }

        @Test
        void avoidance_adds_one_segment_per_window() {
            view.ssthresh = 10;
            for (int i = 0; i < 9; i++) {
                reno.grow(view, 1);
            }
            assertThat(view.cwnd).isEqualTo(10);
            reno.grow(view, 1);
            assertThat(view.cwnd).isEqualTo(11);
            reno.grow(view, 33);
            assertThat(view.cwnd).isEqualTo(14);
        }

        @Test
        void an_unused_window_does_not_grow() {
            view.mayGrow = false;
            reno.grow(view, 100);
            assertThat(view.cwnd).isEqualTo(10);
        }

        @Test
        void loss_halves_down_to_two_and_undo_goes_back() {
            assertThat(reno.ssthresh(view)).isEqualTo(5);
            view.cwnd = 3;
            assertThat(reno.undoCwnd(view)).isEqualTo(10);
            view.cwnd = 2;
            assertThat(reno.ssthresh(view)).isEqualTo(2);
        }
    }

    @Nested
    class CubicGrowth {
        private final Cubic cubic = Cubic.withoutHyStart();

        /** RFC 9438 section 4.2: the window one RTT ahead follows C (t - K)^3 + Wmax. */
        @Test
        void the_window_follows_the_curve_of_the_rfc() {
            double wMax = 1000;
            reduceFrom(1000);
            double k = Math.cbrt((wMax - view.cwnd) / 0.4);
            for (long now = 0; now < 16 * SECOND; now += 100 * MILLI) {
                round(now, 100 * MILLI);
                double t = (now + 100 * MILLI) / 1e9;
                double expected = 0.4 * Math.pow(t - k, 3) + wMax;
                assertThat((double) view.cwnd)
                        .as("at %.1f s", t)
                        .isCloseTo(expected, within(0.02 * expected));
            }
            assertThat(view.cwnd).as("probing beyond the old maximum").isGreaterThan(1100);
        }

        /** RFC 9438 section 4.3: on short paths it is not slower than a Reno-like sender. */
        @Test
        void on_a_short_path_it_keeps_up_with_reno() {
            reduceFrom(40);
            int start = view.cwnd;
            double alpha = 3 * (1 - 0.7) / (1 + 0.7);
            for (int rounds = 1; rounds <= 400; rounds++) {
                round(rounds * 10 * MILLI, 10 * MILLI);
            }
            assertThat((double) view.cwnd).isCloseTo(start + 400 * alpha, within(12.0));
        }

        @Test
        void growth_is_at_most_half_a_window_per_round_trip() {
            reduceFrom(100);
            // Long after the plateau the curve is steep.
            for (long now = 0; now < 60 * SECOND; now += 2 * SECOND) {
                int before = view.cwnd;
                round(now, 2 * SECOND);
                assertThat(view.cwnd).isLessThanOrEqualTo(before + before / 2 + 1);
            }
        }

        @Test
        void loss_multiplies_by_seven_tenths_and_fast_convergence_lowers_the_goal() {
            view.cwnd = 1000;
            assertThat(cubic.ssthresh(view)).isEqualTo(700);
            view.cwnd = 800;
            assertThat(cubic.ssthresh(view)).isEqualTo(560);
            view.cwnd = 560;
            view.ssthresh = 560;
            for (long now = 0; now < 5 * SECOND; now += 100 * MILLI) {
                round(now, 100 * MILLI);
            }
            // Wmax became 800 * 0.85 = 680: the plateau is there.
            assertThat(view.cwnd).isBetween(670, 690);
        }

        @Test
        void the_curve_does_not_run_on_while_nothing_is_sent() {
            reduceFrom(1000);
            for (long now = 0; now < 2 * SECOND; now += 100 * MILLI) {
                round(now, 100 * MILLI);
            }
            int before = view.cwnd;
            view.nowNanos = 100 * SECOND;
            view.lastSendNanos = 2 * SECOND;
            cubic.onEvent(view, CongestionEvent.TRANSMIT_START);
            round(100 * SECOND, 100 * MILLI);
            assertThat(view.cwnd).isBetween(before, before + 20);
        }

        @Test
        void cube_roots_are_exact() {
            for (long root = 0; root < 3000; root++) {
                long cube = root * root * root;
                assertThat(Cubic.cubeRoot(cube)).isEqualTo(root);
                assertThat(Cubic.cubeRoot(cube + 3 * root * root + 3 * root)).isEqualTo(root);
            }
        }

        private void reduceFrom(int cwnd) {
            view.cwnd = cwnd;
            view.ssthresh = cubic.ssthresh(view);
            view.cwnd = view.ssthresh;
        }

        /** A round trip of ACKs, spread evenly. */
        private void round(long start, long rttNanos) {
            int acks = view.cwnd;
            for (int i = 0; i < acks; i++) {
                view.nowNanos = start + rttNanos * i / acks;
                sample.rttNanos = rttNanos;
                cubic.onAck(view, sample);
                cubic.grow(view, 1);
            }
        }
    }

    @Nested
    class SlowStartExit {
        @Test
        void hystart_leaves_when_the_delay_rises() {
            Cubic cubic = Cubic.withHyStart();
            view.cwnd = 20;
            rounds(cubic, 2, 50 * MILLI, 5 * MILLI);
            assertThat(view.inSlowStart()).isTrue();
            rounds(cubic, 1, 58 * MILLI, 5 * MILLI);
            assertThat(view.inSlowStart()).isFalse();
            assertThat(view.slowStartExit).isEqualTo(CongestionView.EXIT_BY_DELAY);
        }

        @Test
        void hystart_leaves_when_a_train_of_acks_fills_half_the_round_trip() {
            Cubic cubic = Cubic.withHyStart();
            view.cwnd = 40;
            rounds(cubic, 1, 50 * MILLI, MILLI);
            assertThat(view.inSlowStart()).isFalse();
            assertThat(view.slowStartExit).isEqualTo(CongestionView.EXIT_BY_TRAIN);
        }

        @Test
        void small_windows_are_left_alone() {
            Cubic cubic = Cubic.withHyStart();
            view.cwnd = 8;
            view.mayGrow = false;
            rounds(cubic, 1, 50 * MILLI, 5 * MILLI);
            rounds(cubic, 3, 90 * MILLI, 5 * MILLI);
            assertThat(view.inSlowStart()).isTrue();
        }

        /** RFC 9406 section 4.2: a quarter of the growth for five rounds, then avoidance. */
        @Test
        void hystart_plus_plus_tests_its_suspicion_for_five_rounds() {
            Cubic cubic = Cubic.withHyStartPlusPlus();
            view.cwnd = 100;
            view.paced = true;
            rounds(cubic, 2, 50 * MILLI, 3 * MILLI);
            rounds(cubic, 1, 60 * MILLI, 3 * MILLI);
            assertThat(view.inSlowStart()).isTrue();
            int before = view.cwnd;
            cubic.grow(view, 40);
            assertThat(view.cwnd).isEqualTo(before + 10);
            rounds(cubic, 6, 60 * MILLI, 3 * MILLI);
            assertThat(view.inSlowStart()).isFalse();
            assertThat(view.slowStartExit).isEqualTo(CongestionView.EXIT_BY_DELAY);
        }

        @Test
        void hystart_plus_plus_goes_on_when_the_delay_falls_again() {
            Cubic cubic = Cubic.withHyStartPlusPlus();
            view.cwnd = 100;
            view.paced = true;
            rounds(cubic, 2, 50 * MILLI, 3 * MILLI);
            rounds(cubic, 1, 60 * MILLI, 3 * MILLI);
            rounds(cubic, 6, 50 * MILLI, 3 * MILLI);
            assertThat(view.inSlowStart()).isTrue();
            int before = view.cwnd;
            cubic.grow(view, 40);
            assertThat(view.cwnd).isEqualTo(before + 40);
        }

        /** Rounds of sixteen samples each; the window does not grow in them. */
        private void rounds(Cubic cubic, int rounds, long rttNanos, long gapNanos) {
            for (int r = 0; r < rounds; r++) {
                view.sndUna = view.sndNxt + 1;
                view.sndNxt += 1000;
                for (int i = 0; i < (gapNanos < 2 * MILLI ? 40 : 16); i++) {
                    view.nowNanos += gapNanos;
                    sample.rttNanos = rttNanos;
                    cubic.onAck(view, sample);
                }
            }
        }
    }

    @Nested
    class Registry {
        private final CongestionControllers controllers = new CongestionControllers("hystart");

        @Test
        void controllers_are_made_by_name_one_for_each_connection() {
            assertThat(controllers.create("reno").name()).isEqualTo("reno");
            assertThat(controllers.create("cubic").name()).isEqualTo("cubic");
            assertThat(controllers.create("cubic")).isNotSameAs(controllers.create("cubic"));
            assertThat(controllers.names()).containsExactly("reno", "cubic", "dctcp", "bbr");
        }

        @Test
        void an_unknown_name_is_an_error_that_lists_the_known_ones() {
            assertThat(controllers.isKnown("vegas")).isFalse();
            assertThatThrownBy(() -> controllers.create("vegas"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("vegas")
                    .hasMessageContaining("cubic");
            assertThatThrownBy(() -> new CongestionControllers("maybe"))
                    .isInstanceOf(IllegalArgumentException.class);
        }

        @Test
        void users_add_their_own() {
            controllers.register("fixed", FixedWindow::new);
            assertThat(controllers.create("fixed")).isInstanceOf(FixedWindow.class);
            assertThat(controllers.names()).endsWith("fixed");
        }

        @Test
        void the_name_has_to_be_that_of_the_controller() {
            assertThatThrownBy(() -> controllers.register("other", FixedWindow::new))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("fixed");
            assertThat(controllers.isKnown("other")).isFalse();
        }
    }

    /** As little as a controller can be. */
    private static final class FixedWindow implements CongestionController {
        @Override
        public String name() {
            return "fixed";
        }

        @Override
        public void start(CongestionView view) {
            view.cwnd = 4;
        }

        @Override
        public int ssthresh(CongestionView view) {
            return 4;
        }

        @Override
        public void grow(CongestionView view, int acked) {
            view.cwnd = 4;
        }

        @Override
        public int undoCwnd(CongestionView view) {
            return 4;
        }
    }
}
