package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.active;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketFlags;
import dev.sluice.socket.SocketOption;
import dev.sluice.socket.StreamSocket;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.TcpTest;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.Test;

/** What calls answer when they cannot do what they are asked for. */
@ExchangeTest
class StreamSocketErrorsTest {
    private static final IpAddress PEER = IpAddress.parse("192.0.2.2").address();
    private static final IpAddress LOCAL = IpAddress.parse("192.0.2.1").address();

    private static TcpTest established() {
        return TcpTest.established("mss 1000,wscale 0", window(60_000), rttMillis(30));
    }

    @Test
    void before_connecting_reading_and_writing_fail() {
        var tcp = TcpTest.listen();
        var socket = new StreamSocket(tcp.stack());

        assertThat(socket.read(tcp.now(), new byte[10], 0, 10, 0))
                .isEqualTo(SocketError.ENOTCONN.result());
        assertThat(socket.write(tcp.now(), new byte[10], 0, 10, 0))
                .isEqualTo(SocketError.EPIPE.result());
        assertThat(socket.shutdown(tcp.now(), SocketFlags.SHUT_WR))
                .isEqualTo(SocketError.ENOTCONN.result());
        assertThat(socket.shutdown(tcp.now(), 7)).isEqualTo(SocketError.EINVAL.result());
    }

    @Test
    void a_second_connect_says_how_the_first_one_goes() {
        var tcp = TcpTest.connect();
        StreamSocket socket = tcp.discard().connection();

        assertThat(socket.connect(tcp.now(), PEER, TcpTest.PEER_PORT))
                .isEqualTo(SocketError.EALREADY.result());
        tcp.at(20).receive("< S. 0:0(0) ack 1 win 9000 <mss 1100>").discard();
        assertThat(socket.connect(tcp.now(), PEER, TcpTest.PEER_PORT)).isZero();
        assertThat(socket.connect(tcp.now(), PEER, TcpTest.PEER_PORT))
                .isEqualTo(SocketError.EISCONN.result());
    }

    @Test
    void a_refused_socket_can_connect_again() {
        var tcp = TcpTest.connect();
        StreamSocket socket = tcp.discard().connection();

        tcp.at(30).receive("< R. 0:0(0) ack 1 win 0").expectNothing();
        assertThat(socket.connect(tcp.now(), PEER, TcpTest.PEER_PORT))
                .isEqualTo(SocketError.ECONNREFUSED.result());
        assertThat(socket.connect(tcp.now(), PEER, TcpTest.PEER_PORT))
                .isEqualTo(SocketError.EINPROGRESS.result());
        assertThat(tcp.take()).hasSize(1);
        assertThat(socket.state()).isEqualTo(TcpState.SYN_SENT);
    }

    @Test
    void while_connecting_writing_would_block() {
        var tcp = TcpTest.connect();

        tcp.discard().writeFails(SocketError.EAGAIN).readFails(SocketError.EAGAIN);
    }

    @Test
    void an_address_that_is_not_ours_or_taken_cannot_be_bound() {
        var tcp = TcpTest.listen();
        var socket = new StreamSocket(tcp.stack());

        assertThat(socket.bind(PEER, 80)).isEqualTo(SocketError.EADDRNOTAVAIL.result());
        assertThat(socket.bind(LOCAL, 8080)).isEqualTo(SocketError.EADDRINUSE.result());
        assertThat(socket.bind(LOCAL, 70_000)).isEqualTo(SocketError.EINVAL.result());
        assertThat(socket.bind(LOCAL, 8081)).isZero();
        assertThat(socket.bind(LOCAL, 8082)).isEqualTo(SocketError.EINVAL.result());
    }

    @Test
    void the_first_call_after_a_reset_reports_it() {
        var tcp = established();

        tcp.at(10).receive("< R 1:1(0) win 0").expectNothing();
        tcp.writeFails(SocketError.ECONNRESET).writeFails(SocketError.EPIPE).readEnds();
    }

    @Test
    void data_before_the_reset_can_still_be_read() {
        var tcp = established();

        tcp.at(10).receive("< P. 1:101(100) ack 1").expect("> . 1:1(0) ack 101");
        tcp.at(20).receive("< R 101:101(0) win 0").expectNothing();
        tcp.read(60).read(40).readFails(SocketError.ECONNRESET).readEnds();
    }

    @Test
    void a_reset_after_the_peers_fin_is_a_broken_pipe() {
        var tcp = established();

        tcp.at(10).receive("< F. 1:1(0) ack 1").firstOutputOrNothing(50).discard();
        tcp.at(70).write(10).expect("> P. 1:11(10) ack 2");
        tcp.at(100).receive("< R 2:2(0) win 0").expectNothing();
        tcp.hasError(SocketError.EPIPE).readEnds().writeFails(SocketError.EPIPE);
    }

    @Test
    void options_out_of_range_are_refused() {
        var tcp = established();
        StreamSocket socket = tcp.connection();

        assertThat(socket.setOption(tcp.now(), SocketOption.TCP_MAXSEG, 10))
                .isEqualTo(SocketError.EINVAL.result());
        assertThat(socket.setOption(tcp.now(), SocketOption.TCP_KEEPCNT, 0))
                .isEqualTo(SocketError.EINVAL.result());
        assertThat(socket.setOption(tcp.now(), SocketOption.IP_TTL, 256))
                .isEqualTo(SocketError.EINVAL.result());
        assertThat(socket.setOption(tcp.now(), SocketOption.TCP_USER_TIMEOUT, -1))
                .isEqualTo(SocketError.EINVAL.result());
        assertThat(socket.setCongestionControl("unheard-of")).isEqualTo(-2);
    }

    @Test
    void options_read_back_as_they_were_set() {
        var tcp = TcpTest.established("mss 1000", active());
        StreamSocket socket = tcp.connection();

        tcp.set(SocketOption.TCP_NODELAY, 7).set(SocketOption.TCP_USER_TIMEOUT, 2345);
        tcp.set(SocketOption.SO_SNDBUF, 10_000).set(SocketOption.IP_TTL, 9);
        assertThat(socket.getOption(SocketOption.TCP_NODELAY)).isEqualTo(1);
        assertThat(socket.getOption(SocketOption.TCP_CORK)).isZero();
        assertThat(socket.getOption(SocketOption.TCP_USER_TIMEOUT)).isEqualTo(2345);
        assertThat(socket.getOption(SocketOption.SO_SNDBUF)).isEqualTo(20_000);
        assertThat(socket.getOption(SocketOption.TCP_MAXSEG)).isEqualTo(1000);
        tcp.write(10).expect("> [ttl 9] P. 1:11(10) ack 1");
    }

    @Test
    void a_closed_socket_takes_and_gives_nothing() {
        var tcp = established();

        tcp.close().discard();
        assertThat(tcp.tryWrite(10)).isNegative();
        assertThat(tcp.tryRead(10)).isLessThanOrEqualTo(0);
        assertThat(tcp.connection().close(tcp.now())).isZero();
        tcp.expectNothing();
    }
}
