package dev.sluice.tcp;

import static dev.sluice.tcp.congestion.CongestionState.DISORDER;
import static dev.sluice.tcp.congestion.CongestionState.OPEN;
import static dev.sluice.tcp.congestion.CongestionState.RECOVERY;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.tso;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class NewRenoRecoveryTest {
    private static TcpTest withoutSack(int windowBytes) {
        return TcpTest.established("mss 1000,wscale 0", window(windowBytes), rttMillis(40), tso());
    }

    private static TcpTest sending(int bytes) {
        var tcp = withoutSack(60_000);
        return tcp.write(bytes).expect("> P. 1:%d(%d) ack 1".formatted(bytes + 1, bytes));
    }

    @Test
    @Rfc("RFC 6582 section 3.2")
    void the_third_duplicate_ack_starts_the_retransmission() {
        var tcp = sending(8000);

        tcp.at(40).receive("< . 1:1(0) ack 1").receive("< . 1:1(0) ack 1").expectNothing();
        tcp.info().hasCaState(DISORDER).has("sacked", 2);
        tcp.receive("< . 1:1(0) ack 1").expect("> . 1:1001(1000) ack 1");
        tcp.info().hasCaState(RECOVERY);
        tcp.at(80).receive("< . 1:1(0) ack 8001").expectNothing();
        tcp.hasCounted(Counter.TCP_RENO_RECOVERY, 1);
    }

    @Test
    @Rfc("RFC 6582 section 3.2")
    void a_partial_ack_shows_the_next_loss() {
        var tcp = sending(8000);

        tcp.at(40).receive("< . 1:1(0) ack 1").receive("< . 1:1(0) ack 1");
        tcp.receive("< . 1:1(0) ack 1").expect("> . 1:1001(1000) ack 1");
        tcp.at(80).receive("< . 1:1(0) ack 3001").expect("> . 3001:4001(1000) ack 1");
        tcp.at(120).receive("< . 1:1(0) ack 8001").expectNothing();
    }

    @Test
    @Rfc("RFC 6582 section 4")
    void an_ack_of_exactly_the_recovery_point_does_not_end_recovery() {
        var tcp = sending(5000);

        tcp.at(40).receive("< . 1:1(0) ack 1").receive("< . 1:1(0) ack 1");
        tcp.receive("< . 1:1(0) ack 1").expect("> . 1:1001(1000) ack 1");
        tcp.at(80).receive("< . 1:1(0) ack 5001").expectNothing();
        tcp.info().hasCaState(RECOVERY);
        tcp.at(90).write(1000).expect("> P. 5001:6001(1000) ack 1");
        tcp.at(130).receive("< . 1:1(0) ack 6001").expectNothing();
        tcp.info().hasCaState(OPEN);
    }

    @Test
    @Rfc("RFC 3042")
    void the_first_two_duplicates_let_one_new_segment_go_each() {
        var tcp = withoutSack(60_000);

        tcp.write(12_000).expect("> . 1:10001(10000) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 1").expect("> . 10001:11001(1000) ack 1");
        tcp.receive("< . 1:1(0) ack 1").expect("> P. 11001:12001(1000) ack 1");
        tcp.receive("< . 1:1(0) ack 1").expect("> . 1:1001(1000) ack 1");
    }

    @Test
    @Rfc("RFC 5681 section 2")
    void data_that_repeats_the_ack_is_no_duplicate_ack() {
        var tcp = sending(5000);

        for (int i = 0; i < 4; i++) {
            int start = 1 + 10 * i;
            tcp.at(20 + i)
                    .receive("< P. %d:%d(10) ack 1".formatted(start, start + 10))
                    .expect("> . 5001:5001(0) ack " + (start + 10));
        }
        tcp.info().has("total_retrans", 0);
        tcp.at(40).receive("< . 41:41(0) ack 5001").expectNothing();
    }

    @Test
    @Rfc("RFC 5681 section 2")
    void a_window_update_is_no_duplicate_ack() {
        var tcp = withoutSack(50_000);

        tcp.write(5000).expect("> P. 1:5001(5000) ack 1").at(40);
        for (int i = 1; i <= 4; i++) {
            tcp.receive("< . 1:1(0) ack 1 win " + (50_000 + 1000 * i)).expectNothing();
        }
        tcp.info().hasCaState(OPEN).has("total_retrans", 0);
    }

    @Test
    void an_ack_with_a_smaller_window_is_one() {
        var tcp = sending(5000);

        tcp.at(40).receive("< . 1:1(0) ack 1 win 59000").receive("< . 1:1(0) ack 1 win 58000");
        tcp.receive("< . 1:1(0) ack 1 win 57000").expect("> . 1:1001(1000) ack 1");
        tcp.info().hasCaState(RECOVERY).has("snd_wnd", 60_000);
    }
}
