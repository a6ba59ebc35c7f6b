package dev.sluice.tcp;

import static dev.sluice.socket.SocketOption.TCP_QUICKACK;
import static dev.sluice.testkit.Setup.sysctl;
import static dev.sluice.testkit.Setup.tso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tcp.congestion.CongestionState;
import dev.sluice.tcp.policy.EarlyEcnAcks;
import dev.sluice.testkit.ExchangeTest;
import dev.sluice.testkit.Rfc;
import dev.sluice.testkit.Setup;
import dev.sluice.testkit.TcpTest;
import dev.sluice.trace.Counter;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Explicit congestion notification (RFC 3168, B-6) and DCTCP's use of it (RFC 8257, B-1.2.7). */
@ExchangeTest
class EcnTest {
    private static final Setup NO_STAMPS = sysctl("net.ipv4.tcp_timestamps", 0);
    private static final Setup ASK = sysctl("net.ipv4.tcp_ecn", 1);

    /** Opened by the peer, and both take part. */
    private static TcpTest established(Setup... setups) {
        TcpTest tcp = TcpTest.listen(setups);
        tcp.receive("< [noecn] SEW 0:0(0) <mss 1000,sackOK>").expect("> SE. 0:0(0) ack 1");
        tcp.after(20).receive("< . 1:1(0) ack 1").accept().expectNothing();
        return tcp;
    }

    /** The peer no longer gets its first acknowledgments at once. */
    private static TcpTest interactive(Setup... setups) {
        TcpTest tcp = established(setups);
        tcp.receive("< [ect0] . 1:101(100) ack 1").expect("> . 1:1(0) ack 101").read(100);
        return tcp.set(TCP_QUICKACK, 0);
    }

    @Nested
    class Negotiation {
        @Test
        @Rfc("RFC 3168 section 6.1.1")
        void a_syn_with_an_ecn_capable_ip_header_has_been_tampered_with() {
            var tcp = TcpTest.listen();

            tcp.receive("< [ect0] SEW 0:0(0) <mss 1000>").expect("> S. 0:0(0) ack 1");
            tcp.after(20).receive("< . 1:1(0) ack 1").accept();
            tcp.info().has("options", 0);
            tcp.write(100).expect("> [noecn] P. 1:101(100) ack 1");
        }

        @Test
        void ece_alone_is_not_a_request() {
            TcpTest.listen()
                    .receive("< SE 0:0(0) <mss 1000>")
                    .expect("> S. 0:0(0) ack 1 <mss 1460>");
        }

        @Test
        @Rfc("RFC 9768 section 3.1.2")
        void a_request_for_accurate_ecn_is_met_with_the_classic_kind() {
            TcpTest.listen().receive("< SEWA 0:0(0) <mss 1000>").expect("> SE. 0:0(0) ack 1");
        }

        @Test
        void the_repeated_syn_ack_still_agrees() {
            var tcp = TcpTest.listen();

            tcp.receive("< SEW 0:0(0) <mss 1000>").expect("> [noecn] SE. 0:0(0) ack 1");
            tcp.firstOutputBetween(900, 1100).expect("> [noecn] SE. 0:0(0) ack 1");
        }

        @Test
        @Rfc("RFC 3168 section 6.1.1")
        void a_syn_ack_that_only_reflects_our_flags_does_not_agree() {
            var tcp = TcpTest.connect(ASK, NO_STAMPS);

            tcp.expect("> [noecn] SEW 0:0(0)");
            tcp.after(20).receive("< SEW. 0:0(0) ack 1 <mss 1000>").expect("> . 1:1(0) ack 1");
            tcp.write(100).expect("> [noecn] P. 1:101(100) ack 1");
            tcp.receive("< E. 1:1(0) ack 101").info().has("delivered_ce", 0);
        }

        @Test
        @Rfc("RFC 3168 section 6.1.1.1")
        void without_fallback_a_repeated_syn_asks_again() {
            var tcp = TcpTest.connect(ASK, sysctl("net.ipv4.tcp_ecn_fallback", 0));

            tcp.expect("> SEW 0:0(0)").firstOutputBetween(900, 1100).expect("> SEW 0:0(0)");
        }

        @Test
        void crossing_syns_that_both_ask_agree() {
            var tcp = TcpTest.connect(ASK, NO_STAMPS);

            tcp.expect("> SEW 0:0(0)");
            tcp.after(20).receive("< SEW 0:0(0) <mss 1000>").expect("> SE. 0:0(0) ack 1");
            tcp.after(20).receive("< . 1:1(0) ack 1").write(100);
            tcp.expect("> [ect0] P. 1:101(100) ack 1");
        }

        @Test
        void crossing_syns_agree_on_nothing_after_a_fallback() {
            var tcp = TcpTest.connect(ASK, NO_STAMPS);

            tcp.expect("> SEW 0:0(0)").firstOutputBetween(900, 1100).expect("> S 0:0(0)");
            tcp.receive("< SEW 0:0(0) <mss 1000>").expect("> S. 0:0(0) ack 1");
        }
    }

    @Nested
    class Sender {
        @Test
        @Rfc({"RFC 3168 section 6.1.4", "RFC 3168 section 6.1.5"})
        void only_new_data_is_ecn_capable() {
            var tcp = established(NO_STAMPS, sysctl("net.ipv4.tcp_early_retrans", 0));

            tcp.write(100).expect("> [ect0] P. 1:101(100) ack 1");
            tcp.receive("< [ect0] . 1:51(50) ack 1").expect("> [noecn] . 101:101(0) ack 51");
            tcp.read(50).firstOutputBetween(200, 300).expect("> [noecn] P. 1:101(100) ack 51");
            tcp.receive("< . 51:51(0) ack 101").shutdownOutput();
            tcp.expect("> [noecn] F. 101:101(0) ack 51");
        }

        @Test
        @Rfc("RFC 3168 section 6.1.6")
        void a_window_probe_is_not_ecn_capable() {
            var tcp = established(NO_STAMPS);

            tcp.write(100).expect("> [ect0] P. 1:101(100) ack 1");
            tcp.receive("< . 1:1(0) ack 101 win 0").write(100).expectNothing();
            tcp.firstOutputBetween(150, 500).expect("> [noecn] . 100:100(0) ack 1");
        }

        @Test
        void ipv6_is_marked_in_the_traffic_class() {
            established(NO_STAMPS, Setup.ipv6()).write(100).expect("> [ect0] P. 1:101(100) ack 1");
        }

        @Test
        @Rfc("RFC 3168 section 6.1.2")
        void the_window_is_reduced_once_per_window_of_data() {
            var tcp = established(NO_STAMPS, tso());

            tcp.write(10_000).expect("> [ect0] P. 1:10001(10000) ack 1").write(20_000);
            tcp.after(20).receive("< E. 1:1(0) ack 2001");
            tcp.info().hasCaState(CongestionState.CWR).hasSsthresh(7);
            assertThat(tcp.take())
                    .allMatch(sent -> sent.segment().ip().ecn() == 2)
                    .filteredOn(sent -> sent.segment().toString().contains("W"))
                    .hasSize(1);
            tcp.receive("< E. 1:1(0) ack 6001").discard();
            tcp.receive("< E. 1:1(0) ack 10001").discard();
            tcp.info().hasCaState(CongestionState.CWR).hasSsthresh(7);
            // Beyond what was out at the reduction: it is over, and the next mark counts again.
            tcp.after(20).receive("< . 1:1(0) ack 12001").discard();
            tcp.info().hasCaState(CongestionState.OPEN).hasCwnd(7);
            tcp.receive("< E. 1:1(0) ack 13001");
            tcp.info().hasCaState(CongestionState.CWR).hasSsthresh(4);
            assertThat(tcp.take()).noneMatch(sent -> sent.segment().length() == 0);
            tcp.hasCounted(Counter.TCP_DELIVERED_CE, 11).info().has("delivered_ce", 11);
        }

        @Test
        @Rfc("RFC 3168 section 6.1.2")
        void a_super_segment_says_cwr_once() {
            var tcp = established(NO_STAMPS, tso(), sysctl("net.ipv4.tcp_min_tso_segs", 3));

            tcp.write(10_000).discard().after(20).receive("< E. 1:1(0) ack 10001");
            tcp.write(2000).expect("> [ect0] PW. 10001:12001(2000) ack 1");
            tcp.write(1000).expect("> [ect0] P. 12001:13001(1000) ack 1");
        }

        @Test
        void without_segmentation_offload_the_first_packet_says_cwr() {
            var tcp = established(NO_STAMPS);

            tcp.write(10_000).discard().after(20).receive("< E. 1:1(0) ack 10001").write(2000);
            tcp.expect(
                    "> [ect0] W. 10001:11001(1000) ack 1", "> [ect0] P. 11001:12001(1000) ack 1");
        }

        @Test
        void ece_without_ecn_means_nothing() {
            var tcp = TcpTest.established("mss 1000,sackOK", NO_STAMPS);

            tcp.write(2000).discard().receive("< E. 1:1(0) ack 1001");
            tcp.info().hasCaState(CongestionState.OPEN).has("options", TcpInfo.OPT_SACK);
        }

        @Test
        @Rfc("RFC 3168 section 6.1.2")
        void loss_is_announced_too_but_not_on_the_retransmission() {
            var tcp = established(NO_STAMPS);

            tcp.write(10_000).discard().write(10_000).after(20);
            tcp.receive("< . 1:1(0) ack 1 <sack 1001:5001>");
            tcp.expect("> [noecn] . 1:1001(1000) ack 1", "> [ect0] W. 10001:11001(1000) ack 1");
        }

        /**
         * Ten segments are out when an ACK lets the first be retransmitted for nothing: then the
         * answers to the originals come, as their timestamps tell (RFC 3522).
         */
        private static TcpTest needlessRetransmission(String flags) {
            var tcp = TcpTest.listen();
            tcp.receive("< SEW 0:0(0) <mss 1000,sackOK,TS val 100 ecr 0>").discard();
            tcp.after(20).receive("< . 1:1(0) ack 1 <nop,nop,TS val 120 ecr 0>").accept();
            tcp.write(9880).discard().after(20);
            String early = "< %s 1:1(0) ack 1 <nop,nop,TS val 140 ecr 20,nop,nop,sack 989:4941>";
            tcp.receive(early.formatted(flags)).expect("> [noecn] . 1:989(988) ack 1");
            tcp.info().hasCaState(CongestionState.RECOVERY).hasSsthresh(7);
            tcp.after(10).receive("< . 1:1(0) ack 9881 <nop,nop,TS val 150 ecr 20>");
            tcp.info().hasCaState(CongestionState.OPEN);
            return tcp;
        }

        @Test
        void a_reduction_with_marks_is_not_undone() {
            var tcp = needlessRetransmission("E.");

            tcp.info().hasSsthresh(7).hasBetween("snd_cwnd", 1, 7);
            tcp.write(988).expect("> [ect0] PW. 9881:10869(988) ack 1");
        }

        @Test
        void an_undone_reduction_is_not_announced() {
            var tcp = needlessRetransmission(".");

            tcp.info().hasBetween("snd_cwnd", 10, 20);
            tcp.write(988).expect("> [ect0] P. 9881:10869(988) ack 1");
        }

        @Test
        void a_timeout_is_announced_with_the_next_new_data() {
            var tcp = established(NO_STAMPS, sysctl("net.ipv4.tcp_early_retrans", 0));

            tcp.write(1000).discard().firstOutputBetween(200, 300);
            tcp.expect("> [noecn] P. 1:1001(1000) ack 1");
            tcp.after(20).receive("< . 1:1(0) ack 1001").write(500);
            tcp.expect("> [ect0] PW. 1001:1501(500) ack 1");
        }
    }

    @Nested
    class Receiver {
        @Test
        @Rfc("RFC 3168 section 6.1.3")
        void a_mark_is_echoed_on_everything_until_cwr() {
            var tcp = established(NO_STAMPS);

            tcp.receive("< [ce] . 1:1001(1000) ack 1").expect("> E. 1:1(0) ack 1001").read(1000);
            tcp.write(100).expect("> [ect0] PE. 1:101(100) ack 1001");
            tcp.receive("< [ect0] W. 1001:2001(1000) ack 101").expect("> . 101:101(0) ack 2001");
            tcp.hasCounted(Counter.IP_IN_CE_PKTS, 1).hasCounted(Counter.IP_IN_ECT0_PKTS, 1);
            tcp.info().has("options", TcpInfo.OPT_SACK | TcpInfo.OPT_ECN | TcpInfo.OPT_ECN_SEEN);
        }

        @Test
        void cwr_counts_on_a_pure_ack_too() {
            var tcp = established(NO_STAMPS);

            tcp.receive("< [ce] . 1:1001(1000) ack 1").expect("> E. 1:1(0) ack 1001");
            tcp.receive("< W. 1001:1001(0) ack 1").expectNothing();
            tcp.receive("< [ect0] . 1001:2001(1000) ack 1").expect("> . 1:1(0) ack 2001");
        }

        @Test
        void a_mark_that_comes_with_cwr_begins_another_echo() {
            var tcp = established(NO_STAMPS);

            tcp.receive("< [ce] . 1:1001(1000) ack 1").expect("> E. 1:1(0) ack 1001");
            tcp.receive("< [ce] W. 1001:2001(1000) ack 1").expect("> E. 1:1(0) ack 2001");
        }

        @Test
        void a_mark_out_of_order_is_echoed_with_the_duplicate() {
            var tcp = established(NO_STAMPS);

            tcp.receive("< [ce] . 1001:2001(1000) ack 1");
            tcp.expect("> E. 1:1(0) ack 1 <sack 1001:2001>");
        }

        @Test
        void the_first_mark_and_only_the_first_is_acknowledged_quickly() {
            var tcp = established(NO_STAMPS);
            for (int i = 0; i < 20; i++) { // more than the budget of a new connection
                tcp.receive("< [ect0] . %d:%d(100) ack 1".formatted(1 + 100 * i, 101 + 100 * i));
                tcp.discard().read(100);
            }

            tcp.firstOutputOrNothing(60).discard();
            tcp.receive("< [ect0] . 2001:2101(100) ack 1").expectNothing();
            tcp.receive("< [ce] . 2101:2201(100) ack 1").expect("> E. 1:1(0) ack 2201");
            tcp.receive("< [ce] . 2201:2301(100) ack 1").expect("> E. 1:1(0) ack 2301");
            tcp.receive("< [ce] . 2301:2401(100) ack 1").expectNothing();
            tcp.firstOutputOrNothing(900).expect("> E. 1:1(0) ack 2401").read(400);
        }

        @Test
        void data_with_cwr_is_acknowledged_at_once() {
            var tcp = interactive(NO_STAMPS);

            tcp.receive("< [ect0] W. 101:201(100) ack 1").expect("> . 1:1(0) ack 201");
        }

        @Test
        void data_that_is_suddenly_not_ecn_capable_is_acknowledged_quickly() {
            var tcp = interactive(NO_STAMPS);

            tcp.receive("< [noecn] . 101:201(100) ack 1").expect("> . 1:1(0) ack 201");
        }

        @Test
        void marks_without_ecn_mean_nothing() {
            var tcp = TcpTest.established("mss 1000", NO_STAMPS);

            tcp.receive("< [ce] . 1:1001(1000) ack 1").expect("> . 1:1(0) ack 1001");
            tcp.info().has("options", 0);
        }
    }

    @Nested
    class Dctcp {
        private static final Setup DCTCP = sysctl("net.ipv4.tcp_congestion_control", "dctcp");

        @Test
        @Rfc("RFC 8257 section 3")
        void asks_and_is_ecn_capable_in_everything() {
            var tcp = TcpTest.connect(DCTCP, NO_STAMPS, sysctl("net.ipv4.tcp_ecn", 0));

            tcp.expect("> [ect0] SEW 0:0(0)");
            tcp.after(20)
                    .receive("< SE. 0:0(0) ack 1 <mss 1000>")
                    .expect("> [ect0] . 1:1(0) ack 1");
            tcp.write(100).expect("> [ect0] P. 1:101(100) ack 1");
            tcp.firstOutputBetween(20, 400).expect("> [ect0] P. 1:101(100) ack 1");
        }

        @Test
        void is_new_reno_where_the_peer_declines() {
            var tcp = TcpTest.connect(DCTCP, NO_STAMPS);

            tcp.expect("> [ect0] SEW 0:0(0)");
            tcp.after(20).receive("< S. 0:0(0) ack 1 <mss 1000,sackOK>");
            tcp.expect("> [noecn] . 1:1(0) ack 1");
            tcp.write(10_000).discard().after(20).receive("< . 1:1(0) ack 1 <sack 1001:5001>");
            tcp.discard().info().hasSsthresh(5);
        }

        @Test
        @Rfc("RFC 8257 section 3.2")
        void a_change_of_the_mark_separates_two_acknowledgments() {
            var tcp = interactive(DCTCP, NO_STAMPS);

            tcp.receive("< [ect0] . 101:201(100) ack 1").expectNothing();
            tcp.receive("< [ce] . 201:301(100) ack 1");
            tcp.expect("> [ect0] . 1:1(0) ack 201", "> [ect0] E. 1:1(0) ack 301");
            tcp.hasCounted(Counter.SPECIAL_ECN_ACKS, 1);
            tcp.set(TCP_QUICKACK, 0).receive("< [ce] . 301:401(100) ack 1").expectNothing();
            tcp.receive("< [ect0] . 401:501(100) ack 1");
            tcp.expect("> E. 1:1(0) ack 401", "> . 1:1(0) ack 501").read(400);
        }

        @Test
        void nothing_owed_nothing_sent_before_the_change() {
            var tcp = interactive(DCTCP, NO_STAMPS);

            tcp.receive("< [ce] . 101:201(100) ack 1").expect("> E. 1:1(0) ack 201");
            tcp.receive("< [ect0] . 201:301(100) ack 1").expect("> . 1:1(0) ack 301");
            tcp.hasCounted(Counter.SPECIAL_ECN_ACKS, 0);
        }

        @Test
        void the_echo_follows_the_marks_and_not_cwr() {
            var tcp = established(DCTCP, NO_STAMPS);

            tcp.receive("< [ce] . 1:1001(1000) ack 1").expect("> E. 1:1(0) ack 1001");
            tcp.receive("< [ce] W. 1001:2001(1000) ack 1").expect("> E. 1:1(0) ack 2001");
            tcp.receive("< [ect0] . 2001:3001(1000) ack 1").expect("> . 1:1(0) ack 3001");
        }

        /** The stall of B-1.2.2, and that it is gone. */
        @Test
        void early_linux_forgot_the_acknowledgment_of_the_new_segment() {
            var tcp = interactive(DCTCP, NO_STAMPS);
            tcp.stack().tcp().ecnAckPolicy = new EarlyEcnAcks();

            tcp.receive("< [ect0] . 101:201(100) ack 1").expectNothing();
            tcp.receive("< [ce] . 201:301(100) ack 1").expect("> . 1:1(0) ack 201");
            tcp.after(1000).expectNothing().read(200);
        }

        @Test
        @Rfc("RFC 8257 section 3.3")
        void the_first_mark_halves_the_window() {
            var tcp = established(DCTCP, NO_STAMPS);

            tcp.write(10_000).discard().after(20).receive("< E. 1:1(0) ack 1001");
            tcp.info().hasCaState(CongestionState.CWR).hasSsthresh(5);
        }

        @Test
        void may_be_chosen_for_a_connection_that_has_ecn() {
            var tcp = established(NO_STAMPS);

            assertThat(tcp.connection().setCongestionControl("dctcp")).isZero();
            tcp.receive("< [ect0] . 1:1001(1000) ack 1").expect("> [ect0] . 1:1(0) ack 1001");
            assertThat(tcp.connection().setCongestionControl("reno")).isZero();
            tcp.receive("< [ect0] . 1001:2001(1000) ack 1").expect("> [noecn] . 1:1(0) ack 2001");
        }
    }
}
