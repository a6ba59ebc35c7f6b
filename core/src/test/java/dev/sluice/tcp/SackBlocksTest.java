package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SackBlocksTest {
    private static final int MSS = 100;

    private final SackBlocks blocks = new SackBlocks();
    private final Flight flight = new Flight();
    private final SendWindow window = new SendWindow();
    private final CongestionWindow congestion = new CongestionWindow(10, 3);
    private final AckOutcome outcome = new AckOutcome();
    private final Counters counters = new Counters();
    private int totalRetransmits = 10;

    @BeforeEach
    void ten_segments_are_out() {
        window.sndUna = 1001;
        window.sndNxt = 2001;
        window.maxWindow = 5000;
        for (long at = 1001; at < 2001; at += MSS) {
            flight.scoreboard.append(at, at + MSS, MSS, 0, at);
        }
    }

    @Test
    void blocks_are_marked_whatever_their_order() {
        apply(1001, 1801, 1901, 1201, 1301);
        assertThat(flight.scoreboard.sackedOut()).isEqualTo(2);
        assertThat(outcome.lowestReordered).as("applied in ascending order").isEqualTo(MAX);
    }

    @Test
    void blocks_outside_the_flight_are_discarded_and_counted() {
        apply(1001, 1901, 2101);
        apply(1001, 1501, 1401);
        assertThat(flight.scoreboard.sackedOut()).isZero();
        assertThat(counters.get(Counter.TCP_SACK_DISCARD)).isEqualTo(2);
    }

    @Test
    void a_first_block_below_the_ack_is_a_dsack_and_can_undo() {
        flight.recovery.markUndo(901, 0);
        flight.recovery.onRetransmitted(1);
        apply(1001, 901, 1001);
        assertThat(outcome.has(AckOutcome.DSACK)).isTrue();
        assertThat(flight.recovery.allNeedless()).isTrue();
        assertThat(counters.get(Counter.TCP_DSACK_RECV)).isEqualTo(1);
        assertThat(congestion.dsackDups).isEqualTo(1);
    }

    @Test
    void a_first_block_inside_the_second_is_a_dsack_of_outstanding_data() {
        int row = flight.scoreboard.find(1501);
        flight.scoreboard.markLost(row);
        flight.scoreboard.retransmitted(row, 3000);
        flight.recovery.markUndo(1001, 0);
        flight.recovery.onRetransmitted(1);
        apply(1001, 1501, 1601, 1401, 1701);
        assertThat(counters.get(Counter.TCP_DSACK_OFO_RECV)).isEqualTo(1);
        assertThat(flight.scoreboard.sackedOut()).isEqualTo(3);
        assertThat(flight.recovery.allNeedless()).isTrue();
    }

    @Test
    void more_duplicates_than_we_retransmitted_are_the_work_of_the_network() {
        totalRetransmits = 0;
        apply(1001, 901, 1001);
        assertThat(outcome.has(AckOutcome.DSACK)).isFalse();
        assertThat(counters.get(Counter.TCP_DSACK_IGNORED_DUBIOUS)).isEqualTo(1);
    }

    @Test
    void a_dsack_of_the_probe_is_told_from_others_and_does_not_widen_the_window() {
        congestion.reordSeen = 1;
        flight.lossDetector.probeSent(2001, true);
        window.sndUna = 2001;
        apply(2001, 1901, 2001);
        assertThat(outcome.has(AckOutcome.DSACK_PROBE)).isTrue();
        flight.lossDetector.adaptWindow(congestion, 0, 10);
        assertThat(congestion.rackSteps()).isEqualTo(1);
        flight.lossDetector.forgetProbe();
        apply(2001, 1801, 1901);
        flight.lossDetector.adaptWindow(congestion, 20, 30);
        assertThat(congestion.rackSteps()).isEqualTo(2);
    }

    @Test
    void an_ack_older_than_a_window_is_not_believed() {
        window.maxWindow = 300;
        apply(601, 1501, 1601);
        assertThat(flight.scoreboard.sackedOut()).isZero();
    }

    private static final long MAX = Long.MAX_VALUE;

    private void apply(long ack, long... edges) {
        IncomingSegment s = new IncomingSegment();
        s.ack = ack;
        s.sackCount = edges.length / 2;
        for (int i = 0; i < s.sackCount; i++) {
            s.sackStart[i] = edges[2 * i];
            s.sackEnd[i] = edges[2 * i + 1];
        }
        outcome.clear(5000, 0, 0, 1001);
        blocks.apply(s, window, flight, congestion, MSS, totalRetransmits, outcome, counters);
    }
}
