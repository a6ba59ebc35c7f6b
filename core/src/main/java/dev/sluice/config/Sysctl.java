package dev.sluice.config;

/**
 * The table of everything that can be configured, one constant for each key.
 *
 * <p>Names, types, ranges and defaults are those of Linux 6.18 (B-0.5) for keys under {@code
 * net.core}, {@code net.ipv4} and {@code net.ipv6}; what Linux derives from the size of the machine
 * is a fixed number here, so that a run does not depend on the machine. Keys under {@code
 * net.stack} are our own, most of them constants or route attributes in Linux.
 */
public enum Sysctl {
    // Sockets of all kinds

    SOMAXCONN(
            "net.core.somaxconn",
            4096,
            0,
            Integer.MAX_VALUE,
            "connections",
            "Upper limit of the backlog that listen asks for."),
    RMEM_DEFAULT(
            "net.core.rmem_default",
            212_992,
            2304,
            Integer.MAX_VALUE,
            "bytes",
            "Receive buffer of a UDP socket."),
    RMEM_MAX(
            "net.core.rmem_max",
            4_194_304,
            2304,
            Integer.MAX_VALUE,
            "bytes",
            "Largest SO_RCVBUF an application may ask for; twice as much is charged."),
    WMEM_DEFAULT(
            "net.core.wmem_default",
            212_992,
            4608,
            Integer.MAX_VALUE,
            "bytes",
            "Send buffer of a UDP socket."),
    WMEM_MAX(
            "net.core.wmem_max",
            4_194_304,
            4608,
            Integer.MAX_VALUE,
            "bytes",
            "Largest SO_SNDBUF an application may ask for; twice as much is charged."),
    NETDEV_MAX_BACKLOG(
            "net.core.netdev_max_backlog",
            1000,
            1,
            Integer.MAX_VALUE,
            "packets",
            "Received packets a host lets wait for its protocols."),

    // TCP memory and buffers

    TCP_MEM(
            "net.ipv4.tcp_mem",
            SysctlFormat.ascending(3, 1, Integer.MAX_VALUE),
            "98304 131072 196608",
            "pages",
            "Usage of all sockets below which pressure ends, above which it begins, and which"
                    + " nobody may pass; Linux derives the three from the memory of the machine."),
    TCP_RMEM(
            "net.ipv4.tcp_rmem",
            SysctlFormat.list(3, 1, Integer.MAX_VALUE),
            "4096 131072 33554432",
            "bytes",
            "Receive buffer: guaranteed minimum, initial size, limit of auto-tuning."),
    TCP_WMEM(
            "net.ipv4.tcp_wmem",
            SysctlFormat.list(3, 1, Integer.MAX_VALUE),
            "4096 16384 4194304",
            "bytes",
            "Send buffer: guaranteed minimum, initial size, limit of auto-tuning."),
    TCP_MODERATE_RCVBUF(
            "net.ipv4.tcp_moderate_rcvbuf",
            true,
            "Auto-tunes the receive buffer unless SO_RCVBUF was set."),
    TCP_RCVBUF_LOW_RTT(
            "net.ipv4.tcp_rcvbuf_low_rtt",
            1000,
            0,
            Integer.MAX_VALUE,
            "us",
            "Round-trip time below which the receive buffer grows more slowly."),
    TCP_SHRINK_WINDOW(
            "net.ipv4.tcp_shrink_window",
            false,
            "Allows the offered window to move its right edge back."),
    TCP_ADV_WIN_SCALE(
            "net.ipv4.tcp_adv_win_scale",
            1,
            -31,
            31,
            "",
            "Obsolete since Linux 6.6 and without effect: the share of the buffer that is offered"
                    + " is measured for each socket."),
    TCP_NOTSENT_LOWAT(
            "net.ipv4.tcp_notsent_lowat",
            4_294_967_295L,
            0,
            4_294_967_295L,
            "bytes",
            "Unsent bytes above which a socket is not writable."),
    TCP_LIMIT_OUTPUT_BYTES(
            "net.ipv4.tcp_limit_output_bytes",
            4_194_304,
            0,
            Integer.MAX_VALUE,
            "bytes",
            "Most bytes one socket may have in the queues of the device."),
    TCP_MAX_ORPHANS(
            "net.ipv4.tcp_max_orphans",
            131_072,
            0,
            Integer.MAX_VALUE,
            "connections",
            "Connections that may outlive their socket; more are reset."),
    TCP_MAX_TW_BUCKETS(
            "net.ipv4.tcp_max_tw_buckets",
            131_072,
            0,
            Integer.MAX_VALUE,
            "connections",
            "Connections that may be in TIME_WAIT; more end at once."),

    // TCP options and negotiation

    TCP_SACK("net.ipv4.tcp_sack", true, "Offers and accepts selective acknowledgments (RFC 2018)."),
    TCP_DSACK("net.ipv4.tcp_dsack", true, "Reports duplicate data by D-SACK (RFC 2883)."),
    TCP_TIMESTAMPS(
            "net.ipv4.tcp_timestamps",
            1,
            0,
            2,
            "",
            "Timestamps option (RFC 7323): 0 never, 1 with a random offset for each connection, 2"
                    + " without offset."),
    TCP_WINDOW_SCALING(
            "net.ipv4.tcp_window_scaling", true, "Offers and accepts window scaling (RFC 7323)."),
    TCP_ECN(
            "net.ipv4.tcp_ecn",
            2,
            0,
            5,
            "",
            "ECN: 0 never, 1 request and accept, 2 accept only (RFC 3168); accurate ECN (RFC 9768):"
                + " 3 request and accept, 4 accept, and request the classic kind, 5 accept only."),
    TCP_ECN_FALLBACK(
            "net.ipv4.tcp_ecn_fallback",
            true,
            "Retries a SYN without ECN when the first one with ECN went unanswered."),
    TCP_ECN_OPTION(
            "net.ipv4.tcp_ecn_option",
            2,
            0,
            3,
            "",
            "Option of accurate ECN: 0 never sent, 1 only with news and as a beacon, 2 always, 3"
                    + " even if segments with it get lost."),
    TCP_ECN_OPTION_BEACON(
            "net.ipv4.tcp_ecn_option_beacon",
            3,
            0,
            255,
            "per RTT",
            "How often the option of accurate ECN is sent without news."),
    TCP_FASTOPEN(
            "net.ipv4.tcp_fastopen",
            1,
            0,
            Integer.MAX_VALUE,
            "bits",
            "Fast Open (RFC 7413): 1 client, 2 server, 4 client sends data without cookie, 0x200"
                    + " server accepts data without cookie, 0x400 every listener."),
    TCP_FASTOPEN_KEY(
            "net.ipv4.tcp_fastopen_key",
            SysctlFormat.fastOpenKey(),
            SysctlFormat.NO_FAST_OPEN_KEY,
            "",
            "Keys of the Fast Open cookies, current and previous; zeros let the stack make one."),
    TCP_FASTOPEN_BLACKHOLE_TIMEOUT_SEC(
            "net.ipv4.tcp_fastopen_blackhole_timeout_sec",
            0,
            0,
            Integer.MAX_VALUE,
            "s",
            "First pause of outgoing Fast Open after a firewall seems to have dropped it; 0 never"
                    + " pauses."),
    TCP_MIN_SND_MSS(
            "net.ipv4.tcp_min_snd_mss",
            48,
            48,
            65_535,
            "bytes",
            "Smallest segment size ever used for sending."),
    TCP_WORKAROUND_SIGNED_WINDOWS(
            "net.ipv4.tcp_workaround_signed_windows",
            false,
            "Treats a window without scaling as a signed number, for peers that do."),
    TCP_REFLECT_TOS(
            "net.ipv4.tcp_reflect_tos", false, "Answers a SYN with its own type of service."),

    // TCP connection establishment

    TCP_SYN_RETRIES(
            "net.ipv4.tcp_syn_retries",
            6,
            1,
            127,
            "",
            "SYNs retransmitted with doubling time-outs before a connect fails."),
    TCP_SYN_LINEAR_TIMEOUTS(
            "net.ipv4.tcp_syn_linear_timeouts",
            4,
            0,
            127,
            "",
            "First SYN retransmissions whose time-out does not double."),
    TCP_SYNACK_RETRIES(
            "net.ipv4.tcp_synack_retries",
            5,
            0,
            255,
            "",
            "SYN-ACKs retransmitted before a half-open connection is forgotten."),
    TCP_MAX_SYN_BACKLOG(
            "net.ipv4.tcp_max_syn_backlog",
            2048,
            1,
            Integer.MAX_VALUE,
            "connections",
            "Half-open connections of a listener beyond which cookies or drops begin."),
    TCP_SYNCOOKIES(
            "net.ipv4.tcp_syncookies",
            1,
            0,
            2,
            "",
            "SYN cookies: 0 never, 1 when the SYN queue overflows, 2 always."),
    TCP_ABORT_ON_OVERFLOW(
            "net.ipv4.tcp_abort_on_overflow",
            false,
            "Resets instead of ignoring a handshake that finds the accept queue full."),

    // TCP acknowledgments

    TCP_COMP_SACK_DELAY_NS(
            "net.ipv4.tcp_comp_sack_delay_ns",
            1_000_000,
            0,
            Integer.MAX_VALUE,
            "ns",
            "Longest delay of a compressed SACK."),
    TCP_COMP_SACK_SLACK_NS(
            "net.ipv4.tcp_comp_sack_slack_ns",
            10_000,
            0,
            Integer.MAX_VALUE,
            "ns",
            "Lateness allowed to the timer of compressed SACKs."),
    TCP_COMP_SACK_NR(
            "net.ipv4.tcp_comp_sack_nr",
            44,
            0,
            255,
            "ACKs",
            "Most ACKs merged into a compressed SACK; 0 never compresses."),
    TCP_COMP_SACK_RTT_PERCENT(
            "net.ipv4.tcp_comp_sack_rtt_percent",
            33,
            1,
            1000,
            "%",
            "Share of the round-trip time that a SACK may be compressed for."),
    TCP_PINGPONG_THRESH(
            "net.ipv4.tcp_pingpong_thresh",
            1,
            1,
            255,
            "",
            "Replies in a row after which a connection counts as interactive and delays its ACKs."),
    TCP_BACKLOG_ACK_DEFER(
            "net.ipv4.tcp_backlog_ack_defer",
            true,
            "Puts ACKs off to the end of a socket call that finds several segments waiting."),
    TCP_INVALID_RATELIMIT(
            "net.ipv4.tcp_invalid_ratelimit",
            500,
            0,
            Integer.MAX_VALUE,
            "ms",
            "Least time between two ACKs for unacceptable segments of one connection."),
    TCP_CHALLENGE_ACK_LIMIT(
            "net.ipv4.tcp_challenge_ack_limit",
            Integer.MAX_VALUE,
            0,
            Integer.MAX_VALUE,
            "per second",
            "Challenge ACKs of the whole host (RFC 5961); the limit of a connection applies"
                    + " besides."),

    // TCP loss detection and recovery

    TCP_RECOVERY(
            "net.ipv4.tcp_recovery",
            1,
            0,
            7,
            "bits",
            "RACK (RFC 8985): 1 on, 2 fixed reordering window, 4 no duplicate threshold."),
    TCP_EARLY_RETRANS(
            "net.ipv4.tcp_early_retrans",
            3,
            0,
            4,
            "",
            "Tail loss probes: 0 off, 3 and 4 on; 1 and 2 are obsolete and mean on."),
    TCP_FRTO("net.ipv4.tcp_frto", 2, 0, 2, "", "F-RTO (RFC 5682): 0 off, otherwise on."),
    TCP_REORDERING(
            "net.ipv4.tcp_reordering", 3, 1, 300, "segments", "Initial duplicate threshold."),
    TCP_MAX_REORDERING(
            "net.ipv4.tcp_max_reordering",
            300,
            1,
            Integer.MAX_VALUE,
            "segments",
            "Upper limit of the duplicate threshold."),
    TCP_RTO_MIN_US(
            "net.ipv4.tcp_rto_min_us",
            200_000,
            1,
            Integer.MAX_VALUE,
            "us",
            "Smallest variance term of the retransmission time-out."),
    TCP_RTO_MAX_MS(
            "net.ipv4.tcp_rto_max_ms",
            120_000,
            1000,
            120_000,
            "ms",
            "Largest retransmission time-out."),
    TCP_RETRIES1(
            "net.ipv4.tcp_retries1",
            3,
            0,
            255,
            "",
            "Time-outs in a row after which the path is doubted."),
    TCP_RETRIES2(
            "net.ipv4.tcp_retries2",
            15,
            0,
            255,
            "",
            "Time-outs in a row, as a span of time, after which the connection is given up."),
    TCP_ORPHAN_RETRIES(
            "net.ipv4.tcp_orphan_retries",
            0,
            0,
            255,
            "",
            "The same for a connection without socket; 0 means 8."),
    TCP_THIN_LINEAR_TIMEOUTS(
            "net.ipv4.tcp_thin_linear_timeouts",
            false,
            "Does not double the time-out of thin streams, up to six times."),
    TCP_RETRANS_COLLAPSE(
            "net.ipv4.tcp_retrans_collapse",
            true,
            "Merges small segments when they are retransmitted."),
    TCP_FACK(
            "net.ipv4.tcp_fack",
            0,
            0,
            1,
            "",
            "Obsolete since Linux 4.15 and without effect: RACK replaced forward acknowledgments."),
    TCP_MIN_RTT_WLEN(
            "net.ipv4.tcp_min_rtt_wlen",
            300,
            0,
            86_400,
            "s",
            "Span of the filter for the smallest round-trip time."),

    // TCP sending

    TCP_CONGESTION_CONTROL(
            "net.ipv4.tcp_congestion_control",
            SysctlFormat.choice("cubic", "reno", "dctcp", "bbr"),
            "cubic",
            "",
            "Congestion control of new connections."),
    TCP_AUTOCORKING(
            "net.ipv4.tcp_autocorking",
            true,
            "Holds a small write back while an earlier segment is in the device."),
    TCP_SLOW_START_AFTER_IDLE(
            "net.ipv4.tcp_slow_start_after_idle",
            true,
            "Shrinks the congestion window of a connection that was idle (RFC 2861)."),
    TCP_PACING_SS_RATIO(
            "net.ipv4.tcp_pacing_ss_ratio",
            200,
            0,
            1000,
            "%",
            "Pacing rate in slow start, relative to window over round-trip time."),
    TCP_PACING_CA_RATIO(
            "net.ipv4.tcp_pacing_ca_ratio",
            120,
            0,
            1000,
            "%",
            "Pacing rate in congestion avoidance, relative to window over round-trip time."),
    TCP_MIN_TSO_SEGS(
            "net.ipv4.tcp_min_tso_segs",
            2,
            1,
            65_535,
            "segments",
            "Least segments in an automatically sized super-segment."),
    TCP_TSO_RTT_LOG(
            "net.ipv4.tcp_tso_rtt_log",
            9,
            0,
            31,
            "",
            "Super-segments may be larger on short paths: they halve for every 2^n us of round-trip"
                    + " time; 0 never."),
    TCP_TSO_WIN_DIVISOR(
            "net.ipv4.tcp_tso_win_divisor",
            3,
            0,
            255,
            "",
            "Share of the window a single super-segment may wait for; 0 does not wait."),
    TCP_NO_METRICS_SAVE(
            "net.ipv4.tcp_no_metrics_save",
            false,
            "Forgets what a closed connection learned about its path."),
    TCP_NO_SSTHRESH_METRICS_SAVE(
            "net.ipv4.tcp_no_ssthresh_metrics_save",
            true,
            "Forgets the slow start threshold in particular."),

    // TCP path MTU

    TCP_MTU_PROBING(
            "net.ipv4.tcp_mtu_probing",
            0,
            0,
            2,
            "",
            "Packetization layer path MTU discovery (RFC 4821): 0 off, 1 after a black hole, 2"
                    + " always."),
    TCP_BASE_MSS(
            "net.ipv4.tcp_base_mss",
            1024,
            48,
            65_535,
            "bytes",
            "Segment size at which the search begins."),
    TCP_MTU_PROBE_FLOOR(
            "net.ipv4.tcp_mtu_probe_floor",
            48,
            48,
            65_535,
            "bytes",
            "Smallest segment size the search falls back to."),
    TCP_PROBE_INTERVAL(
            "net.ipv4.tcp_probe_interval",
            600,
            1,
            4_294_967,
            "s",
            "Pause before the search starts again."),
    TCP_PROBE_THRESHOLD(
            "net.ipv4.tcp_probe_threshold",
            8,
            0,
            65_535,
            "bytes",
            "Range at which the search ends."),

    // TCP closing and keeping alive

    TCP_FIN_TIMEOUT(
            "net.ipv4.tcp_fin_timeout",
            60,
            1,
            4_294_967,
            "s",
            "Time in FIN_WAIT_2 without socket."),
    TCP_KEEPALIVE_TIME(
            "net.ipv4.tcp_keepalive_time",
            7200,
            1,
            32_767,
            "s",
            "Idle time before the first keepalive probe."),
    TCP_KEEPALIVE_INTVL(
            "net.ipv4.tcp_keepalive_intvl", 75, 1, 32_767, "s", "Time between keepalive probes."),
    TCP_KEEPALIVE_PROBES(
            "net.ipv4.tcp_keepalive_probes",
            9,
            1,
            127,
            "",
            "Unanswered keepalive probes after which the connection is reset."),
    TCP_TW_REUSE(
            "net.ipv4.tcp_tw_reuse",
            2,
            0,
            2,
            "",
            "Reuses ports in TIME_WAIT for new outgoing connections: 0 never, 1 always, 2 for"
                    + " loopback only."),
    TCP_TW_REUSE_DELAY(
            "net.ipv4.tcp_tw_reuse_delay",
            1000,
            1,
            60_000,
            "ms",
            "Least age of a TIME_WAIT connection that is reused."),
    TCP_RFC1337("net.ipv4.tcp_rfc1337", false, "Ignores resets in TIME_WAIT (RFC 1337)."),
    TCP_STDURG(
            "net.ipv4.tcp_stdurg",
            false,
            "Points the urgent pointer at the last urgent byte (RFC 1122) instead of the one after"
                    + " it."),
    TCP_LOW_LATENCY(
            "net.ipv4.tcp_low_latency",
            0,
            0,
            1,
            "",
            "Obsolete since Linux 4.14 and without effect."),

    // IP

    IP_DEFAULT_TTL("net.ipv4.ip_default_ttl", 64, 1, 255, "", "Time to live of IPv4 packets."),
    IP_NO_PMTU_DISC(
            "net.ipv4.ip_no_pmtu_disc",
            0,
            0,
            3,
            "",
            "Path MTU discovery: 0 on, 1 off and ICMP lowers the MTU to min_pmtu, 2 ICMP ignored, 3"
                    + " only trusted ICMP."),
    IP_LOCAL_PORT_RANGE(
            "net.ipv4.ip_local_port_range",
            SysctlFormat.ascending(2, 1, 65_535),
            "32768 60999",
            "",
            "First and last port for outgoing connections."),
    IP_NONLOCAL_BIND(
            "net.ipv4.ip_nonlocal_bind", false, "Allows to bind to an address that is not ours."),
    IPFRAG_HIGH_THRESH(
            "net.ipv4.ipfrag_high_thresh",
            4_194_304,
            0,
            Integer.MAX_VALUE,
            "bytes",
            "Memory for IPv4 reassembly."),
    IPFRAG_TIME(
            "net.ipv4.ipfrag_time",
            30,
            1,
            3600,
            "s",
            "How long IPv4 reassembly waits for the rest."),
    IPFRAG_MAX_DIST(
            "net.ipv4.ipfrag_max_dist",
            64,
            0,
            Integer.MAX_VALUE,
            "packets",
            "Packets of the same source that may pass before a fragment queue is given up; 0 is no"
                    + " limit."),
    ROUTE_MIN_PMTU(
            "net.ipv4.route.min_pmtu",
            552,
            68,
            65_535,
            "bytes",
            "Smallest path MTU that ICMP can set."),
    ROUTE_MTU_EXPIRES(
            "net.ipv4.route.mtu_expires",
            600,
            1,
            Integer.MAX_VALUE,
            "s",
            "How long a learned path MTU is believed."),
    ROUTE_MIN_ADV_MSS(
            "net.ipv4.route.min_adv_mss", 256, 0, 65_495, "bytes", "Smallest MSS ever advertised."),
    IP6_HOP_LIMIT("net.ipv6.conf.all.hop_limit", 64, 1, 255, "", "Hop limit of IPv6 packets."),
    IP6FRAG_HIGH_THRESH(
            "net.ipv6.ip6frag_high_thresh",
            4_194_304,
            0,
            Integer.MAX_VALUE,
            "bytes",
            "Memory for IPv6 reassembly."),
    IP6FRAG_TIME(
            "net.ipv6.ip6frag_time",
            60,
            1,
            3600,
            "s",
            "How long IPv6 reassembly waits for the rest."),
    IP6_ROUTE_MTU_EXPIRES(
            "net.ipv6.route.mtu_expires",
            600,
            1,
            Integer.MAX_VALUE,
            "s",
            "How long a learned IPv6 path MTU is believed."),

    // ICMP

    ICMP_ECHO_IGNORE_ALL("net.ipv4.icmp_echo_ignore_all", false, "Does not answer echo requests."),
    ICMP_ECHO_IGNORE_BROADCASTS(
            "net.ipv4.icmp_echo_ignore_broadcasts",
            true,
            "Does not answer echo requests to broadcast and multicast addresses."),
    ICMP_RATELIMIT(
            "net.ipv4.icmp_ratelimit",
            1000,
            0,
            Integer.MAX_VALUE,
            "ms",
            "Least time between rate-limited ICMP messages to one destination; 0 is no limit."),
    ICMP_RATEMASK(
            "net.ipv4.icmp_ratemask",
            6168,
            0,
            4_294_967_295L,
            "bits",
            "Which ICMP types are rate limited."),
    ICMP_MSGS_PER_SEC(
            "net.ipv4.icmp_msgs_per_sec",
            1000,
            0,
            Integer.MAX_VALUE,
            "per second",
            "Rate-limited ICMP messages of the whole host."),
    ICMP_MSGS_BURST(
            "net.ipv4.icmp_msgs_burst",
            50,
            0,
            Integer.MAX_VALUE,
            "messages",
            "How many of them may come at once."),
    ICMP6_ECHO_IGNORE_ALL(
            "net.ipv6.icmp.echo_ignore_all", false, "Does not answer ICMPv6 echo requests."),
    ICMP6_RATELIMIT(
            "net.ipv6.icmp.ratelimit",
            1000,
            0,
            Integer.MAX_VALUE,
            "ms",
            "Least time between rate-limited ICMPv6 messages to one destination; 0 is no limit."),

    // UDP

    UDP_MEM(
            "net.ipv4.udp_mem",
            SysctlFormat.ascending(3, 1, Integer.MAX_VALUE),
            "98304 131072 196608",
            "pages",
            "The same three limits for what waits in datagram sockets."),
    UDP_RMEM_MIN(
            "net.ipv4.udp_rmem_min",
            4096,
            1,
            Integer.MAX_VALUE,
            "bytes",
            "Receive buffer a UDP socket always has."),
    UDP_WMEM_MIN(
            "net.ipv4.udp_wmem_min",
            4096,
            1,
            Integer.MAX_VALUE,
            "bytes",
            "Send buffer a UDP socket always has."),

    // Neighbours

    NEIGH_BASE_REACHABLE_TIME_MS(
            "net.ipv4.neigh.default.base_reachable_time_ms",
            30_000,
            1,
            Integer.MAX_VALUE,
            "ms",
            "How long a neighbour counts as reachable after it was heard (RFC 4861)."),
    NEIGH_DELAY_FIRST_PROBE_TIME(
            "net.ipv4.neigh.default.delay_first_probe_time",
            5,
            0,
            Integer.MAX_VALUE,
            "s",
            "Pause before a stale neighbour that is used is probed."),
    NEIGH_RETRANS_TIME_MS(
            "net.ipv4.neigh.default.retrans_time_ms",
            1000,
            1,
            Integer.MAX_VALUE,
            "ms",
            "Time between two solicitations."),
    NEIGH_MCAST_SOLICIT(
            "net.ipv4.neigh.default.mcast_solicit",
            3,
            0,
            Integer.MAX_VALUE,
            "",
            "Unanswered broadcast or multicast solicitations before a neighbour is unreachable."),
    NEIGH_UCAST_SOLICIT(
            "net.ipv4.neigh.default.ucast_solicit",
            3,
            0,
            Integer.MAX_VALUE,
            "",
            "Unanswered unicast solicitations before that."),
    NEIGH_GC_STALE_TIME(
            "net.ipv4.neigh.default.gc_stale_time",
            60,
            1,
            Integer.MAX_VALUE,
            "s",
            "How long an unused stale neighbour is kept."),
    NEIGH_GC_THRESH3(
            "net.ipv4.neigh.default.gc_thresh3",
            1024,
            1,
            Integer.MAX_VALUE,
            "entries",
            "Most neighbours in the table."),
    NEIGH_UNRES_QLEN_BYTES(
            "net.ipv4.neigh.default.unres_qlen_bytes",
            212_992,
            0,
            Integer.MAX_VALUE,
            "bytes",
            "Packets that may wait for one neighbour to be resolved."),

    // This stack

    STACK_TCP_INITIAL_CWND(
            "net.stack.tcp_initial_cwnd",
            10,
            1,
            65_535,
            "segments",
            "Initial congestion window (RFC 6928); a route attribute in Linux."),
    STACK_TCP_INITIAL_RTO_MS(
            "net.stack.tcp_initial_rto_ms",
            1000,
            1,
            120_000,
            "ms",
            "First retransmission time-out (RFC 6298); a constant in Linux."),
    STACK_TCP_DELACK_MIN_MS(
            "net.stack.tcp_delack_min_ms",
            40,
            1,
            10_000,
            "ms",
            "Least delay of a delayed ACK; a constant in Linux."),
    STACK_TCP_DELACK_MAX_MS(
            "net.stack.tcp_delack_max_ms",
            200,
            1,
            10_000,
            "ms",
            "Longest delay of a delayed ACK; a constant in Linux."),
    STACK_TCP_TIME_WAIT_MS(
            "net.stack.tcp_time_wait_ms",
            60_000,
            0,
            600_000,
            "ms",
            "Time in TIME_WAIT; a constant in Linux."),
    STACK_TCP_TIMESTAMP_TICK_US(
            "net.stack.tcp_timestamp_tick_us",
            1000,
            1,
            1_000_000,
            "us",
            "Tick of the timestamps option."),
    STACK_TCP_HYSTART(
            "net.stack.tcp_hystart",
            SysctlFormat.choice("hystart", "off", "hystart++"),
            "hystart",
            "",
            "How CUBIC leaves slow start before a loss: HyStart as in Linux, not at all, or"
                    + " HyStart++ (RFC 9406)."),
    STACK_TCP_SYN_OPTIONS(
            "net.stack.tcp_syn_options",
            SysctlFormat.choice("linux", "freebsd"),
            "linux",
            "",
            "Whose order the options of SYN and SYN-ACK have, and whose custom it is to answer a"
                    + " crossing SYN with all options or with those it had."),
    STACK_TCP_CUSTOMS(
            "net.stack.tcp_customs",
            SysctlFormat.choice("linux", "freebsd"),
            "linux",
            "",
            "Whose habits the stack has where stacks differ although the standard is the same; for"
                    + " comparison."),
    STACK_TCP_DROP_SYN_FIN(
            "net.stack.tcp_drop_syn_fin",
            false,
            "Drops every segment with SYN and FIN before anyone looks at it. A listener does so in"
                    + " any case with the customs of Linux."),
    STACK_TCP_INSECURE_RST(
            "net.stack.tcp_insecure_rst",
            false,
            "Believes every RST in the window, as before RFC 5961; for comparison, not for use."),
    STACK_TCP_INSECURE_SYN(
            "net.stack.tcp_insecure_syn",
            false,
            "Resets a connection for a SYN in the window, as before RFC 5961; for comparison, not"
                    + " for use."),
    STACK_TCP_QUICK_ACKS(
            "net.stack.tcp_quick_acks",
            16,
            0,
            127,
            "ACKs",
            "How many ACKs are not delayed at the start of a connection or after trouble; 0 for"
                    + " stacks that delay from the first segment."),
    STACK_TCP_MAX_HOLES(
            "net.stack.tcp_max_holes",
            1024,
            1,
            65_535,
            "",
            "Ranges of out-of-order data a connection keeps at most."),
    STACK_TCP_MAX_ROWS(
            "net.stack.tcp_max_rows",
            65_536,
            16,
            16_777_216,
            "rows",
            "Sent and unacknowledged super-segments a connection keeps at most."),
    STACK_GSO_MAX_BYTES(
            "net.stack.gso_max_bytes",
            65_536,
            1500,
            65_536,
            "bytes",
            "Largest super-segment, headers included."),
    STACK_GRO("net.stack.gro", true, "Merges received segments of one flow before TCP sees them."),
    STACK_TRUESIZE(
            "net.stack.truesize",
            SysctlFormat.choice("half-page", "page", "loopback", "slab"),
            "half-page",
            "",
            "What a received packet is charged: a 2 KiB half page for each frame, a 4 KiB page for"
                    + " each frame, payload and little more, or the buffer it is in."),
    STACK_BLOCK_BYTES(
            "net.stack.block_bytes",
            4096,
            256,
            1_048_576,
            "bytes",
            "Size of the blocks that hold written data."),
    STACK_BLOCK_POOL_BYTES(
            "net.stack.block_pool_bytes",
            268_435_456,
            65_536,
            1_099_511_627_776L,
            "bytes",
            "Memory for written data."),
    STACK_PACKET_POOL_BYTES(
            "net.stack.packet_pool_bytes",
            268_435_456,
            1_048_576,
            1_099_511_627_776L,
            "bytes",
            "Memory for packets.");

    private final String key;
    private final SysctlFormat format;
    private final String defaultText;
    private final String unit;
    private final String meaning;

    Sysctl(String key, SysctlFormat format, String defaultText, String unit, String meaning) {
        this.key = key;
        this.format = format;
        this.defaultText = defaultText;
        this.unit = unit;
        this.meaning = meaning;
    }

    Sysctl(String key, boolean on, String meaning) {
        this(key, SysctlFormat.flag(), on ? "1" : "0", "", meaning);
    }

    Sysctl(String key, long value, long least, long most, String unit, String meaning) {
        this(key, SysctlFormat.number(least, most), Long.toString(value), unit, meaning);
    }

    /** The full name, {@code net.ipv4.tcp_sack}. */
    public String key() {
        return key;
    }

    /** {@code switch}, {@code number}, {@code numbers}, {@code choice} or {@code key}. */
    public String kind() {
        return format.kind();
    }

    /** The value in force when nothing is set, as it prints. */
    public String defaultText() {
        return defaultText;
    }

    /** Which values are allowed, for people. */
    public String allowed() {
        return format.allowed();
    }

    /** What the value counts; an empty string where it counts nothing in particular. */
    public String unit() {
        return unit;
    }

    /** One sentence for people. */
    public String meaning() {
        return meaning;
    }

    /**
     * The value that {@code text} stands for: one number, or as many as the key has.
     *
     * @throws SysctlException if the key cannot have it; the message names key, value and what is
     *     allowed
     */
    long[] parse(String text) {
        String trimmed = text.strip();
        long[] value = format.parse(trimmed);
        if (value == null) {
            throw new SysctlException(
                    "%s cannot be \"%s\"; allowed: %s".formatted(key, trimmed, allowed()));
        }
        return value;
    }

    String print(long[] value) {
        return format.print(value);
    }
}
