package dev.sluice.tcp;

import static dev.sluice.testkit.Setup.cwnd;
import static dev.sluice.testkit.Setup.rttMillis;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.tso;
import static dev.sluice.testkit.Setup.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Sent;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Several segments behind one header (B-2.5, B-12): one row of the scoreboard, one packet. */
@ExchangeTest
class SuperSegmentTest {
    private static TcpTest established() {
        return TcpTest.established(
                "mss 1000,sackOK,wscale 0",
                window(60_000),
                rttMillis(40),
                cwnd(20),
                sysctl("net.ipv4.tcp_min_tso_segs", 10),
                tso());
    }

    @Test
    void ten_segments_are_one_packet() {
        var tcp = established();

        List<Sent> sent = tcp.write(10_000).take();
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().segment().length()).isEqualTo(10_000);
        assertThat(sent.getFirst().segments()).isEqualTo(10);
        assertThat(sent.getFirst().segmentSize()).isEqualTo(1000);
        tcp.info().has("unacked", 10).has("data_segs_out", 10);
        tcp.hasCounted(Counter.TCP_ORIG_DATA_SENT, 10);
        tcp.at(40).receive("< . 1:1(0) ack 10001").expectNothing();
        tcp.info().has("unacked", 0).has("delivered", 11);
    }

    @Test
    void the_last_segment_may_be_shorter() {
        var tcp = established();

        Sent sent = tcp.write(2300).take().getFirst();
        assertThat(sent.segments()).isEqualTo(3);
        assertThat(sent.segment().length()).isEqualTo(2300);
        tcp.info().has("unacked", 3);
    }

    @Test
    void an_ack_in_the_middle_leaves_the_rest() {
        var tcp = established();

        tcp.write(10_000).discard();
        tcp.at(40).receive("< . 1:1(0) ack 3001").expectNothing();
        tcp.info().has("unacked", 7);
        tcp.at(41).receive("< . 1:1(0) ack 3501").expectNothing();
        tcp.info().has("unacked", 7);
        tcp.at(42).receive("< . 1:1(0) ack 10001").expectNothing();
        tcp.info().has("unacked", 0);
    }

    @Test
    void a_selective_ack_splits_the_row_and_only_the_hole_is_sent_again() {
        var tcp = established();

        tcp.write(10_000).discard();
        tcp.at(40).receive("< . 1:1(0) ack 1 <sack 3001:8001>");
        List<Sent> sent = tcp.take();
        long bytes = sent.stream().mapToLong(s -> s.segment().length()).sum();
        assertThat(bytes).isEqualTo(3000);
        assertThat(sent.getFirst().segment().seq()).isEqualTo(1);
        tcp.info().has("sacked", 5).has("lost", 3).has("retrans", 3).has("unacked", 10);
        tcp.at(80).receive("< . 1:1(0) ack 8001").discard();
        tcp.firstOutputOrNothing(500).discard();
        tcp.receive("< . 1:1(0) ack 10001").expectNothing();
        tcp.info().has("unacked", 0).has("lost", 0);
    }

    @Test
    void a_timeout_sends_one_segment_of_it() {
        var tcp =
                TcpTest.established(
                        "mss 1000,wscale 0",
                        window(60_000),
                        rttMillis(40),
                        cwnd(20),
                        sysctl("net.ipv4.tcp_min_tso_segs", 10),
                        tso());

        tcp.write(10_000).discard();
        tcp.at(240).expect("> . 1:1001(1000) ack 1");
        tcp.info().has("lost", 10).has("retrans", 1);
    }

    @Test
    void the_window_bounds_it() {
        var tcp =
                TcpTest.established(
                        "mss 1000,wscale 0",
                        window(5500),
                        rttMillis(40),
                        cwnd(20),
                        sysctl("net.ipv4.tcp_min_tso_segs", 10),
                        tso());

        tcp.write(10_000).expect("> P. 1:5501(5500) ack 1");
        tcp.at(40).receive("< . 1:1(0) ack 5501").expect("> P. 5501:10001(4500) ack 1");
    }

    @Test
    void without_the_offload_the_same_row_leaves_as_segments() {
        var tcp =
                TcpTest.established(
                        "mss 1000,wscale 0",
                        window(60_000),
                        rttMillis(40),
                        sysctl("net.ipv4.tcp_min_tso_segs", 10));

        List<Sent> sent = tcp.write(4000).take();
        assertThat(sent).hasSize(4).allMatch(s -> s.segments() == 1);
        assertThat(sent)
                .extracting(s -> s.segment().seq())
                .containsExactly(1L, 1001L, 2001L, 3001L);
        assertThat(sent.getLast().segment().flags() & 8).isEqualTo(8);
    }
}
