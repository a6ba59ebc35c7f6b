package dev.sluice.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScoreboardTest {
    private static final int MSS = 100;

    private final Scoreboard board = new Scoreboard();
    private final AckOutcome outcome = new AckOutcome();
    private long nxt = 1;

    @Test
    void a_row_counts_its_segments_without_syn_and_fin() {
        int syn = board.append(0, 1, MSS, Scoreboard.SYN, 0);
        int data = board.append(1, 251, MSS, 0, 0);
        int last = board.append(251, 352, MSS, Scoreboard.FIN, 0);
        int bareFin = board.append(352, 353, MSS, Scoreboard.FIN, 0);

        assertThat(board.segments(syn)).isEqualTo(1);
        assertThat(board.segments(data)).isEqualTo(3);
        assertThat(board.segments(last)).isEqualTo(1);
        assertThat(board.segments(bareFin)).isEqualTo(1);
        assertThat(board.packetsOut()).isEqualTo(6);
        assertThat(board.inFlight()).isEqualTo(6);
    }

    @Test
    void a_cumulative_ack_takes_whole_rows_and_the_beginning_of_one() {
        send(5);
        send(5);
        acknowledge(651);

        assertThat(board.rows()).isEqualTo(1);
        assertThat(board.start(board.first())).isEqualTo(651);
        assertThat(board.packetsOut()).isEqualTo(4);
        assertThat(outcome.packetsAcked).isEqualTo(6);
        assertThat(outcome.delivered).isEqualTo(6);
        board.checkInvariants();
    }

    @Test
    void an_ack_inside_a_segment_counts_the_segment_only_when_it_is_complete() {
        send(3);
        acknowledge(151);
        assertThat(outcome.packetsAcked).isEqualTo(1);
        assertThat(board.packetsOut()).isEqualTo(2);
        assertThat(board.start(board.first())).isEqualTo(151);
        board.checkInvariants();
    }

    @Test
    void sack_marks_whole_segments_and_splits_the_row_around_them() {
        send(10);
        sack(250, 680);

        assertThat(board.rows()).isEqualTo(3);
        assertThat(board.sackedOut()).isEqualTo(3);
        int sacked = board.find(301);
        assertThat(board.start(sacked)).isEqualTo(301);
        assertThat(board.end(sacked)).isEqualTo(601);
        assertThat(board.flags(sacked) & Scoreboard.SACKED).isNotZero();
        assertThat(board.inFlight()).isEqualTo(7);
        board.checkInvariants();
    }

    @Test
    void a_short_last_segment_is_marked_when_the_block_reaches_its_end() {
        board.append(1, 251, MSS, 0, 0);
        sack(201, 251);
        assertThat(board.sackedOut()).isEqualTo(1);
        assertThat(board.sackedEnd()).isEqualTo(251);
        board.checkInvariants();
    }

    @Test
    void a_block_smaller_than_a_segment_marks_nothing() {
        send(2);
        sack(120, 190);
        assertThat(board.sackedOut()).isZero();
        assertThat(board.rows()).isEqualTo(1);
    }

    @Test
    void tags_count_in_flight_as_the_table_says() {
        send(1);
        int row = board.first();
        assertThat(board.inFlight()).isEqualTo(1);
        board.markLost(row);
        assertThat(board.inFlight()).isZero();
        board.retransmitted(row, 5);
        assertThat(board.inFlight()).isEqualTo(1);
        board.clearLost();
        assertThat(board.inFlight()).as("R alone: both may be there").isEqualTo(2);
        outcome.clear(6, 0, 0, 1);
        board.sack(1, 101, outcome);
        assertThat(board.inFlight()).as("S and R").isEqualTo(1);
    }

    @Test
    void a_lost_retransmission_waits_again_and_is_counted() {
        send(2);
        int row = board.first();
        assertThat(board.markLost(row)).isZero();
        board.retransmitted(row, 3);
        assertThat(board.nextToRetransmit()).isEqualTo(Scoreboard.NONE);
        assertThat(board.markLost(row)).isEqualTo(2);
        assertThat(board.nextToRetransmit()).isEqualTo(row);
        assertThat(board.totalLost()).isEqualTo(4);
        board.checkInvariants();
    }

    @Test
    void retransmissions_come_in_order_of_sequence_whatever_order_they_were_found_in() {
        send(1);
        send(1);
        send(1);
        int first = board.find(1);
        int second = board.find(101);
        int third = board.find(201);
        board.markLost(third);
        board.markLost(first);
        assertThat(board.nextToRetransmit()).isEqualTo(first);
        board.retransmitted(first, 9);
        assertThat(board.nextToRetransmit()).isEqualTo(third);
        board.markLost(second);
        assertThat(board.nextToRetransmit()).isEqualTo(second);
    }

    @Test
    void a_retransmitted_row_becomes_the_one_sent_last() {
        send(1);
        send(1);
        int first = board.first();
        board.markLost(first);
        assertThat(board.oldestSent()).isEqualTo(board.last());
        board.retransmitted(first, 500);
        assertThat(board.nextSent(board.oldestSent())).isEqualTo(first);
        board.checkInvariants();
    }

    @Test
    void splitting_gives_push_and_fin_to_the_second_half_and_counts_with_the_new_mss() {
        int row = board.append(1, 402, MSS, Scoreboard.FIN | Scoreboard.PUSH, 7);
        int second = board.split(row, 201, 50);
        assertThat(board.flags(row)).isZero();
        assertThat(board.flags(second)).isEqualTo(Scoreboard.FIN | Scoreboard.PUSH);
        assertThat(board.segments(row)).isEqualTo(4);
        assertThat(board.segments(second)).isEqualTo(4);
        assertThat(board.sentNanos(second)).isEqualTo(7);
        assertThat(board.next(row)).isEqualTo(second);
        board.checkInvariants();
    }

    @Test
    void a_late_original_below_the_highest_sack_is_reordering() {
        for (int i = 0; i < 5; i++) {
            send(1);
        }
        sack(301, 401);
        assertThat(outcome.lowestReordered).isEqualTo(Long.MAX_VALUE);
        sack(101, 201);
        assertThat(outcome.lowestReordered).isEqualTo(101);
    }

    @Test
    void without_sack_each_duplicate_counts_one_segment_but_never_all() {
        send(4);
        assertThat(board.addRenoSacked(2)).isEqualTo(2);
        assertThat(board.inFlight()).isEqualTo(2);
        assertThat(board.addRenoSacked(5)).isEqualTo(1);
        assertThat(board.limitRenoSacked()).isTrue();
        assertThat(board.sackedOut()).isEqualTo(3);
        board.acknowledge(201, false, cleared());
        assertThat(board.removeRenoSacked(2)).isEqualTo(1);
        assertThat(board.limitRenoSacked()).isTrue();
        assertThat(board.sackedOut()).isEqualTo(1);
    }

    @Test
    void a_head_that_was_sacked_when_una_reaches_it_smells_of_reneging() {
        send(1);
        send(1);
        sack(101, 201);
        acknowledge(101);
        assertThat(outcome.has(AckOutcome.RENEGING)).isTrue();
        board.clearSacked();
        assertThat(board.sackedOut()).isZero();
        assertThat(board.oldestSent()).isEqualTo(board.first());
        sack(101, 201);
        assertThat(board.sackedOut()).as("the same block is news again").isEqualTo(1);
        board.checkInvariants();
    }

    @Test
    void duplicates_of_outstanding_retransmissions_are_counted_after_the_marker() {
        send(1);
        send(1);
        int row = board.last();
        board.markLost(row);
        board.retransmitted(row, 10);
        sack(101, 201);
        outcome.needlessRetransmits = 0;
        board.duplicate(101, 201, 1, outcome);
        assertThat(outcome.needlessRetransmits).isEqualTo(1);
        assertThat(board.retransOut()).isZero();
    }

    @Test
    void the_rate_sample_is_of_the_row_sent_last() {
        int a = board.append(1, 101, MSS, 0, 10);
        board.snapshot(a, 3, 4, 5, 1, false);
        int b = board.append(101, 201, MSS, 0, 20);
        board.snapshot(b, 6, 7, 8, 2, true);
        acknowledge(201);
        assertThat(outcome.rateSent).isEqualTo(20);
        assertThat(outcome.ratePriorDelivered).isEqualTo(6);
        assertThat(outcome.ratePriorNanos).isEqualTo(7);
        assertThat(outcome.rateFirstSent).isEqualTo(8);
        assertThat(outcome.rateAppLimited).isTrue();
    }

    @Test
    void rows_are_bounded() {
        for (int i = 0; i < Scoreboard.MAX_ROWS; i++) {
            send(1);
        }
        assertThat(board.hasRoom()).isFalse();
        assertThat(board.append(nxt, nxt + 100, MSS, 0, 0)).isEqualTo(Scoreboard.NONE);
        board.reset();
        assertThat(board.isEmpty()).isTrue();
        board.append(1, 101, MSS, 0, 0);
        board.checkInvariants();
    }

    private void send(int segments) {
        board.append(nxt, nxt + segments * MSS, MSS, 0, nxt);
        nxt += segments * MSS;
    }

    private void acknowledge(long una) {
        board.acknowledge(una, true, cleared());
    }

    private void sack(long from, long to) {
        board.sack(from, to, cleared());
    }

    private AckOutcome cleared() {
        outcome.clear(1_000_000, 0, 0, 0);
        return outcome;
    }
}
