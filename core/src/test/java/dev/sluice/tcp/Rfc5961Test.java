package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.socket.SocketError;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class Rfc5961Test {
    private static TcpTest established() {
        return TcpTest.established("mss 1000,sackOK,wscale 0", window(60_000), rttMillis(30));
    }

    @Test
    @Rfc({"RFC 5961 section 3.2", "RFC 9293 section 3.10.7.4"})
    void a_reset_with_exactly_the_expected_number_resets() {
        var tcp = established();

        tcp.at(10).receive("< P. 1:101(100) ack 1").expect("> . 1:1(0) ack 101").read(100);
        tcp.at(20).receive("< R 101:101(0) win 0").expectNothing();
        tcp.readFails(SocketError.ECONNRESET).readEnds();
        tcp.at(30).receive("< . 101:101(0) ack 1").expect("> R 1:1(0)");
        tcp.hasCounted(Counter.TCP_ESTAB_RESETS, 1);
    }

    @Test
    @Rfc("RFC 5961 section 3.2")
    void a_reset_elsewhere_in_the_window_is_challenged() {
        var tcp = established();

        tcp.at(10).receive("< R 3001:3001(0) win 0").expect("> . 1:1(0) ack 1");
        tcp.readFails(SocketError.EAGAIN).hasCounted(Counter.TCP_CHALLENGE_ACK, 1);
        tcp.at(40).receive("< R 1:1(0) win 0").expectNothing().readFails(SocketError.ECONNRESET);
    }

    @Test
    @Rfc("RFC 5961 section 3.2")
    void a_reset_outside_the_window_is_dropped_in_silence() {
        var tcp = established();

        tcp.at(10).receive("< R 70001:70001(0) win 0").expectNothing();
        tcp.at(60).receive("< R 4294967196:4294967196(0) win 0").expectNothing();
        tcp.hasState(TcpState.ESTABLISHED);
    }

    @Test
    void the_acknowledgment_of_a_reset_does_not_matter() {
        var tcp = established();

        tcp.at(10).receive("< R. 1:1(0) ack 90001 win 0").expectNothing();
        tcp.readFails(SocketError.ECONNRESET);
    }

    @Test
    void a_reset_at_the_edge_of_the_highest_block_resets_too() {
        var tcp = established();

        tcp.at(10).receive("< . 1001:3001(2000) ack 1").expect("> . 1:1(0) ack 1");
        tcp.at(20).receive("< R 2001:2001(0) win 0").expect("> . 1:1(0) ack 1 <sack 1001:3001>");
        tcp.at(30).receive("< R 3001:3001(0) win 0").expectNothing();
        tcp.readFails(SocketError.ECONNRESET);
    }

    @Test
    void after_the_peers_fin_a_reset_that_does_not_count_it_is_exact() {
        var tcp = established();

        tcp.at(10).receive("< F. 1:1(0) ack 1").firstOutputOrNothing(50).discard();
        tcp.at(70).receive("< R 1:1(0) win 0").expectNothing().writeFails(SocketError.EPIPE);
    }

    @Test
    @Rfc("RFC 5961 section 4.2")
    void a_syn_in_the_window_or_not_is_challenged() {
        var tcp = established();

        tcp.at(10).receive("< S 501:501(0) win 9000 <mss 1000>").expect("> . 1:1(0) ack 1");
        tcp.at(610).receive("< S 900000:900000(0) win 9000").expect("> . 1:1(0) ack 1");
        tcp.hasState(TcpState.ESTABLISHED).hasCounted(Counter.TCP_SYN_CHALLENGE, 2);
    }

    @Test
    @Rfc("RFC 5961 section 5.2")
    void an_acknowledgment_of_the_future_is_challenged_and_its_data_dropped() {
        var tcp = established();

        tcp.at(10).write(100).expect("> P. 1:101(100) ack 1");
        tcp.at(20).receive("< P. 1:51(50) ack 102").expect("> . 101:101(0) ack 1");
        tcp.readFails(SocketError.EAGAIN).info().has("unacked", 1);
        tcp.at(40).receive("< . 1:1(0) ack 101").expectNothing();
    }

    @Test
    @Rfc("RFC 5961 section 5.2")
    void an_acknowledgment_older_than_the_largest_window_is_challenged() {
        var tcp = TcpTest.established("mss 1000,wscale 0", window(2000), rttMillis(30));

        tcp.write(2000).expect("> P. 1:2001(2000) ack 1");
        tcp.at(30).receive("< . 1:1(0) ack 2001").expectNothing();
        tcp.write(2000).expect("> P. 2001:4001(2000) ack 1");
        tcp.at(60).receive("< . 1:1(0) ack 4001").expectNothing();
        tcp.at(70).receive("< P. 1:51(50) ack 1501").expect("> . 4001:4001(0) ack 1");
        tcp.readFails(SocketError.EAGAIN);
        tcp.at(80).receive("< P. 1:51(50) ack 2501").expect("> . 4001:4001(0) ack 51").read(50);
    }

    @Test
    @Rfc("RFC 5961 section 7")
    void one_challenge_in_half_a_second_is_enough() {
        var tcp = established();

        tcp.at(10).receive("< R 3001:3001(0) win 0").expect("> . 1:1(0) ack 1");
        tcp.at(110).receive("< R 3002:3002(0) win 0").expectNothing();
        tcp.at(210).receive("< R 3003:3003(0) win 0").expectNothing();
        tcp.at(611).receive("< R 3004:3004(0) win 0").expect("> . 1:1(0) ack 1");
    }

    @Test
    void the_limit_can_be_switched_off() {
        var tcp =
                TcpTest.established(
                        "mss 1000", rttMillis(30), sysctl("net.ipv4.tcp_invalid_ratelimit", 0));

        tcp.at(10).receive("< R 3001:3001(0) win 0").expect("> . 1:1(0) ack 1");
        tcp.at(20).receive("< R 3002:3002(0) win 0").expect("> . 1:1(0) ack 1");
    }
}
