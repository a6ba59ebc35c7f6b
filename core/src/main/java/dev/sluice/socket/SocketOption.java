package dev.sluice.socket;

/** Socket options by their Linux names, with level and number as in Linux's headers. */
public enum SocketOption {
    SO_REUSEADDR(1, 2),
    SO_TYPE(1, 3),
    SO_ERROR(1, 4),
    SO_BROADCAST(1, 6),
    SO_SNDBUF(1, 7),
    SO_RCVBUF(1, 8),
    SO_KEEPALIVE(1, 9),
    SO_OOBINLINE(1, 10),
    SO_NO_CHECK(1, 11),
    SO_LINGER(1, 13),
    SO_REUSEPORT(1, 15),
    SO_RCVLOWAT(1, 18),
    SO_SNDLOWAT(1, 19),
    SO_ACCEPTCONN(1, 30),
    SO_PROTOCOL(1, 38),
    SO_DOMAIN(1, 39),
    SO_MAX_PACING_RATE(1, 47),
    IP_TOS(0, 1),
    IP_TTL(0, 2),
    IP_MTU_DISCOVER(0, 10),
    IP_RECVERR(0, 11),
    IP_MTU(0, 14),
    IP_FREEBIND(0, 15),
    IPV6_RECVERR(41, 25),
    IPV6_V6ONLY(41, 26),
    TCP_NODELAY(6, 1),
    TCP_MAXSEG(6, 2),
    TCP_CORK(6, 3),
    TCP_KEEPIDLE(6, 4),
    TCP_KEEPINTVL(6, 5),
    TCP_KEEPCNT(6, 6),
    TCP_SYNCNT(6, 7),
    TCP_LINGER2(6, 8),
    TCP_DEFER_ACCEPT(6, 9),
    TCP_WINDOW_CLAMP(6, 10),
    TCP_QUICKACK(6, 12),
    TCP_CONGESTION(6, 13),
    TCP_USER_TIMEOUT(6, 18),
    TCP_FASTOPEN(6, 23),
    TCP_NOTSENT_LOWAT(6, 25),
    TCP_FASTOPEN_CONNECT(6, 30),
    TCP_FASTOPEN_NO_COOKIE(6, 34),
    TCP_INQ(6, 36),
    TCP_RTO_MAX_MS(6, 44),
    TCP_RTO_MIN_US(6, 45),
    TCP_DELACK_MAX_US(6, 46);

    private final int level;
    private final int number;

    SocketOption(int level, int number) {
        this.level = level;
        this.number = number;
    }

    /** SOL_SOCKET 1, IPPROTO_IP 0, IPPROTO_TCP 6, IPPROTO_IPV6 41. */
    public int level() {
        return level;
    }

    public int number() {
        return number;
    }
}
