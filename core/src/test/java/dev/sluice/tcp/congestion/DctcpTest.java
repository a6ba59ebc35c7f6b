package dev.sluice.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** RFC 8257 section 3.3, in Linux's integers. */
class DctcpTest {
    private final CongestionView view = new CongestionView();
    private final AckSample sample = new AckSample();
    private final Dctcp dctcp = new Dctcp();

    @BeforeEach
    void start() {
        view.ecn = true;
        view.cwnd = 100;
        view.ssthresh = Integer.MAX_VALUE;
        view.sndUna = 1;
        view.sndNxt = 1;
        dctcp.start(view);
    }

    /** A window of data is acknowledged, of which so many segments under ECE. */
    private void window(int segments, int marked) {
        view.sndNxt += segments;
        view.delivered += segments;
        view.deliveredCe += marked;
        dctcp.onAck(view, sample);
        view.sndUna = view.sndNxt;
    }

    @Test
    void alpha_begins_at_one_and_decays_without_marks() {
        assertThat(dctcp.alpha()).isEqualTo(1024);
        assertThat(dctcp.ssthresh(view)).isEqualTo(50);
        window(10, 0);
        assertThat(dctcp.alpha()).isEqualTo(1024 - 64);
        for (int i = 0; i < 200; i++) {
            window(10, 0);
        }
        assertThat(dctcp.alpha()).isZero();
        assertThat(dctcp.ssthresh(view)).isEqualTo(100);
    }

    @Test
    void alpha_converges_to_the_fraction_of_marked_segments() {
        for (int i = 0; i < 200; i++) {
            window(100, 25);
        }
        assertThat(dctcp.alpha()).isBetween(240, 275);
        // One eighth less.
        assertThat(dctcp.ssthresh(view)).isBetween(86, 89);
    }

    @Test
    void alpha_is_estimated_once_per_window() {
        window(10, 0);
        int alpha = dctcp.alpha();
        view.sndNxt += 10;
        window(0, 0);
        assertThat(dctcp.alpha()).isEqualTo(alpha - (alpha >> 4));
        view.sndUna = view.sndNxt - 5;
        dctcp.onAck(view, sample);
        assertThat(dctcp.alpha()).isEqualTo(alpha - (alpha >> 4));
    }

    @Test
    void everything_marked_keeps_alpha_at_one() {
        for (int i = 0; i < 50; i++) {
            window(10, 10);
        }
        assertThat(dctcp.alpha()).isEqualTo(1024);
    }

    @Test
    void loss_halves_whatever_alpha_says() {
        for (int i = 0; i < 200; i++) {
            window(10, 0);
        }
        view.ssthresh = dctcp.ssthresh(view);
        dctcp.onState(view, CongestionState.RECOVERY);
        assertThat(view.ssthresh).isEqualTo(50);
        assertThat(dctcp.undoCwnd(view)).isEqualTo(100);
        view.cwnd = 3;
        dctcp.onEvent(view, CongestionEvent.TIMEOUT);
        assertThat(view.ssthresh).isEqualTo(2);
    }

    @Test
    void without_ecn_it_is_new_reno() {
        view.ecn = false;
        dctcp.start(view);
        for (int i = 0; i < 200; i++) {
            window(10, 0);
        }
        assertThat(dctcp.ssthresh(view)).isEqualTo(50);
    }
}
