package dev.sluice.tcp;

import static dev.sluice.socket.SocketOption.SO_KEEPALIVE;
import static dev.sluice.socket.SocketOption.TCP_KEEPCNT;
import static dev.sluice.socket.SocketOption.TCP_KEEPIDLE;
import static dev.sluice.socket.SocketOption.TCP_KEEPINTVL;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.socket.SocketError;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class KeepAliveTest {
    private static TcpTest established() {
        return TcpTest.established("mss 1000,wscale 0", window(60_000), rttMillis(40));
    }

    @Test
    @Rfc({"RFC 9293 MUST-24", "RFC 9293 MUST-25"})
    void an_idle_peer_is_asked_and_its_answer_starts_the_time_anew() {
        var tcp = established();

        tcp.set(SO_KEEPALIVE, 1).set(TCP_KEEPINTVL, 1).set(TCP_KEEPIDLE, 1);
        tcp.at(1000).expect("> . 0:0(0) ack 1");
        tcp.at(1030).receive("< . 1:1(0) ack 1").expectNothing();
        tcp.firstOutputBetween(2000, 2030).expect("> . 0:0(0) ack 1");
        tcp.hasCounted(Counter.TCP_KEEP_ALIVE, 2);
    }

    @Test
    @Rfc("RFC 9293 section 3.8.4")
    void silence_ends_in_a_reset_and_a_timeout() {
        var tcp = established();

        tcp.set(SO_KEEPALIVE, 1).set(TCP_KEEPIDLE, 2).set(TCP_KEEPINTVL, 1).set(TCP_KEEPCNT, 2);
        tcp.at(2000).expect("> . 0:0(0) ack 1");
        tcp.at(3000).expect("> . 0:0(0) ack 1");
        tcp.at(4000).expect("> R. 1:1(0) ack 1").readFails(SocketError.ETIMEDOUT);
    }

    @Test
    void after_a_probe_the_interval_rules() {
        var tcp = established();

        tcp.set(SO_KEEPALIVE, 1).set(TCP_KEEPINTVL, 3).set(TCP_KEEPIDLE, 1);
        tcp.at(1000).expect("> . 0:0(0) ack 1");
        tcp.at(1030).receive("< . 1:1(0) ack 1").expectNothing();
        tcp.at(4000).expect("> . 0:0(0) ack 1");
    }

    @Test
    @Rfc("RFC 9293 MUST-25")
    void it_is_off_unless_asked_for() {
        var tcp = established();

        tcp.set(TCP_KEEPIDLE, 1).at(10_000_000).expectNothing();
    }

    @Test
    @Rfc("RFC 9293 MUST-27")
    void traffic_postpones_it() {
        var tcp = established();

        tcp.set(SO_KEEPALIVE, 1).set(TCP_KEEPIDLE, 1);
        tcp.at(700).receive("< P. 1:11(10) ack 1").expect("> . 1:1(0) ack 11");
        tcp.at(1700).expect("> . 0:0(0) ack 11");
    }

    @Test
    @Rfc("RFC 9293 MUST-26")
    void it_is_not_for_connections_with_data_in_flight() {
        var tcp = established();

        tcp.set(SO_KEEPALIVE, 1).set(TCP_KEEPIDLE, 1).at(10).write(100);
        tcp.expect("> P. 1:101(100) ack 1");
        tcp.at(250).expect("> P. 1:101(100) ack 1");
        tcp.at(730).expect("> P. 1:101(100) ack 1");
        tcp.at(1690).expect("> P. 1:101(100) ack 1");
        tcp.at(1730).receive("< . 1:1(0) ack 101").expectNothing();
        tcp.firstOutputBetween(2690, 2731).expect("> . 100:100(0) ack 1");
    }

    @Test
    void a_peer_that_forgot_us_resets() {
        var tcp = established();

        tcp.set(SO_KEEPALIVE, 1).set(TCP_KEEPIDLE, 1).at(1000).expect("> . 0:0(0) ack 1");
        tcp.at(1030).receive("< R 1:1(0) win 0").expectNothing();
        tcp.readFails(SocketError.ECONNRESET);
    }

    @Test
    @Rfc("RFC 9293 MUST-28")
    void a_peers_probe_is_answered_but_not_more_than_twice_a_second() {
        var tcp = established();

        tcp.at(100).receive("< . 0:0(0) ack 1").expect("> . 1:1(0) ack 1");
        tcp.at(300).receive("< . 0:0(0) ack 1").expectNothing();
        tcp.at(700).receive("< . 0:0(0) ack 1").expect("> . 1:1(0) ack 1");
    }

    @Test
    void a_probe_with_a_byte_is_answered_every_time() {
        var tcp = established();

        tcp.at(10).receive("< P. 1:101(100) ack 1").expect("> . 1:1(0) ack 101");
        tcp.at(110).receive("< . 100:101(1) ack 1").expect("> . 1:1(0) ack 101");
        tcp.at(210).receive("< . 100:101(1) ack 1").expect("> . 1:1(0) ack 101");
    }
}
