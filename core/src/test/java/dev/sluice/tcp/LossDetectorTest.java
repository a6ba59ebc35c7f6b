package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tcp.congestion.CongestionState;

import org.junit.jupiter.api.Test;

class LossDetectorTest {
    private static final long MILLI = 1_000_000L;
    private static final int MSS = 100;

    private final Scoreboard board = new Scoreboard();
    private final LossDetector detector = new LossDetector(board);
    private final CongestionWindow window = new CongestionWindow(10, 3);
    private final AckOutcome outcome = new AckOutcome();
    private long nxt = 1;

    @Test
    void order_of_transmission_breaks_ties_by_sequence() {
        assertThat(LossDetector.sentAfter(5, 1, 4, 9)).isTrue();
        assertThat(LossDetector.sentAfter(5, 9, 5, 1)).isTrue();
        assertThat(LossDetector.sentAfter(5, 1, 5, 1)).isFalse();
    }

    @Test
    void without_reordering_the_window_closes_at_three_sacked_segments() {
        assertThat(reorderWindow(CongestionState.OPEN)).isEqualTo(5 * MILLI);
        sendAt(0, 4);
        sackAt(20 * MILLI, 201, 401);
        assertThat(reorderWindow(CongestionState.DISORDER)).isEqualTo(5 * MILLI);
        sackAt(20 * MILLI, 101, 401);
        assertThat(reorderWindow(CongestionState.DISORDER)).isZero();
        assertThat(reorderWindow(CongestionState.RECOVERY)).isZero();
        window.reordSeen = 1;
        assertThat(reorderWindow(CongestionState.RECOVERY)).isEqualTo(5 * MILLI);
    }

    @Test
    void the_window_never_exceeds_the_smoothed_rtt() {
        for (int i = 0; i < 300; i++) {
            window.widenRack();
        }
        assertThat(window.rackSteps()).isEqualTo(255);
        window.reordSeen = 1;
        assertThat(reorderWindow(CongestionState.OPEN)).isEqualTo(22 * MILLI);
    }

    @Test
    void what_was_sent_before_a_delivered_segment_is_lost_when_its_time_is_up() {
        sendAt(0, 1);
        sendAt(MILLI, 1);
        sendAt(2 * MILLI, 1);
        sackAt(22 * MILLI, 201, 301);
        // RTT 20 ms, window 5 ms: the first may take until 25 ms, the second until 26 ms.
        assertThat(detector.detect(22 * MILLI, 5 * MILLI)).isEqualTo(4 * MILLI);
        assertThat(board.lostOut()).isZero();
        assertThat(detector.detectAgain(25 * MILLI, 5 * MILLI)).isEqualTo(MILLI);
        assertThat(board.lostOut()).isEqualTo(1);
        assertThat(detector.detectAgain(26 * MILLI, 5 * MILLI)).isZero();
        assertThat(board.lostOut()).isEqualTo(2);
    }

    @Test
    void an_ack_without_news_is_not_looked_at_again() {
        sendAt(0, 1);
        sendAt(MILLI, 1);
        sackAt(21 * MILLI, 101, 201);
        detector.detect(21 * MILLI, 5 * MILLI);
        assertThat(detector.detect(90 * MILLI, 0)).isZero();
        assertThat(board.lostOut()).isZero();
        detector.reexamine();
        detector.detect(90 * MILLI, 0);
        assertThat(board.lostOut()).isEqualTo(1);
    }

    @Test
    void a_lost_retransmission_is_found_by_what_was_sent_after_it() {
        sendAt(0, 1);
        sendAt(MILLI, 1);
        sackAt(21 * MILLI, 101, 201);
        detector.detect(21 * MILLI, 0);
        board.retransmitted(board.first(), 22 * MILLI);
        sendAt(23 * MILLI, 1);
        sackAt(43 * MILLI, 101, 301);
        assertThat(detector.detect(43 * MILLI, 0)).isZero();
        assertThat(detector.lostAgain()).isEqualTo(1);
        assertThat(board.nextToRetransmit()).isEqualTo(board.first());
    }

    @Test
    void an_ack_too_fast_for_the_retransmission_is_ambiguous_and_says_nothing() {
        sendAt(0, 1);
        sendAt(MILLI, 1);
        board.markLost(board.first());
        board.retransmitted(board.first(), 30 * MILLI);
        outcome.clear(35 * MILLI, 20 * MILLI, 0, 1);
        board.acknowledge(101, true, outcome);
        assertThat(outcome.rackSampled).isFalse();
        outcome.clear(35 * MILLI, 4 * MILLI, 0, 1);
        outcome.rackDelivered(30 * MILLI, 101, true);
        assertThat(outcome.rackSampled).isTrue();
    }

    @Test
    void dsacks_widen_the_window_once_per_round_and_it_settles_after_sixteen_recoveries() {
        detector.noteDsack();
        detector.adaptWindow(window, 0, 10);
        assertThat(window.rackSteps()).isEqualTo(2);
        detector.noteDsack();
        detector.adaptWindow(window, 5, 12);
        assertThat(window.rackSteps()).as("the same round").isEqualTo(2);
        detector.noteDsack();
        detector.adaptWindow(window, 10, 20);
        assertThat(window.rackSteps()).isEqualTo(3);
        for (int i = 0; i < 15; i++) {
            window.rackRecoveryEnded();
        }
        detector.adaptWindow(window, 20, 21);
        assertThat(window.rackSteps()).isEqualTo(3);
        window.rackRecoveryEnded();
        detector.adaptWindow(window, 21, 22);
        assertThat(window.rackSteps()).isEqualTo(1);
    }

    @Test
    void a_timeout_takes_everything_for_lost_but_what_is_too_young() {
        sendAt(0, 1);
        sendAt(MILLI, 1);
        sackAt(21 * MILLI, 101, 201);
        detector.update(outcome);
        sendAt(200 * MILLI, 1);
        sendAt(290 * MILLI, 1);
        assertThat(detector.markTimeout(300 * MILLI, true)).isFalse();
        assertThat(board.lostOut()).as("RTT is 20 ms").isEqualTo(2);
        assertThat(board.flags(board.last()) & Scoreboard.LOST).isZero();
    }

    @Test
    void a_timeout_with_a_sacked_head_forgets_all_sacks() {
        sendAt(0, 1);
        sendAt(0, 1);
        sackAt(20 * MILLI, 101, 201);
        outcome.clear(21 * MILLI, 0, 0, 1);
        board.acknowledge(101, true, outcome);
        assertThat(detector.markTimeout(300 * MILLI, true)).isTrue();
        assertThat(board.sackedOut()).isZero();
        assertThat(board.lostOut()).isEqualTo(1);
    }

    @Test
    void newreno_marks_the_first_segment_at_three_duplicates_and_at_partial_acks() {
        sendAt(0, 5);
        board.addRenoSacked(2);
        detector.markNewReno(CongestionState.DISORDER, 3, false, MSS);
        assertThat(board.lostOut()).isZero();
        board.addRenoSacked(1);
        detector.markNewReno(CongestionState.DISORDER, 3, false, MSS);
        assertThat(board.lostOut()).isEqualTo(1);
        assertThat(board.end(board.first())).isEqualTo(101);

        board.retransmitted(board.first(), 10);
        outcome.clear(30 * MILLI, 0, 0, 1);
        board.acknowledge(201, false, outcome);
        board.removeRenoSacked(outcome.packetsAcked);
        detector.markNewReno(CongestionState.RECOVERY, 3, true, MSS);
        assertThat(board.nextToRetransmit()).isEqualTo(board.first());
        assertThat(board.start(board.first())).isEqualTo(201);
        assertThat(board.lostOut()).isEqualTo(1);
        board.checkInvariants();
    }

    @Test
    void a_probe_that_the_ack_goes_beyond_repaired_a_loss() {
        detector.probeSent(301, true);
        outcome.clear(0, 0, 0, 1);
        outcome.flags = AckOutcome.UNA_ADVANCED | AckOutcome.DATA_ACKED;
        assertThat(detector.probeRepairedLoss(201, outcome)).isFalse();
        assertThat(detector.probeRepairedLoss(301, outcome)).isFalse();
        assertThat(detector.probeRepairedLoss(401, outcome)).isTrue();
    }

    @Test
    void a_probe_answered_twice_was_needless() {
        detector.probeSent(301, true);
        outcome.clear(0, 0, 0, 301);
        assertThat(detector.probeRepairedLoss(301, outcome)).isFalse();
        assertThat(detector.probeEnd).isEqualTo(LossDetector.NO_PROBE);

        detector.probeSent(301, true);
        outcome.flags = AckOutcome.DSACK | AckOutcome.DSACK_PROBE | AckOutcome.UNA_ADVANCED;
        assertThat(detector.probeRepairedLoss(301, outcome)).isFalse();
        assertThat(detector.probeEnd).isEqualTo(LossDetector.NO_PROBE);
    }

    @Test
    void a_probe_of_new_data_asks_no_question() {
        detector.probeSent(301, false);
        outcome.clear(0, 0, 0, 1);
        outcome.flags = AckOutcome.UNA_ADVANCED | AckOutcome.DATA_ACKED;
        assertThat(detector.probeRepairedLoss(401, outcome)).isFalse();
        assertThat(detector.probeEnd).isEqualTo(LossDetector.NO_PROBE);
    }

    private long reorderWindow(CongestionState state) {
        return detector.reorderWindow(window, state, 20 * MILLI, 22 * MILLI);
    }

    private void sendAt(long now, int segments) {
        board.append(nxt, nxt + (long) segments * MSS, MSS, 0, now);
        nxt += (long) segments * MSS;
    }

    private void sackAt(long now, long from, long to) {
        outcome.clear(now, 0, 0, 1);
        board.sack(from, to, outcome);
        detector.update(outcome);
    }
}
