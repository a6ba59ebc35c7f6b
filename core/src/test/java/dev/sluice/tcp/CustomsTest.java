package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.socket.SocketError;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

/** What {@code net.stack.tcp_customs} changes; each exchange differs between the two values. */
@ExchangeTest
class CustomsTest {
    private static TcpTest established(String customs) {
        return TcpTest.established(
                "mss 1000,sackOK",
                window(60_000),
                rttMillis(30),
                sysctl("net.stack.tcp_customs", customs),
                sysctl("net.stack.tcp_quick_acks", 0));
    }

    private static TcpTest connecting(String customs) {
        return TcpTest.connect(sysctl("net.stack.tcp_customs", customs));
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.3")
    void an_answer_to_something_else_may_let_the_syn_go_again_at_once() {
        for (String customs : new String[] {"linux", "freebsd"}) {
            var tcp = connecting(customs);
            tcp.discard();
            tcp.at(100).receive("< . 1:1(0) ack 900").expect("> R 900:900(0)");
            tcp.firstOutputOrNothing(500);
            assertThat(tcp.take()).hasSize(customs.equals("linux") ? 1 : 0);
        }
    }

    @Test
    void an_ack_before_the_fin_is_acknowledged_may_repeat_it() {
        for (String customs : new String[] {"linux", "freebsd"}) {
            var tcp = established(customs);
            tcp.at(10).shutdownOutput().expect("> F. 1:1(0) ack 1");
            tcp.at(20).receive("< F. 1:1(0) ack 1");
            tcp.expect(customs.equals("linux") ? "> . 2:2(0) ack 2" : "> F. 1:1(0) ack 2");
            tcp.at(30).receive("< . 2:2(0) ack 2").expectNothing();
        }
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void a_reset_where_the_fin_was_may_be_too_old() {
        var linux = established("linux");
        linux.at(10).receive("< F. 1:1(0) ack 1").firstOutputOrNothing(60).discard();
        linux.at(80).receive("< R 1:1(0) win 0").expectNothing().writeFails(SocketError.EPIPE);

        var other = established("freebsd");
        other.at(10).receive("< F. 1:1(0) ack 1").firstOutputOrNothing(60).discard();
        other.at(80).receive("< R 1:1(0) win 0").expectNothing().hasState(TcpState.CLOSE_WAIT);
        other.at(90).receive("< R 2:2(0) win 0").expectNothing().hasError(SocketError.ECONNRESET);
    }

    @Test
    @Rfc("RFC 5961 section 3.2")
    void right_behind_the_window_is_outside_for_a_reset() {
        var linux = established("linux");
        long edge = linux.connection().connection().receiveWindow.windowEnd();
        linux.at(10).receive("< R %1$d:%1$d(0) win 0".formatted(edge)).expect("> . 1:1(0) ack 1");

        var other = established("freebsd");
        edge = other.connection().connection().receiveWindow.windowEnd();
        other.at(10).receive("< R %1$d:%1$d(0) win 0".formatted(edge)).expectNothing();
        edge--;
        other.at(20).receive("< R %1$d:%1$d(0) win 0".formatted(edge)).expect("> . 1:1(0) ack 1");
    }

    @Test
    void the_second_segment_may_be_acknowledged_however_short() {
        for (String customs : new String[] {"linux", "freebsd"}) {
            var tcp = established(customs);
            tcp.at(10).receive("< P. 1:11(10) ack 1").expectNothing();
            tcp.at(11).receive("< P. 11:21(10) ack 1");
            if (customs.equals("linux")) {
                tcp.expectNothing();
            } else {
                tcp.expect("> . 1:1(0) ack 21");
            }
        }
    }

    @Test
    void time_wait_may_ignore_what_has_no_ack_bit() {
        for (String customs : new String[] {"linux", "freebsd"}) {
            var tcp = established(customs);
            tcp.at(10).close().expect("> F. 1:1(0) ack 1");
            tcp.at(40).receive("< F. 1:1(0) ack 2").expect("> . 2:2(0) ack 2");
            tcp.at(700).receive("< F 1:1(0)");
            if (customs.equals("linux")) {
                tcp.expect("> . 2:2(0) ack 2");
            } else {
                tcp.expectNothing();
            }
        }
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.2")
    void a_listener_may_keep_silent_about_a_syn_ack_and_take_a_fin_on_a_syn() {
        var linux = TcpTest.listen(sysctl("net.stack.tcp_customs", "linux"));
        linux.at(0).receive("< S. 0:0(0) ack 34").expect("> R 34:34(0)");
        linux.at(10).receive("< SF 0:0(0) win 9000 <mss 1000>").expectNothing();

        var other = TcpTest.listen(sysctl("net.stack.tcp_customs", "freebsd"));
        other.at(0).receive("< S. 0:0(0) ack 34").expectNothing();
        other.at(10).receive("< SF 0:0(0) win 9000 <mss 1000>");
        other.expect("> S. 0:0(0) ack 1 <mss 1460>");
    }

    @Test
    void a_syn_with_a_fin_can_be_dropped_in_any_case() {
        var tcp =
                TcpTest.listen(
                        sysctl("net.stack.tcp_customs", "freebsd"),
                        sysctl("net.stack.tcp_drop_syn_fin", 1));
        tcp.at(0).receive("< SF 0:0(0) win 9000 <mss 1000>").expectNothing();
    }

    @Test
    void data_on_a_syn_ack_may_be_kept() {
        for (String customs : new String[] {"linux", "freebsd"}) {
            var tcp = connecting(customs);
            tcp.discard();
            tcp.at(100).receive("< S. 0:100(100) ack 1 win 9000 <mss 1000>");
            boolean kept = customs.equals("freebsd");
            tcp.expect(kept ? "> . 1:1(0) ack 101" : "> . 1:1(0) ack 1");
            tcp.info().has("bytes_received", kept ? 100 : 0);
        }
    }

    @Test
    @Rfc("RFC 5681 section 4.2")
    void the_last_hole_filled_by_an_overlap_is_acknowledged_at_once() {
        var tcp = established("linux");
        tcp.at(10).receive("< . 1001:2001(1000) ack 1");
        tcp.expect("> . 1:1(0) ack 1 <sack 1001:2001>");
        tcp.at(20).receive("< . 1:2001(2000) ack 1");
        tcp.expect("> . 1:1(0) ack 2001 <sack 1001:2001>");
        tcp.hasCounted(Counter.TCP_OFO_QUEUE, 1);
    }
}
