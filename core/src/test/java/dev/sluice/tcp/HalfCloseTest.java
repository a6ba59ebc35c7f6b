package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.socket.SocketError;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;

import org.junit.jupiter.api.Test;

@ExchangeTest
class HalfCloseTest {
    private static TcpTest established() {
        return TcpTest.established("mss 1000,wscale 0", window(60_000), rttMillis(30));
    }

    @Test
    @Rfc("RFC 9293 section 3.6")
    void after_our_shutdown_we_still_receive() {
        var tcp = established();

        tcp.at(10).shutdownOutput().expect("> F. 1:1(0) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 2").expectNothing().hasState(TcpState.FIN_WAIT_2);
        tcp.at(90).receive("< P. 1:801(800) ack 2").expect("> . 2:2(0) ack 801").read(800);
        tcp.at(140).receive("< F. 801:801(0) ack 2").expect("> . 2:2(0) ack 802").readEnds();
    }

    @Test
    @Rfc("RFC 9293 section 3.6")
    void after_the_peers_fin_we_still_send() {
        var tcp = established();

        tcp.at(10).receive("< F. 1:1(0) ack 1").firstOutputOrNothing(50).expect("> . 1:1(0) ack 2");
        tcp.at(500).write(2000).expect("> P. 1:2001(2000) ack 2");
        tcp.at(530).receive("< . 2:2(0) ack 2001").expectNothing();
        tcp.at(1030).write(100).expect("> P. 2001:2101(100) ack 2");
        tcp.at(1060).receive("< . 2:2(0) ack 2101").expectNothing();
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void data_on_its_way_when_we_shut_down_is_delivered() {
        var tcp = established();

        tcp.at(10).shutdownOutput().expect("> F. 1:1(0) ack 1");
        tcp.at(20).receive("< P. 1:401(400) ack 1").expect("> . 2:2(0) ack 401");
        tcp.at(40).receive("< F. 401:401(0) ack 2").expect("> . 2:2(0) ack 402");
        tcp.read(400).readEnds();
    }

    @Test
    void writing_after_shutdown_fails_and_a_second_shutdown_sends_nothing() {
        var tcp = established();

        tcp.shutdownOutput().expect("> F. 1:1(0) ack 1").writeFails(SocketError.EPIPE);
        tcp.shutdownOutput().expectNothing();
        tcp.at(30).receive("< P. 1:21(20) ack 2").expect("> . 2:2(0) ack 21").read(20);
    }

    @Test
    void after_shutdown_for_reading_data_is_still_acknowledged_and_readable() {
        var tcp = established();

        tcp.shutdownInput().expectNothing().readEnds();
        tcp.at(50).receive("< P. 1:21(20) ack 1").expect("> . 1:1(0) ack 21");
        tcp.read(20).readEnds();
        tcp.at(60).write(30).expect("> P. 1:31(30) ack 21");
    }

    @Test
    void a_fin_beyond_the_window_changes_nothing() {
        var tcp = TcpTest.established("mss 1000", window(60_000), rttMillis(30));

        tcp.at(10).receive("< F. 66001:66001(0) ack 1").expect("> . 1:1(0) ack 1");
        tcp.readFails(SocketError.EAGAIN).hasState(TcpState.ESTABLISHED);
    }
}
