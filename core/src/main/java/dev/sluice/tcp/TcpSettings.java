package dev.sluice.tcp;

import dev.sluice.config.StackConfig;

/**
 * What one connection took from the stack's configuration when it was created, plus what {@code
 * setsockopt} changed since. Times in nanoseconds, sizes in bytes.
 *
 * <p>Connections share one instance until an option changes: see {@link #own()}.
 */
public final class TcpSettings {
    private final boolean shared;

    /** SO_REUSEADDR and SO_REUSEPORT. */
    public boolean reuseAddress;

    public boolean reusePort;

    /** TCP_NODELAY. */
    public boolean noDelay;

    /** TCP_CORK. */
    public boolean cork;

    /** SO_OOBINLINE: the urgent byte is read like any other. */
    public boolean urgentInline;

    /** TCP_INQ: reads are to say how much is left. */
    public boolean reportsUnread;

    /** IP_RECVERR, IPV6_RECVERR: soft ICMP errors are reported at once. */
    public boolean reportsErrors;

    /** IP_FREEBIND: any local address may be bound. */
    public boolean freeBind;

    /** SO_KEEPALIVE. */
    public boolean keepAlive;

    public long keepIdleNanos;
    public long keepIntervalNanos;
    public int keepCount;

    /** TCP_USER_TIMEOUT; 0 for none (B-10.11). */
    public long userTimeoutNanos;

    /** TCP_SYNCNT. */
    public int synRetries;

    /** SO_LINGER: -1 off, otherwise seconds. */
    public int lingerSeconds = -1;

    /** TCP_LINGER2: how long an orphan stays in FIN_WAIT_2; negative: not at all. */
    public long finTimeoutNanos;

    /** TCP_DEFER_ACCEPT, seconds; 0 off. */
    public int deferAcceptSeconds;

    /** TCP_FASTOPEN of a listener: connections open early at a time; 0 none (RFC 7413). */
    public int fastOpenQueue;

    /** TCP_FASTOPEN_CONNECT: {@code connect} may wait for the first write. */
    public boolean fastOpenConnect;

    /** TCP_FASTOPEN_NO_COOKIE. */
    public boolean fastOpenNoCookie;

    /** TCP_FASTOPEN_KEY; null: the stack's. */
    FastOpenKeys fastOpenKeys;

    /** TCP_MAXSEG as set by the user; 0 unset. */
    public int maxSegment;

    /** TCP_WINDOW_CLAMP; 0 unset. */
    public int windowClamp;

    /** SO_SNDBUF as stored (already doubled); 0 until set, then autotuning is off (B-7.9). */
    public int lockedSndBuf;

    /** SO_RCVBUF as stored (already doubled); 0 until set, then autotuning is off (B-7.9). */
    public int lockedRcvBuf;

    /** SO_RCVLOWAT. */
    public int rcvLowat = 1;

    /** TCP_NOTSENT_LOWAT as set by the user, bytes; 0 unset: the stack's default holds (B-8.3). */
    public long notsentLowat;

    private long defaultNotsentLowat;

    /** TCP_CONGESTION. */
    public String congestionControl;

    /** SO_MAX_PACING_RATE, bytes per second; Long.MAX_VALUE for none. */
    public long maxPacingRate = Long.MAX_VALUE;

    /** RTO floor of the variance term, and ceiling (B-4.2). */
    public long rtoMinNanos;

    public long rtoMaxNanos;

    /** Upper bound of a delayed ACK (B-3.2). */
    public long delackMaxNanos;

    /** Type of service or traffic class, without the two ECN bits. */
    public int tos;

    /** IP_TTL or IPV6_UNICAST_HOPS. */
    public int ttl;

    /** IP_MTU_DISCOVER other than IP_PMTUDISC_DONT: set DF. */
    public boolean dontFragment;

    private TcpSettings(boolean shared) {
        this.shared = shared;
    }

    /** The settings of a socket nobody has touched. */
    static TcpSettings defaults(StackConfig config) {
        TcpSettings s = new TcpSettings(true);
        s.keepIdleNanos = config.keepaliveTimeNanos;
        s.keepIntervalNanos = config.keepaliveIntervalNanos;
        s.keepCount = config.keepaliveProbes;
        s.synRetries = config.synRetries;
        s.finTimeoutNanos = config.finTimeoutNanos;
        s.defaultNotsentLowat = config.notsentLowatBytes;
        s.congestionControl = config.congestionControl;
        s.rtoMinNanos = config.rtoMinNanos;
        s.rtoMaxNanos = config.rtoMaxNanos;
        s.delackMaxNanos = config.delackMaxNanos;
        s.ttl = config.defaultTtl;
        s.dontFragment = config.noPmtuDiscMode == 0;
        return s;
    }

    /** This, if it belongs to one connection alone; otherwise a private copy to change. */
    public TcpSettings own() {
        return shared ? copy() : this;
    }

    /** What an accepted connection starts with: the listener's settings. */
    public TcpSettings inherit() {
        return shared ? this : copy();
    }

    /** TCP_FASTOPEN_KEY; false for other than 16 or 32 bytes. */
    public boolean fastOpenKey(byte[] keys) {
        FastOpenKeys changed = FastOpenKeys.ofBytes(keys);
        if (changed != null) {
            fastOpenKeys = changed;
        }
        return changed != null;
    }

    /** SO_REUSEPORT if {@code port}, else SO_REUSEADDR. */
    public void reuse(boolean port, boolean on) {
        if (port) {
            reusePort = on;
        } else {
            reuseAddress = on;
        }
    }

    /** The low-water mark of unsent bytes in force. */
    long notsentLowatInForce() {
        return notsentLowat > 0 ? notsentLowat : defaultNotsentLowat;
    }

    private TcpSettings copy() {
        TcpSettings s = new TcpSettings(false);
        s.reuseAddress = reuseAddress;
        s.reusePort = reusePort;
        s.noDelay = noDelay;
        s.cork = cork;
        s.urgentInline = urgentInline;
        s.reportsUnread = reportsUnread;
        s.reportsErrors = reportsErrors;
        s.freeBind = freeBind;
        s.keepAlive = keepAlive;
        s.keepIdleNanos = keepIdleNanos;
        s.keepIntervalNanos = keepIntervalNanos;
        s.keepCount = keepCount;
        s.userTimeoutNanos = userTimeoutNanos;
        s.synRetries = synRetries;
        s.lingerSeconds = lingerSeconds;
        s.finTimeoutNanos = finTimeoutNanos;
        s.deferAcceptSeconds = deferAcceptSeconds;
        s.fastOpenQueue = fastOpenQueue;
        s.fastOpenKeys = fastOpenKeys;
        s.fastOpenConnect = fastOpenConnect;
        s.fastOpenNoCookie = fastOpenNoCookie;
        s.maxSegment = maxSegment;
        s.windowClamp = windowClamp;
        s.lockedSndBuf = lockedSndBuf;
        s.lockedRcvBuf = lockedRcvBuf;
        s.rcvLowat = rcvLowat;
        s.notsentLowat = notsentLowat;
        s.defaultNotsentLowat = defaultNotsentLowat;
        s.congestionControl = congestionControl;
        s.maxPacingRate = maxPacingRate;
        s.rtoMinNanos = rtoMinNanos;
        s.rtoMaxNanos = rtoMaxNanos;
        s.delackMaxNanos = delackMaxNanos;
        s.tos = tos;
        s.ttl = ttl;
        s.dontFragment = dontFragment;
        return s;
    }
}
