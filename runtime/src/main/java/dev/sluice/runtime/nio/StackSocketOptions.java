package dev.sluice.runtime.nio;

import dev.sluice.tcp.TcpInfo;

import jdk.net.ExtendedSocketOptions;

import java.net.SocketOption;
import java.net.StandardSocketOptions;

/**
 * Linux's socket options as Java has options, for {@code setOption} and {@code getOption} of the
 * channels and sockets of a stack. Those that the JDK has are the JDK's own constants, so that
 * either name can be used; the options of {@link StandardSocketOptions} that concern TCP and UDP
 * are understood as well.
 *
 * <p>Values mean what they mean in {@code tcp(7)}, {@code udp(7)}, {@code ip(7)} and {@code
 * socket(7)}. A value that Linux refuses is a {@code SocketException} with the text "Invalid
 * argument"; one that is not of the option's type an {@code IllegalArgumentException}; an option
 * that a kind of socket has not, an {@code UnsupportedOperationException}. Options of a listening
 * socket pass to the connections it accepts.
 */
public final class StackSocketOptions {
    // ---- connections: when something is sent -------------------------------------------------

    /** No delay of small segments: the Nagle algorithm is off (RFC 9293 section 3.7.4, B-2.2). */
    public static final SocketOption<Boolean> TCP_NODELAY = StandardSocketOptions.TCP_NODELAY;

    /** Only full segments are sent until it is off again, or for 200 ms (B-2.4). */
    public static final SocketOption<Boolean> TCP_CORK = option("TCP_CORK", Boolean.class);

    /**
     * Acknowledgments are sent at once. Not permanent: the stack may go back to delaying them
     * (B-3.3); reading tells how it is now.
     */
    public static final SocketOption<Boolean> TCP_QUICKACK = ExtendedSocketOptions.TCP_QUICKACK;

    /**
     * A socket is writable while fewer bytes than this wait to be sent for the first time (B-8.3);
     * 0 for the stack's {@code net.ipv4.tcp_notsent_lowat}. Bytes, up to 4,294,967,295.
     */
    public static final SocketOption<Long> TCP_NOTSENT_LOWAT =
            option("TCP_NOTSENT_LOWAT", Long.class);

    /** The most that pacing lets through; {@link Long#MAX_VALUE} for no limit. Bytes per second. */
    public static final SocketOption<Long> SO_MAX_PACING_RATE =
            option("SO_MAX_PACING_RATE", Long.class);

    /**
     * Name of the congestion control, of those in {@code net.ipv4.tcp_available_congestion_control}
     * (B-5.6).
     */
    public static final SocketOption<String> TCP_CONGESTION =
            option("TCP_CONGESTION", String.class);

    // ---- connections: sizes ------------------------------------------------------------------

    /**
     * Read while connected: payload bytes of a full segment; set before: the most to offer and to
     * use, 88 to 32,767, 0 for what the path allows.
     */
    public static final SocketOption<Integer> TCP_MAXSEG = option("TCP_MAXSEG", Integer.class);

    /** The most that is offered as window, bytes; 0 for no limit. */
    public static final SocketOption<Integer> TCP_WINDOW_CLAMP =
            option("TCP_WINDOW_CLAMP", Integer.class);

    /** A socket is readable from so many bytes on; at most half of the receive buffer (B-8.2). */
    public static final SocketOption<Integer> SO_RCVLOWAT = option("SO_RCVLOWAT", Integer.class);

    // ---- connections: when they are given up -------------------------------------------------

    /**
     * How long sent data may stay unacknowledged before the connection is ended, milliseconds; 0
     * for the stack's default (RFC 5482, B-10.11).
     */
    public static final SocketOption<Integer> TCP_USER_TIMEOUT =
            option("TCP_USER_TIMEOUT", Integer.class);

    /** With {@code SO_KEEPALIVE}: idle time before the first probe, seconds, 1 to 32,767. */
    public static final SocketOption<Integer> TCP_KEEPIDLE = ExtendedSocketOptions.TCP_KEEPIDLE;

    /** Time between probes, seconds, 1 to 32,767; Linux calls it TCP_KEEPINTVL. */
    public static final SocketOption<Integer> TCP_KEEPINTERVAL =
            ExtendedSocketOptions.TCP_KEEPINTERVAL;

    /** Unanswered probes that end the connection, 1 to 127; Linux calls it TCP_KEEPCNT. */
    public static final SocketOption<Integer> TCP_KEEPCOUNT = ExtendedSocketOptions.TCP_KEEPCOUNT;

    /** How often a SYN is sent again before connecting fails, 1 to 127. */
    public static final SocketOption<Integer> TCP_SYNCNT = option("TCP_SYNCNT", Integer.class);

    /**
     * How long a closed socket waits in FIN_WAIT_2, seconds, 120 at most; negative: it does not.
     */
    public static final SocketOption<Integer> TCP_LINGER2 = option("TCP_LINGER2", Integer.class);

    /** Upper bound of the retransmission timeout, milliseconds, 1,000 to 120,000. */
    public static final SocketOption<Integer> TCP_RTO_MAX_MS =
            option("TCP_RTO_MAX_MS", Integer.class);

    /** Lower bound of the variance in the retransmission timeout, microseconds. */
    public static final SocketOption<Integer> TCP_RTO_MIN_US =
            option("TCP_RTO_MIN_US", Integer.class);

    /** Upper bound of a delayed acknowledgment, microseconds. */
    public static final SocketOption<Integer> TCP_DELACK_MAX_US =
            option("TCP_DELACK_MAX_US", Integer.class);

    // ---- opening -----------------------------------------------------------------------------

    /**
     * Listening: a connection is accepted when it has data, for about so many seconds; 0 for at
     * once. Reading gives the time of the repetitions that Linux makes of it (B-10.4).
     */
    public static final SocketOption<Integer> TCP_DEFER_ACCEPT =
            option("TCP_DEFER_ACCEPT", Integer.class);

    /** Listening: how many connections may be open early at a time; 0 for none (RFC 7413). */
    public static final SocketOption<Integer> TCP_FASTOPEN = option("TCP_FASTOPEN", Integer.class);

    /** Connecting waits for the first write, which goes with the SYN if a cookie is known. */
    public static final SocketOption<Boolean> TCP_FASTOPEN_CONNECT =
            option("TCP_FASTOPEN_CONNECT", Boolean.class);

    /** Data may go with the SYN without a cookie. */
    public static final SocketOption<Boolean> TCP_FASTOPEN_NO_COOKIE =
            option("TCP_FASTOPEN_NO_COOKIE", Boolean.class);

    // ---- packets -----------------------------------------------------------------------------

    /** Type of service or traffic class, 0 to 255; TCP keeps the two ECN bits for itself. */
    public static final SocketOption<Integer> IP_TOS = StandardSocketOptions.IP_TOS;

    /** Time to live or hop limit of what is sent, 1 to 255. */
    public static final SocketOption<Integer> IP_TTL = option("IP_TTL", Integer.class);

    /** Path MTU discovery: 0 off, 1 as wanted, 2 always, 3 probing, 4 and 5 by the interface. */
    public static final SocketOption<Integer> IP_MTU_DISCOVER =
            option("IP_MTU_DISCOVER", Integer.class);

    /** Datagrams are not fragmented: {@link #IP_MTU_DISCOVER} 2, else 0. */
    public static final SocketOption<Boolean> IP_DONTFRAGMENT =
            ExtendedSocketOptions.IP_DONTFRAGMENT;

    /** Read only: the known MTU of the path to the peer, bytes. */
    public static final SocketOption<Integer> IP_MTU = option("IP_MTU", Integer.class);

    /** Datagrams over IPv4 are sent without a checksum. */
    public static final SocketOption<Boolean> SO_NO_CHECK = option("SO_NO_CHECK", Boolean.class);

    /** The urgent byte is read in its place; otherwise reading passes over it (RFC 6093). */
    public static final SocketOption<Boolean> SO_OOBINLINE = option("SO_OOBINLINE", Boolean.class);

    // ---- what is going on --------------------------------------------------------------------

    /** Read only: a snapshot of the connection, new each time; nothing changes it. */
    public static final SocketOption<TcpInfo> TCP_INFO = option("TCP_INFO", TcpInfo.class);

    private StackSocketOptions() {}

    private record Option<T>(String name, Class<T> type) implements SocketOption<T> {
        @Override
        public String toString() {
            return name;
        }
    }

    private static <T> SocketOption<T> option(String name, Class<T> type) {
        return new Option<>(name, type);
    }
}
