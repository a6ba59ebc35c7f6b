package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.active;
import static dev.sluice.testkit.Setup.ipv6;
import static dev.sluice.testkit.Setup.option;
import static dev.sluice.testkit.Setup.sysctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketOption;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

@ExchangeTest
class HandshakeTest {
    @Test
    @Rfc({"RFC 9293 section 3.10.7.2", "RFC 7323 section 2.2", "RFC 2018 section 2"})
    void a_syn_with_every_option_is_answered_with_every_option() {
        var tcp = TcpTest.listen();

        tcp.receive("< S 7100:7100(0) win 31000 <mss 1220,sackOK,TS val 55 ecr 0,nop,wscale 5>")
                .expect(
                        "> S. 0:0(0) ack 7101 win 65160"
                                + " <mss 1460,sackOK,TS val 0 ecr 55,nop,wscale 10>");
        tcp.at(20)
                .receive("< . 7101:7101(0) ack 1 win 900 <nop,nop,TS val 75 ecr 0>")
                .expectNothing()
                .accept();

        tcp.info()
                .hasState(TcpState.ESTABLISHED)
                .has("options", TcpInfo.OPT_TIMESTAMPS | TcpInfo.OPT_SACK | TcpInfo.OPT_WSCALE)
                .has("snd_wscale", 5)
                .has("rcv_wscale", 10)
                .has("snd_mss", 1208)
                .has("rtt", 20_000);
        tcp.hasCounted(Counter.TCP_PASSIVE_OPENS, 1).hasCounted(Counter.TCP_CURR_ESTAB, 1);
    }

    @Test
    @Rfc("RFC 9293 MUST-15")
    void a_syn_without_options_means_segments_of_536_bytes() {
        var tcp = TcpTest.established("", dev.sluice.testkit.Setup.window(20_000));

        tcp.info().has("options", 0).has("snd_mss", 536);
        tcp.write(1000).expect("> . 1:537(536) ack 1", "> P. 537:1001(464) ack 1");
        tcp.at(20).receive("< . 1:1(0) ack 1001").expectNothing();
    }

    @Test
    @Rfc("RFC 7323 section 2.2")
    void what_is_switched_off_is_not_answered() {
        var tcp =
                TcpTest.listen(
                        sysctl("net.ipv4.tcp_timestamps", 0),
                        sysctl("net.ipv4.tcp_sack", 0),
                        sysctl("net.ipv4.tcp_window_scaling", 0));

        tcp.receive("< S 0:0(0) win 31000 <mss 1300,sackOK,TS val 55 ecr 0,nop,wscale 5>")
                .expect("> S. 0:0(0) ack 1 <mss 1460>");
        tcp.at(20).receive("< . 1:1(0) ack 1 win 31000").accept();

        tcp.info().has("options", 0).has("snd_wnd", 31_000);
    }

    @Test
    @Rfc("RFC 2018 section 2")
    void sack_permitted_without_timestamps_is_padded_in_front() {
        var tcp = TcpTest.listen();

        tcp.receive("< S 0:0(0) win 18000 <nop,nop,sackOK,mss 900>")
                .expect("> S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK>");
    }

    @Test
    @Rfc("RFC 7323 section 2.3")
    void a_window_scale_above_14_counts_as_14() {
        var tcp = TcpTest.established("mss 1000,wscale 15", dev.sluice.testkit.Setup.window(2));

        tcp.info().has("snd_wscale", 14).has("snd_wnd", 2 * 16_384);
    }

    @Test
    @Rfc({"RFC 9293 section 3.10.1", "RFC 7323 section 2.2"})
    void our_syn_offers_everything_and_the_ack_carries_what_was_agreed() {
        var tcp = TcpTest.connect();

        tcp.expect("> S 0:0(0) win 64240 <mss 1460,sackOK,TS val 0 ecr 0,nop,wscale 10>");
        tcp.at(30)
                .receive(
                        "< S. 900:900(0) ack 1 win 14000"
                                + " <mss 1400,sackOK,TS val 77 ecr 0,nop,wscale 3>")
                .expect("> . 1:1(0) ack 901 win 63 <nop,nop,TS val 30 ecr 77>")
                .hasError(null);

        tcp.info()
                .hasState(TcpState.ESTABLISHED)
                .has("snd_wscale", 3)
                .has("snd_wnd", 14_000)
                .has("snd_mss", 1388)
                .has("rtt", 30_000);
        tcp.hasCounted(Counter.TCP_ACTIVE_OPENS, 1);
    }

    @Test
    @Rfc("RFC 9293 MUST-15")
    void a_peer_that_takes_nothing_gets_no_options() {
        var tcp = TcpTest.connect();

        tcp.discard()
                .at(20)
                .receive("< S. 300:300(0) ack 1 win 12000")
                .expect("> . 1:1(0) ack 301");
        tcp.info().has("options", 0).has("snd_mss", 536).has("snd_wscale", 0).has("rcv_wscale", 0);
    }

    @Test
    void ipv6_has_room_for_20_bytes_less() {
        var tcp = TcpTest.listen(ipv6());

        tcp.receive("< S 0:0(0) win 31000 <mss 1440>").expect("> S. 0:0(0) ack 1 <mss 1440>");
        tcp.at(20).receive("< . 1:1(0) ack 1 win 31000").accept();
        tcp.write(10).expect("> P. 1:11(10) ack 1");
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void a_repeated_syn_gets_the_same_syn_ack() {
        var tcp = TcpTest.listen();

        tcp.receive("< S 0:0(0) win 9000 <mss 1100>").expect("> S. 0:0(0) ack 1 <mss 1460>");
        tcp.at(550)
                .receive("< S 0:0(0) win 9000 <mss 1100>")
                .expect("> S. 0:0(0) ack 1 <mss 1460>");
        tcp.at(570).receive("< . 1:1(0) ack 1 win 9000").expectNothing().accept();
        assertThat(tcp.tryAccept()).isNull();
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.2")
    void a_listener_drops_a_syn_that_carries_fin() {
        var tcp = TcpTest.listen();

        tcp.receive("< SF 0:0(0) win 9000 <mss 1100>").expectNothing();
        tcp.at(100).receive("< S 0:0(0) win 9000 <mss 1100>").expect("> S. 0:0(0) ack 1");
    }

    @Test
    void data_on_a_syn_is_not_kept() {
        var tcp = TcpTest.listen();

        tcp.receive("< S 0:150(150) win 9000 <mss 1100>").expect("> S. 0:0(0) ack 1");
        tcp.at(20).receive("< . 1:1(0) ack 1 win 9000").accept().readFails(SocketError.EAGAIN);
        tcp.at(40).receive("< P. 1:151(150) ack 1 win 9000").expect("> . 1:1(0) ack 151").read(150);
    }

    @Test
    void data_on_the_syn_ack_is_not_kept() {
        var tcp = TcpTest.connect();

        tcp.discard().at(30).receive("< S. 0:50(50) ack 1 win 9000 <mss 1100>");
        tcp.expect("> . 1:1(0) ack 1");
        tcp.at(40).receive("< P. 1:51(50) ack 1 win 9000").expect("> . 1:1(0) ack 51").read(50);
    }

    @Test
    void data_and_fin_may_come_before_accept() {
        var tcp = TcpTest.listen();

        tcp.receive("< S 0:0(0) win 9000 <mss 1100>").expect("> S. 0:0(0) ack 1");
        tcp.at(20).receive("< . 1:1(0) ack 1 win 9000").expectNothing();
        tcp.at(40).receive("< P. 1:301(300) ack 1 win 9000").expect("> . 1:1(0) ack 301");
        tcp.at(60).receive("< F. 301:301(0) ack 1 win 9000").expectNothing();
        tcp.at(100).expect("> . 1:1(0) ack 302");
        tcp.at(120).accept().read(300).readEnds();
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void the_acknowledging_segment_may_carry_data_and_fin() {
        var tcp = TcpTest.listen();

        tcp.receive("< S 0:0(0) win 9000 <mss 1100>").expect("> S. 0:0(0) ack 1");
        tcp.at(100).receive("< FP. 1:201(200) ack 1 win 9000").expectNothing();
        tcp.at(140).expect("> . 1:1(0) ack 202");
        tcp.accept().read(200).readEnds();
        tcp.close().expect("> F. 1:1(0) ack 202");
        tcp.at(160).receive("< . 202:202(0) ack 2 win 9000").expectNothing();
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.3")
    void a_reset_refuses_the_connection() {
        var tcp = TcpTest.connect();

        tcp.discard().at(30).receive("< R. 0:0(0) ack 1 win 0").expectNothing();
        tcp.hasError(SocketError.ECONNREFUSED).hasError(null).hasState(TcpState.CLOSED);
        tcp.hasCounted(Counter.TCP_ATTEMPT_FAILS, 1);
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.3")
    void a_reset_without_ack_cannot_be_for_our_syn() {
        var tcp = TcpTest.connect();

        tcp.discard().at(30).receive("< R 0:0(0) win 0").expectNothing();
        tcp.at(60).receive("< S. 0:0(0) ack 1 win 9000 <mss 1100>").expect("> . 1:1(0) ack 1");
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.3")
    void an_ack_of_what_was_never_sent_draws_a_reset() {
        var tcp = TcpTest.connect();

        tcp.discard().at(30).receive("< S. 0:0(0) ack 7001 win 9000 <mss 1100>");
        tcp.expect("> R 7001:7001(0)");
        tcp.firstOutputBetween(32, 42).expect("> S 0:0(0)");
        tcp.at(60).receive("< S. 0:0(0) ack 1 win 9000 <mss 1100>").expect("> . 1:1(0) ack 1");
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.3")
    void a_plain_ack_changes_nothing_before_the_syn() {
        var tcp = TcpTest.connect();

        tcp.discard().at(30).receive("< . 1:1(0) ack 1 win 9000").expectNothing();
        tcp.at(60).receive("< S. 0:0(0) ack 1 win 9000 <mss 1100>").expect("> . 1:1(0) ack 1");
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void half_open_a_wrong_ack_draws_a_reset_and_the_right_one_completes() {
        var tcp = TcpTest.listen();

        tcp.receive("< S 0:0(0) win 9000 <mss 1100>").expect("> S. 0:0(0) ack 1");
        tcp.at(20).receive("< . 1:1(0) ack 501 win 9000").expect("> R 501:501(0)");
        tcp.at(40).receive("< . 1:1(0) ack 1 win 9000").expectNothing().accept();
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void half_open_a_reset_forgets_the_handshake() {
        var tcp = TcpTest.listen();

        tcp.receive("< S 0:0(0) win 9000 <mss 1100>").expect("> S. 0:0(0) ack 1");
        tcp.at(20).receive("< R 1:1(0) win 0").expectNothing();
        tcp.at(40).receive("< . 1:1(0) ack 1 win 9000").expect("> R 1:1(0)");
        tcp.hasCounted(Counter.EMBRYONIC_RSTS, 1);
        assertThat(tcp.tryAccept()).isNull();
    }

    @Test
    @Rfc("RFC 5961 section 4.2")
    void a_second_syn_ack_draws_a_challenge() {
        var tcp = TcpTest.established("mss 1100,sackOK,wscale 0", active());

        tcp.at(50)
                .receive("< S. 0:0(0) ack 1 win 9000 <mss 1100,sackOK,wscale 0>")
                .expect("> . 1:1(0) ack 1")
                .hasState(TcpState.ESTABLISHED);
    }

    @Test
    void closing_before_the_answer_sends_nothing_and_the_answer_is_reset() {
        var tcp = TcpTest.connect();

        tcp.discard().at(30).close().expectNothing();
        tcp.at(60).receive("< S. 0:0(0) ack 1 win 9000 <mss 1100>").expect("> R 1:1(0)");
    }

    @Test
    void defer_accept_waits_for_data() {
        var tcp = TcpTest.listen(option(SocketOption.TCP_DEFER_ACCEPT, 5));

        tcp.receive("< S 0:0(0) win 9000 <mss 1100>").expect("> S. 0:0(0) ack 1");
        tcp.at(20).receive("< . 1:1(0) ack 1 win 9000").expectNothing();
        assertThat(tcp.tryAccept()).isNull();
        tcp.at(440).receive("< P. 1:26(25) ack 1 win 9000").expect("> . 1:1(0) ack 26");
        tcp.accept().read(25);
    }
}
