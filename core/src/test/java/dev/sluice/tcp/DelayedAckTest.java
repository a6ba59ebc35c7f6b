package dev.sluice.tcp;

import static dev.sluice.socket.SocketOption.TCP_QUICKACK;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

/** Acknowledgments that wait; TCP_QUICKACK set to 0 makes a connection interactive (B-3.5). */
@ExchangeTest
class DelayedAckTest {
    private static TcpTest interactive(int mss) {
        var tcp = established(mss);
        return tcp.set(TCP_QUICKACK, 0);
    }

    private static TcpTest established(int mss) {
        return TcpTest.established("mss " + mss + ",wscale 0", window(60_000), rttMillis(30));
    }

    @Test
    @Rfc("RFC 9293 MUST-58")
    void a_lone_segment_is_acknowledged_after_40_ms() {
        var tcp = interactive(1000);

        tcp.at(20).receive("< P. 1:301(300) ack 1").expectNothing();
        tcp.at(60).expect("> . 1:1(0) ack 301").read(300);
        tcp.hasCounted(Counter.DELAYED_ACKS, 1);
    }

    @Test
    @Rfc("RFC 9293 SHLD-19")
    void the_second_full_segment_is_acknowledged_at_once() {
        var tcp = interactive(1460);

        tcp.at(20).receive("< . 1:1461(1460) ack 1").expectNothing().read(1460).expectNothing();
        tcp.at(30).receive("< . 1461:2921(1460) ack 1").expect("> . 1:1(0) ack 2921").read(1460);
        tcp.at(40).receive("< . 2921:4381(1460) ack 1").expectNothing().read(1460);
        tcp.at(50).receive("< . 4381:5841(1460) ack 1").expect("> . 1:1(0) ack 5841");
    }

    @Test
    void two_small_segments_are_not_two_full_ones() {
        var tcp = established(1000);

        tcp.receive("< . 1:1001(1000) ack 1").expect("> . 1:1(0) ack 1001").read(1000);
        tcp.set(TCP_QUICKACK, 0).at(20).receive("< . 1001:1301(300) ack 1").expectNothing();
        tcp.at(24).receive("< . 1301:1601(300) ack 1").expectNothing();
        tcp.at(60).expect("> . 1:1(0) ack 1601");
    }

    @Test
    void data_carries_the_acknowledgment() {
        var tcp = interactive(1000);

        tcp.at(20).receive("< P. 1:301(300) ack 1").expectNothing();
        tcp.at(40).write(40).expect("> P. 1:41(40) ack 301");
        tcp.at(90).receive("< . 301:301(0) ack 41").expectNothing();
        tcp.at(140).write(40).expect("> P. 41:81(40) ack 301");
    }

    @Test
    @Rfc("RFC 5681 section 4.2")
    void out_of_order_data_is_acknowledged_at_once() {
        var tcp = interactive(1000);

        tcp.at(20).receive("< . 1001:2001(1000) ack 1").expect("> . 1:1(0) ack 1");
        tcp.at(30).receive("< . 2001:3001(1000) ack 1").expect("> . 1:1(0) ack 1");
    }

    @Test
    @Rfc("RFC 5681 section 4.2")
    void the_segment_that_fills_the_hole_is_acknowledged_at_once() {
        var tcp = interactive(1000);

        tcp.at(20).receive("< . 51:551(500) ack 1").expect("> . 1:1(0) ack 1");
        tcp.at(30).receive("< . 1:51(50) ack 1").expect("> . 1:1(0) ack 551").read(550);
    }

    @Test
    void reading_more_than_a_segment_sends_the_ack() {
        var tcp = interactive(1000);

        tcp.at(20).receive("< . 1:1001(1000) ack 1").receive("< . 1001:2001(1000) ack 1");
        tcp.expectNothing().at(30).read(2000).expect("> . 1:1(0) ack 2001");
    }

    @Test
    void with_nobody_reading_the_second_segment_waits_too() {
        var tcp = interactive(1000);

        tcp.at(20).receive("< . 1:1001(1000) ack 1").expectNothing();
        tcp.at(24).receive("< . 1001:2001(1000) ack 1").expectNothing();
        tcp.at(60).expect("> . 1:1(0) ack 2001").read(2000);
    }

    @Test
    void the_expired_timer_ends_interactive_mode() {
        var tcp = interactive(1000);

        tcp.at(20).receive("< P. 1:301(300) ack 1").expectNothing();
        tcp.at(60).expect("> . 1:1(0) ack 301");
        tcp.at(80).receive("< P. 301:601(300) ack 1").expect("> . 1:1(0) ack 601");
    }

    @Test
    void a_quick_reply_makes_the_connection_interactive() {
        var tcp = established(1000);

        tcp.at(20).receive("< P. 1:301(300) ack 1").expect("> . 1:1(0) ack 301").read(300);
        tcp.write(50).expect("> P. 1:51(50) ack 301");
        tcp.at(50).receive("< P. 301:601(300) ack 51").expectNothing().read(300);
        tcp.at(90).expect("> . 51:51(0) ack 601");
    }

    @Test
    void a_late_reply_does_not() {
        var tcp = established(1000);

        tcp.at(20).receive("< P. 1:301(300) ack 1").expect("> . 1:1(0) ack 301").read(300);
        tcp.at(220).write(50).expect("> P. 1:51(50) ack 301");
        tcp.at(250).receive("< P. 301:601(300) ack 51").expect("> . 51:51(0) ack 601");
    }

    @Test
    void a_fin_with_data_is_acknowledged_after_40_ms() {
        var tcp = established(1000);

        tcp.at(20).receive("< FP. 1:301(300) ack 1").expectNothing();
        tcp.at(60).expect("> . 1:1(0) ack 302");
    }

    @Test
    void closing_meanwhile_puts_the_acknowledgment_on_the_fin() {
        var tcp = established(1000);

        tcp.at(20).receive("< P. 1:301(300) ack 1").expect("> . 1:1(0) ack 301").read(300);
        tcp.at(40).receive("< F. 301:301(0) ack 1").expectNothing().readEnds();
        tcp.at(50).close().expect("> F. 1:1(0) ack 302");
        tcp.at(80).receive("< . 302:302(0) ack 2").expectNothing();
    }
}
