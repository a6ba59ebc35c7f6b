package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.cwnd;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.tso;
import static dev.sluice.testkit.Setup.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketFlags;
import dev.sluice.socket.SocketOption;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

/** MSG_OOB and the urgent pointer. What Linux runs too is in the packetdrill scripts. */
@ExchangeTest
class UrgentDataTest {
    private final byte[] bytes = new byte[100];

    private static TcpTest established() {
        return TcpTest.established(
                "mss 1000,sackOK,wscale 0", window(60_000), rttMillis(30), cwnd(20), tso());
    }

    private int readUrgent(TcpTest tcp, int flags) {
        return tcp.connection().read(tcp.now(), bytes, 0, 1, flags | SocketFlags.MSG_OOB);
    }

    @Test
    void the_mark_is_where_an_ordinary_read_stops() {
        var tcp = established();
        tcp.at(10).receive("< PU. 1:9(8) ack 1 urg 4").discard();

        assertThat(tcp.connection().isAtMark()).isFalse();
        assertThat(tcp.connection().unread()).isEqualTo(3);
        assertThat(tcp.tryRead(100)).isEqualTo(3);
        assertThat(tcp.connection().isAtMark()).isTrue();
        assertThat(tcp.connection().read(tcp.now(), ByteBuffer.allocate(100))).isEqualTo(4);
        assertThat(tcp.connection().isAtMark()).isFalse();
        assertThat(readUrgent(tcp, 0)).isEqualTo(SocketError.EINVAL.result());
    }

    @Test
    void a_peek_leaves_the_byte_to_be_taken() {
        var tcp = established();
        tcp.at(10).receive("< PU. 1:2(1) ack 1 urg 1").discard();

        assertThat(readUrgent(tcp, SocketFlags.MSG_PEEK)).isEqualTo(1);
        assertThat(tcp.readySet() & (Readiness.PRI | Readiness.IN)).isEqualTo(Readiness.PRI);
        assertThat(tcp.connection().read(tcp.now(), bytes, 0, 9, SocketFlags.MSG_PEEK))
                .isEqualTo(SocketError.EAGAIN.result());
        assertThat(readUrgent(tcp, 0)).isEqualTo(1);
        assertThat(readUrgent(tcp, 0)).isEqualTo(SocketError.EINVAL.result());
        assertThat(tcp.readySet() & Readiness.PRI).isZero();
    }

    @Test
    @Rfc("RFC 9293 section 3.10.7.4")
    void an_announcement_alone_is_told_at_once() {
        var tcp = established();
        tcp.takeEvents();
        tcp.at(10).receive("< U. 1:1(0) ack 1 urg 5").discard();

        assertThat(tcp.takeEvents() & Readiness.PRI).isEqualTo(Readiness.PRI);
        assertThat(tcp.readySet() & Readiness.PRI).isZero();
        tcp.at(20).receive("< P. 1:11(10) ack 1").discard();
        assertThat(tcp.readySet() & Readiness.PRI).isEqualTo(Readiness.PRI);
    }

    @Test
    void what_was_read_cannot_become_urgent() {
        var tcp = established();
        tcp.at(10).receive("< P. 1:11(10) ack 1").discard().read(10);
        tcp.at(20).receive("< PU. 1:11(10) ack 1 urg 4").discard();

        assertThat(readUrgent(tcp, 0)).isEqualTo(SocketError.EINVAL.result());
    }

    @Test
    void in_line_the_byte_is_read_like_any_other() {
        var tcp = established().set(SocketOption.SO_OOBINLINE, 1);
        tcp.at(10).receive("< PU. 1:9(8) ack 1 urg 4").discard();

        assertThat(tcp.connection().unread()).isEqualTo(8);
        tcp.read(3).read(5);
    }

    @Test
    @Rfc("RFC 9293 section 3.8.5")
    void every_segment_before_the_urgent_byte_points_at_it() {
        var tcp = established();

        tcp.write(3000, SocketFlags.MSG_OOB);
        assertThat(tcp.take())
                .extracting(sent -> sent.segment().urgent())
                .containsExactly(3000, 2000, 1000);
        tcp.at(40).receive("< . 1:1(0) ack 3001").expectNothing();
        tcp.write(10).expect("> P. 3001:3011(10) ack 1");
    }

    @Test
    void the_pointer_of_far_urgent_data_is_the_largest() {
        var urgent = new UrgentData();
        urgent.send(200_001);

        assertThat(urgent.pointer(1, 30_000)).isEqualTo(0xffff);
        assertThat(urgent.pointer(200_001, 200_001)).isZero();
        assertThat(urgent.isSending(200_000)).isTrue();
        assertThat(urgent.isSending(200_001)).isFalse();
    }
}
