package dev.sluice.trace;

/**
 * Sees everything that happens inside a stack, as it happens, on the owner of the stack.
 *
 * <p>A stack has exactly one observer. An observer looks and does not touch: it must not call the
 * stack. Every method does nothing unless overridden, and {@link #NONE} overrides none.
 *
 * <p>Conventions, so that a call costs nothing but its arguments:
 *
 * <ul>
 *   <li>{@code now} is the time of the event in nanoseconds on the clock of the stack;
 *   <li>{@code connection} is the number the stack gave the connection, unique while the stack
 *       lives; {@link #NO_CONNECTION} where there is none;
 *   <li>positions are 64-bit offsets of their direction: SYN 0, first byte 1; lengths and windows
 *       are bytes, congestion windows are segments;
 *   <li>states, timers, reasons and causes are ordinals of the enum named at the parameter.
 * </ul>
 */
public interface StackObserver {
    /** The observer that ignores everything. */
    StackObserver NONE = new StackObserver() {};

    /** The connection number of events that belong to none. */
    int NO_CONNECTION = -1;

    /** Kind of a sent segment: goes out for the first time, or carries no data. */
    int SENT_NEW = 0;

    /** Kind of a sent segment: repeats data (or SYN or FIN) sent before. */
    int SENT_RETRANSMISSION = 1;

    /** Kind of a sent segment: a tail loss probe (RFC 8985 section 7). */
    int SENT_LOSS_PROBE = 2;

    /** Kind of a sent segment: a zero-window probe (RFC 9293 section 3.8.6.1). */
    int SENT_WINDOW_PROBE = 3;

    /** Kind of a sent segment: a keepalive probe (RFC 9293 section 3.8.4). */
    int SENT_KEEPALIVE = 4;

    /** Kind of a sent segment: a path MTU probe (RFC 4821). */
    int SENT_MTU_PROBE = 5;

    /**
     * A connection exists from now on. Addresses are two longs, IPv4 as v4-mapped.
     *
     * @param passive true if the peer opened it
     */
    default void connectionOpened(
            long now,
            int connection,
            boolean passive,
            long localHigh,
            long localLow,
            int localPort,
            long remoteHigh,
            long remoteLow,
            int remotePort) {}

    /**
     * A connection is gone and its number means nothing any more.
     *
     * @param reason {@code DisconnectReason}
     */
    default void connectionClosed(long now, int connection, int reason) {}

    /**
     * A segment left TCP. A super-segment is reported once.
     *
     * @param flags the control bits as on the wire, RFC 9293 section 3.1
     * @param window the receive window it offers, scaled
     * @param segments how many packets it becomes on the wire
     * @param kind one of the {@code SENT_} constants
     */
    default void segmentSent(
            long now,
            int connection,
            long seq,
            int length,
            long ack,
            long window,
            int flags,
            int segments,
            int kind) {}

    /**
     * A segment with a good checksum reached this connection; nothing has been judged yet.
     *
     * @param flags the control bits as on the wire
     * @param window the window it offers, scaled
     * @param segments how many packets were merged into it
     */
    default void segmentReceived(
            long now,
            int connection,
            long seq,
            int length,
            long ack,
            long window,
            int flags,
            int segments) {}

    /**
     * @param from {@code TcpState} before
     * @param to {@code TcpState} after
     * @param cause what moved it: control bits of the segment, or 0 for the application or a timer
     */
    default void stateChanged(long now, int connection, int from, int to, int cause) {}

    /**
     * The congestion window, the threshold or the recovery state changed.
     *
     * @param caState 0 OPEN, 1 DISORDER, 2 CWR, 3 RECOVERY, 4 LOSS
     * @param cwnd segments
     * @param ssthresh segments
     * @param pipe segments in flight
     */
    default void congestionChanged(
            long now, int connection, int caState, int cwnd, int ssthresh, int pipe) {}

    /**
     * Sent data is taken to be lost.
     *
     * @param start first byte
     * @param end one past the last byte
     * @param segments how many segments that is
     * @param cause 0 RACK, 1 duplicate ACKs, 2 timeout, 3 SACK reneging, 4 path MTU
     */
    default void lossMarked(
            long now, int connection, long start, long end, int segments, int cause) {}

    /**
     * A round-trip time was measured.
     *
     * @param rttNanos the sample
     * @param srttNanos smoothed, after the sample
     * @param rtoNanos retransmission timeout, after the sample
     */
    default void roundTripMeasured(
            long now, int connection, long rttNanos, long srttNanos, long rtoNanos) {}

    /**
     * A timer expired and was acted upon.
     *
     * @param timer {@code TcpTimer}
     * @param backoff how often it has expired in a row before this one
     */
    default void timerFired(long now, int connection, int timer, int backoff) {}

    /** The peer acknowledged data or changed the window: what may be sent now. */
    default void sendWindowChanged(long now, int connection, long sndUna, long sndWnd) {}

    /**
     * The receive side moved: data arrived in order, was read, or the buffer was resized.
     *
     * @param rcvNxt next offset expected
     * @param rcvWnd window last offered
     * @param queuedBytes truesize charged to the receive side
     * @param bufferBytes limit of that charge
     */
    default void receiveWindowChanged(
            long now, int connection, long rcvNxt, long rcvWnd, int queuedBytes, int bufferBytes) {}

    /**
     * Data is waiting and is not sent now.
     *
     * @param notSent bytes waiting
     * @param reason 0 congestion window, 1 receive window, 2 Nagle, 3 cork, 4 autocorking, 5 small
     *     queue (too much in the device), 6 pacing, 7 TSO deferral, 8 silly window
     */
    default void sendHeld(long now, int connection, long notSent, int reason) {}

    /** The application wrote; {@code end} is one past the last byte accepted so far. */
    default void applicationWrote(long now, int connection, long end) {}

    /** The application read; {@code position} is the next byte it will read. */
    default void applicationRead(long now, int connection, long position) {}

    /**
     * A packet was thrown away.
     *
     * @param reason {@code DropReason}
     * @param length bytes of the packet
     */
    default void dropped(long now, int connection, int reason, int length) {}

    /** Memory pressure of the whole stack began or ended (B-7.12); {@code pages} is the usage. */
    default void memoryPressureChanged(long now, boolean pressure, long pages) {}
}
