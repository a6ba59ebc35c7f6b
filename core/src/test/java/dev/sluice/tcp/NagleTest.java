package dev.sluice.tcp;

import static dev.sluice.socket.SocketOption.TCP_CORK;
import static dev.sluice.socket.SocketOption.TCP_NODELAY;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.socket.SocketFlags;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;

import org.junit.jupiter.api.Test;

/** Nagle with Minshall's variant, cork and MSG_MORE (B-2.6, B-2.11). */
@ExchangeTest
class NagleTest {
    private static TcpTest established() {
        return TcpTest.established("mss 1000,wscale 0", window(60_000), rttMillis(40));
    }

    @Test
    @Rfc("RFC 9293 SHLD-7")
    void a_second_small_write_waits_for_the_ack_of_the_first() {
        var tcp = established();

        tcp.write(100).expect("> P. 1:101(100) ack 1");
        tcp.at(10).write(50).expectNothing();
        tcp.at(30).receive("< . 1:1(0) ack 101").expect("> P. 101:151(50) ack 1");
    }

    @Test
    void a_full_segment_in_flight_does_not_block_a_small_one() {
        var tcp = established();

        tcp.write(1000).expect("> P. 1:1001(1000) ack 1");
        tcp.at(5).write(200).expect("> P. 1001:1201(200) ack 1");
    }

    @Test
    void the_ack_of_the_full_one_alone_is_not_enough() {
        var tcp = established();

        tcp.write(1200).expect("> . 1:1001(1000) ack 1", "> P. 1001:1201(200) ack 1");
        tcp.at(5).write(300).expectNothing();
        tcp.at(30).receive("< . 1:1(0) ack 1001").expectNothing();
        tcp.at(35).receive("< . 1:1(0) ack 1201").expect("> P. 1201:1501(300) ack 1");
    }

    @Test
    @Rfc("RFC 9293 section 3.7.4")
    void held_writes_are_joined() {
        var tcp = established();

        tcp.write(100).expect("> P. 1:101(100) ack 1");
        tcp.at(5).write(50).at(10).write(60).at(15).write(70).expectNothing();
        tcp.at(30).receive("< . 1:1(0) ack 101").expect("> P. 101:281(180) ack 1");
    }

    @Test
    @Rfc("RFC 9293 section 3.7.4")
    void held_bytes_leave_when_they_fill_a_segment() {
        var tcp = established();

        tcp.write(100).expect("> P. 1:101(100) ack 1");
        tcp.at(5).write(600).expectNothing();
        tcp.at(10).write(600).expect("> . 101:1101(1000) ack 1");
        tcp.at(30).receive("< . 1:1(0) ack 101").expect("> P. 1101:1301(200) ack 1");
    }

    @Test
    void write_write_read_stalls_until_the_delayed_ack() {
        var tcp = established();

        tcp.write(20).expect("> P. 1:21(20) ack 1").write(400).expectNothing();
        tcp.at(60).receive("< . 1:1(0) ack 21").expect("> P. 21:421(400) ack 1");
        tcp.at(80).receive("< P. 1:101(100) ack 421").expect("> . 421:421(0) ack 101");
    }

    @Test
    @Rfc("RFC 9293 MUST-17")
    void nodelay_switches_it_off() {
        var tcp = established();

        tcp.set(TCP_NODELAY, 1).write(100).expect("> P. 1:101(100) ack 1");
        tcp.at(5).write(50).expect("> P. 101:151(50) ack 1");
        tcp.at(10).write(50).expect("> P. 151:201(50) ack 1");
    }

    @Test
    void setting_nodelay_sends_what_waits() {
        var tcp = established();

        tcp.write(100).expect("> P. 1:101(100) ack 1").write(50).expectNothing();
        tcp.at(10).set(TCP_NODELAY, 1).expect("> P. 101:151(50) ack 1");
    }

    @Test
    void a_fin_does_not_wait_and_takes_the_held_bytes_along() {
        var tcp = established();

        tcp.write(100).expect("> P. 1:101(100) ack 1");
        tcp.at(5).write(50).expectNothing();
        tcp.at(10).shutdownOutput().expect("> FP. 101:151(50) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 152").expectNothing();
    }

    @Test
    void the_cork_lets_full_segments_go_and_holds_the_rest() {
        var tcp = established();

        tcp.set(TCP_CORK, 1).write(2300);
        tcp.expect("> . 1:1001(1000) ack 1", "> . 1001:2001(1000) ack 1");
        tcp.at(30).receive("< . 1:1(0) ack 2001").expectNothing();
        tcp.at(80).set(TCP_CORK, 0).expect("> P. 2001:2301(300) ack 1");
    }

    @Test
    void a_cork_nobody_removes_is_released_by_the_persist_timer() {
        var tcp = established();

        tcp.set(TCP_CORK, 1).at(10).write(300).expectNothing();
        tcp.at(250).expect("> P. 1:301(300) ack 1");
    }

    @Test
    void the_cork_wins_over_nodelay_but_setting_nodelay_pushes_once() {
        var tcp = established();

        tcp.set(TCP_NODELAY, 1).set(TCP_CORK, 1).at(10).write(300).expectNothing();
        tcp.at(60).set(TCP_NODELAY, 1).expect("> P. 1:301(300) ack 1");
        tcp.at(70).write(200).expectNothing();
        tcp.at(90).set(TCP_CORK, 0).expect("> P. 301:501(200) ack 1");
    }

    @Test
    void closing_removes_the_cork() {
        var tcp = established();

        tcp.set(TCP_CORK, 1).write(300).expectNothing();
        tcp.at(20).close().expect("> FP. 1:301(300) ack 1");
    }

    @Test
    void msg_more_corks_one_call() {
        var tcp = established();

        tcp.write(120, SocketFlags.MSG_MORE).expectNothing();
        tcp.at(10).write(380).expect("> P. 1:501(500) ack 1");
    }

    @Test
    void msg_more_holds_although_nodelay_is_set_until_the_timer() {
        var tcp = established();

        tcp.set(TCP_NODELAY, 1).at(10).write(120, SocketFlags.MSG_MORE).expectNothing();
        tcp.at(250).expect("> P. 1:121(120) ack 1");
    }

    @Test
    void a_full_segment_with_msg_more_has_no_push() {
        var tcp = established();

        tcp.write(1000, SocketFlags.MSG_MORE).expect("> . 1:1001(1000) ack 1");
        tcp.at(30).receive("< . 1:1(0) ack 1001").expectNothing();
        tcp.at(40).write(10).expect("> P. 1001:1011(10) ack 1");
    }
}
