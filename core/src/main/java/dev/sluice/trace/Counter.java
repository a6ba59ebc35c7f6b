package dev.sluice.trace;

/**
 * Every counter of a stack, under the name Linux gives it.
 *
 * <p>The sources of the names are RFC 1213, RFC 4022 and RFC 4293 for the groups without {@code
 * Ext} and the Linux SNMP tables for the others (B-13). The constant is the Linux name in capitals;
 * counters of TCP, UDP, IP and ICMP keep that prefix, {@code TcpExt} counters have the prefix only
 * if their name does.
 */
public enum Counter {
    IP_IN_RECEIVES(CounterGroup.IP, "InReceives", "IPv4 packets received, bad ones included."),
    IP_IN_HDR_ERRORS(CounterGroup.IP, "InHdrErrors", "IPv4 packets dropped for a bad header."),
    IP_IN_ADDR_ERRORS(
            CounterGroup.IP,
            "InAddrErrors",
            "IPv4 packets dropped because their destination is not ours."),
    IP_IN_UNKNOWN_PROTOS(
            CounterGroup.IP, "InUnknownProtos", "IPv4 packets for a protocol nobody handles."),
    IP_IN_DISCARDS(
            CounterGroup.IP,
            "InDiscards",
            "IPv4 packets dropped although nothing was wrong with them."),
    IP_IN_DELIVERS(CounterGroup.IP, "InDelivers", "IPv4 packets handed to TCP, UDP or ICMP."),
    IP_OUT_REQUESTS(
            CounterGroup.IP, "OutRequests", "IPv4 packets the local protocols asked to send."),
    IP_OUT_DISCARDS(
            CounterGroup.IP,
            "OutDiscards",
            "Outgoing IPv4 packets dropped although nothing was wrong with them."),
    IP_OUT_NO_ROUTES(
            CounterGroup.IP, "OutNoRoutes", "Outgoing IPv4 packets dropped for want of a route."),
    IP_OUT_TRANSMITS(CounterGroup.IP, "OutTransmits", "IPv4 packets handed to an interface."),
    IP_REASM_TIMEOUT(
            CounterGroup.IP,
            "ReasmTimeout",
            "Fragment queues given up because the rest did not come in time."),
    IP_REASM_REQDS(CounterGroup.IP, "ReasmReqds", "IPv4 fragments that needed reassembly."),
    IP_REASM_OKS(CounterGroup.IP, "ReasmOKs", "IPv4 packets reassembled."),
    IP_REASM_FAILS(CounterGroup.IP, "ReasmFails", "Failures of reassembly, for whatever reason."),
    IP_FRAG_OKS(CounterGroup.IP, "FragOKs", "Outgoing IPv4 packets that were fragmented."),
    IP_FRAG_FAILS(
            CounterGroup.IP,
            "FragFails",
            "Outgoing IPv4 packets that needed fragments and may not have them."),
    IP_FRAG_CREATES(CounterGroup.IP, "FragCreates", "IPv4 fragments made."),

    IP_IN_NO_ROUTES(
            CounterGroup.IP_EXT,
            "InNoRoutes",
            "Received IPv4 packets for which there is no route."),
    IP_IN_TRUNCATED_PKTS(
            CounterGroup.IP_EXT, "InTruncatedPkts", "Received IPv4 packets shorter than they say."),
    IP_IN_MCAST_PKTS(CounterGroup.IP_EXT, "InMcastPkts", "Multicast packets received."),
    IP_IN_BCAST_PKTS(CounterGroup.IP_EXT, "InBcastPkts", "Broadcast packets received."),
    IP_IN_OCTETS(CounterGroup.IP_EXT, "InOctets", "Bytes of IPv4 packets received."),
    IP_OUT_OCTETS(CounterGroup.IP_EXT, "OutOctets", "Bytes of IPv4 packets sent."),
    IP_IN_CSUM_ERRORS(
            CounterGroup.IP_EXT, "InCsumErrors", "IPv4 packets with a bad header checksum."),
    IP_IN_NO_ECT_PKTS(
            CounterGroup.IP_EXT, "InNoECTPkts", "Packets received without ECN capability."),
    IP_IN_ECT1_PKTS(CounterGroup.IP_EXT, "InECT1Pkts", "Packets received with ECT(1)."),
    IP_IN_ECT0_PKTS(CounterGroup.IP_EXT, "InECT0Pkts", "Packets received with ECT(0)."),
    IP_IN_CE_PKTS(CounterGroup.IP_EXT, "InCEPkts", "Packets received with the congestion mark."),
    IP_REASM_OVERLAPS(
            CounterGroup.IP_EXT,
            "ReasmOverlaps",
            "Fragment queues dropped because fragments overlapped."),

    ICMP_IN_MSGS(CounterGroup.ICMP, "InMsgs", "ICMP messages received, bad ones included."),
    ICMP_IN_ERRORS(CounterGroup.ICMP, "InErrors", "ICMP messages received and found bad."),
    ICMP_IN_CSUM_ERRORS(
            CounterGroup.ICMP, "InCsumErrors", "ICMP messages received with a bad checksum."),
    ICMP_IN_DEST_UNREACHS(
            CounterGroup.ICMP, "InDestUnreachs", "Destination unreachable messages received."),
    ICMP_IN_TIME_EXCDS(CounterGroup.ICMP, "InTimeExcds", "Time exceeded messages received."),
    ICMP_IN_PARM_PROBS(CounterGroup.ICMP, "InParmProbs", "Parameter problem messages received."),
    ICMP_IN_ECHOS(CounterGroup.ICMP, "InEchos", "Echo requests received."),
    ICMP_IN_ECHO_REPS(CounterGroup.ICMP, "InEchoReps", "Echo replies received."),
    ICMP_OUT_MSGS(CounterGroup.ICMP, "OutMsgs", "ICMP messages sent."),
    ICMP_OUT_ERRORS(
            CounterGroup.ICMP, "OutErrors", "ICMP messages not sent because of a local problem."),
    ICMP_OUT_RATE_LIMIT_GLOBAL(
            CounterGroup.ICMP,
            "OutRateLimitGlobal",
            "ICMP messages suppressed by the limit of the whole stack."),
    ICMP_OUT_RATE_LIMIT_HOST(
            CounterGroup.ICMP,
            "OutRateLimitHost",
            "ICMP messages suppressed by the limit for one destination."),
    ICMP_OUT_DEST_UNREACHS(
            CounterGroup.ICMP, "OutDestUnreachs", "Destination unreachable messages sent."),
    ICMP_OUT_TIME_EXCDS(CounterGroup.ICMP, "OutTimeExcds", "Time exceeded messages sent."),
    ICMP_OUT_ECHOS(CounterGroup.ICMP, "OutEchos", "Echo requests sent."),
    ICMP_OUT_ECHO_REPS(CounterGroup.ICMP, "OutEchoReps", "Echo replies sent."),

    TCP_ACTIVE_OPENS(CounterGroup.TCP, "ActiveOpens", "Transitions from CLOSED to SYN_SENT."),
    TCP_PASSIVE_OPENS(CounterGroup.TCP, "PassiveOpens", "Transitions from LISTEN to SYN_RECEIVED."),
    TCP_ATTEMPT_FAILS(
            CounterGroup.TCP,
            "AttemptFails",
            "Connections that failed before they were established."),
    TCP_ESTAB_RESETS(
            CounterGroup.TCP, "EstabResets", "Connections reset in ESTABLISHED or CLOSE_WAIT."),
    TCP_CURR_ESTAB(
            CounterGroup.TCP,
            "CurrEstab",
            "Connections now in ESTABLISHED or CLOSE_WAIT (a gauge)."),
    TCP_IN_SEGS(CounterGroup.TCP, "InSegs", "Segments received, bad ones included."),
    TCP_OUT_SEGS(CounterGroup.TCP, "OutSegs", "Segments sent, without those that only retransmit."),
    TCP_RETRANS_SEGS(CounterGroup.TCP, "RetransSegs", "Segments retransmitted."),
    TCP_IN_ERRS(CounterGroup.TCP, "InErrs", "Segments received and found bad."),
    TCP_OUT_RSTS(CounterGroup.TCP, "OutRsts", "Segments sent with the RST flag."),
    TCP_IN_CSUM_ERRORS(CounterGroup.TCP, "InCsumErrors", "Segments received with a bad checksum."),

    UDP_IN_DATAGRAMS(CounterGroup.UDP, "InDatagrams", "Datagrams an application has read."),
    UDP_NO_PORTS(CounterGroup.UDP, "NoPorts", "Datagrams received for a port nobody listens on."),
    UDP_IN_ERRORS(
            CounterGroup.UDP,
            "InErrors",
            "Datagrams received and not delivered for another reason."),
    UDP_OUT_DATAGRAMS(CounterGroup.UDP, "OutDatagrams", "Datagrams sent."),
    UDP_RCVBUF_ERRORS(
            CounterGroup.UDP,
            "RcvbufErrors",
            "Datagrams dropped because the socket's receive buffer was full."),
    UDP_SNDBUF_ERRORS(
            CounterGroup.UDP,
            "SndbufErrors",
            "Datagrams not sent because the socket's send buffer was full."),
    UDP_IN_CSUM_ERRORS(CounterGroup.UDP, "InCsumErrors", "Datagrams received with a bad checksum."),
    UDP_MEM_ERRORS(
            CounterGroup.UDP, "MemErrors", "Datagrams dropped because UDP's memory was used up."),

    IP6_IN_RECEIVES(CounterGroup.IP6, "InReceives", "IPv6 packets received, bad ones included."),
    IP6_IN_HDR_ERRORS(CounterGroup.IP6, "InHdrErrors", "IPv6 packets dropped for a bad header."),
    IP6_IN_TOO_BIG_ERRORS(
            CounterGroup.IP6,
            "InTooBigErrors",
            "IPv6 packets too big for the link they should leave by."),
    IP6_IN_NO_ROUTES(CounterGroup.IP6, "InNoRoutes", "IPv6 packets for which there is no route."),
    IP6_IN_ADDR_ERRORS(
            CounterGroup.IP6,
            "InAddrErrors",
            "IPv6 packets dropped because their destination is not ours."),
    IP6_IN_UNKNOWN_PROTOS(
            CounterGroup.IP6, "InUnknownProtos", "IPv6 packets for a next header nobody handles."),
    IP6_IN_TRUNCATED_PKTS(
            CounterGroup.IP6, "InTruncatedPkts", "IPv6 packets shorter than they say."),
    IP6_IN_DISCARDS(
            CounterGroup.IP6,
            "InDiscards",
            "IPv6 packets dropped although nothing was wrong with them."),
    IP6_IN_DELIVERS(CounterGroup.IP6, "InDelivers", "IPv6 packets handed to TCP, UDP or ICMPv6."),
    IP6_OUT_REQUESTS(
            CounterGroup.IP6, "OutRequests", "IPv6 packets the local protocols asked to send."),
    IP6_OUT_DISCARDS(
            CounterGroup.IP6,
            "OutDiscards",
            "Outgoing IPv6 packets dropped although nothing was wrong with them."),
    IP6_OUT_NO_ROUTES(
            CounterGroup.IP6, "OutNoRoutes", "Outgoing IPv6 packets dropped for want of a route."),
    IP6_OUT_TRANSMITS(CounterGroup.IP6, "OutTransmits", "IPv6 packets handed to an interface."),
    IP6_REASM_TIMEOUT(
            CounterGroup.IP6,
            "ReasmTimeout",
            "IPv6 fragment queues given up because the rest did not come in time."),
    IP6_REASM_REQDS(CounterGroup.IP6, "ReasmReqds", "IPv6 fragments that needed reassembly."),
    IP6_REASM_OKS(CounterGroup.IP6, "ReasmOKs", "IPv6 packets reassembled."),
    IP6_REASM_FAILS(
            CounterGroup.IP6, "ReasmFails", "Failures of IPv6 reassembly, for whatever reason."),
    IP6_FRAG_OKS(CounterGroup.IP6, "FragOKs", "Outgoing IPv6 packets that were fragmented."),
    IP6_FRAG_FAILS(
            CounterGroup.IP6,
            "FragFails",
            "Outgoing IPv6 packets that needed fragments and may not have them."),
    IP6_FRAG_CREATES(CounterGroup.IP6, "FragCreates", "IPv6 fragments made."),
    IP6_IN_MCAST_PKTS(CounterGroup.IP6, "InMcastPkts", "IPv6 multicast packets received."),
    IP6_IN_OCTETS(CounterGroup.IP6, "InOctets", "Bytes of IPv6 packets received."),
    IP6_OUT_OCTETS(CounterGroup.IP6, "OutOctets", "Bytes of IPv6 packets sent."),
    IP6_IN_NO_ECT_PKTS(
            CounterGroup.IP6, "InNoECTPkts", "IPv6 packets received without ECN capability."),
    IP6_IN_ECT1_PKTS(CounterGroup.IP6, "InECT1Pkts", "IPv6 packets received with ECT(1)."),
    IP6_IN_ECT0_PKTS(CounterGroup.IP6, "InECT0Pkts", "IPv6 packets received with ECT(0)."),
    IP6_IN_CE_PKTS(CounterGroup.IP6, "InCEPkts", "IPv6 packets received with the congestion mark."),

    ICMP6_IN_MSGS(CounterGroup.ICMP6, "InMsgs", "ICMPv6 messages received, bad ones included."),
    ICMP6_IN_ERRORS(CounterGroup.ICMP6, "InErrors", "ICMPv6 messages received and found bad."),
    ICMP6_IN_CSUM_ERRORS(
            CounterGroup.ICMP6, "InCsumErrors", "ICMPv6 messages received with a bad checksum."),
    ICMP6_IN_DEST_UNREACHS(
            CounterGroup.ICMP6,
            "InDestUnreachs",
            "ICMPv6 destination unreachable messages received."),
    ICMP6_IN_PKT_TOO_BIGS(
            CounterGroup.ICMP6, "InPktTooBigs", "ICMPv6 packet too big messages received."),
    ICMP6_IN_TIME_EXCDS(
            CounterGroup.ICMP6, "InTimeExcds", "ICMPv6 time exceeded messages received."),
    ICMP6_IN_PARM_PROBLEMS(
            CounterGroup.ICMP6, "InParmProblems", "ICMPv6 parameter problem messages received."),
    ICMP6_IN_ECHOS(CounterGroup.ICMP6, "InEchos", "ICMPv6 echo requests received."),
    ICMP6_IN_ECHO_REPLIES(CounterGroup.ICMP6, "InEchoReplies", "ICMPv6 echo replies received."),
    ICMP6_IN_NEIGHBOR_SOLICITS(
            CounterGroup.ICMP6, "InNeighborSolicits", "Neighbour solicitations received."),
    ICMP6_IN_NEIGHBOR_ADVERTISEMENTS(
            CounterGroup.ICMP6, "InNeighborAdvertisements", "Neighbour advertisements received."),
    ICMP6_OUT_MSGS(CounterGroup.ICMP6, "OutMsgs", "ICMPv6 messages sent."),
    ICMP6_OUT_ERRORS(
            CounterGroup.ICMP6,
            "OutErrors",
            "ICMPv6 messages not sent because of a local problem."),
    ICMP6_OUT_RATE_LIMIT_HOST(
            CounterGroup.ICMP6,
            "OutRateLimitHost",
            "ICMPv6 messages suppressed by the limit for one destination."),
    ICMP6_OUT_DEST_UNREACHS(
            CounterGroup.ICMP6, "OutDestUnreachs", "ICMPv6 destination unreachable messages sent."),
    ICMP6_OUT_PKT_TOO_BIGS(
            CounterGroup.ICMP6, "OutPktTooBigs", "ICMPv6 packet too big messages sent."),
    ICMP6_OUT_TIME_EXCDS(CounterGroup.ICMP6, "OutTimeExcds", "ICMPv6 time exceeded messages sent."),
    ICMP6_OUT_PARM_PROBLEMS(
            CounterGroup.ICMP6, "OutParmProblems", "ICMPv6 parameter problem messages sent."),
    ICMP6_OUT_ECHOS(CounterGroup.ICMP6, "OutEchos", "ICMPv6 echo requests sent."),
    ICMP6_OUT_ECHO_REPLIES(CounterGroup.ICMP6, "OutEchoReplies", "ICMPv6 echo replies sent."),
    ICMP6_OUT_NEIGHBOR_SOLICITS(
            CounterGroup.ICMP6, "OutNeighborSolicits", "Neighbour solicitations sent."),
    ICMP6_OUT_NEIGHBOR_ADVERTISEMENTS(
            CounterGroup.ICMP6, "OutNeighborAdvertisements", "Neighbour advertisements sent."),

    UDP6_IN_DATAGRAMS(
            CounterGroup.UDP6, "InDatagrams", "UDP datagrams over IPv6 an application has read."),
    UDP6_NO_PORTS(
            CounterGroup.UDP6, "NoPorts", "UDP datagrams over IPv6 for a port nobody listens on."),
    UDP6_IN_ERRORS(
            CounterGroup.UDP6,
            "InErrors",
            "UDP datagrams over IPv6 not delivered for another reason."),
    UDP6_OUT_DATAGRAMS(CounterGroup.UDP6, "OutDatagrams", "UDP datagrams sent over IPv6."),
    UDP6_RCVBUF_ERRORS(
            CounterGroup.UDP6,
            "RcvbufErrors",
            "UDP datagrams over IPv6 dropped because the receive buffer was full."),
    UDP6_SNDBUF_ERRORS(
            CounterGroup.UDP6,
            "SndbufErrors",
            "UDP datagrams over IPv6 not sent because the send buffer was full."),
    UDP6_IN_CSUM_ERRORS(
            CounterGroup.UDP6, "InCsumErrors", "UDP datagrams over IPv6 with a bad checksum."),
    UDP6_MEM_ERRORS(
            CounterGroup.UDP6,
            "MemErrors",
            "UDP datagrams over IPv6 dropped because UDP's memory was used up."),

    SYNCOOKIES_SENT(CounterGroup.TCP_EXT, "SyncookiesSent", "SYNs answered with a cookie."),
    SYNCOOKIES_RECV(
            CounterGroup.TCP_EXT, "SyncookiesRecv", "Handshakes completed by a valid cookie."),
    SYNCOOKIES_FAILED(
            CounterGroup.TCP_EXT,
            "SyncookiesFailed",
            "ACKs for no known handshake whose cookie is not valid."),
    EMBRYONIC_RSTS(
            CounterGroup.TCP_EXT,
            "EmbryonicRsts",
            "Resets received for connections in SYN_RECEIVED."),
    PRUNE_CALLED(
            CounterGroup.TCP_EXT,
            "PruneCalled",
            "Times the receive buffer was full and had to be thinned."),
    RCV_PRUNED(
            CounterGroup.TCP_EXT,
            "RcvPruned",
            "Segments dropped because thinning the receive queue was not enough."),
    OFO_PRUNED(
            CounterGroup.TCP_EXT,
            "OfoPruned",
            "Times out-of-order data was thrown away to make room."),
    OUT_OF_WINDOW_ICMPS(
            CounterGroup.TCP_EXT,
            "OutOfWindowIcmps",
            "ICMP errors ignored because the segment they quote is outside the window."),
    TW(CounterGroup.TCP_EXT, "TW", "Connections that ended their time in TIME_WAIT."),
    TW_RECYCLED(
            CounterGroup.TCP_EXT,
            "TWRecycled",
            "TIME_WAIT connections replaced early by a new outgoing one."),
    PAWS_ACTIVE(CounterGroup.TCP_EXT, "PAWSActive", "Segments rejected by PAWS in SYN_SENT."),
    PAWS_ESTAB(
            CounterGroup.TCP_EXT,
            "PAWSEstab",
            "Segments rejected by PAWS in a synchronized state."),
    PAWS_OLD_ACK(
            CounterGroup.TCP_EXT, "PAWSOldAck", "Old pure ACKs that PAWS dropped without a reply."),
    PAWS_TIMEWAIT(CounterGroup.TCP_EXT, "PAWSTimewait", "Segments rejected by PAWS in TIME_WAIT."),
    BEYOND_WINDOW(
            CounterGroup.TCP_EXT,
            "BeyondWindow",
            "Data segments that end beyond the window we promised."),
    TS_ECR_REJECTED(
            CounterGroup.TCP_EXT,
            "TSEcrRejected",
            "Segments with a timestamp echo we cannot have sent."),
    DELAYED_ACKS(CounterGroup.TCP_EXT, "DelayedACKs", "ACKs sent by the delayed-ACK timer."),
    DELAYED_ACK_LOCKED(
            CounterGroup.TCP_EXT,
            "DelayedACKLocked",
            "Delayed-ACK timer expiries that found the socket in use by the application."),
    DELAYED_ACK_LOST(
            CounterGroup.TCP_EXT,
            "DelayedACKLost",
            "Duplicate data received, so that an ACK of ours was probably lost."),
    LISTEN_OVERFLOWS(
            CounterGroup.TCP_EXT,
            "ListenOverflows",
            "Connections not accepted because the accept queue was full."),
    LISTEN_DROPS(
            CounterGroup.TCP_EXT,
            "ListenDrops",
            "Handshake segments dropped by a listener for whatever reason."),
    TCP_HP_HITS(
            CounterGroup.TCP_EXT,
            "TCPHPHits",
            "Segments taken by the in-order fast path of a receiver."),
    TCP_PURE_ACKS(
            CounterGroup.TCP_EXT,
            "TCPPureAcks",
            "Received segments that acknowledge and carry no data."),
    TCP_HP_ACKS(CounterGroup.TCP_EXT, "TCPHPAcks", "Pure ACKs taken by the fast path."),
    TCP_RENO_RECOVERY(
            CounterGroup.TCP_EXT,
            "TCPRenoRecovery",
            "Recoveries entered by duplicate ACKs without SACK."),
    TCP_SACK_RECOVERY(CounterGroup.TCP_EXT, "TCPSackRecovery", "Recoveries entered with SACK."),
    TCP_SACK_RENEGING(
            CounterGroup.TCP_EXT,
            "TCPSACKReneging",
            "Times the peer took back data it had SACKed."),
    TCP_SACK_REORDER(CounterGroup.TCP_EXT, "TCPSACKReorder", "Reordering found from SACK."),
    TCP_RENO_REORDER(
            CounterGroup.TCP_EXT,
            "TCPRenoReorder",
            "Reordering found from duplicate ACKs without SACK."),
    TCP_TS_REORDER(CounterGroup.TCP_EXT, "TCPTSReorder", "Reordering found from timestamps."),
    TCP_FULL_UNDO(
            CounterGroup.TCP_EXT,
            "TCPFullUndo",
            "Congestion window reductions undone after all data was acknowledged."),
    TCP_PARTIAL_UNDO(
            CounterGroup.TCP_EXT,
            "TCPPartialUndo",
            "Congestion window reductions undone by a partial acknowledgment."),
    TCP_DSACK_UNDO(
            CounterGroup.TCP_EXT,
            "TCPDSACKUndo",
            "Congestion window reductions undone because D-SACK covered every retransmission."),
    TCP_LOSS_UNDO(
            CounterGroup.TCP_EXT,
            "TCPLossUndo",
            "Loss states left because the timeout was spurious."),
    TCP_LOST_RETRANSMIT(CounterGroup.TCP_EXT, "TCPLostRetransmit", "Retransmissions found lost."),
    TCP_RENO_FAILURES(
            CounterGroup.TCP_EXT, "TCPRenoFailures", "Timeouts during recovery without SACK."),
    TCP_SACK_FAILURES(
            CounterGroup.TCP_EXT, "TCPSackFailures", "Timeouts during recovery with SACK."),
    TCP_LOSS_FAILURES(CounterGroup.TCP_EXT, "TCPLossFailures", "Timeouts in the loss state."),
    TCP_FAST_RETRANS(
            CounterGroup.TCP_EXT,
            "TCPFastRetrans",
            "Segments retransmitted in recovery before any timeout."),
    TCP_SLOW_START_RETRANS(
            CounterGroup.TCP_EXT,
            "TCPSlowStartRetrans",
            "Segments retransmitted in the loss state."),
    TCP_TIMEOUTS(CounterGroup.TCP_EXT, "TCPTimeouts", "Retransmission timeouts."),
    TCP_LOSS_PROBES(CounterGroup.TCP_EXT, "TCPLossProbes", "Tail loss probes sent."),
    TCP_LOSS_PROBE_RECOVERY(
            CounterGroup.TCP_EXT,
            "TCPLossProbeRecovery",
            "Losses that a tail loss probe repaired."),
    TCP_RENO_RECOVERY_FAIL(
            CounterGroup.TCP_EXT,
            "TCPRenoRecoveryFail",
            "Timeouts that ended a recovery without SACK."),
    TCP_SACK_RECOVERY_FAIL(
            CounterGroup.TCP_EXT,
            "TCPSackRecoveryFail",
            "Timeouts that ended a recovery with SACK."),
    TCP_RCV_COLLAPSED(
            CounterGroup.TCP_EXT, "TCPRcvCollapsed", "Buffers freed by merging small payloads."),
    TCP_BACKLOG_COALESCE(
            CounterGroup.TCP_EXT,
            "TCPBacklogCoalesce",
            "Segments merged while waiting for the owner of a socket."),
    TCP_BACKLOG_DROP(
            CounterGroup.TCP_EXT,
            "TCPBacklogDrop",
            "Segments dropped because too many waited for the owner of a socket."),
    TCP_DSACK_OLD_SENT(
            CounterGroup.TCP_EXT, "TCPDSACKOldSent", "D-SACKs sent for data below the window."),
    TCP_DSACK_OFO_SENT(
            CounterGroup.TCP_EXT,
            "TCPDSACKOfoSent",
            "D-SACKs sent for duplicate out-of-order data."),
    TCP_DSACK_RECV(CounterGroup.TCP_EXT, "TCPDSACKRecv", "ACKs received with a D-SACK."),
    TCP_DSACK_OFO_RECV(
            CounterGroup.TCP_EXT,
            "TCPDSACKOfoRecv",
            "ACKs received with a D-SACK above the cumulative ACK."),
    TCP_DSACK_RECV_SEGS(
            CounterGroup.TCP_EXT,
            "TCPDSACKRecvSegs",
            "Segments reported as duplicates by received D-SACKs."),
    TCP_DSACK_IGNORED_OLD(
            CounterGroup.TCP_EXT,
            "TCPDSACKIgnoredOld",
            "D-SACKs ignored because they are too old."),
    TCP_DSACK_IGNORED_NO_UNDO(
            CounterGroup.TCP_EXT,
            "TCPDSACKIgnoredNoUndo",
            "D-SACKs ignored because nothing can be undone."),
    TCP_DSACK_IGNORED_DUBIOUS(
            CounterGroup.TCP_EXT,
            "TCPDSACKIgnoredDubious",
            "D-SACKs ignored because they report more than we retransmitted."),
    TCP_SACK_DISCARD(
            CounterGroup.TCP_EXT,
            "TCPSACKDiscard",
            "SACK blocks ignored because they are invalid."),
    TCP_SACK_SHIFTED(
            CounterGroup.TCP_EXT,
            "TCPSackShifted",
            "SACKed segments joined with the one before in part."),
    TCP_SACK_MERGED(
            CounterGroup.TCP_EXT, "TCPSackMerged", "SACKed segments joined with the one before."),
    TCP_SACK_SHIFT_FALLBACK(
            CounterGroup.TCP_EXT,
            "TCPSackShiftFallback",
            "SACKed segments that could not be joined."),
    TCP_ABORT_ON_DATA(
            CounterGroup.TCP_EXT,
            "TCPAbortOnData",
            "Connections reset with data pending, by a zero linger time or data after close."),
    TCP_ABORT_ON_CLOSE(
            CounterGroup.TCP_EXT,
            "TCPAbortOnClose",
            "Connections reset because they were closed with unread data."),
    TCP_ABORT_ON_MEMORY(
            CounterGroup.TCP_EXT, "TCPAbortOnMemory", "Connections reset for want of memory."),
    TCP_ABORT_ON_TIMEOUT(
            CounterGroup.TCP_EXT,
            "TCPAbortOnTimeout",
            "Connections ended because retransmissions or probes went unanswered."),
    TCP_ABORT_ON_LINGER(
            CounterGroup.TCP_EXT,
            "TCPAbortOnLinger",
            "Connections reset in FIN_WAIT_2 because of a negative linger time."),
    TCP_ABORT_FAILED(CounterGroup.TCP_EXT, "TCPAbortFailed", "Resets that could not be sent."),
    TCP_MEMORY_PRESSURES(
            CounterGroup.TCP_EXT, "TCPMemoryPressures", "Times memory pressure began."),
    TCP_MEMORY_PRESSURES_CHRONO(
            CounterGroup.TCP_EXT,
            "TCPMemoryPressuresChrono",
            "Milliseconds spent under memory pressure."),
    TCP_SPURIOUS_RTOS(CounterGroup.TCP_EXT, "TCPSpuriousRTOs", "Timeouts found spurious by F-RTO."),
    TCP_DEFER_ACCEPT_DROP(
            CounterGroup.TCP_EXT,
            "TCPDeferAcceptDrop",
            "Bare ACKs dropped because the listener waits for data."),
    TCP_TIME_WAIT_OVERFLOW(
            CounterGroup.TCP_EXT,
            "TCPTimeWaitOverflow",
            "TIME_WAIT connections ended early because there were too many."),
    TCP_REQ_Q_FULL_DO_COOKIES(
            CounterGroup.TCP_EXT,
            "TCPReqQFullDoCookies",
            "SYNs answered with a cookie because the SYN queue was full."),
    TCP_REQ_Q_FULL_DROP(
            CounterGroup.TCP_EXT,
            "TCPReqQFullDrop",
            "SYNs dropped because the SYN queue was full."),
    TCP_RETRANS_FAIL(
            CounterGroup.TCP_EXT, "TCPRetransFail", "Retransmissions the layer below refused."),
    TCP_RCV_COALESCE(
            CounterGroup.TCP_EXT,
            "TCPRcvCoalesce",
            "Received segments merged with the one before."),
    TCP_OFO_QUEUE(CounterGroup.TCP_EXT, "TCPOFOQueue", "Segments queued out of order."),
    TCP_OFO_DROP(
            CounterGroup.TCP_EXT,
            "TCPOFODrop",
            "Out-of-order segments dropped because the receive buffer was full."),
    TCP_OFO_MERGE(
            CounterGroup.TCP_EXT, "TCPOFOMerge", "Out-of-order segments merged with queued ones."),
    TCP_CHALLENGE_ACK(CounterGroup.TCP_EXT, "TCPChallengeACK", "Challenge ACKs sent."),
    TCP_SYN_CHALLENGE(
            CounterGroup.TCP_EXT,
            "TCPSYNChallenge",
            "Challenge ACKs sent for a SYN on a synchronized connection."),
    TCP_FAST_OPEN_ACTIVE(
            CounterGroup.TCP_EXT,
            "TCPFastOpenActive",
            "Outgoing Fast Open attempts whose SYN data was acknowledged."),
    TCP_FAST_OPEN_ACTIVE_FAIL(
            CounterGroup.TCP_EXT,
            "TCPFastOpenActiveFail",
            "Outgoing Fast Open attempts whose SYN data was not acknowledged."),
    TCP_FAST_OPEN_PASSIVE(
            CounterGroup.TCP_EXT, "TCPFastOpenPassive", "Incoming Fast Open connections accepted."),
    TCP_FAST_OPEN_PASSIVE_FAIL(
            CounterGroup.TCP_EXT,
            "TCPFastOpenPassiveFail",
            "Incoming Fast Open cookies found invalid."),
    TCP_FAST_OPEN_PASSIVE_ALT_KEY(
            CounterGroup.TCP_EXT,
            "TCPFastOpenPassiveAltKey",
            "Incoming Fast Open cookies made with the previous key."),
    TCP_FAST_OPEN_LISTEN_OVERFLOW(
            CounterGroup.TCP_EXT,
            "TCPFastOpenListenOverflow",
            "Fast Open SYNs refused because too many such connections were pending."),
    TCP_FAST_OPEN_COOKIE_REQD(
            CounterGroup.TCP_EXT,
            "TCPFastOpenCookieReqd",
            "SYNs that asked for a Fast Open cookie."),
    TCP_FAST_OPEN_BLACKHOLE(
            CounterGroup.TCP_EXT,
            "TCPFastOpenBlackhole",
            "Times Fast Open was switched off because a firewall seems to drop it."),
    TCP_SPURIOUS_RTX_HOST_QUEUES(
            CounterGroup.TCP_EXT,
            "TCPSpuriousRtxHostQueues",
            "Retransmissions put off because the original had not left the host."),
    TCP_AUTO_CORKING(
            CounterGroup.TCP_EXT,
            "TCPAutoCorking",
            "Small writes held back because an earlier segment was still in the device."),
    TCP_FROM_ZERO_WINDOW_ADV(
            CounterGroup.TCP_EXT,
            "TCPFromZeroWindowAdv",
            "Windows opened again after a zero window was advertised."),
    TCP_TO_ZERO_WINDOW_ADV(CounterGroup.TCP_EXT, "TCPToZeroWindowAdv", "Zero windows advertised."),
    TCP_WANT_ZERO_WINDOW_ADV(
            CounterGroup.TCP_EXT,
            "TCPWantZeroWindowAdv",
            "Zero windows wanted and not advertised because the edge must not move left."),
    TCP_SYN_RETRANS(CounterGroup.TCP_EXT, "TCPSynRetrans", "SYNs and SYN-ACKs retransmitted."),
    TCP_ORIG_DATA_SENT(
            CounterGroup.TCP_EXT, "TCPOrigDataSent", "Data segments sent for the first time."),
    TCP_HYSTART_TRAIN_DETECT(
            CounterGroup.TCP_EXT,
            "TCPHystartTrainDetect",
            "Slow starts ended by HyStart's ACK train."),
    TCP_HYSTART_TRAIN_CWND(
            CounterGroup.TCP_EXT,
            "TCPHystartTrainCwnd",
            "Sum of the congestion windows, in segments, at those moments."),
    TCP_HYSTART_DELAY_DETECT(
            CounterGroup.TCP_EXT,
            "TCPHystartDelayDetect",
            "Slow starts ended by HyStart's delay increase."),
    TCP_HYSTART_DELAY_CWND(
            CounterGroup.TCP_EXT,
            "TCPHystartDelayCwnd",
            "Sum of the congestion windows, in segments, at those moments."),
    TCP_ACK_SKIPPED_SYN_RECV(
            CounterGroup.TCP_EXT,
            "TCPACKSkippedSynRecv",
            "ACKs not sent in SYN_RECEIVED because of the rate limit."),
    TCP_ACK_SKIPPED_PAWS(
            CounterGroup.TCP_EXT,
            "TCPACKSkippedPAWS",
            "ACKs for segments that PAWS rejected not sent because of the rate limit."),
    TCP_ACK_SKIPPED_SEQ(
            CounterGroup.TCP_EXT,
            "TCPACKSkippedSeq",
            "ACKs for unacceptable sequence numbers not sent because of the rate limit."),
    TCP_ACK_SKIPPED_FIN_WAIT2(
            CounterGroup.TCP_EXT,
            "TCPACKSkippedFinWait2",
            "ACKs not sent in FIN_WAIT_2 because of the rate limit."),
    TCP_ACK_SKIPPED_TIME_WAIT(
            CounterGroup.TCP_EXT,
            "TCPACKSkippedTimeWait",
            "ACKs not sent in TIME_WAIT because of the rate limit."),
    TCP_ACK_SKIPPED_CHALLENGE(
            CounterGroup.TCP_EXT,
            "TCPACKSkippedChallenge",
            "Challenge ACKs not sent because of the rate limit."),
    TCP_WIN_PROBE(CounterGroup.TCP_EXT, "TCPWinProbe", "Zero-window probes sent."),
    TCP_KEEP_ALIVE(CounterGroup.TCP_EXT, "TCPKeepAlive", "Keepalive probes sent."),
    TCP_MTUP_FAIL(CounterGroup.TCP_EXT, "TCPMTUPFail", "Path MTU probes that were lost."),
    TCP_MTUP_SUCCESS(CounterGroup.TCP_EXT, "TCPMTUPSuccess", "Path MTU probes that arrived."),
    TCP_DELIVERED(
            CounterGroup.TCP_EXT, "TCPDelivered", "Segments delivered, SACKed ones included."),
    TCP_DELIVERED_CE(
            CounterGroup.TCP_EXT,
            "TCPDeliveredCE",
            "Segments delivered whose ACK reported a congestion mark."),
    TCP_ACK_COMPRESSED(CounterGroup.TCP_EXT, "TCPAckCompressed", "ACKs saved by SACK compression."),
    TCP_ZERO_WINDOW_DROP(
            CounterGroup.TCP_EXT,
            "TCPZeroWindowDrop",
            "Data segments dropped because the window is closed."),
    TCP_RCV_Q_DROP(
            CounterGroup.TCP_EXT,
            "TCPRcvQDrop",
            "In-order segments dropped because the receive buffer was full."),
    TCP_WQUEUE_TOO_BIG(
            CounterGroup.TCP_EXT,
            "TCPWqueueTooBig",
            "Segments not split because the write queue was too large."),
    TCP_TIMEOUT_REHASH(
            CounterGroup.TCP_EXT,
            "TcpTimeoutRehash",
            "Paths changed by a new flow hash after a timeout."),
    TCP_DUPLICATE_DATA_REHASH(
            CounterGroup.TCP_EXT,
            "TcpDuplicateDataRehash",
            "Paths changed by a new flow hash after duplicate data."),

    TSQ_LOST_WAKEUP(
            CounterGroup.SLUICE,
            "TsqLostWakeup",
            "Writes left held with nothing in the device to push them (B-1.1.6); must stay 0."),
    USELESS_POLLOUTS(
            CounterGroup.SLUICE,
            "UselessPollouts",
            "Times a socket was reported writable and the next write took no byte (B-1.3.7)."),
    PERSIST_OVERRIDE_SENDS(
            CounterGroup.SLUICE,
            "PersistOverrideSends",
            "Data the persist timer sent although the silly-window rule held it back (B-7.7)."),
    SPECIAL_ECN_ACKS(
            CounterGroup.SLUICE,
            "SpecialEcnAcks",
            "ACKs sent for data received before the congestion mark changed (B-1.2.7)."),
    DEMUX_NO_MATCH(
            CounterGroup.SLUICE,
            "DemuxNoMatch",
            "Segments for which there is neither a connection nor a listener."),
    CONNECTION_FAULTS(
            CounterGroup.SLUICE,
            "ConnectionFaults",
            "Connections reset because of a fault of the stack itself, or of a service told by"
                    + " it."),
    HOLES_LIMIT(
            CounterGroup.SLUICE,
            "HolesLimit",
            "Out-of-order segments dropped because the table of holes was full."),
    SCOREBOARD_LIMIT(
            CounterGroup.SLUICE,
            "ScoreboardLimit",
            "Sends put off because the scoreboard was full."),
    BLOCK_POOL_EMPTY(
            CounterGroup.SLUICE,
            "BlockPoolEmpty",
            "Writes cut short because the block pool was used up."),
    PACKET_POOL_EMPTY(
            CounterGroup.SLUICE,
            "PacketPoolEmpty",
            "Packets not sent or received because the packet pool was used up."),
    REASSEMBLY_LIMIT(
            CounterGroup.SLUICE,
            "ReassemblyLimit",
            "Fragments dropped because reassembly had reached its bound."),
    NEIGHBOR_LIMIT(
            CounterGroup.SLUICE,
            "NeighborLimit",
            "Packets dropped because too many waited for a neighbour to be resolved."),
    MISPLACED_BYTES(
            CounterGroup.SLUICE,
            "MisplacedBytes",
            "Synthetic bytes delivered at another offset than they were sent at; must stay 0."),
    INVARIANT_FAILURES(
            CounterGroup.SLUICE,
            "InvariantFailures",
            "Connections reset because a check of our own failed.");
    private static final Counter[] ALL = values();

    private final CounterGroup group;
    private final String linuxName;
    private final String meaning;

    Counter(CounterGroup group, String linuxName, String meaning) {
        this.group = group;
        this.linuxName = linuxName;
        this.meaning = meaning;
    }

    public CounterGroup group() {
        return group;
    }

    /** The name within the group, {@code RetransSegs}. */
    public String linuxName() {
        return linuxName;
    }

    /** Group and name as nstat joins them, {@code TcpRetransSegs} or {@code TcpExtTCPTimeouts}. */
    public String nstatName() {
        return group.linuxName() + linuxName;
    }

    /** One sentence for people. */
    public String meaning() {
        return meaning;
    }

    /** How many counters there are; ordinals are below it. */
    public static int count() {
        return ALL.length;
    }

    /** The counter with this {@link #nstatName()}, or null. */
    public static Counter ofNstatName(String name) {
        for (Counter counter : ALL) {
            if (counter.nstatName().equals(name)) {
                return counter;
            }
        }
        return null;
    }
}
