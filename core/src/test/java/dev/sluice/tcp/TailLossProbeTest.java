package dev.sluice.tcp;

import static dev.sluice.tcp.congestion.CongestionState.LOSS;
import static dev.sluice.tcp.congestion.CongestionState.OPEN;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.tso;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class TailLossProbeTest {
    private static TcpTest established() {
        return TcpTest.established(
                "mss 1000,sackOK,wscale 0", window(60_000), rttMillis(40), tso());
    }

    @Test
    @Rfc("RFC 8985 section 7.2")
    void after_two_round_trips_of_silence_the_last_segment_is_sent_once_more() {
        var tcp = established();

        tcp.write(3000).expect("> P. 1:3001(3000) ack 1");
        tcp.firstOutputBetween(80, 96).expect("> P. 2001:3001(1000) ack 1");
        tcp.after(40).receive("< . 1:1(0) ack 3001 <sack 2001:3001>").expectNothing();
        tcp.info().hasCwnd(10).hasCaState(OPEN);
        tcp.hasCounted(Counter.TCP_LOSS_PROBES, 1).hasCounted(Counter.TCP_TIMEOUTS, 0);
    }

    @Test
    @Rfc("RFC 8985 section 7.2")
    void one_segment_in_flight_allows_for_a_delayed_ack() {
        var tcp = established();

        tcp.write(1000).expect("> P. 1:1001(1000) ack 1");
        tcp.at(240).expect("> P. 1:1001(1000) ack 1");
        tcp.info().hasCaState(OPEN).has("backoff", 0);
        tcp.at(480).expect("> P. 1:1001(1000) ack 1");
        tcp.info().hasCaState(LOSS);
        tcp.at(520).receive("< . 1:1(0) ack 1001").expectNothing();
    }

    @Test
    @Rfc("RFC 8985 section 7.3")
    void new_data_is_preferred_even_beyond_the_congestion_window() {
        var tcp = established();

        tcp.write(12_000).expect("> . 1:10001(10000) ack 1");
        tcp.firstOutputBetween(80, 96).expect("> . 10001:11001(1000) ack 1");
        tcp.after(40).receive("< . 1:1(0) ack 11001").expect("> P. 11001:12001(1000) ack 1");
    }

    @Test
    @Rfc("RFC 8985 section 7.4.2")
    void a_loss_that_the_probe_repaired_reduces_the_window() {
        var tcp = established();

        tcp.write(3000).expect("> P. 1:3001(3000) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 2001").expectNothing();
        tcp.at(280).expect("> P. 2001:3001(1000) ack 1");
        tcp.at(320).receive("< . 1:1(0) ack 3001").expectNothing();
        tcp.info().has("total_retrans", 1).hasSsthresh(Integer.MAX_VALUE);
        tcp.at(330).write(1000).expect("> P. 3001:4001(1000) ack 1");
        tcp.at(370).receive("< . 1:1(0) ack 4001").expectNothing();
        tcp.info().hasSsthresh(7);
        tcp.hasCounted(Counter.TCP_LOSS_PROBE_RECOVERY, 1);
    }

    @Test
    @Rfc("RFC 8985 section 7.3")
    void without_an_answer_the_timeout_follows_the_probe() {
        var tcp = established();

        tcp.write(3000).expect("> P. 1:3001(3000) ack 1");
        tcp.firstOutputBetween(80, 96).expect("> P. 2001:3001(1000) ack 1");
        double probe = tcp.millis();
        tcp.at(probe + 240).expect("> . 1:1001(1000) ack 1");
        tcp.info().hasCaState(LOSS);
    }
}
