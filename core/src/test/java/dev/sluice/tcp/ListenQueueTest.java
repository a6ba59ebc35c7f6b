package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.backlog;
import static dev.sluice.testkit.Setup.sysctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.socket.SocketError;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class ListenQueueTest {
    private static void open(TcpTest tcp, int port) {
        tcp.receive("< " + port + " > 8080 S 0:0(0) win 9000 <mss 1100>")
                .expect("> 8080 > " + port + " S. 0:0(0) ack 1");
        tcp.receive("< " + port + " > 8080 . 1:1(0) ack 1 win 9000").expectNothing();
    }

    @Test
    void readiness_comes_with_the_third_segment() {
        var tcp = TcpTest.listen();

        assertThat(tcp.listener().readySet()).isZero();
        tcp.receive("< S 0:0(0) win 9000 <mss 1100>").expect("> S. 0:0(0) ack 1");
        assertThat(tcp.listener().readySet()).isZero();
        tcp.at(20).receive("< . 1:1(0) ack 1 win 9000").expectNothing();
        assertThat(tcp.listener().readySet()).isEqualTo(Readiness.IN);
        tcp.accept();
        assertThat(tcp.listener().readySet()).isZero();
        assertThat(tcp.tryAccept()).isNull();
    }

    @Test
    void connections_are_accepted_in_the_order_of_their_completion() {
        var tcp = TcpTest.listen();

        tcp.receive("< 50001 > 8080 S 0:0(0) win 9000").discard();
        tcp.receive("< 50002 > 8080 S 0:0(0) win 9000").discard();
        tcp.receive("< 50002 > 8080 . 1:1(0) ack 1 win 9000").expectNothing();
        tcp.receive("< 50001 > 8080 . 1:1(0) ack 1 win 9000").expectNothing();

        tcp.peerAt(50_002).accept();
        assertThat(tcp.connection().connection().remotePort()).isEqualTo(50_002);
        tcp.peerAt(50_001).accept();
        assertThat(tcp.connection().connection().remotePort()).isEqualTo(50_001);
    }

    @Test
    void a_full_accept_queue_takes_one_more_than_the_backlog_and_then_drops_syns() {
        var tcp = TcpTest.listen(backlog(1), sysctl("net.ipv4.tcp_syncookies", 0));

        open(tcp, 50_001);
        open(tcp, 50_002);
        tcp.receive("< 50003 > 8080 S 0:0(0) win 9000 <mss 1100>").expectNothing();
        tcp.hasCounted(Counter.LISTEN_OVERFLOWS, 1);

        tcp.peerAt(50_001).accept();
        tcp.at(1000)
                .receive("< 50003 > 8080 S 0:0(0) win 9000 <mss 1100>")
                .expect("> 8080 > 50003 S. 0:0(0) ack 1");
    }

    @Test
    void the_last_ack_into_a_full_queue_is_ignored_and_the_syn_ack_comes_again() {
        var tcp = TcpTest.listen(backlog(1), sysctl("net.ipv4.tcp_syncookies", 0));

        open(tcp, 50_001);
        tcp.receive("< 50002 > 8080 S 0:0(0) win 9000 <mss 1100>").discard();
        tcp.receive("< 50003 > 8080 S 0:0(0) win 9000 <mss 1100>").discard();
        tcp.receive("< 50002 > 8080 . 1:1(0) ack 1 win 9000").expectNothing();
        tcp.receive("< 50003 > 8080 . 1:1(0) ack 1 win 9000").expectNothing();
        assertThat(tcp.listener().waiting()).isEqualTo(2);
        tcp.hasCounted(Counter.LISTEN_OVERFLOWS, 1);

        tcp.peerAt(50_001).accept();
        tcp.at(1000).expect("> 8080 > 50003 S. 0:0(0) ack 1");
        tcp.at(1020).receive("< 50003 > 8080 . 1:1(0) ack 1 win 9000").expectNothing();
        assertThat(tcp.listener().waiting()).isEqualTo(2);
    }

    @Test
    void overflow_can_abort_instead() {
        var tcp =
                TcpTest.listen(
                        backlog(1),
                        sysctl("net.ipv4.tcp_syncookies", 0),
                        sysctl("net.ipv4.tcp_abort_on_overflow", 1));

        open(tcp, 50_001);
        tcp.receive("< 50002 > 8080 S 0:0(0) win 9000 <mss 1100>").discard();
        tcp.receive("< 50003 > 8080 S 0:0(0) win 9000 <mss 1100>").discard();
        tcp.receive("< 50002 > 8080 . 1:1(0) ack 1 win 9000").expectNothing();
        tcp.receive("< 50003 > 8080 . 1:1(0) ack 1 win 9000").expect("> 8080 > 50003 R 1:1(0)");
    }

    @Test
    @Rfc("RFC 9293 section 3.10.4")
    void closing_the_listener_resets_what_was_not_accepted() {
        var tcp = TcpTest.listen();

        open(tcp, 50_001);
        tcp.closeListener().expect("> 8080 > 50001 R. 1:1(0) ack 1");
        tcp.receive("< 50002 > 8080 S 0:0(0) win 9000").expect("> 8080 > 50002 R. 0:0(0) ack 1");
    }

    @Test
    void closing_the_listener_forgets_half_open_connections() {
        var tcp = TcpTest.listen();

        tcp.receive("< 50001 > 8080 S 0:0(0) win 9000").discard();
        tcp.closeListener().expectNothing();
        tcp.receive("< 50001 > 8080 . 1:1(0) ack 1 win 9000").expect("> 8080 > 50001 R 1:1(0)");
        assertThat(tcp.stack().endpoints()).isZero();
    }

    @Test
    void a_connection_reset_before_accept_can_be_accepted_and_says_so() {
        var tcp = TcpTest.listen();

        open(tcp, 50_001);
        tcp.receive("< 50001 > 8080 R 1:1(0) win 0").expectNothing();
        tcp.accept().readFails(SocketError.ECONNRESET);
    }
}
