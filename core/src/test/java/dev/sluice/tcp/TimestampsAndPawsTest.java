package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.window;

import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketOption;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

/** Our clock is 40 at time 0, the peer's 440: the handshake took 40 ms. */
@ExchangeTest
class TimestampsAndPawsTest {
    private static TcpTest established(int mss) {
        return TcpTest.established(
                "mss " + mss + ",sackOK,TS val 400 ecr 0,wscale 0", window(60_000), rttMillis(40));
    }

    @Test
    @Rfc("RFC 7323 section 3.2")
    void every_segment_carries_one_and_echoes_the_last_in_order() {
        var tcp = established(1012);

        tcp.at(10)
                .receive("< P. 1:101(100) ack 1 <TS val 450 ecr 0>")
                .expect("> . 1:1(0) ack 101 <nop,nop,TS val 50 ecr 450>");
        tcp.at(30).write(500).expect("> P. 1:501(500) ack 101 <nop,nop,TS val 70 ecr 450>");
        tcp.at(70).receive("< . 101:101(0) ack 501 <TS val 510 ecr 70>").expectNothing();
        tcp.at(80).close().expect("> R. 501:501(0) ack 101 <nop,nop,TS val 120 ecr 510>");
    }

    @Test
    @Rfc("RFC 7323 section 4.3")
    void a_delayed_ack_echoes_the_earliest_segment_it_covers() {
        var tcp = established(1460);

        tcp.set(SocketOption.TCP_QUICKACK, 0);
        tcp.at(10).receive("< . 1:1449(1448) ack 1 <TS val 450 ecr 0>").read(1448);
        tcp.at(20)
                .receive("< . 1449:2897(1448) ack 1 <TS val 460 ecr 0>")
                .expect("> . 1:1(0) ack 2897 <nop,nop,TS val 60 ecr 450>");
    }

    @Test
    @Rfc("RFC 7323 section 4.3")
    void data_above_a_hole_does_not_move_the_echo_but_its_filling_does() {
        var tcp = established(1012);

        tcp.at(10)
                .receive("< . 1:1001(1000) ack 1 <TS val 450 ecr 0>")
                .expect("> . 1:1(0) ack 1001 <nop,nop,TS val 50 ecr 450>");
        tcp.at(20)
                .receive("< . 2001:3001(1000) ack 1 <TS val 460 ecr 0>")
                .expect(
                        "> . 1:1(0) ack 1001"
                                + " <nop,nop,TS val 60 ecr 450,nop,nop,sack 2001:3001>");
        tcp.at(30)
                .receive("< . 1001:2001(1000) ack 1 <TS val 470 ecr 0>")
                .expect("> . 1:1(0) ack 3001 <nop,nop,TS val 70 ecr 470>");
    }

    @Test
    @Rfc("RFC 7323 section 5.3")
    void data_with_an_old_timestamp_is_dropped_and_acknowledged() {
        var tcp = established(1012);

        tcp.at(10).receive("< P. 1:101(100) ack 1 <TS val 450 ecr 0>").discard();
        tcp.at(20)
                .receive("< P. 101:201(100) ack 1 <TS val 440 ecr 0>")
                .expect("> . 1:1(0) ack 101 <nop,nop,TS val 60 ecr 450>");
        tcp.read(100).readFails(SocketError.EAGAIN).hasCounted(Counter.PAWS_ESTAB, 1);
        tcp.at(30)
                .receive("< P. 101:201(100) ack 1 <TS val 451 ecr 0>")
                .expect("> . 1:1(0) ack 201 <nop,nop,TS val 70 ecr 451>")
                .read(100);
    }

    @Test
    void one_tick_of_grace_is_given() {
        var tcp = established(1012);

        tcp.at(10).receive("< P. 1:101(100) ack 1 <TS val 450 ecr 0>").discard();
        tcp.at(20)
                .receive("< P. 101:201(100) ack 1 <TS val 449 ecr 0>")
                .expect("> . 1:1(0) ack 201 <nop,nop,TS val 60 ecr 450>")
                .read(200);
    }

    @Test
    void an_old_pure_ack_is_dropped_in_silence() {
        var tcp = established(1012);

        tcp.at(10).write(500).expect("> P. 1:501(500) ack 1 <nop,nop,TS val 50 ecr 440>");
        tcp.at(30).receive("< P. 1:101(100) ack 1 <TS val 470 ecr 0>").discard();
        tcp.at(40).receive("< . 1:1(0) ack 501 <TS val 460 ecr 50>").expectNothing();
        tcp.info().has("unacked", 1);
        tcp.at(50).receive("< . 101:101(0) ack 501 <TS val 490 ecr 50>").expectNothing();
        tcp.info().has("unacked", 0);
        tcp.hasCounted(Counter.PAWS_OLD_ACK, 1);
    }

    @Test
    @Rfc("RFC 7323 section 5.2")
    void a_reset_is_not_subject_to_it() {
        var tcp = established(1012);

        tcp.at(10).receive("< P. 1:101(100) ack 1 <TS val 450 ecr 0>").discard().read(100);
        tcp.at(20).receive("< R. 101:101(0) ack 1 win 0 <TS val 3 ecr 0>").expectNothing();
        tcp.readFails(SocketError.ECONNRESET);
    }

    @Test
    @Rfc("RFC 7323 section 5.2")
    void timestamps_wrap_around() {
        var tcp =
                TcpTest.listen(window(9000))
                        .receive("< S 0:0(0) <mss 1012,sackOK,TS val 4294967280 ecr 0>");

        tcp.expect("> S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 0 ecr 4294967280>");
        tcp.at(30).receive("< . 1:1(0) ack 1 <TS val 4294967290 ecr 0>").accept();
        tcp.at(60)
                .receive("< P. 1:101(100) ack 1 <TS val 24 ecr 0>")
                .expect("> . 1:1(0) ack 101 <nop,nop,TS val 60 ecr 24>");
        tcp.at(70)
                .receive("< P. 101:201(100) ack 1 <TS val 4294967295 ecr 0>")
                .expect("> . 1:1(0) ack 101 <nop,nop,TS val 70 ecr 24>")
                .read(100);
    }

    @Test
    void a_segment_without_the_agreed_timestamp_is_taken_as_linux_does() {
        var tcp = established(1012);

        tcp.at(10)
                .receive("< P. 1:101(100) ack 1")
                .expect("> . 1:1(0) ack 101 <nop,nop,TS val 50 ecr 440>")
                .read(100);
    }

    @Test
    @Rfc("RFC 7323 section 3.2")
    void a_syn_ack_that_echoes_what_we_never_sent_is_refused() {
        var tcp = TcpTest.connect();

        tcp.expect("> S 0:0(0)");
        tcp.at(10)
                .receive("< S. 0:0(0) ack 1 win 9000 <mss 1000,TS val 7 ecr 123456>")
                .expect("> R 1:1(0)");
        tcp.hasCounted(Counter.PAWS_ACTIVE, 1).hasState(TcpState.SYN_SENT);
        tcp.at(20)
                .receive("< S. 0:0(0) ack 1 win 9000 <mss 1000,TS val 7 ecr 0>")
                .expect("> . 1:1(0) ack 1 <nop,nop,TS val 20 ecr 7>");
    }
}
