package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.option;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketOption;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

/** A closed window, at both ends (B-7.8). */
@ExchangeTest
class ZeroWindowProbeTest {
    /** 3,000 bytes written, 2,000 of them sent and acknowledged at 40 ms. */
    private static TcpTest blocked(int windowBytes, Setup more) {
        var tcp = TcpTest.established("mss 1000,wscale 0", window(2000), rttMillis(40), more);
        tcp.write(3000).expect("> P. 1:2001(2000) ack 1");
        return tcp.at(40).receive("< . 1:1(0) ack 2001 win " + windowBytes).expectNothing();
    }

    private static TcpTest blocked() {
        return blocked(0, rttMillis(40));
    }

    @Test
    @Rfc({"RFC 9293 MUST-36", "RFC 9293 SHLD-30"})
    void probes_start_after_the_rto_and_back_off() {
        var tcp = blocked();

        tcp.at(280).expect("> . 2000:2000(0) ack 1");
        tcp.at(760).expect("> . 2000:2000(0) ack 1");
        tcp.info().has("probes", 2);
        tcp.at(1720).expect("> . 2000:2000(0) ack 1");
        tcp.hasCounted(Counter.TCP_WIN_PROBE, 3);
    }

    @Test
    @Rfc("RFC 9293 MUST-37")
    void a_peer_that_answers_is_probed_for_ever_at_the_backed_off_distance() {
        var tcp = blocked(0, sysctl("net.ipv4.tcp_retries2", 2));

        double at = 40;
        double wait = 240;
        for (int i = 0; i < 8; i++) {
            at += wait;
            tcp.at(at).expect("> . 2000:2000(0) ack 1");
            tcp.at(at + 5).receive("< . 1:1(0) ack 2001 win 0").expectNothing();
            at += 5;
            wait = Math.min(wait * 2, 960);
        }
        tcp.hasState(TcpState.ESTABLISHED).info().has("probes", 0);
    }

    @Test
    void silence_ends_the_connection() {
        var tcp = blocked(0, sysctl("net.ipv4.tcp_retries2", 2));

        tcp.at(280).expect("> . 2000:2000(0) ack 1");
        tcp.at(760).expect("> . 2000:2000(0) ack 1");
        tcp.at(2060).readFails(SocketError.ETIMEDOUT);
    }

    @Test
    @Rfc("RFC 9293 section 3.8.6.1")
    void an_opened_window_releases_the_data_and_forgets_the_backoff() {
        var tcp = blocked();

        tcp.at(280).expect("> . 2000:2000(0) ack 1");
        tcp.at(320).receive("< . 1:1(0) ack 2001 win 2000").expect("> P. 2001:3001(1000) ack 1");
        tcp.info().has("backoff", 0).has("probes", 0);
        tcp.at(360).receive("< . 1:1(0) ack 3001").expectNothing();
    }

    @Test
    @Rfc({"RFC 9293 MUST-38", "RFC 9293 SHLD-30"})
    void a_small_window_is_left_alone_until_the_timer_uses_it() {
        var tcp = blocked(400, rttMillis(40));

        tcp.at(280).expect("> P. 2001:2401(400) ack 1");
        tcp.at(320).receive("< . 1:1(0) ack 2401 win 2000").expect("> P. 2401:3001(600) ack 1");
    }

    @Test
    void without_data_to_send_nothing_is_probed() {
        var tcp = TcpTest.established("mss 1000,wscale 0", window(2000), rttMillis(40));

        tcp.write(2000).expect("> P. 1:2001(2000) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 2001 win 0").expectNothing();
        tcp.at(640).write(10).expectNothing();
        tcp.at(880).expect("> . 2000:2000(0) ack 1");
    }

    @Test
    void even_a_bare_fin_waits_for_the_window() {
        var tcp = TcpTest.established("mss 1000,wscale 0", window(1000), rttMillis(40));

        tcp.write(500).expect("> P. 1:501(500) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 501 win 0").expectNothing();
        tcp.at(60).close().expectNothing();
        tcp.at(300).expect("> . 500:500(0) ack 1");
        tcp.at(340).receive("< . 1:1(0) ack 501 win 1000").expect("> F. 501:501(0) ack 1");
        tcp.at(380).receive("< . 1:1(0) ack 502 win 1000").expectNothing();
    }

    @Test
    void data_and_fin_leave_together_when_it_opens() {
        var tcp = TcpTest.established("mss 1000,wscale 0", window(1000), rttMillis(40));

        tcp.write(500).expect("> P. 1:501(500) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 501 win 0").expectNothing();
        tcp.at(50).write(200).at(60).close().expectNothing();
        tcp.at(110).receive("< . 1:1(0) ack 501 win 1000").expect("> FP. 501:701(200) ack 1");
    }

    @Test
    @Rfc("RFC 9293 MUST-35")
    void a_window_taken_back_is_tolerated() {
        var tcp = TcpTest.established("mss 1000,wscale 0", window(4000), rttMillis(40));

        tcp.write(2000).expect("> P. 1:2001(2000) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 1001 win 1000").expectNothing();
        tcp.write(2000).expectNothing();
        tcp.at(60).receive("< . 1:1(0) ack 2001 win 1000").expect("> . 2001:3001(1000) ack 1");
        tcp.at(100).receive("< . 1:1(0) ack 3001 win 4000").expect("> P. 3001:4001(1000) ack 1");
    }

    @Test
    @Rfc({"RFC 9293 MUST-34", "RFC 9293 section 3.8.6.1"})
    void our_window_closes_without_shrinking_and_probes_are_answered() {
        var tcp =
                TcpTest.established(
                        "mss 1000",
                        window(60_000),
                        rttMillis(30),
                        sysctl("net.ipv4.tcp_rmem", "4096 15000 15000"),
                        option(SocketOption.SO_RCVBUF, 7500));

        long edge = 0;
        long next = 1;
        for (int i = 0; i < 40 && tcp.info().value("rcv_wnd") > 0; i++) {
            int length = (int) Math.min(1000, tcp.info().value("rcv_wnd"));
            tcp.after(50).receive("< . %d:%d(%d) ack 1".formatted(next, next + length, length));
            next += length;
            tcp.discard().firstOutputOrNothing(45).discard();
            long right = next + tcp.info().value("rcv_wnd");
            if (right < edge) {
                throw tcp.failure("the right edge moved back from " + edge + " to " + right);
            }
            edge = right;
        }
        tcp.info().has("rcv_wnd", 0);
        tcp.after(250)
                .receive("< P. %d:%d(1) ack 1".formatted(next, next + 1))
                .expect("> . 1:1(0) ack " + next + " win 0");
        tcp.after(100).read((int) next - 1);
        if (tcp.take().size() != 1) {
            throw tcp.failure("reading did not reopen the window");
        }
        tcp.receive("< P. %d:%d(1) ack 1".formatted(next, next + 1)).discard();
        tcp.read(1);
    }
}
