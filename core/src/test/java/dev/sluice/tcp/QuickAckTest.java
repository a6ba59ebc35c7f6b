package dev.sluice.tcp;

import static dev.sluice.socket.SocketOption.TCP_QUICKACK;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

/** Acknowledgments without delay (B-3.4, B-3.5, B-3.6). */
@ExchangeTest
class QuickAckTest {
    private static TcpTest established() {
        return TcpTest.established("mss 1000,wscale 0", window(60_000), rttMillis(30));
    }

    @Test
    void the_first_sixteen_segments_are_acknowledged_one_by_one() {
        var tcp = established();

        tcp.at(10);
        for (int start = 1; start < 1601; start += 100) {
            tcp.receive("< . %d:%d(100) ack 1".formatted(start, start + 100))
                    .expect("> . 1:1(0) ack " + (start + 100));
        }
        tcp.receive("< . 1601:1701(100) ack 1").expectNothing();
        tcp.at(50).expect("> . 1:1(0) ack 1701");
    }

    @Test
    void a_duplicate_starts_them_again() {
        var tcp = established();

        tcp.set(TCP_QUICKACK, 0).at(20).receive("< P. 1:301(300) ack 1").expectNothing();
        tcp.at(60).expect("> . 1:1(0) ack 301");
        tcp.at(80).receive("< P. 1:301(300) ack 1").expect("> . 1:1(0) ack 301");
        tcp.at(100).receive("< P. 301:401(100) ack 1").expect("> . 1:1(0) ack 401");
        tcp.hasCounted(Counter.DELAYED_ACK_LOST, 1);
    }

    @Test
    void setting_the_option_sends_the_ack_of_data_that_was_read() {
        var tcp = established();

        tcp.set(TCP_QUICKACK, 0).at(20).receive("< P. 1:301(300) ack 1").read(300);
        tcp.at(30).set(TCP_QUICKACK, 1).expect("> . 1:1(0) ack 301");
        tcp.at(50).receive("< P. 301:601(300) ack 1").expect("> . 1:1(0) ack 601");
    }

    @Test
    void with_unread_data_setting_the_option_sends_nothing() {
        var tcp = established();

        tcp.set(TCP_QUICKACK, 0).at(20).receive("< P. 1:301(300) ack 1").expectNothing();
        tcp.at(24).set(TCP_QUICKACK, 1).expectNothing();
        tcp.at(60).expect("> . 1:1(0) ack 301");
    }

    @Test
    void an_even_value_sends_it_once_and_stays_interactive() {
        var tcp = established();

        tcp.set(TCP_QUICKACK, 0).at(20).receive("< P. 1:301(300) ack 1").read(300);
        tcp.at(30).set(TCP_QUICKACK, 2).expect("> . 1:1(0) ack 301");
        tcp.at(50).receive("< P. 301:601(300) ack 1").expectNothing();
        tcp.at(90).expect("> . 1:1(0) ack 601");
    }
}
