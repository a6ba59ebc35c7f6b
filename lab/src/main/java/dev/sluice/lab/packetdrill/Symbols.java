package dev.sluice.lab.packetdrill;

import java.util.HashMap;
import java.util.Map;

/** Constants of Linux's socket interface by name. */
final class Symbols {
    private static final Map<String, Long> VALUES = values();

    private Symbols() {}

    private static Map<String, Long> values() {
        Map<String, Long> values = new HashMap<>();
        String table =
                """
                AF_UNSPEC 0 AF_INET 2 AF_INET6 10 NULL 0
                SOCK_STREAM 1 SOCK_DGRAM 2 SOCK_NONBLOCK 0x800 SOCK_CLOEXEC 0x80000
                IPPROTO_IP 0 IPPROTO_ICMP 1 IPPROTO_TCP 6 IPPROTO_UDP 17 IPPROTO_IPV6 41
                SOL_IP 0 SOL_SOCKET 1 SOL_TCP 6 SOL_IPV6 41
                SO_REUSEADDR 2 SO_TYPE 3 SO_ERROR 4 SO_SNDBUF 7 SO_RCVBUF 8 SO_KEEPALIVE 9
                SO_OOBINLINE 10 SO_PRIORITY 12 SO_LINGER 13 SO_REUSEPORT 15 SO_RCVLOWAT 18
                SO_SNDLOWAT 19 SO_RCVTIMEO 20 SO_SNDTIMEO 21 SO_TIMESTAMP 29 SO_ACCEPTCONN 30 SO_MARK 36
                SO_PROTOCOL 38 SO_DOMAIN 39
                SO_TIMESTAMPING 37 SO_BUSY_POLL 46 SO_MAX_PACING_RATE 47 SO_MEMINFO 55
                SO_ZEROCOPY 60
                TCP_NODELAY 1 TCP_MAXSEG 2 TCP_CORK 3 TCP_KEEPIDLE 4 TCP_KEEPINTVL 5
                TCP_KEEPCNT 6 TCP_SYNCNT 7 TCP_LINGER2 8 TCP_DEFER_ACCEPT 9 TCP_WINDOW_CLAMP 10
                TCP_INFO 11 TCP_QUICKACK 12 TCP_CONGESTION 13 TCP_MD5SIG 14
                TCP_THIN_LINEAR_TIMEOUTS 16 TCP_THIN_DUPACK 17 TCP_USER_TIMEOUT 18 TCP_REPAIR 19
                TCP_FASTOPEN 23 TCP_TIMESTAMP 24 TCP_NOTSENT_LOWAT 25 TCP_CC_INFO 26
                TCP_SAVE_SYN 27 TCP_SAVED_SYN 28 TCP_FASTOPEN_CONNECT 30 TCP_ULP 31
                TCP_FASTOPEN_KEY 33 TCP_FASTOPEN_NO_COOKIE 34 TCP_ZEROCOPY_RECEIVE 35
                TCP_INQ 36 TCP_CM_INQ 36 TCP_TX_DELAY 37 TCP_RTO_MAX_MS 44
                TCP_RTO_MIN_US 45 TCP_DELACK_MAX_US 46
                IP_TOS 1 IP_TTL 2 IP_MTU_DISCOVER 10 IP_RECVERR 11 IP_MTU 14 IP_FREEBIND 15
                IP_BIND_ADDRESS_NO_PORT 24 IP_PMTUDISC_DONT 0 IP_PMTUDISC_WANT 1
                IP_PMTUDISC_DO 2 IP_PMTUDISC_PROBE 3
                IPV6_UNICAST_HOPS 16 IPV6_MTU_DISCOVER 23 IPV6_RECVERR 25 IPV6_V6ONLY 26
                IPV6_TCLASS 67 IPTOS_LOWDELAY 0x10 IPTOS_DSCP_CS1 0x20 IPTOS_DSCP_CS7 0xe0
                O_RDONLY 0 O_WRONLY 1 O_RDWR 2 O_CREAT 0x40 O_NONBLOCK 0x800
                F_GETFD 1 F_SETFD 2 F_GETFL 3 F_SETFL 4
                SHUT_RD 0 SHUT_WR 1 SHUT_RDWR 2
                MSG_OOB 1 MSG_PEEK 2 MSG_CTRUNC 8 MSG_TRUNC 0x20 MSG_DONTWAIT 0x40 MSG_EOR 0x80
                MSG_WAITALL 0x100 MSG_CONFIRM 0x800 MSG_ERRQUEUE 0x2000 MSG_NOSIGNAL 0x4000
                MSG_MORE 0x8000 MSG_ZEROCOPY 0x4000000 MSG_FASTOPEN 0x20000000
                POLLIN 1 POLLPRI 2 POLLOUT 4 POLLERR 8 POLLHUP 0x10 POLLNVAL 0x20
                POLLRDNORM 0x40 POLLRDBAND 0x80 POLLWRNORM 0x100 POLLWRBAND 0x200 POLLRDHUP 0x2000
                EPOLLIN 1 EPOLLPRI 2 EPOLLOUT 4 EPOLLERR 8 EPOLLHUP 0x10 EPOLLRDNORM 0x40
                EPOLLRDBAND 0x80 EPOLLWRNORM 0x100 EPOLLWRBAND 0x200 EPOLLRDHUP 0x2000
                EPOLLEXCLUSIVE 0x10000000 EPOLLONESHOT 0x40000000 EPOLLET 0x80000000
                EPOLL_CTL_ADD 1 EPOLL_CTL_DEL 2 EPOLL_CTL_MOD 3
                FIONREAD 0x541b SIOCINQ 0x541b SIOCOUTQ 0x5411 SIOCATMARK 0x8905 SIOCOUTQNSD 0x894b
                """;
        String[] words = table.strip().split("\\s+");
        for (int i = 0; i < words.length; i += 2) {
            values.put(words[i], Long.decode(words[i + 1]));
        }
        return Map.copyOf(values);
    }

    /**
     * The value of a number, a constant, an error name or a combination by {@code |}.
     *
     * @throws UnsupportedScriptException for a name not in the table or another expression
     */
    static long value(Expression expression) {
        return switch (expression) {
            case Expression.Number number -> number.value();
            case Expression.Word word -> value(word);
            case Expression.Or or -> {
                long value = 0;
                for (Expression term : or.terms()) {
                    value |= value(term);
                }
                yield value;
            }
            default ->
                    throw new UnsupportedScriptException(
                            expression.position(), "'" + expression + "' as a number");
        };
    }

    private static long value(Expression.Word word) {
        Long value = VALUES.get(word.name());
        if (value != null) {
            return value;
        }
        if (Errno.isKnown(word.name())) {
            return Errno.number(word.name(), word.position());
        }
        throw new UnsupportedScriptException(word.position(), "the constant " + word.name());
    }

    /** The value of a constant of the table. */
    static long value(String name) {
        return VALUES.get(name);
    }
}
