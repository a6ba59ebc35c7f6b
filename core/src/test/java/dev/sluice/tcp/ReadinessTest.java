package dev.sluice.tcp;

import static dev.sluice.tcp.Readiness.ERR;
import static dev.sluice.tcp.Readiness.HUP;
import static dev.sluice.tcp.Readiness.IN;
import static dev.sluice.tcp.Readiness.OUT;
import static dev.sluice.tcp.Readiness.RDHUP;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketOption;
import dev.sluice.socket.StreamSocket;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.TcpTest;

import org.junit.jupiter.api.Test;

/** What poll and epoll would say (B-8). */
@ExchangeTest
class ReadinessTest {
    private static TcpTest established() {
        return TcpTest.established("mss 1000,wscale 0", window(60_000), rttMillis(30));
    }

    @Test
    void a_new_socket_is_writable_and_hung_up() {
        var tcp = TcpTest.listen();

        assertThat(new StreamSocket(tcp.stack()).readySet()).isEqualTo(OUT | HUP);
    }

    @Test
    void nothing_is_ready_while_connecting_and_then_it_is_writable() {
        var tcp = TcpTest.connect();

        assertThat(tcp.discard().readySet()).isZero();
        assertThat(tcp.takeEvents() & OUT).isZero();
        tcp.at(50).receive("< S. 0:0(0) ack 1 win 9000 <mss 1100>").discard();
        assertThat(tcp.readySet()).isEqualTo(OUT);
        assertThat(tcp.takeEvents() & OUT).isEqualTo(OUT);
    }

    @Test
    void a_refused_connection_is_everything_with_an_error() {
        var tcp = TcpTest.connect();

        tcp.discard().at(30).receive("< R. 0:0(0) ack 1 win 0").expectNothing();
        assertThat(tcp.readySet()).isEqualTo(IN | OUT | RDHUP | ERR | HUP);
        assertThat(tcp.takeEvents()).isEqualTo(IN | OUT | RDHUP | ERR | HUP);
        tcp.hasError(SocketError.ECONNREFUSED);
        assertThat(tcp.readySet() & ERR).isZero();
    }

    @Test
    void data_makes_it_readable_until_it_is_read() {
        var tcp = established();

        assertThat(tcp.readySet()).isEqualTo(OUT);
        tcp.at(10).receive("< P. 1:101(100) ack 1").discard();
        assertThat(tcp.readySet()).isEqualTo(IN | OUT);
        assertThat(tcp.takeEvents()).isEqualTo(IN);
        tcp.read(40);
        assertThat(tcp.readySet()).isEqualTo(IN | OUT);
        assertThat(tcp.takeEvents()).isZero();
        tcp.at(20).receive("< P. 101:151(50) ack 1").discard();
        assertThat(tcp.takeEvents()).isEqualTo(IN);
        tcp.read(110);
        assertThat(tcp.readySet()).isEqualTo(OUT);
    }

    @Test
    void below_the_low_water_mark_it_is_not_readable() {
        var tcp = established();

        tcp.set(SocketOption.SO_RCVLOWAT, 200);
        tcp.at(10).receive("< P. 1:101(100) ack 1").discard();
        assertThat(tcp.readySet() & IN).isZero();
        tcp.at(20).receive("< P. 101:201(100) ack 1").discard();
        assertThat(tcp.readySet() & IN).isEqualTo(IN);
        tcp.read(200);
    }

    @Test
    void the_peers_fin_is_an_event_of_its_own() {
        var tcp = established();

        tcp.at(10).receive("< F. 1:1(0) ack 1").firstOutputOrNothing(50).discard();
        assertThat(tcp.readySet()).isEqualTo(IN | OUT | RDHUP);
        assertThat(tcp.takeEvents()).isEqualTo(IN | RDHUP);
        tcp.readEnds();
        assertThat(tcp.readySet()).isEqualTo(IN | OUT | RDHUP);
    }

    @Test
    void our_own_shutdown_leaves_it_writable() {
        var tcp = established();

        tcp.shutdownOutput().discard();
        assertThat(tcp.readySet()).isEqualTo(OUT);
        tcp.at(30).receive("< . 1:1(0) ack 2").expectNothing();
        assertThat(tcp.readySet()).isEqualTo(OUT);
    }

    @Test
    void both_directions_closed_is_hung_up() {
        var tcp = established();

        tcp.shutdownOutput().discard().at(30).receive("< F. 1:1(0) ack 2").discard();
        assertThat(tcp.readySet()).isEqualTo(IN | OUT | RDHUP | HUP);
    }

    @Test
    void a_reset_is_everything_and_the_error_goes_when_it_is_read() {
        var tcp = established();

        tcp.at(10).receive("< R 1:1(0) win 0").expectNothing();
        assertThat(tcp.readySet()).isEqualTo(IN | OUT | RDHUP | ERR | HUP);
        tcp.hasError(SocketError.ECONNRESET);
        assertThat(tcp.readySet()).isEqualTo(IN | OUT | RDHUP | HUP);
    }

    @Test
    void a_full_buffer_is_writable_again_when_a_third_of_it_is_free() {
        var tcp = established();

        tcp.set(SocketOption.SO_SNDBUF, 10_000);
        int taken = tcp.tryWrite(60_000);
        tcp.discard();
        assertThat(tcp.readySet() & OUT).isZero();
        tcp.takeEvents();
        int acked = 0;
        while ((tcp.readySet() & OUT) == 0) {
            assertThat(tcp.takeEvents() & OUT).isZero();
            acked += 1000;
            tcp.after(1).receive("< . 1:1(0) ack " + (acked + 1)).discard();
            assertThat(acked).isLessThan(taken);
        }
        assertThat(acked).isBetween(taken / 4, taken * 3 / 4 + 10_000);
        assertThat(tcp.takeEvents() & OUT).isEqualTo(OUT);
        assertThat(tcp.tryWrite(1)).isEqualTo(1);
        tcp.discard();
    }
}
