package dev.sluice.socket;

import dev.sluice.tcp.TcpConnection;
import dev.sluice.tcp.TcpSettings;
import dev.sluice.tcp.TcpState;

/**
 * What each option of a stream socket takes, checks and changes at once (Linux's {@code
 * setsockopt}).
 */
final class SocketOptions {
    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000L;
    private static final long MICRO = 1_000L;

    // As the headers of Linux number them.
    private static final int SOCK_STREAM = 1;
    private static final int IPPROTO_TCP = 6;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;

    private SocketOptions() {}

    static int set(long now, StreamSocket socket, SocketOption option, long value) {
        TcpConnection c = socket.connection();
        int invalid = SocketError.EINVAL.result();
        TcpSettings s = socket.ownSettings();
        switch (option) {
            case TCP_FASTOPEN -> {
                return socket.setFastOpenQueue(value);
            }
            case TCP_FASTOPEN_CONNECT, TCP_FASTOPEN_NO_COOKIE -> {
                return setFastOpen(socket, s, option, value);
            }
            case SO_REUSEADDR, SO_REUSEPORT ->
                    s.reuse(option == SocketOption.SO_REUSEPORT, value != 0);
            case SO_SNDBUF -> {
                long limited = Math.min(Math.max(0, value), socket.stack().config().coreWmemMax);
                s.lockedSndBuf = (int) Math.max(2 * limited, 4608);
                if (c != null) {
                    c.sendBufferChanged(now);
                }
            }
            case SO_RCVBUF -> {
                long limited = Math.min(Math.max(0, value), socket.stack().config().coreRmemMax);
                s.lockedRcvBuf = (int) Math.max(2 * limited, 2304);
                if (c != null) {
                    c.receiveBufferChanged(now);
                }
            }
            case SO_KEEPALIVE -> {
                s.keepAlive = value != 0;
                if (c != null) {
                    c.keepAliveChanged(now);
                }
            }
            case SO_LINGER -> s.lingerSeconds = (int) value;
            case SO_OOBINLINE -> s.urgentInline = value != 0;
            case IP_RECVERR, IPV6_RECVERR -> s.reportsErrors = value != 0;
            case IP_FREEBIND -> s.freeBind = value != 0;
            case SO_TYPE, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN -> {
                return SocketError.ENOPROTOOPT.result();
            }
            case SO_RCVLOWAT -> {
                int buffer = s.lockedRcvBuf > 0 ? s.lockedRcvBuf : socket.stack().config().rmemMax;
                s.rcvLowat = value <= 0 ? 1 : (int) Math.min(value, buffer >> 1);
            }
            case SO_MAX_PACING_RATE -> s.maxPacingRate = value;
            case IP_TOS -> s.tos = (int) value & 0xfc;
            case IP_TTL -> {
                if (value < 1 || value > 255) {
                    return invalid;
                }
                s.ttl = (int) value;
            }
            case IP_MTU_DISCOVER -> {
                if (value < 0 || value > 5) {
                    return invalid;
                }
                s.dontFragment = value != 0;
            }
            default -> {
                return setTcp(now, c, s, option, value);
            }
        }
        return 0;
    }

    private static int setFastOpen(
            StreamSocket socket, TcpSettings s, SocketOption option, long value) {
        if (value < 0 || value > 1) {
            return SocketError.EINVAL.result();
        }
        boolean connect = option == SocketOption.TCP_FASTOPEN_CONNECT;
        if (connect && !socket.stack().tcp().fastOpenAllowed()) {
            return SocketError.EOPNOTSUPP.result();
        }
        TcpConnection c = socket.connection();
        if (c != null && c.state() != TcpState.CLOSED) {
            return SocketError.EINVAL.result();
        }
        if (connect) {
            s.fastOpenConnect = value != 0;
        } else {
            s.fastOpenNoCookie = value != 0;
        }
        return 0;
    }

    private static int setTcp(
            long now, TcpConnection c, TcpSettings s, SocketOption option, long value) {
        int invalid = SocketError.EINVAL.result();
        switch (option) {
            case TCP_NODELAY -> {
                s.noDelay = value != 0;
                if (c != null && s.noDelay) {
                    c.pushNow(now);
                }
            }
            case TCP_CORK -> {
                s.cork = value != 0;
                if (c != null && !s.cork) {
                    c.pushNow(now);
                }
            }
            case TCP_MAXSEG -> {
                if (value != 0 && (value < 88 || value > 32_767)) {
                    return invalid;
                }
                s.maxSegment = (int) value;
            }
            case TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT -> {
                return setKeepAlive(now, c, s, option, value);
            }
            case TCP_SYNCNT -> {
                if (value < 1 || value > 127) {
                    return invalid;
                }
                s.synRetries = (int) value;
            }
            case TCP_LINGER2 -> s.finTimeoutNanos = value < 0 ? -1 : Math.min(value, 120) * SECOND;
            case TCP_DEFER_ACCEPT -> s.deferAcceptSeconds = deferAccept(value);
            case TCP_WINDOW_CLAMP -> s.windowClamp = (int) Math.max(0, value);
            case TCP_QUICKACK -> {
                if (c != null) {
                    c.quickAck(now, (int) value);
                }
            }
            case TCP_USER_TIMEOUT -> {
                if (value < 0) {
                    return invalid;
                }
                s.userTimeoutNanos = value * MILLI;
            }
            case TCP_NOTSENT_LOWAT -> {
                s.notsentLowat = value & 0xffff_ffffL;
                if (c != null) {
                    c.sendBufferChanged(now);
                }
            }
            case TCP_INQ -> {
                if (value < 0 || value > 1) {
                    return invalid;
                }
                s.reportsUnread = value != 0;
            }
            case TCP_RTO_MAX_MS -> {
                if (value < 1000 || value > 120_000) {
                    return invalid;
                }
                s.rtoMaxNanos = value * MILLI;
            }
            case TCP_RTO_MIN_US -> s.rtoMinNanos = value * MICRO;
            case TCP_DELACK_MAX_US -> s.delackMaxNanos = value * MICRO;
            default -> {
                return SocketError.ENOPROTOOPT.result();
            }
        }
        return 0;
    }

    /** Linux counts SYN-ACKs, not seconds: the time rounds up to that of so many repetitions. */
    private static int deferAccept(long seconds) {
        if (seconds <= 0) {
            return 0;
        }
        int interval = 1;
        int period = 1;
        while (seconds > period) {
            interval = Math.min(interval * 2, 120);
            period += interval;
        }
        return period;
    }

    private static int setKeepAlive(
            long now, TcpConnection c, TcpSettings s, SocketOption option, long value) {
        long most = option == SocketOption.TCP_KEEPCNT ? 127 : 32_767;
        if (value < 1 || value > most) {
            return SocketError.EINVAL.result();
        }
        switch (option) {
            case TCP_KEEPIDLE -> {
                s.keepIdleNanos = value * SECOND;
                if (c != null) {
                    c.keepAliveChanged(now);
                }
            }
            case TCP_KEEPINTVL -> s.keepIntervalNanos = value * SECOND;
            default -> s.keepCount = (int) value;
        }
        return 0;
    }

    static long get(StreamSocket socket, SocketOption option) {
        TcpSettings s = socket.settings();
        TcpConnection c = socket.connection();
        return switch (option) {
            case SO_REUSEADDR -> s.reuseAddress ? 1 : 0;
            case SO_REUSEPORT -> s.reusePort ? 1 : 0;
            case SO_ERROR -> -socket.takeError();
            case SO_SNDBUF ->
                    c != null
                            ? c.sndBuf()
                            : s.lockedSndBuf > 0
                                    ? s.lockedSndBuf
                                    : socket.stack().config().wmemInitial;
            case SO_RCVBUF ->
                    c != null
                            ? c.rcvBuf()
                            : s.lockedRcvBuf > 0
                                    ? s.lockedRcvBuf
                                    : socket.stack().config().rmemInitial;
            case SO_TYPE -> SOCK_STREAM;
            case SO_PROTOCOL -> IPPROTO_TCP;
            case SO_DOMAIN -> socket.isIpv4() ? AF_INET : AF_INET6;
            case SO_ACCEPTCONN -> socket.isListening() ? 1 : 0;
            case SO_OOBINLINE -> s.urgentInline ? 1 : 0;
            case IP_RECVERR, IPV6_RECVERR -> s.reportsErrors ? 1 : 0;
            case IP_FREEBIND -> s.freeBind ? 1 : 0;
            case TCP_INQ -> s.reportsUnread ? 1 : 0;
            case SO_KEEPALIVE -> s.keepAlive ? 1 : 0;
            case SO_LINGER -> s.lingerSeconds;
            case SO_RCVLOWAT -> s.rcvLowat;
            case SO_SNDLOWAT -> 1;
            case SO_MAX_PACING_RATE -> s.maxPacingRate;
            case IP_TOS -> s.tos;
            case IP_TTL -> s.ttl;
            case IP_MTU_DISCOVER -> s.dontFragment ? 1 : 0;
            case TCP_NODELAY -> s.noDelay ? 1 : 0;
            case TCP_MAXSEG -> maxSegment(c, s);
            case TCP_CORK -> s.cork ? 1 : 0;
            case TCP_KEEPIDLE -> s.keepIdleNanos / SECOND;
            case TCP_KEEPINTVL -> s.keepIntervalNanos / SECOND;
            case TCP_KEEPCNT -> s.keepCount;
            case TCP_SYNCNT -> s.synRetries;
            case TCP_LINGER2 -> s.finTimeoutNanos < 0 ? -1 : s.finTimeoutNanos / SECOND;
            case TCP_DEFER_ACCEPT -> s.deferAcceptSeconds;
            case TCP_WINDOW_CLAMP -> s.windowClamp;
            case TCP_QUICKACK -> c != null && c.isQuickAck() ? 1 : 0;
            case TCP_USER_TIMEOUT -> s.userTimeoutNanos / MILLI;
            case TCP_NOTSENT_LOWAT -> s.notsentLowat;
            case TCP_RTO_MAX_MS -> s.rtoMaxNanos / MILLI;
            case TCP_RTO_MIN_US -> s.rtoMinNanos / MICRO;
            case TCP_DELACK_MAX_US -> s.delackMaxNanos / MICRO;
            case TCP_FASTOPEN -> s.fastOpenQueue;
            case TCP_FASTOPEN_CONNECT -> s.fastOpenConnect ? 1 : 0;
            case TCP_FASTOPEN_NO_COOKIE -> s.fastOpenNoCookie ? 1 : 0;
            case IP_MTU -> c == null ? SocketError.ENOTCONN.result() : c.pathMtu();
            // A name, not a number: StreamSocket.congestionControl.
            case TCP_CONGESTION, SO_BROADCAST, SO_NO_CHECK, IPV6_V6ONLY ->
                    SocketError.ENOPROTOOPT.result();
        };
    }

    /** Before the handshake what the user asked for, or the default; then what is in force. */
    private static long maxSegment(TcpConnection c, TcpSettings s) {
        if (c == null || c.state() == TcpState.CLOSED || c.state() == TcpState.SYN_SENT) {
            return s.maxSegment > 0 ? s.maxSegment : 536;
        }
        return c.sendMss();
    }
}
