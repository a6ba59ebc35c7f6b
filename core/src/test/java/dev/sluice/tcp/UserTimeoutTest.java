package dev.sluice.tcp;

import static dev.sluice.socket.SocketOption.SO_KEEPALIVE;
import static dev.sluice.socket.SocketOption.TCP_KEEPCNT;
import static dev.sluice.socket.SocketOption.TCP_KEEPIDLE;
import static dev.sluice.socket.SocketOption.TCP_KEEPINTVL;
import static dev.sluice.socket.SocketOption.TCP_USER_TIMEOUT;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.socket.SocketError;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;

import org.junit.jupiter.api.Test;

@ExchangeTest
class UserTimeoutTest {
    private static TcpTest established(int windowBytes) {
        return TcpTest.established("mss 1000,wscale 0", window(windowBytes), rttMillis(40));
    }

    @Test
    @Rfc({"RFC 5482 section 3", "RFC 9293 section 3.8.3"})
    void unacknowledged_data_ends_the_connection_that_long_after_the_first_retransmission() {
        var tcp = established(60_000);

        tcp.set(TCP_USER_TIMEOUT, 1000).write(500).expect("> P. 1:501(500) ack 1");
        tcp.at(240).expect("> P. 1:501(500) ack 1");
        tcp.at(720).expect("> P. 1:501(500) ack 1");
        tcp.at(1239).expectNothing().hasState(TcpState.ESTABLISHED);
        tcp.at(1241).expectNothing().readFails(SocketError.ETIMEDOUT);
        tcp.writeFails(SocketError.EPIPE);
    }

    @Test
    void progress_starts_the_time_anew() {
        var tcp = established(60_000);

        tcp.set(TCP_USER_TIMEOUT, 1000).write(2000).expect("> P. 1:2001(2000) ack 1");
        tcp.at(240).expect("> . 1:1001(1000) ack 1");
        tcp.at(690).receive("< . 1:1(0) ack 1001").discard();
        tcp.firstOutputOrNothing(500).discard();
        tcp.readFails(SocketError.EAGAIN).receive("< . 1:1(0) ack 2001").expectNothing();
        tcp.hasState(TcpState.ESTABLISHED).info().has("unacked", 0);
    }

    @Test
    void a_window_that_stays_closed_ends_it_although_probes_are_answered() {
        var tcp = established(2000);

        tcp.set(TCP_USER_TIMEOUT, 1000).write(3000).expect("> P. 1:2001(2000) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 2001 win 0").expectNothing();
        tcp.at(280).expect("> . 2000:2000(0) ack 1");
        tcp.at(300).receive("< . 1:1(0) ack 2001 win 0").expectNothing();
        tcp.at(780).expect("> . 2000:2000(0) ack 1");
        tcp.at(800).receive("< . 1:1(0) ack 2001 win 0").expectNothing();
        tcp.at(1279).expectNothing().hasState(TcpState.ESTABLISHED);
        tcp.at(1410).expectNothing().hasState(TcpState.CLOSED).readFails(SocketError.ETIMEDOUT);
    }

    @Test
    void with_keepalive_it_replaces_the_number_of_probes() {
        var tcp = established(60_000);

        tcp.set(SO_KEEPALIVE, 1).set(TCP_KEEPIDLE, 1).set(TCP_KEEPINTVL, 1).set(TCP_KEEPCNT, 9);
        tcp.set(TCP_USER_TIMEOUT, 1500).at(1000).expect("> . 0:0(0) ack 1");
        tcp.at(2000).expect("> R. 1:1(0) ack 1").readFails(SocketError.ETIMEDOUT);
    }
}
