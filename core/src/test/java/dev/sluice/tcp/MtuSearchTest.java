package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.cwnd;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

/** {@code tcp_mtu_probing} (B-11.5); MSS 1460, so that packets of 1500 bytes are the most. */
@ExchangeTest
class MtuSearchTest {
    private static TcpTest established(int mode) {
        return TcpTest.established(
                "mss 1460,sackOK,wscale 0",
                window(60_000),
                rttMillis(30),
                cwnd(20),
                sysctl("net.ipv4.tcp_mtu_probing", mode),
                sysctl("net.ipv4.tcp_base_mss", 512),
                sysctl("net.ipv4.tcp_early_retrans", 0));
    }

    /** With segments of 512 bytes, as after a path of that size. */
    private static TcpTest searching() {
        var tcp = established(2);
        var c = tcp.connection().connection();
        c.sendMss = Handshake.sendingMss(c);
        return tcp;
    }

    @Test
    @Rfc("RFC 4821 section 7.2")
    void the_first_segment_of_enough_data_is_a_probe_of_the_middle() {
        var tcp = searching();

        tcp.write(4000);
        var sent = tcp.take();
        assertThat(sent.getFirst().segment().length()).isEqualTo(986);
        assertThat(sent.get(1).segment().length()).isEqualTo(512);
        tcp.at(30).receive("< . 1:1(0) ack 4001").expectNothing();
        tcp.hasCounted(Counter.TCP_MTUP_SUCCESS, 1).info().has("snd_mss", 986);
    }

    @Test
    void too_little_data_is_not_worth_a_probe() {
        var tcp = searching();

        tcp.write(2000);
        assertThat(tcp.take()).allMatch(sent -> sent.segment().length() <= 512);
    }

    @Test
    @Rfc("RFC 4821 section 7.6.2")
    void a_lost_probe_is_no_congestion() {
        var tcp = searching();

        tcp.write(4000).discard();
        tcp.at(30).receive("< . 1:1(0) ack 1 <sack 987:4001>");
        tcp.firstOutputOrNothing(60);
        var again = tcp.take();
        assertThat(again.getFirst().segment().length()).isEqualTo(512);
        tcp.hasCounted(Counter.TCP_MTUP_FAIL, 1).info().has("snd_cwnd", 20);
        tcp.at(100).receive("< . 1:1(0) ack 4001").expectNothing();

        tcp.at(110).write(4000);
        int next = tcp.take().getFirst().segment().length();
        assertThat(next).as("between the least and what failed").isBetween(700, 760);
    }

    @Test
    @Rfc("RFC 4821 section 7.7")
    void timeouts_in_a_row_make_segments_smaller() {
        var tcp = established(1);
        tcp.info().has("snd_mss", 1460);

        tcp.write(1460).discard();
        tcp.skip(3500);
        tcp.info().has("snd_mss", 512);
        tcp.skip(5000).info().has("snd_mss", 256);
    }

    @Test
    void off_means_off() {
        var tcp = established(0);

        tcp.write(8000);
        assertThat(tcp.take()).allMatch(sent -> sent.segment().length() <= 1460);
        tcp.skip(15_000).info().has("snd_mss", 1460);
    }
}
