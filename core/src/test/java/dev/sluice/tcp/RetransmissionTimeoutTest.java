package dev.sluice.tcp;

import static dev.sluice.tcp.congestion.CongestionState.LOSS;
import static dev.sluice.tcp.congestion.CongestionState.OPEN;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.tso;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.socket.SocketError;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class RetransmissionTimeoutTest {
    /** A round-trip time of 40 ms makes an RTO of 240; without SACK there is no loss probe. */
    private static TcpTest withoutSack() {
        return TcpTest.established("mss 1000,wscale 0", window(60_000), rttMillis(40), tso());
    }

    private static TcpTest withSack() {
        return TcpTest.established(
                "mss 1000,sackOK,wscale 0",
                window(60_000),
                rttMillis(40),
                tso(),
                sysctl("net.ipv4.tcp_early_retrans", 0));
    }

    @Test
    @Rfc({"RFC 6298 section 2.2", "RFC 6298 section 5.5"})
    void the_timeout_is_the_round_trip_plus_200_ms_and_doubles() {
        var tcp = withoutSack();

        tcp.info().has("rto", 240_000);
        tcp.write(1000).expect("> P. 1:1001(1000) ack 1");
        tcp.at(240).expect("> P. 1:1001(1000) ack 1");
        tcp.at(720).expect("> P. 1:1001(1000) ack 1");
        tcp.info().has("backoff", 2).has("retransmits", 2).has("total_retrans", 2);
        tcp.at(1680).expect("> P. 1:1001(1000) ack 1");
        tcp.at(1720).receive("< . 1:1(0) ack 1001").expectNothing();
        tcp.hasCounted(Counter.TCP_TIMEOUTS, 3).hasCounted(Counter.TCP_RETRANS_SEGS, 3);
    }

    @Test
    @Rfc({"RFC 6298 section 3", "RFC 6298 section 5.7"})
    void the_ack_of_a_retransmission_is_no_sample_and_keeps_the_backoff() {
        var tcp = withoutSack();

        tcp.write(1000).expect("> P. 1:1001(1000) ack 1");
        tcp.at(240).expect("> P. 1:1001(1000) ack 1");
        tcp.at(540).receive("< . 1:1(0) ack 1001").expectNothing();
        tcp.info().has("rtt", 40_000).has("backoff", 1);
        tcp.at(550).write(1000).expect("> P. 1001:2001(1000) ack 1");
        tcp.at(550 + 480).expect("> P. 1001:2001(1000) ack 1");
        tcp.at(1070).receive("< . 1:1(0) ack 2001").expectNothing();
        tcp.at(1080).write(1000).expect("> P. 2001:3001(1000) ack 1");
        tcp.at(1120).receive("< . 1:1(0) ack 3001").expectNothing();
        tcp.info().has("backoff", 0).hasBetween("rto", 239_000, 260_000);
    }

    @Test
    @Rfc("RFC 7323 section 4")
    void with_timestamps_the_ack_of_a_retransmission_is_a_sample() {
        var tcp =
                TcpTest.established(
                        "mss 1012,TS val 400 ecr 0,wscale 0", window(60_000), rttMillis(40));

        tcp.at(10).write(500).expect("> P. 1:501(500) ack 1 <nop,nop,TS val 50 ecr 440>");
        tcp.at(250).expect("> P. 1:501(500) ack 1 <nop,nop,TS val 290 ecr 440>");
        tcp.info().has("backoff", 1);
        tcp.at(290).receive("< . 1:1(0) ack 501 <nop,nop,TS val 730 ecr 290>").expectNothing();
        tcp.info().has("backoff", 0).hasBetween("rtt", 30_000, 60_000);
    }

    @Test
    @Rfc("RFC 6298 section 5.3")
    void an_ack_of_new_data_restarts_the_timer() {
        var tcp = withoutSack();

        tcp.write(3000).expect("> P. 1:3001(3000) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 1001").expectNothing();
        tcp.at(280).expect("> . 1001:2001(1000) ack 1");
    }

    @Test
    @Rfc("RFC 5681 section 3.1")
    void a_timeout_leaves_a_window_of_one() {
        var tcp = withSack();

        tcp.write(10_000).expect("> P. 1:10001(10000) ack 1");
        tcp.at(240).expect("> . 1:1001(1000) ack 1");
        tcp.info().hasCaState(LOSS).hasCwnd(1).hasSsthresh(7).has("lost", 10);
    }

    @Test
    @Rfc("RFC 5681 section 3.1")
    void what_is_lost_follows_in_slow_start() {
        var tcp = withSack();

        tcp.write(5000).expect("> P. 1:5001(5000) ack 1");
        tcp.at(240).expect("> . 1:1001(1000) ack 1");
        tcp.at(280).receive("< . 1:1(0) ack 1001").expect("> . 1001:3001(2000) ack 1");
        tcp.at(320).receive("< . 1:1(0) ack 2001").expect("> P. 3001:5001(2000) ack 1");
        tcp.at(360).receive("< . 1:1(0) ack 5001").expectNothing();
        tcp.info().has("total_retrans", 5).hasCaState(OPEN);
    }

    @Test
    @Rfc("RFC 6675 section 5.1")
    void selectively_acknowledged_segments_are_not_sent_again() {
        var tcp = withSack();

        tcp.write(4000).expect("> P. 1:4001(4000) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 1 <sack 2001:3001>").expectNothing();
        tcp.firstOutputBetween(50, 58).expect("> . 1:1001(1000) ack 1");
        tcp.after(240).expect("> . 1:1001(1000) ack 1");
        tcp.after(40).receive("< . 1:1(0) ack 1001 <sack 2001:3001>");
        tcp.expect("> . 1001:2001(1000) ack 1", "> P. 3001:4001(1000) ack 1");
        tcp.after(40).receive("< . 1:1(0) ack 4001").expectNothing();
    }

    @Test
    @Rfc("RFC 5682 section 3.1")
    void acks_of_originals_show_that_the_timeout_was_spurious() {
        var tcp = withSack();

        tcp.write(8000).expect("> P. 1:8001(8000) ack 1");
        tcp.at(240).expect("> . 1:1001(1000) ack 1");
        tcp.write(4000).expectNothing();
        tcp.at(250).receive("< . 1:1(0) ack 1001").expect("> . 8001:10001(2000) ack 1");
        tcp.at(260).receive("< . 1:1(0) ack 2001").discard();
        tcp.info().hasCaState(OPEN).hasBetween("snd_cwnd", 10, 20);
        tcp.at(300).receive("< . 1:1(0) ack 12001").expectNothing();
    }

    @Test
    @Rfc("RFC 5682 section 3")
    void the_echo_of_the_original_shows_it_too() {
        var tcp =
                TcpTest.established(
                        "mss 1012,sackOK,TS val 400 ecr 0,wscale 0",
                        window(60_000),
                        rttMillis(40),
                        tso(),
                        sysctl("net.ipv4.tcp_early_retrans", 0));

        tcp.at(10).write(5000).expect("> P. 1:5001(5000) ack 1 <nop,nop,TS val 50 ecr 440>");
        tcp.at(250).expect("> . 1:1001(1000) ack 1 <nop,nop,TS val 290 ecr 440>");
        tcp.info().hasCaState(LOSS).hasCwnd(1);
        tcp.at(260).receive("< . 1:1(0) ack 5001 <nop,nop,TS val 700 ecr 50>").expectNothing();
        tcp.info().hasCaState(OPEN).hasBetween("snd_cwnd", 10, 20).hasSsthresh(Integer.MAX_VALUE);
    }

    @Test
    @Rfc({"RFC 9293 MUST-20", "RFC 9293 section 3.8.3"})
    void silence_ends_the_connection() {
        var tcp =
                TcpTest.established(
                        "mss 1000,wscale 0",
                        window(60_000),
                        rttMillis(40),
                        sysctl("net.ipv4.tcp_retries2", 3));

        tcp.write(1000).expect("> P. 1:1001(1000) ack 1");
        tcp.at(240).expect("> P. 1:1001(1000) ack 1");
        tcp.at(720).expect("> P. 1:1001(1000) ack 1");
        tcp.at(1680).expect("> P. 1:1001(1000) ack 1");
        tcp.at(3500).readFails(SocketError.EAGAIN);
        tcp.at(3700).readFails(SocketError.ETIMEDOUT);
        tcp.at(3750).receive("< . 1:1(0) ack 1001").expect("> R 1001:1001(0)");
        tcp.hasCounted(Counter.TCP_ABORT_ON_TIMEOUT, 1);
    }
}
