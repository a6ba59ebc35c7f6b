package dev.sluice.tcp;

/**
 * A SYN that was answered and not yet acknowledged: a row of a listener's SYN queue (Linux {@code
 * request_sock}, B-10.1). Holds what the connection will be made of.
 */
public final class HalfOpen implements Endpoint {
    final TcpListener listener;
    final TcpContext context;
    final SequenceSpace sequence;
    final ReceiveWindow receiveWindow = new ReceiveWindow();
    final Timestamps timestamps = new Timestamps();
    private final int number;

    long localHi;
    long localLo;
    long remoteHi;
    long remoteLo;
    int localPort;
    int remotePort;
    Route route;

    int advertisedMss;
    int peerMss;
    boolean sackOk;
    boolean windowScaling;
    byte sndWindShift;

    /** Bits of {@link Ecn}. */
    byte ecn;

    /** Null unless accurate ECN was negotiated. */
    AccurateEcn accurateEcn;

    /** How often the SYN-ACK was repeated, for whatever reason. */
    int repeats;

    /** SEG.WND of the SYN, never scaled. */
    int sndWnd;

    /** What the SYN-ACK acknowledges: the SYN, and its data if Fast Open took it. */
    long rcvNxt = 1;

    /** The window of the SYN-ACK, in bytes. */
    int window;

    /** The Fast Open cookie of the first SYN-ACK, first byte most significant. */
    long cookie;

    boolean offersCookie;

    /** Nothing is kept: the SYN-ACK is a SYN cookie, or its ACK brought one back. */
    boolean stateless;

    /** The client uses the experimental option of Fast Open. */
    boolean experimentalCookie;

    /** When the SYN-ACK was first sent, and how often it was repeated by the timer. */
    long synAckNanos;

    int retries;

    /** When the timer repeats the SYN-ACK or gives up. */
    long deadline;

    /**
     * The final ACK came while the accept queue was full, or before the data that was asked for.
     */
    boolean acked;

    /** Last answer to a repeated SYN or stray segment, for the rate limit. */
    long lastReplyNanos = Long.MIN_VALUE / 2;

    /** No longer in any table. */
    boolean gone;

    HalfOpen(TcpContext context, TcpListener listener, int iss) {
        this.context = context;
        this.listener = listener;
        this.sequence = new SequenceSpace(iss);
        this.number = context.register(this);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public long localHi() {
        return localHi;
    }

    @Override
    public long localLo() {
        return localLo;
    }

    @Override
    public long remoteHi() {
        return remoteHi;
    }

    @Override
    public long remoteLo() {
        return remoteLo;
    }

    @Override
    public int localPort() {
        return localPort;
    }

    @Override
    public int remotePort() {
        return remotePort;
    }
}
