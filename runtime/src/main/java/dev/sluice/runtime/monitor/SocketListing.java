package dev.sluice.runtime.monitor;

import dev.sluice.stack.NetworkStack;
import dev.sluice.tcp.TcpConnection;
import dev.sluice.tcp.TcpInfo;
import dev.sluice.tcp.TcpListener;
import dev.sluice.tcp.TcpState;
import dev.sluice.tcp.TimeWaitTable;
import dev.sluice.wire.IpAddress;

import java.util.Locale;

/**
 * The TCP sockets of a stack as {@code ss} prints them: state, queues and addresses, and on a
 * second line what {@code ss -i} says of a connection, under its names and in its units. To be made
 * by the owner of the stack.
 */
public final class SocketListing {
    private static final String LINE = "%-10s %-6d %-6d %24s %24s%n";
    private static final int ADDRESS_WIDTH = 24;
    private static final long UNKNOWN_RTT = 0xffff_ffffL;
    private static final int NO_THRESHOLD = 0x7fff_ffff;
    private static final int USUAL_REORDERING = 3;

    private final long now;
    private final NetworkStack stack;
    private final boolean listening;
    private final boolean all;
    private final boolean internal;
    private final boolean numeric;
    private final StringBuilder out = new StringBuilder();
    private final TcpInfo info = new TcpInfo();

    private SocketListing(long now, NetworkStack stack, String options) {
        this.now = now;
        this.stack = stack;
        listening = options.indexOf('l') >= 0;
        all = options.indexOf('a') >= 0;
        internal = options.indexOf('i') >= 0;
        numeric = options.indexOf('n') >= 0;
    }

    /** The first line of {@code ss}. */
    public static String header() {
        return String.format(
                        Locale.ROOT,
                        "%-10s %-6s %-6s %" + ADDRESS_WIDTH + "s %" + ADDRESS_WIDTH + "s",
                        "State",
                        "Recv-Q",
                        "Send-Q",
                        "Local Address:Port",
                        "Peer Address:Port")
                + System.lineSeparator();
    }

    /**
     * Lists sockets: without options the connections, TIME-WAIT not among them.
     *
     * @param options see {@link LiveStackMXBean#sockets}
     */
    public static String of(long now, NetworkStack stack, String options) {
        SocketListing listing = new SocketListing(now, stack, options);
        listing.list();
        return listing.out.toString();
    }

    private void list() {
        if (listening || all) {
            stack.forEachListener(this::listener);
        }
        if (!listening || all) {
            stack.forEachConnection(this::connection);
        }
        if (all) {
            timeWait();
        }
    }

    private void line(String state, int received, int unsent, String local, String peer) {
        out.append(String.format(Locale.ROOT, LINE, state, received, unsent, local, peer));
    }

    private static String address(long hi, long lo, int port) {
        IpAddress ip = new IpAddress(hi, lo);
        if (hi == 0 && lo == 0) {
            return "*:" + port;
        }
        return (ip.isIpv4() ? ip.toString() : "[" + ip + "]") + ":" + port;
    }

    private void listener(TcpListener l) {
        String local = address(l.localHi(), l.localLo(), l.localPort());
        boolean ipv4 = IpAddress.isIpv4(l.localHi(), l.localLo());
        line("LISTEN", l.waiting(), l.backlog(), local, ipv4 ? "0.0.0.0:*" : "*:*");
        if (internal) {
            out.append("\t cubic cwnd:10".replace("cubic", congestionControl(null)));
            out.append(System.lineSeparator());
        }
    }

    private void timeWait() {
        long[] rows = stack.tcp().timeWait().rows();
        for (int i = 0; i < rows.length; i += TimeWaitTable.ROW_FIELDS) {
            int ports = (int) rows[i + 4];
            line(
                    "TIME-WAIT",
                    0,
                    0,
                    address(rows[i], rows[i + 1], ports >>> 16),
                    address(rows[i + 2], rows[i + 3], ports & 0xffff));
        }
    }

    private static String state(TcpState state) {
        return switch (state) {
            case LISTEN -> "LISTEN";
            case SYN_SENT -> "SYN-SENT";
            case SYN_RECEIVED -> "SYN-RECV";
            case ESTABLISHED -> "ESTAB";
            case FIN_WAIT_1 -> "FIN-WAIT-1";
            case FIN_WAIT_2 -> "FIN-WAIT-2";
            case CLOSE_WAIT -> "CLOSE-WAIT";
            case CLOSING -> "CLOSING";
            case LAST_ACK -> "LAST-ACK";
            case TIME_WAIT -> "TIME-WAIT";
            case CLOSED -> "UNCONN";
        };
    }

    private void connection(TcpConnection c) {
        line(
                state(c.state()),
                c.unread(),
                c.unacknowledged(),
                address(c.localHi(), c.localLo(), c.localPort()),
                address(c.remoteHi(), c.remoteLo(), c.remotePort()));
        if (internal) {
            c.info(now, info);
            out.append('\t');
            negotiated(c);
            path();
            amounts();
            rates();
            trouble();
            receiver();
            out.append(System.lineSeparator());
        }
    }

    private String congestionControl(TcpConnection c) {
        return c == null
                ? stack.tcp().defaultSettings().congestionControl
                : c.settings().congestionControl;
    }

    // ---- the second line, in the order of ss -------------------------------------------------

    private void word(boolean present, String word) {
        if (present) {
            out.append(' ').append(word);
        }
    }

    private void number(String name, long value) {
        out.append(' ').append(name).append(':').append(value);
    }

    private void positive(String name, long value) {
        if (value > 0) {
            number(name, value);
        }
    }

    /** Microseconds as ss prints them: milliseconds without zeros at the end. */
    private static String millis(long micros) {
        String text = String.format(Locale.ROOT, "%d.%03d", micros / 1000, micros % 1000);
        return text.replaceAll("\\.?0+$", "").isEmpty() ? "0" : text.replaceAll("\\.?0+$", "");
    }

    private void time(String name, long micros) {
        out.append(' ').append(name).append(':').append(millis(micros));
    }

    private String rate(long bytesPerSecond) {
        double bits = bytesPerSecond * 8.0;
        if (numeric) {
            return String.format(Locale.ROOT, "%.0fbps", bits);
        }
        if (bits > 1e9) {
            return String.format(Locale.ROOT, "%.2fGbps", bits / 1e9);
        }
        if (bits > 1e6) {
            return String.format(Locale.ROOT, "%.1fMbps", bits / 1e6);
        }
        return bits > 1e3
                ? String.format(Locale.ROOT, "%.1fKbps", bits / 1e3)
                : String.format(Locale.ROOT, "%.0fbps", bits);
    }

    private void negotiated(TcpConnection c) {
        word((info.options & TcpInfo.OPT_TIMESTAMPS) != 0, "ts");
        word((info.options & TcpInfo.OPT_SACK) != 0, "sack");
        word((info.options & TcpInfo.OPT_ECN) != 0, "ecn");
        word((info.options & TcpInfo.OPT_ECN_SEEN) != 0, "ecnseen");
        word((info.options & TcpInfo.OPT_SYN_DATA) != 0, "fastopen");
        word(true, congestionControl(c));
        if ((info.options & TcpInfo.OPT_WSCALE) != 0) {
            out.append(" wscale:").append(info.sndWscale).append(',').append(info.rcvWscale);
        }
    }

    private void path() {
        time("rto", info.rto);
        positive("backoff", info.backoff);
        if (info.rtt > 0) {
            out.append(" rtt:").append(millis(info.rtt)).append('/').append(millis(info.rttvar));
        }
        if (info.ato > 0) {
            time("ato", info.ato);
        }
        positive("mss", info.sndMss);
        positive("pmtu", info.pmtu);
        positive("rcvmss", info.rcvMss);
        positive("advmss", info.advmss);
        positive("cwnd", info.sndCwnd);
        if (info.sndSsthresh < NO_THRESHOLD) {
            positive("ssthresh", info.sndSsthresh);
        }
    }

    private void amounts() {
        positive("bytes_sent", info.bytesSent);
        positive("bytes_retrans", info.bytesRetrans);
        positive("bytes_acked", info.bytesAcked);
        positive("bytes_received", info.bytesReceived);
        positive("segs_out", info.segsOut);
        positive("segs_in", info.segsIn);
        positive("data_segs_out", info.dataSegsOut);
        positive("data_segs_in", info.dataSegsIn);
    }

    private void rates() {
        if (info.rtt > 0 && info.sndMss > 0) {
            long bytesPerSecond = (long) (info.sndCwnd * (info.sndMss * 1e6 / info.rtt));
            out.append(" send ").append(rate(bytesPerSecond));
        }
        positive("lastsnd", info.lastDataSent);
        positive("lastrcv", info.lastDataRecv);
        positive("lastack", info.lastAckRecv);
        if (info.pacingRate > 0) {
            out.append(" pacing_rate ").append(rate(info.pacingRate));
        }
        if (info.deliveryRate > 0) {
            out.append(" delivery_rate ").append(rate(info.deliveryRate));
        }
        positive("delivered", info.delivered);
        positive("delivered_ce", info.deliveredCe);
        word(info.deliveryRateAppLimited != 0, "app_limited");
    }

    private void trouble() {
        positive("unacked", info.unacked);
        if (info.retrans > 0 || info.totalRetrans > 0) {
            out.append(" retrans:").append(info.retrans).append('/').append(info.totalRetrans);
        }
        positive("lost", info.lost);
        positive("sacked", info.sacked);
        positive("dsack_dups", info.dsackDups);
        if (info.reordering != USUAL_REORDERING) {
            positive("reordering", info.reordering);
        }
        positive("reord_seen", info.reordSeen);
    }

    private void receiver() {
        if (info.rcvRtt > 0) {
            time("rcv_rtt", info.rcvRtt);
        }
        positive("rcv_space", info.rcvSpace);
        positive("rcv_ssthresh", info.rcvSsthresh);
        positive("notsent", info.notsentBytes);
        if (info.minRtt != UNKNOWN_RTT) {
            time("minrtt", info.minRtt);
        }
        positive("snd_wnd", info.sndWnd);
        positive("rcv_wnd", info.rcvWnd);
    }
}
