package dev.sluice.tcp;

import static dev.sluice.tcp.congestion.CongestionState.DISORDER;
import static dev.sluice.tcp.congestion.CongestionState.OPEN;
import static dev.sluice.tcp.congestion.CongestionState.RECOVERY;
import static dev.sluice.testkit.Setup.cwnd;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.tso;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class SackRecoveryTest {
    private static TcpTest sending(int bytes) {
        var tcp =
                TcpTest.established(
                        "mss 1000,sackOK,wscale 0", window(60_000), rttMillis(40), tso());
        tcp.write(bytes);
        int first = Math.min(bytes, 10_000);
        String push = first == bytes ? "P" : "";
        return tcp.expect("> %s. 1:%d(%d) ack 1".formatted(push, first + 1, first));
    }

    @Test
    @Rfc("RFC 6675 section 5")
    void third_duplicate_ack_resends_the_first_hole() {
        var tcp = TcpTest.established("mss 1000, sackOK", cwnd(10), rttMillis(20));

        tcp.write(4000)
                .expect(
                        "> . 1:1001(1000) ack 1",
                        "> . 1001:2001(1000) ack 1",
                        "> . 2001:3001(1000) ack 1",
                        "> P. 3001:4001(1000) ack 1");

        tcp.at(20)
                .receive("< . 1:1(0) ack 1 win 5000 <sack 1001:2001>")
                .expectNothing()
                .at(21)
                .receive("< . 1:1(0) ack 1 win 5000 <sack 1001:3001>")
                .expectNothing()
                .at(22)
                .receive("< . 1:1(0) ack 1 win 5000 <sack 1001:4001>")
                .expect("> . 1:1001(1000) ack 1");

        tcp.info().hasCaState(RECOVERY).hasRetransmits(1);
    }

    @Test
    @Rfc({"RFC 6675 section 5", "RFC 8985 section 6.2"})
    void recovery_runs_from_disorder_to_open_and_retransmits_once() {
        var tcp = sending(10_000);

        tcp.at(40).receive("< . 1:1(0) ack 1 <sack 1001:2001>").expectNothing();
        tcp.info().hasCaState(DISORDER).has("sacked", 1).has("retrans", 0);
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:3001>").expectNothing();
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:4001>").expect("> . 1:1001(1000) ack 1");
        tcp.info().hasCaState(RECOVERY).has("sacked", 3).has("retrans", 1).has("lost", 1);
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:10001>").expectNothing();
        tcp.at(80).receive("< . 1:1(0) ack 10001").expectNothing();
        tcp.info().hasCaState(OPEN).has("total_retrans", 1).has("lost", 0).hasSsthresh(7);
        tcp.hasCounted(Counter.TCP_SACK_RECOVERY, 1).hasCounted(Counter.TCP_FAST_RETRANS, 1);
    }

    @Test
    @Rfc("RFC 3042")
    void the_first_two_reports_let_one_new_segment_go_each() {
        var tcp = sending(12_000);

        tcp.at(40)
                .receive("< . 1:1(0) ack 1 <sack 1001:2001>")
                .expect("> . 10001:11001(1000) ack 1");
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:3001>").expect("> P. 11001:12001(1000) ack 1");
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:4001>").expect("> . 1:1001(1000) ack 1");
    }

    @Test
    @Rfc("RFC 8985 section 2.1")
    void a_lost_retransmission_is_found_without_the_timer() {
        var tcp = sending(12_000);

        tcp.at(40).receive("< . 1:1(0) ack 1 <sack 1001:4001>").expect("> . 1:1001(1000) ack 1");
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:10001>").expect("> P. 10001:12001(2000) ack 1");
        tcp.at(80).receive("< . 1:1(0) ack 1 <sack 1001:12001>").expect("> . 1:1001(1000) ack 1");
        tcp.at(120).receive("< . 1:1(0) ack 12001").expectNothing();
        tcp.info().has("total_retrans", 2);
        tcp.hasCounted(Counter.TCP_TIMEOUTS, 0).hasCounted(Counter.TCP_LOST_RETRANSMIT, 1);
    }

    @Test
    @Rfc("RFC 6675 section 5")
    void two_holes_are_repaired_in_one_recovery() {
        var tcp = sending(10_000);

        tcp.at(40).receive("< . 1:1(0) ack 1 <sack 1001:2001>").expectNothing();
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:3001>").expectNothing();
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:4001>").expect("> . 1:1001(1000) ack 1");
        tcp.receive("< . 1:1(0) ack 1 <sack 5001:7001 1001:4001>")
                .expect("> . 4001:5001(1000) ack 1");
        tcp.receive("< . 1:1(0) ack 1 <sack 5001:10001 1001:4001>").expectNothing();
        tcp.at(80).receive("< . 1:1(0) ack 4001 <sack 5001:10001>").expectNothing();
        tcp.receive("< . 1:1(0) ack 10001").expectNothing();
        tcp.info().has("total_retrans", 2).hasCaState(OPEN).hasSsthresh(7);
    }

    @Test
    @Rfc("RFC 9937 section 6")
    void what_is_sent_in_recovery_is_spread_over_the_acks() {
        var tcp = sending(20_000);

        tcp.at(40).receive("< . 1:1(0) ack 1 <sack 1001:2001>").discard();
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:3001>").expect("> . 11001:12001(1000) ack 1");
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:4001>").expect("> . 1:1001(1000) ack 1");
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:5001>").expect("> . 12001:13001(1000) ack 1");
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:6001>").expect("> . 13001:14001(1000) ack 1");
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:7001>").expectNothing();
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:8001>").expectNothing();
        tcp.receive("< . 1:1(0) ack 1 <sack 1001:9001>").expect("> . 14001:15001(1000) ack 1");
    }

    @Test
    @Rfc("RFC 8985 section 6.2")
    void one_segment_above_the_hole_waits_for_the_reordering_window() {
        var tcp = sending(2000);

        tcp.at(40).receive("< . 1:1(0) ack 1 <sack 1001:2001>").expectNothing();
        tcp.firstOutputBetween(50, 58).expect("> . 1:1001(1000) ack 1");
        tcp.at(90).receive("< . 1:1(0) ack 2001").expectNothing();
    }

    @Test
    @Rfc("RFC 8985 section 6.2")
    void reordering_that_heals_in_time_is_remembered_and_repaired_by_nobody() {
        var tcp = sending(3000);

        tcp.at(40).receive("< . 1:1(0) ack 1 <sack 1001:2001>").expectNothing();
        tcp.at(44).receive("< . 1:1(0) ack 2001").expectNothing();
        tcp.at(48).receive("< . 1:1(0) ack 3001").expectNothing();
        tcp.at(98).info().has("total_retrans", 0).hasCaState(OPEN).has("reord_seen", 1);
    }

    @Test
    @Rfc({"RFC 2883 section 4", "RFC 3522"})
    void a_dsack_of_every_retransmission_gives_the_window_back() {
        var tcp = sending(10_000);

        tcp.at(40).receive("< . 1:1(0) ack 1 <sack 1001:4001>").expect("> . 1:1001(1000) ack 1");
        tcp.info().hasSsthresh(7);
        tcp.at(50).receive("< . 1:1(0) ack 10001").expectNothing();
        tcp.at(80).receive("< . 1:1(0) ack 10001 <sack 1:1001>").expectNothing();
        tcp.info()
                .hasBetween("snd_cwnd", 10, 30)
                .hasSsthresh(Integer.MAX_VALUE)
                .has("dsack_dups", 1);
        tcp.hasCounted(Counter.TCP_DSACK_UNDO, 1);
    }

    @Test
    @Rfc("RFC 2018 section 8")
    void data_the_peer_took_back_is_sent_again() {
        var tcp = sending(3000);

        tcp.at(40).receive("< . 1:1(0) ack 1 <sack 1001:2001>").expectNothing();
        tcp.at(44).receive("< . 1:1(0) ack 1001").expectNothing();
        tcp.firstOutputBetween(54, 110).expect("> . 1001:2001(1000) ack 1");
        tcp.hasCounted(Counter.TCP_SACK_RENEGING, 1);
    }

    @Test
    @Rfc("RFC 2018 section 5")
    void blocks_that_make_no_sense_are_ignored() {
        var tcp = sending(10_000);

        tcp.at(40).receive("< . 1:1(0) ack 1 <sack 20001:30001>").expectNothing();
        tcp.receive("< . 1:1(0) ack 1 <sack 4001:2001>").expectNothing();
        tcp.receive("< . 1:1(0) ack 1 <sack 9001:11001>").expectNothing();
        tcp.info().has("sacked", 0).has("total_retrans", 0);
        tcp.at(44).receive("< . 1:1(0) ack 10001").expectNothing();
    }
}
