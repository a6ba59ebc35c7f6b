package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tcp.congestion.CongestionState;
import dev.sluice.tcp.policy.Rfc9937RecoveryRate;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class RecoveryTest {
    private final Rfc9937RecoveryRate rate = new Rfc9937RecoveryRate();
    private final Recovery recovery = new Recovery();
    private final CongestionWindow window = new CongestionWindow(20, 3);

    /**
     * RFC 9937 section 5: with half the window to go, every second delivery lets one segment out;
     * when the flight has come down to ssthresh it stays there.
     */
    @Test
    void one_loss_in_twenty_is_paced_over_the_round_trip() {
        begin(20, 10);
        int inFlight = 16;
        List<Integer> sent = new ArrayList<>();
        for (int ack = 0; ack < 16; ack++) {
            inFlight -= ack == 0 ? 0 : 1;
            recovery.reduce(window, rate, inFlight, 1, ack == 0 ? 1 : 0, false);
            int allowed = recovery.quota(window.cwnd, inFlight);
            sent.add(allowed);
            recovery.onSent(allowed);
            inFlight += allowed;
        }
        assertThat(sent).containsExactly(1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1);
        assertThat(inFlight).isEqualTo(10);
        recovery.endReduction(window);
        assertThat(window.cwnd).isEqualTo(10);
    }

    /** RFC 9937 section 5: after heavy loss the pipe is refilled up to ssthresh, not beyond. */
    @Test
    void below_ssthresh_safe_acks_rebuild_the_flight() {
        begin(20, 10);
        recovery.reduce(window, rate, 2, 1, 17, false);
        assertThat(window.cwnd).as("what was delivered, as more losses were found").isEqualTo(3);
        recovery.onSent(1);
        recovery.reduce(window, rate, 2, 1, 0, true);
        assertThat(window.cwnd).as("one more for a safe ACK").isEqualTo(4);
        recovery.onSent(2);
        recovery.reduce(window, rate, 9, 8, 0, true);
        assertThat(window.cwnd).as("bounded by ssthresh").isEqualTo(10);
    }

    @Test
    void the_first_ack_always_lets_the_fast_retransmit_go() {
        begin(20, 4);
        recovery.reduce(window, rate, 30, 1, 0, false);
        assertThat(recovery.quota(window.cwnd, 30)).isEqualTo(1);
    }

    @Test
    void an_ack_that_delivers_nothing_changes_nothing() {
        begin(20, 10);
        recovery.reduce(window, rate, 16, 0, 0, true);
        assertThat(window.cwnd).isEqualTo(20);
    }

    @Test
    void only_reductions_count_what_is_sent() {
        recovery.onSent(5);
        begin(20, 10);
        recovery.reduce(window, rate, 16, 1, 1, false);
        assertThat(recovery.quota(window.cwnd, 16)).isEqualTo(1);
    }

    @Test
    void a_reduction_is_undone_when_every_retransmission_was_needless() {
        begin(20, 10);
        recovery.priorSsthresh = 40;
        recovery.markUndo(1, 0);
        assertThat(recovery.mayUndo(false)).as("nothing was retransmitted yet").isFalse();
        recovery.onRetransmitted(2);
        recovery.onNeedless(1);
        assertThat(recovery.allNeedless()).isFalse();
        assertThat(recovery.isQuiet()).isFalse();
        recovery.onNeedless(1);
        assertThat(recovery.mayUndo(false)).isTrue();
        recovery.undo(window, 20);
        assertThat(window.cwnd).isEqualTo(20);
        assertThat(window.ssthresh).isEqualTo(40);
        assertThat(recovery.mayUndo(true)).isFalse();
    }

    @Test
    void a_reduction_by_marks_is_never_undone() {
        begin(20, 10);
        window.cwnd = 10;
        recovery.priorSsthresh = 0;
        recovery.markUndo(1, 0);
        recovery.undo(window, 20);
        assertThat(window.cwnd).isEqualTo(10);
        assertThat(window.ssthresh).isEqualTo(10);
    }

    @Test
    void frto_without_new_data_gives_way_to_conventional_recovery() {
        recovery.state = CongestionState.LOSS;
        recovery.beginLoss(1001, true);
        recovery.askForNewData(1001);
        assertThat(recovery.newDataFirst()).isTrue();
        recovery.newDataTried(false);
        assertThat(recovery.frto).isFalse();
        assertThat(recovery.holdsRetransmissions(1001)).isFalse();
    }

    @Test
    void frto_with_new_data_holds_retransmissions_until_it_is_answered() {
        recovery.state = CongestionState.LOSS;
        recovery.beginLoss(1001, true);
        recovery.askForNewData(1001);
        recovery.newDataTried(true);
        assertThat(recovery.newDataFirst()).isFalse();
        assertThat(recovery.holdsRetransmissions(1201)).isTrue();
        recovery.frto = false;
        assertThat(recovery.holdsRetransmissions(1201)).isFalse();
    }

    private void begin(int cwnd, int ssthresh) {
        window.cwnd = cwnd;
        recovery.beginReduction(window, ssthresh, 1000);
        recovery.state = CongestionState.RECOVERY;
        recovery.undoMarker = 1;
    }
}
