package dev.sluice.tcp;

/**
 * The eleven states of RFC 9293 section 3.3.2, with the moves between them.
 *
 * <pre>
 * CLOSED       -> LISTEN SYN_SENT SYN_RECEIVED
 * LISTEN       -> SYN_RECEIVED SYN_SENT CLOSED
 * SYN_SENT     -> SYN_RECEIVED ESTABLISHED CLOSED
 * SYN_RECEIVED -> ESTABLISHED FIN_WAIT_1 CLOSE_WAIT LISTEN CLOSED
 * ESTABLISHED  -> FIN_WAIT_1 CLOSE_WAIT CLOSED
 * FIN_WAIT_1   -> FIN_WAIT_2 CLOSING TIME_WAIT CLOSED
 * FIN_WAIT_2   -> TIME_WAIT CLOSED
 * CLOSE_WAIT   -> LAST_ACK CLOSED
 * CLOSING      -> TIME_WAIT CLOSED
 * LAST_ACK     -> CLOSED
 * TIME_WAIT    -> CLOSED
 * </pre>
 *
 * <p>The constants stand in RFC order; {@link #linuxNumber()} is the value that Linux's {@code
 * tcp_info} reports.
 */
public enum TcpState {
    LISTEN(10, false, false),
    SYN_SENT(2, false, false),
    SYN_RECEIVED(3, false, false),
    ESTABLISHED(1, true, true),
    FIN_WAIT_1(4, false, true),
    FIN_WAIT_2(5, false, true),
    CLOSE_WAIT(8, true, false),
    CLOSING(11, false, false),
    LAST_ACK(9, false, false),
    TIME_WAIT(6, false, false),
    CLOSED(7, false, false);

    private static final int[] SUCCESSORS = new int[values().length];

    static {
        allow(CLOSED, LISTEN, SYN_SENT, SYN_RECEIVED);
        allow(LISTEN, SYN_RECEIVED, SYN_SENT, CLOSED);
        allow(SYN_SENT, SYN_RECEIVED, ESTABLISHED, CLOSED);
        allow(SYN_RECEIVED, ESTABLISHED, FIN_WAIT_1, CLOSE_WAIT, LISTEN, CLOSED);
        allow(ESTABLISHED, FIN_WAIT_1, CLOSE_WAIT, CLOSED);
        allow(FIN_WAIT_1, FIN_WAIT_2, CLOSING, TIME_WAIT, CLOSED);
        allow(FIN_WAIT_2, TIME_WAIT, CLOSED);
        allow(CLOSE_WAIT, LAST_ACK, CLOSED);
        allow(CLOSING, TIME_WAIT, CLOSED);
        allow(LAST_ACK, CLOSED);
        allow(TIME_WAIT, CLOSED);
    }

    private final int linuxNumber;
    private final boolean canSend;
    private final boolean canReceive;

    TcpState(int linuxNumber, boolean canSend, boolean canReceive) {
        this.linuxNumber = linuxNumber;
        this.canSend = canSend;
        this.canReceive = canReceive;
    }

    private static void allow(TcpState from, TcpState... to) {
        for (TcpState state : to) {
            SUCCESSORS[from.ordinal()] |= 1 << state.ordinal();
        }
    }

    /** Whether the move is drawn in the table above. */
    public boolean mayBecome(TcpState next) {
        return (SUCCESSORS[ordinal()] & 1 << next.ordinal()) != 0;
    }

    /** The application may still queue new data. */
    public boolean canSend() {
        return canSend;
    }

    /** The peer may still send new data. */
    public boolean canReceive() {
        return canReceive;
    }

    /**
     * Both sides know each other's sequence numbers (RFC 9293 section 3.3.2 calls this
     * synchronized).
     */
    public boolean isSynchronized() {
        return this != LISTEN && this != SYN_SENT && this != SYN_RECEIVED && this != CLOSED;
    }

    /** Value of {@code tcpi_state} in Linux. */
    public int linuxNumber() {
        return linuxNumber;
    }
}
