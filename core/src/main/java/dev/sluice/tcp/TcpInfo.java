package dev.sluice.tcp;

import dev.sluice.wire.EcnCodepoint;

/**
 * A snapshot of one connection with the fields of Linux's {@code tcp_info} (B-14): same names in
 * camel case, same units: times in microseconds or milliseconds as Linux has them, sizes in bytes,
 * windows and counts of packets in segments.
 */
public final class TcpInfo {
    public static final int OPT_TIMESTAMPS = 1;
    public static final int OPT_SACK = 2;
    public static final int OPT_WSCALE = 4;
    public static final int OPT_SYN_DATA = 32;
    public static final int OPT_ECN = 8;
    public static final int OPT_ECN_SEEN = 16;
    public static final int OPT_USEC_TS = 64;
    public static final int OPT_TFO_CHILD = 128;

    public int state;
    public int caState;
    public int retransmits;
    public int probes;
    public int backoff;
    public int options;
    public int sndWscale;
    public int rcvWscale;
    public int deliveryRateAppLimited;

    /** Microseconds. */
    public long rto;

    public long ato;
    public long rtt;
    public long rttvar;
    public long rcvRtt;
    public long minRtt;

    /** Data was queued or in flight, microseconds; the two below are part of it. */
    public long busyTime;

    /** The peer's window held data back. */
    public long rwndLimited;

    /** The send buffer held the application back. */
    public long sndbufLimited;

    /** Expired retransmission timers. */
    public int totalRto;

    /** Runs of those: from a first one to progress. */
    public int totalRtoRecoveries;

    /** Milliseconds that the runs took. */
    public long totalRtoTime;

    /** Bytes. */
    public int sndMss;

    public int rcvMss;
    public int advmss;
    public int pmtu;
    public int rcvSsthresh;
    public int rcvSpace;
    public int notsentBytes;
    public int sndWnd;
    public int rcvWnd;
    public long bytesAcked;
    public long bytesReceived;
    public long bytesSent;
    public long bytesRetrans;

    /** Segments. */
    public int unacked;

    public int sacked;
    public int lost;
    public int retrans;
    public int reordering;
    public int sndCwnd;
    public int sndSsthresh;
    public int totalRetrans;
    public int segsOut;
    public int segsIn;
    public int dataSegsIn;
    public int dataSegsOut;
    public int delivered;
    public int deliveredCe;

    /** Marked segments that arrived (accurate ECN). */
    public int receivedCe;

    /** 0 no ECN, 1 RFC 3168, 2 accurate ECN, 3 asked for accurate ECN. */
    public int ecnMode;

    /** Option of accurate ECN: 0 not seen, 1 empty, 2 with counters, 3 tampered with. */
    public int accecnOptSeen;

    /** 1 and 2: ACE field does not get out, in; 4 and 8: the same of the option. */
    public int accecnFailMode;

    /** Payload bytes under each codepoint that the peer reports (accurate ECN). */
    public int deliveredE1Bytes;

    public int deliveredE0Bytes;
    public int deliveredCeBytes;

    /** Payload bytes that arrived under each codepoint (accurate ECN). */
    public int receivedE1Bytes;

    public int receivedE0Bytes;
    public int receivedCeBytes;

    public int dsackDups;
    public int reordSeen;

    /** Milliseconds since. */
    public long lastDataSent;

    public long lastDataRecv;
    public long lastAckRecv;

    /** Bytes per second. */
    public long pacingRate;

    public long deliveryRate;

    /** A snapshot of nothing yet; fill it with {@link TcpConnection#info}. */
    public TcpInfo() {}

    void fill(long now, TcpConnection c) {
        state = c.state().linuxNumber();
        retransmits = c.retransmits;
        probes = c.probesOut;
        backoff = Math.max(c.rtt.backoff, c.persistBackoff);
        options =
                (c.timestamps.enabled ? OPT_TIMESTAMPS : 0)
                        | (c.sackOk ? OPT_SACK : 0)
                        | (c.windowScaling ? OPT_WSCALE : 0)
                        | (Ecn.isNegotiated(c.ecn) ? OPT_ECN : 0)
                        | ((c.ecn & Ecn.SEEN) != 0 ? OPT_ECN_SEEN : 0)
                        | ((c.fastOpenFlags & FastOpenClient.DATA_ACKED) != 0 ? OPT_SYN_DATA : 0);
        sndWscale = c.sendWindow.sndWindShift;
        rcvWscale = c.receiveWindow.rcvWindShift;
        rto = c.rtt.rtoNanos / 1000;
        ato = c.ackPolicy.atoNanos() / 1000;
        rtt = c.rtt.srttNanos() / 1000;
        rttvar = c.rtt.deviationNanos() / 1000;
        rcvRtt = c.receiveWindow.receiverRttNanos() / 1000;
        long min = c.rtt.minRttNanos();
        minRtt = min > 0 ? min / 1000 : 0xffff_ffffL;
        limits(now, c);
        sizes(c);
        flow(c);
        accurateEcn(c);
        lastDataSent = millisSince(now, c.lastDataSendNanos);
        lastDataRecv = millisSince(now, c.ackPolicy.lastDataReceived());
        lastAckRecv = millisSince(now, c.lastReceiveNanos);
    }

    private void limits(long now, TcpConnection c) {
        if (c.busyTime == null) {
            busyTime = 0;
            rwndLimited = 0;
            sndbufLimited = 0;
            totalRto = 0;
            totalRtoRecoveries = 0;
            totalRtoTime = 0;
        } else {
            c.busyTime.info(now, this);
        }
    }

    private void sizes(TcpConnection c) {
        sndMss = c.sendMss;
        rcvMss = c.ackPolicy.rcvMss;
        advmss = c.advertisedMss - Handshake.fixedOptions(c);
        pmtu = c.pathMtu;
        rcvSsthresh = c.receiveWindow.rcvSsthresh;
        rcvSpace = c.receiveWindow.space();
        notsentBytes = c.notSent();
        sndWnd = c.sendWindow.sndWnd;
        rcvWnd = c.receiveWindow.offered();
        // Linux counts the SYN of an active open among the acknowledged bytes.
        bytesAcked = Math.max(0, c.sendWindow.sndUna - (c.passive ? 1 : 0));
        bytesReceived = Math.max(0, c.receiveWindow.rcvNxt - 1);
        bytesSent =
                Math.max(0, Math.min(c.sendWindow.sndNxt, c.writeEnd()) - 1) + c.bytesRetransmitted;
        bytesRetrans = c.bytesRetransmitted;
        totalRetrans = c.totalRetransmits;
        segsOut = c.segsOut;
        segsIn = c.segsIn;
        dataSegsIn = c.dataSegsIn;
        dataSegsOut = c.dataSegsOut;
    }

    private void accurateEcn(TcpConnection c) {
        AccurateEcn a = c.accurateEcn;
        if (a == null) {
            ecnMode = Ecn.isNegotiated(c.ecn) ? 1 : 0;
            receivedCe = 0;
            accecnOptSeen = 0;
            accecnFailMode = 0;
            deliveredE1Bytes = 0;
            deliveredE0Bytes = 0;
            deliveredCeBytes = 0;
            receivedE1Bytes = 0;
            receivedE0Bytes = 0;
            receivedCeBytes = 0;
            return;
        }
        ecnMode = Ecn.isAccurate(c.ecn) ? 2 : 3;
        receivedCe = a.receivedCe();
        accecnOptSeen = a.optionSeen();
        accecnFailMode = a.failMode();
        deliveredE1Bytes = a.deliveredBytes(EcnCodepoint.ECT_1);
        deliveredE0Bytes = a.deliveredBytes(EcnCodepoint.ECT_0);
        deliveredCeBytes = a.deliveredBytes(EcnCodepoint.CE);
        receivedE1Bytes = a.receivedBytes(EcnCodepoint.ECT_1);
        receivedE0Bytes = a.receivedBytes(EcnCodepoint.ECT_0);
        receivedCeBytes = a.receivedBytes(EcnCodepoint.CE);
    }

    private void flow(TcpConnection c) {
        Flight f = c.flight;
        caState = f == null ? 0 : f.recovery.state.ordinal();
        unacked = f == null ? 0 : f.scoreboard.packetsOut();
        sacked = f == null ? 0 : f.scoreboard.sackedOut();
        lost = f == null ? 0 : f.scoreboard.lostOut();
        retrans = f == null ? 0 : f.scoreboard.retransOut();
        pacingRate = f == null ? 0 : f.pacer.rateBytesPerSecond;
        deliveryRate = f == null ? 0 : f.rateSampler.deliveryRate(c.sendMss);
        // Nothing to send is as limited by the application as it gets.
        deliveryRateAppLimited = f == null || f.rateSampler.deliveryRateAppLimited() ? 1 : 0;
        reordering = c.congestion.reordering;
        sndCwnd = c.congestion.cwnd;
        sndSsthresh = c.congestion.ssthresh;
        delivered = c.congestion.delivered;
        deliveredCe = c.congestion.deliveredCe;
        dsackDups = c.congestion.dsackDups;
        reordSeen = c.congestion.reordSeen;
    }

    private static long millisSince(long now, long then) {
        return (now - then) / 1_000_000;
    }

    /**
     * The field of that Linux name, with or without {@code tcpi_}.
     *
     * @return the value; {@link Long#MIN_VALUE} if there is no such field
     */
    public long get(String linuxName) {
        String name = linuxName.startsWith("tcpi_") ? linuxName.substring(5) : linuxName;
        return switch (name) {
            case "state" -> state;
            case "ca_state" -> caState;
            case "retransmits" -> retransmits;
            case "probes" -> probes;
            case "backoff" -> backoff;
            case "options" -> options;
            case "snd_wscale" -> sndWscale;
            case "rcv_wscale" -> rcvWscale;
            case "delivery_rate_app_limited" -> deliveryRateAppLimited;
            case "rto" -> rto;
            case "ato" -> ato;
            case "rtt" -> rtt;
            case "rttvar" -> rttvar;
            case "rcv_rtt" -> rcvRtt;
            case "min_rtt" -> minRtt;
            case "snd_mss" -> sndMss;
            case "rcv_mss" -> rcvMss;
            case "advmss" -> advmss;
            case "pmtu" -> pmtu;
            case "rcv_ssthresh" -> rcvSsthresh;
            case "rcv_space" -> rcvSpace;
            case "notsent_bytes" -> notsentBytes;
            case "snd_wnd" -> sndWnd;
            case "rcv_wnd" -> rcvWnd;
            case "bytes_acked" -> bytesAcked;
            case "bytes_received" -> bytesReceived;
            case "bytes_sent" -> bytesSent;
            case "bytes_retrans" -> bytesRetrans;
            case "unacked" -> unacked;
            case "sacked" -> sacked;
            case "lost" -> lost;
            case "retrans" -> retrans;
            case "reordering" -> reordering;
            case "snd_cwnd" -> sndCwnd;
            case "snd_ssthresh" -> sndSsthresh;
            case "total_retrans" -> totalRetrans;
            case "segs_out" -> segsOut;
            case "segs_in" -> segsIn;
            case "data_segs_in" -> dataSegsIn;
            case "data_segs_out" -> dataSegsOut;
            case "delivered" -> delivered;
            case "delivered_ce" -> deliveredCe;
            case "received_ce" -> receivedCe;
            case "ecn_mode" -> ecnMode;
            case "accecn_opt_seen" -> accecnOptSeen;
            case "accecn_fail_mode" -> accecnFailMode;
            case "delivered_e1_bytes" -> deliveredE1Bytes;
            case "delivered_e0_bytes" -> deliveredE0Bytes;
            case "delivered_ce_bytes" -> deliveredCeBytes;
            case "received_e1_bytes" -> receivedE1Bytes;
            case "received_e0_bytes" -> receivedE0Bytes;
            case "received_ce_bytes" -> receivedCeBytes;
            case "dsack_dups" -> dsackDups;
            case "reord_seen" -> reordSeen;
            case "busy_time" -> busyTime;
            case "rwnd_limited" -> rwndLimited;
            case "sndbuf_limited" -> sndbufLimited;
            case "total_rto" -> totalRto;
            case "total_rto_recoveries" -> totalRtoRecoveries;
            case "total_rto_time" -> totalRtoTime;
            case "last_data_sent" -> lastDataSent;
            case "last_ack_sent" -> 0;
            case "last_data_recv" -> lastDataRecv;
            case "last_ack_recv" -> lastAckRecv;
            case "pacing_rate" -> pacingRate;
            case "delivery_rate" -> deliveryRate;
            default -> Long.MIN_VALUE;
        };
    }
}
