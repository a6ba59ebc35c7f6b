package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.cwnd;
import static dev.sluice.testkit.Setup.ipv6;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.socket.SocketError;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class DataTransferTest {
    private static TcpTest established() {
        return TcpTest.established("mss 1000", window(60_000), rttMillis(40));
    }

    @Test
    @Rfc("RFC 9293 section 3.8")
    void bytes_arrive_in_order_and_are_acknowledged() {
        var tcp = established();

        tcp.at(10).receive("< P. 1:501(500) ack 1").expect("> . 1:1(0) ack 501").read(500);
        tcp.at(20).receive("< P. 501:601(100) ack 1").expect("> . 1:1(0) ack 601").read(100);
        tcp.readFails(SocketError.EAGAIN).info().has("bytes_received", 600);
    }

    @Test
    @Rfc("RFC 9293 SHLD-31")
    void data_out_of_order_is_kept_and_delivered_in_order() {
        var tcp = established();

        tcp.at(10).receive("< . 1001:2001(1000) ack 1").discard().readFails(SocketError.EAGAIN);
        tcp.at(20).receive("< . 3001:4001(1000) ack 1").discard();
        tcp.at(30).receive("< . 2001:3001(1000) ack 1").discard();
        tcp.at(40).receive("< . 1:1001(1000) ack 1").expect("> . 1:1(0) ack 4001").read(4000);
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void what_overlaps_is_trimmed() {
        var tcp = established();

        tcp.at(10).receive("< . 501:1501(1000) ack 1").discard();
        tcp.at(20).receive("< . 1001:2001(1000) ack 1").discard();
        tcp.at(30).receive("< . 1:801(800) ack 1").expect("> . 1:1(0) ack 2001");
        tcp.at(40).receive("< . 1501:2201(700) ack 1").expect("> . 1:1(0) ack 2201").read(2200);
        tcp.readFails(SocketError.EAGAIN);
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void data_beyond_the_window_is_cut_off_or_refused() {
        var tcp = established();

        long edge = 1 + tcp.info().value("rcv_wnd");
        tcp.at(10)
                .receive("< . %d:%d(1000) ack 1".formatted(edge + 500, edge + 1500))
                .expect("> . 1:1(0) ack 1");
        tcp.info().has("bytes_received", 0);
        tcp.at(20).receive("< P. 1:11(10) ack 1").discard().read(10);
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void segments_without_ack_are_dropped() {
        var tcp = established();

        tcp.at(10).receive("< P 1:101(100)").expectNothing().readFails(SocketError.EAGAIN);
    }

    @Test
    @Rfc("RFC 5681 section 3.1")
    void ten_segments_leave_at_once_and_acks_open_the_window_by_what_they_cover() {
        var tcp = established();

        tcp.write(20_000).expect("> . 1:10001(10000) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 2001").expect("> . 10001:14001(4000) ack 1");
        tcp.at(41).receive("< . 1:1(0) ack 4001").expect("> . 14001:18001(4000) ack 1");
        tcp.info().hasCwnd(14);
        tcp.at(42).receive("< . 1:1(0) ack 10001").expect("> P. 18001:20001(2000) ack 1");
    }

    @Test
    @Rfc("RFC 9293 section 3.8.6")
    void the_peers_window_is_never_exceeded() {
        var tcp = TcpTest.established("mss 1000", window(2500), rttMillis(40));

        tcp.write(8000).expect("> P. 1:2001(2000) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 1001").expect("> . 2001:3001(1000) ack 1");
        tcp.at(41).receive("< . 1:1(0) ack 2001").expect("> P. 3001:4001(1000) ack 1");
    }

    @Test
    @Rfc("RFC 9293 section 3.8.6.2.1")
    void a_window_below_a_segment_is_filled_when_everything_was_acknowledged() {
        var tcp = TcpTest.established("mss 1000", window(600), rttMillis(40));

        tcp.write(1000);
        long total = 0;
        for (int i = 0; i < 6 && total < 1000; i++) {
            for (var sent : tcp.firstOutputOrNothing(300).take()) {
                assertThat(sent.segment().length()).isBetween(1, 600);
                total = sent.segment().end() - 1;
            }
            tcp.receive("< . 1:1(0) ack " + (total + 1));
        }
        assertThat(total).isEqualTo(1000);
        tcp.discard();
    }

    @Test
    void an_ack_may_cover_part_of_a_segment() {
        var tcp = established();

        tcp.write(2000).expect("> P. 1:2001(2000) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 501").expectNothing();
        tcp.info().has("unacked", 2).has("bytes_acked", 500);
        tcp.firstOutputBetween(200, 400).expect("> . 501:1001(500) ack 1");
        tcp.after(40).receive("< . 1:1(0) ack 2001").expectNothing();
    }

    @Test
    void an_old_ack_changes_nothing() {
        var tcp = established();

        tcp.write(2000).expect("> P. 1:2001(2000) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 2001").expectNothing();
        tcp.at(50).receive("< . 1:1(0) ack 1001 win 100").expectNothing();
        tcp.info().has("snd_wnd", 60_000).has("unacked", 0);
    }

    @Test
    void both_directions_at_once() {
        var tcp = established();

        tcp.write(1000).expect("> P. 1:1001(1000) ack 1");
        tcp.at(20).receive("< P. 1:1001(1000) ack 1").expect("> . 1001:1001(0) ack 1001");
        tcp.at(40).write(1000).expect("> P. 1001:2001(1000) ack 1001").read(1000);
        tcp.at(60).receive("< P. 1001:2001(1000) ack 2001").expectNothing().read(1000);
        tcp.at(100).expect("> . 2001:2001(0) ack 2001");
    }

    @Test
    void sequence_numbers_wrap() {
        var tcp = established();

        int next = 1;
        for (int i = 0; i < 20; i++) {
            tcp.after(10).receive("< P. %d:%d(1000) ack 1".formatted(next, next + 1000));
            tcp.firstOutputOrNothing(45).expect("> . 1:1(0) ack " + (next + 1000)).read(1000);
            next += 1000;
        }
    }

    @Test
    void a_write_takes_what_the_buffer_has_room_for() {
        var tcp = TcpTest.established("mss 1000", window(60_000), cwnd(2), rttMillis(40));

        tcp.set(dev.sluice.socket.SocketOption.SO_SNDBUF, 10_000);
        int taken = tcp.tryWrite(100_000);
        assertThat(taken).isBetween(5_000, 60_000);
        assertThat(tcp.tryWrite(1)).isEqualTo(SocketError.EAGAIN.result());
        tcp.expect("> . 1:2001(2000) ack 1");
        assertThat(tcp.readySet() & Readiness.OUT).isZero();
    }

    @Test
    void ipv6_carries_data_both_ways() {
        var tcp = TcpTest.established("mss 1440,sackOK,TS val 5 ecr 0,wscale 7", ipv6());

        tcp.write(3000).expect("> P. 1:3001(3000) ack 1");
        tcp.at(20).receive("< P. 1:1001(1000) ack 3001 <TS val 40 ecr 20>");
        tcp.expect("> . 3001:3001(0) ack 1001").read(1000);
        tcp.hasCounted(Counter.IP6_IN_DELIVERS, 3);
    }
}
