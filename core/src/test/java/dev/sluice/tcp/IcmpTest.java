package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.ipv6;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.socket.SocketError;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

import java.util.Arrays;

@ExchangeTest
class IcmpTest {
    private static final byte[] BODY = "abcdefghijklmnop".getBytes();

    @Test
    @Rfc("RFC 1122 section 3.2.2.6")
    void an_echo_is_answered_with_its_own_data() {
        var tcp = TcpTest.listen();

        tcp.receiveBytes(tcp.icmpPacket(8, 0, 0x0102_0003, BODY), "echo request");
        var sent = tcp.take();
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().icmp()).isEqualTo("icmp 0.0");
        byte[] bytes = sent.getFirst().bytes();
        assertThat(Arrays.copyOfRange(bytes, 24, 28)).containsExactly(1, 2, 0, 3);
        assertThat(Arrays.copyOfRange(bytes, 28, bytes.length)).isEqualTo(BODY);
        tcp.hasCounted(Counter.ICMP_IN_ECHOS, 1).hasCounted(Counter.ICMP_OUT_ECHO_REPS, 1);
    }

    @Test
    @Rfc("RFC 4443 section 4.2")
    void an_echo_over_ipv6_too() {
        var tcp = TcpTest.listen(ipv6());

        tcp.receiveBytes(tcp.icmpPacket(128, 0, 1, BODY), "echo request").expect("> icmp 129.0");
    }

    @Test
    @Rfc("RFC 1122 section 4.1.3.1")
    void a_datagram_for_no_port_is_unreachable() {
        var tcp = TcpTest.listen();

        tcp.receiveBytes(tcp.udpPacket(53, 20), "datagram").expect("> icmp 3.3");
        tcp.hasCounted(Counter.UDP_NO_PORTS, 1).hasCounted(Counter.ICMP_OUT_DEST_UNREACHS, 1);
    }

    @Test
    @Rfc("RFC 1122 section 3.2.2.1")
    void an_unknown_protocol_is_unreachable() {
        var tcp = TcpTest.listen();
        byte[] packet = tcp.udpPacket(53, 20);
        packet[9] = 99;
        packet[10] = 0;
        packet[11] = 0;
        int sum = 0;
        for (int i = 0; i < 20; i += 2) {
            sum += (packet[i] & 0xff) << 8 | packet[i + 1] & 0xff;
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        packet[10] = (byte) (~sum >>> 8);
        packet[11] = (byte) ~sum;

        tcp.receiveBytes(packet, "protocol 99").expect("> icmp 3.2");
    }

    @Test
    void errors_are_limited_in_rate() {
        var tcp = TcpTest.listen();

        int answers = 0;
        for (int i = 0; i < 200; i++) {
            tcp.receiveBytes(tcp.udpPacket(53, 20), "datagram");
            answers += tcp.take().size();
        }
        assertThat(answers).isBetween(1, 50);
        assertThat(tcp.counted(Counter.ICMP_OUT_RATE_LIMIT_GLOBAL)).isEqualTo(200 - answers);
    }

    @Test
    @Rfc({"RFC 9293 MUST-56", "RFC 1122 section 4.2.3.9"})
    void an_unreachable_port_ends_an_attempt_to_connect() {
        var tcp = TcpTest.connect();

        tcp.discard().at(30).receiveIcmp(3, 3, 0, "> S 0:0(0)").expectNothing();
        tcp.hasError(SocketError.ECONNREFUSED).hasState(TcpState.CLOSED);
    }

    @Test
    void so_does_an_unreachable_host() {
        var tcp = TcpTest.connect();

        tcp.discard().at(30).receiveIcmp(3, 1, 0, "> S 0:0(0)").expectNothing();
        tcp.hasError(SocketError.EHOSTUNREACH);
    }

    @Test
    @Rfc("RFC 5461 section 2")
    void an_established_connection_survives_them() {
        var tcp = TcpTest.established("mss 1000");

        tcp.write(100).expect("> P. 1:101(100) ack 1");
        tcp.at(10).receiveIcmp(3, 1, 0, "> P. 1:101(100) ack 1").expectNothing();
        tcp.at(12).receiveIcmp(3, 3, 0, "> P. 1:101(100) ack 1").expectNothing();
        tcp.hasState(TcpState.ESTABLISHED).at(20).receive("< . 1:1(0) ack 101").expectNothing();
    }

    @Test
    @Rfc("RFC 9293 section 3.9.2.2")
    void source_quench_is_ignored() {
        var tcp = TcpTest.established("mss 1000");

        tcp.write(100).expect("> P. 1:101(100) ack 1");
        tcp.at(10).receiveIcmp(4, 0, 0, "> P. 1:101(100) ack 1").expectNothing();
        tcp.info().hasCwnd(10);
    }

    @Test
    @Rfc("RFC 5927 section 4.1")
    void a_quote_of_what_was_never_sent_is_ignored() {
        var tcp = TcpTest.connect();

        tcp.discard().at(30).receiveIcmp(3, 3, 0, "> S 5000:5000(0)").expectNothing();
        tcp.hasState(TcpState.SYN_SENT).hasCounted(Counter.OUT_OF_WINDOW_ICMPS, 1);
    }

    @Test
    void a_bad_checksum_is_counted_and_not_answered() {
        var tcp = TcpTest.listen();
        byte[] packet = tcp.icmpPacket(8, 0, 1, BODY);
        packet[packet.length - 1] ^= 1;

        tcp.receiveBytes(packet, "damaged echo").expectNothing();
        tcp.hasCounted(Counter.ICMP_IN_CSUM_ERRORS, 1);
    }
}
