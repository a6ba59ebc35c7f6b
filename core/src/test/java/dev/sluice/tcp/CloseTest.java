package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketOption;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class CloseTest {
    private static TcpTest established() {
        return established(rttMillis(40));
    }

    private static TcpTest established(Setup more) {
        return TcpTest.established("mss 1000,wscale 0", window(60_000), rttMillis(40), more);
    }

    @Test
    @Rfc("RFC 9293 section 3.6 figure 12")
    void we_close_first() {
        var tcp = established();

        tcp.at(10).close().expect("> F. 1:1(0) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 2").expectNothing();
        tcp.at(90).receive("< F. 1:1(0) ack 2").expect("> . 2:2(0) ack 2");
        assertThat(tcp.stack().endpoints()).isZero();
        tcp.at(690).receive("< F. 1:1(0) ack 2").expect("> . 2:2(0) ack 2");
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void the_peers_fin_may_acknowledge_ours() {
        var tcp = established();

        tcp.at(10).close().expect("> F. 1:1(0) ack 1");
        tcp.at(40).receive("< F. 1:1(0) ack 2").expect("> . 2:2(0) ack 2");
        assertThat(tcp.stack().endpoints()).isZero();
    }

    @Test
    @Rfc("RFC 9293 section 3.6")
    void the_peer_closes_first() {
        var tcp = established();

        tcp.at(10).receive("< F. 1:1(0) ack 1").firstOutputOrNothing(50);
        tcp.expect("> . 1:1(0) ack 2").readEnds().hasState(TcpState.CLOSE_WAIT);
        tcp.at(70).write(300).expect("> P. 1:301(300) ack 2");
        tcp.at(100).receive("< . 2:2(0) ack 301").expectNothing();
        tcp.close().expect("> F. 301:301(0) ack 2");
        tcp.at(140).receive("< . 2:2(0) ack 302").expectNothing();
        assertThat(tcp.stack().endpoints()).isZero();
        tcp.at(190).receive("< . 2:2(0) ack 302").expect("> R 302:302(0)");
    }

    @Test
    @Rfc("RFC 9293 section 3.6 figure 13")
    void fins_cross() {
        var tcp = established();

        tcp.shutdownOutput().expect("> F. 1:1(0) ack 1");
        tcp.at(10).receive("< F. 1:1(0) ack 1").expect("> . 2:2(0) ack 2");
        tcp.hasState(TcpState.CLOSING);
        tcp.at(30).receive("< . 2:2(0) ack 2").expectNothing();
        tcp.at(80).receive("< F. 1:1(0) ack 2").expect("> . 2:2(0) ack 2");
    }

    @Test
    void the_fin_rides_on_the_last_data() {
        var tcp = TcpTest.established("mss 1000,wscale 0", window(2000), rttMillis(40));

        tcp.write(2300).expect("> P. 1:2001(2000) ack 1");
        tcp.close().expectNothing();
        tcp.at(40).receive("< . 1:1(0) ack 2001").expect("> FP. 2001:2301(300) ack 1");
        tcp.at(80).receive("< . 1:1(0) ack 2302").expectNothing();
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void an_unacknowledged_fin_is_repeated() {
        var tcp = established();

        tcp.at(10).close().expect("> F. 1:1(0) ack 1");
        tcp.at(250).expect("> F. 1:1(0) ack 1");
        tcp.at(730).expect("> F. 1:1(0) ack 1");
        tcp.at(770).receive("< . 1:1(0) ack 2").expectNothing();
    }

    @Test
    void only_the_fin_is_repeated_when_the_data_was_acknowledged() {
        var tcp = established();

        tcp.write(100).expect("> P. 1:101(100) ack 1").close().expect("> F. 101:101(0) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 101").expectNothing();
        tcp.at(280).expect("> F. 101:101(0) ack 1");
        tcp.at(320).receive("< . 1:1(0) ack 102").expectNothing();
    }

    @Test
    void in_last_ack_the_fin_is_repeated_too() {
        var tcp = established();

        tcp.at(10).receive("< F. 1:1(0) ack 1").firstOutputOrNothing(50).discard();
        tcp.at(70).close().expect("> F. 1:1(0) ack 2");
        tcp.at(310).expect("> F. 1:1(0) ack 2");
        tcp.at(350).receive("< . 2:2(0) ack 2").expectNothing();
        tcp.at(400).receive("< . 2:2(0) ack 2").expect("> R 2:2(0)");
    }

    @Test
    @Rfc({"RFC 9293 section 3.10.4", "RFC 2525 section 2.17", "RFC 1122 section 4.2.2.13"})
    void closing_with_unread_data_resets() {
        var tcp = established();

        tcp.at(10).receive("< P. 1:101(100) ack 1").expect("> . 1:1(0) ack 101");
        tcp.at(20).close().expect("> R. 1:1(0) ack 101");
        tcp.hasCounted(Counter.TCP_ABORT_ON_CLOSE, 1).hasCounted(Counter.TCP_OUT_RSTS, 1);
    }

    @Test
    void an_unread_fin_is_no_unread_data() {
        var tcp = established();

        tcp.at(10).receive("< F. 1:1(0) ack 1").firstOutputOrNothing(50).discard();
        tcp.at(70).close().expect("> F. 1:1(0) ack 2");
        tcp.at(100).receive("< . 2:2(0) ack 2").expectNothing();
    }

    @Test
    @Rfc("RFC 9293 section 3.10.5")
    void a_linger_time_of_zero_resets() {
        var tcp = established();

        tcp.set(SocketOption.SO_LINGER, 0).at(10).write(100).expect("> P. 1:101(100) ack 1");
        tcp.at(20).close().expect("> R. 101:101(0) ack 1");
        assertThat(tcp.stack().endpoints()).isZero();
    }

    @Test
    @Rfc({"RFC 9293 section 3.10.7.4", "RFC 1122 section 4.2.2.13"})
    void data_after_close_is_answered_with_a_reset() {
        var tcp = established();

        tcp.at(10).close().expect("> F. 1:1(0) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 2").expectNothing();
        tcp.at(90).receive("< P. 1:51(50) ack 2").expect("> R 2:2(0)");
        tcp.hasCounted(Counter.TCP_ABORT_ON_DATA, 1);
        assertThat(tcp.stack().endpoints()).isZero();
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void data_beyond_the_peers_own_fin_is_dropped_in_silence() {
        var tcp = established();

        tcp.at(10).receive("< F. 1:1(0) ack 1").firstOutputOrNothing(50).discard();
        tcp.at(70).receive("< P. 2:52(50) ack 1").expectNothing().readEnds();
        tcp.at(170).write(7).expect("> P. 1:8(7) ack 2");
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void a_repeated_fin_is_acknowledged_again() {
        var tcp = established();

        tcp.at(10).receive("< F. 1:1(0) ack 1").firstOutputOrNothing(50).discard();
        tcp.at(670).receive("< F. 1:1(0) ack 1").expect("> . 1:1(0) ack 2");
        tcp.hasState(TcpState.CLOSE_WAIT);
    }

    @Test
    void an_orphan_in_fin_wait_2_is_forgotten() {
        var tcp = established(sysctl("net.ipv4.tcp_fin_timeout", 2));

        tcp.at(10).close().expect("> F. 1:1(0) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 2").expectNothing();
        tcp.at(2640).receive("< F. 1:1(0) ack 2").expect("> R 2:2(0)");
    }

    @Test
    void linger2_below_zero_spares_fin_wait_2() {
        var tcp = established();

        tcp.set(SocketOption.TCP_LINGER2, -1).at(10).close().expect("> F. 1:1(0) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 2").expect("> R 2:2(0)");
        assertThat(tcp.stack().endpoints()).isZero();
    }

    @Test
    void an_orphan_gives_up_early_without_a_reset() {
        var tcp = established(sysctl("net.ipv4.tcp_orphan_retries", 2));

        tcp.write(100).expect("> P. 1:101(100) ack 1").close().expect("> F. 101:101(0) ack 1");
        tcp.at(240).expect("> FP. 1:101(100) ack 1");
        tcp.at(720).discard();
        tcp.at(2220).receive("< . 1:1(0) ack 102").expect("> R 102:102(0)");
    }

    @Test
    void abort_resets_whatever_is_queued() {
        var tcp = established();

        assertThat(tcp.tryWrite(70_000)).isGreaterThan(20_000);
        tcp.discard().abort();
        var sent = tcp.take();
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().segment().flags()).isEqualTo(0x14);
        tcp.hasState(TcpState.CLOSED).writeFails(SocketError.EPIPE);
    }
}
