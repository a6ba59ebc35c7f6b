package dev.sluice.lab.packetdrill;

import java.util.List;
import java.util.Map;

/** What code blocks may name: the fields of Linux's {@code tcp_info} and its constants. */
final class TcpInfoNames {
    /** Fields without {@code tcpi_}. */
    static final List<String> FIELDS =
            List.of(
                    """
                    state ca_state retransmits probes backoff options snd_wscale rcv_wscale
                    delivery_rate_app_limited rto ato snd_mss rcv_mss unacked sacked lost retrans
                    fackets last_data_sent last_ack_sent last_data_recv last_ack_recv pmtu
                    rcv_ssthresh rtt rttvar snd_ssthresh snd_cwnd advmss reordering total_retrans
                    pacing_rate max_pacing_rate rcv_rtt rcv_space bytes_acked bytes_received
                    segs_out segs_in notsent_bytes min_rtt data_segs_in data_segs_out delivery_rate
                    busy_time rwnd_limited sndbuf_limited delivered delivered_ce bytes_sent
                    bytes_retrans dsack_dups reord_seen rcv_ooopack snd_wnd rcv_wnd rehash
                    total_rto total_rto_recoveries total_rto_time ecn_mode accecn_opt_seen
                    accecn_fail_mode options2 received_ce delivered_e1_bytes delivered_e0_bytes
                    delivered_ce_bytes received_e1_bytes received_e0_bytes received_ce_bytes
                    """
                            .strip()
                            .split("\\s+"));

    /** States, congestion states and option bits; the names FreeBSD's scripts use as well. */
    static final Map<String, Long> CONSTANTS =
            Map.ofEntries(
                    Map.entry("TCP_ESTABLISHED", 1L),
                    Map.entry("TCP_SYN_SENT", 2L),
                    Map.entry("TCP_SYN_RECV", 3L),
                    Map.entry("TCP_FIN_WAIT1", 4L),
                    Map.entry("TCP_FIN_WAIT2", 5L),
                    Map.entry("TCP_TIME_WAIT", 6L),
                    Map.entry("TCP_CLOSE", 7L),
                    Map.entry("TCP_CLOSE_WAIT", 8L),
                    Map.entry("TCP_LAST_ACK", 9L),
                    Map.entry("TCP_LISTEN", 10L),
                    Map.entry("TCP_CLOSING", 11L),
                    Map.entry("TCPI_ESTABLISHED", 1L),
                    Map.entry("TCPI_SYN_SENT", 2L),
                    Map.entry("TCPI_SYN_RECEIVED", 3L),
                    Map.entry("TCPI_FIN_WAIT_1", 4L),
                    Map.entry("TCPI_FIN_WAIT_2", 5L),
                    Map.entry("TCPI_TIME_WAIT", 6L),
                    Map.entry("TCPI_CLOSED", 7L),
                    Map.entry("TCPI_CLOSE_WAIT", 8L),
                    Map.entry("TCPI_LAST_ACK", 9L),
                    Map.entry("TCPI_LISTEN", 10L),
                    Map.entry("TCPI_CLOSING", 11L),
                    Map.entry("TCP_CA_Open", 0L),
                    Map.entry("TCP_CA_Disorder", 1L),
                    Map.entry("TCP_CA_CWR", 2L),
                    Map.entry("TCP_CA_Recovery", 3L),
                    Map.entry("TCP_CA_Loss", 4L),
                    Map.entry("TCPI_OPT_TIMESTAMPS", 1L),
                    Map.entry("TCPI_OPT_SACK", 2L),
                    Map.entry("TCPI_OPT_WSCALE", 4L),
                    Map.entry("TCPI_OPT_ECN", 8L),
                    Map.entry("TCPI_OPT_ECN_SEEN", 16L),
                    Map.entry("TCPI_OPT_SYN_DATA", 32L),
                    Map.entry("TCPI_OPT_USEC_TS", 64L),
                    Map.entry("TCPI_OPT_TFO_CHILD", 128L));

    private TcpInfoNames() {}
}
