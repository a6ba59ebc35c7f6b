package dev.sluice.tcp;

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
class SynRetransmissionTest {
    private static final String SYN = "> S 0:0(0) <mss 1460,sackOK,TS val %d ecr 0,nop,wscale 10>";

    @Test
    @Rfc("RFC 6298 section 2.1")
    void four_linear_timeouts_come_before_the_doubling() {
        var tcp = TcpTest.connect();

        tcp.expect(SYN.formatted(0));
        for (int second = 1; second <= 5; second++) {
            tcp.at(1000 * second).expect(SYN.formatted(1000 * second));
        }
        tcp.at(7000).expect(SYN.formatted(7000));
        tcp.at(11_000).expect(SYN.formatted(11_000));
        tcp.at(11_020).receive("< S. 0:0(0) ack 1 win 9000 <mss 1100>").expect("> . 1:1(0) ack 1");
        tcp.hasCounted(Counter.TCP_TIMEOUTS, 7);
    }

    @Test
    @Rfc("RFC 6298 section 5.5")
    void without_linear_timeouts_every_wait_is_doubled() {
        var tcp = TcpTest.connect(sysctl("net.ipv4.tcp_syn_linear_timeouts", 0));

        tcp.expect("> S 0:0(0)");
        tcp.at(1000).expect("> S 0:0(0)");
        tcp.at(3000).expect("> S 0:0(0)");
        tcp.at(7000).expect("> S 0:0(0)");
        tcp.at(7020).receive("< S. 0:0(0) ack 1 win 9000").expect("> . 1:1(0) ack 1");
    }

    @Test
    @Rfc("RFC 6298 section 5.7")
    void after_a_repeated_syn_the_timeout_of_data_is_three_seconds() {
        var tcp =
                TcpTest.connect(
                        sysctl("net.ipv4.tcp_syn_linear_timeouts", 0),
                        sysctl("net.ipv4.tcp_timestamps", 0));

        tcp.expect("> S 0:0(0)").at(1000).expect("> S 0:0(0)");
        tcp.at(1020).receive("< S. 0:0(0) ack 1 win 9000 <mss 1000>").expect("> . 1:1(0) ack 1");
        tcp.info().has("rto", 3_000_000).hasCwnd(10);
    }

    @Test
    @Rfc("RFC 9293 MUST-20")
    void the_number_of_tries_can_be_set_for_one_socket() {
        var tcp =
                TcpTest.connect(
                        sysctl("net.ipv4.tcp_syn_linear_timeouts", 0),
                        option(SocketOption.TCP_SYNCNT, 2));

        tcp.expect("> S 0:0(0)").at(1000).expect("> S 0:0(0)").at(3000).expect("> S 0:0(0)");
        tcp.at(6999).expectNothing().hasError(null);
        tcp.at(7001).expectNothing().hasError(SocketError.ETIMEDOUT).hasState(TcpState.CLOSED);
    }

    @Test
    @Rfc("RFC 9293 MUST-22")
    void the_syn_ack_is_repeated_with_doubling() {
        var tcp = TcpTest.listen();

        tcp.receive("< S 0:0(0) win 9000 <mss 1100>").expect("> S. 0:0(0) ack 1 <mss 1460>");
        tcp.at(1000).expect("> S. 0:0(0) ack 1 <mss 1460>");
        tcp.at(3000).expect("> S. 0:0(0) ack 1 <mss 1460>");
        tcp.at(7000).expect("> S. 0:0(0) ack 1 <mss 1460>");
        tcp.at(7200).receive("< . 1:1(0) ack 1 win 9000").expectNothing().accept();
    }

    @Test
    void a_handshake_nobody_completes_is_forgotten() {
        var tcp = TcpTest.listen(sysctl("net.ipv4.tcp_synack_retries", 1));

        tcp.receive("< S 0:0(0) win 9000 <mss 1100>").expect("> S. 0:0(0) ack 1");
        tcp.at(1000).expect("> S. 0:0(0) ack 1");
        tcp.at(3500).receive("< . 1:1(0) ack 1 win 9000").expect("> R 1:1(0)");
        assertThat(tcp.stack().endpoints()).isZero();
    }
}
