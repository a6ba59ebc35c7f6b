package dev.sluice.tcp;

/** The clocks of one connection. Each runs independently of the others (architecture section 9). */
public enum TcpTimer {
    /** Retransmission timeout, also of SYN, SYN-ACK and FIN (B-4.2, B-4.6). */
    RETRANSMIT,
    /** RACK: when the next segment may be declared lost (RFC 8985 section 6.3, B-4.4). */
    REORDER,
    /** Tail loss probe (RFC 8985 section 7, B-4.5). */
    LOSS_PROBE,
    /** Zero-window probe (RFC 9293 section 3.8.6.1, B-7.8). */
    PERSIST,
    /** Delayed acknowledgment (B-3.2) . */
    DELAYED_ACK,
    /** Earliest departure of the next paced segment (B-2.12). */
    PACING,
    /** Idle probing (B-10.10). */
    KEEPALIVE,
    /** An orphan waits for the peer's FIN (B-10.8). */
    FIN_WAIT_2,
    /** SACK compression: a held duplicate acknowledgment (B-3.6). */
    SACK_COMPRESSION;

    private static final TcpTimer[] ALL = values();

    static final int COUNT = ALL.length;

    static TcpTimer at(int ordinal) {
        return ALL[ordinal];
    }
}
