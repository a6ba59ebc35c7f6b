package dev.sluice.tcp.congestion;

/**
 * An algorithm that decides how much may be in flight: one instance per connection, driven by its
 * owner thread (B-5.6).
 *
 * <p>Recovery is not its business: the sender finds losses, paces the reduction (RFC 9937) and
 * undoes it. The controller says where a reduction leads ({@link #ssthresh}), how the window grows,
 * and what an undo restores. Or it owns the window, and sets it and the pacing rate with every ACK.
 * It allocates nothing after construction and does not keep its arguments.
 *
 * <p>How to write one: docs/congestion-control.md.
 */
public interface CongestionController {
    /** The name by which it is chosen and reported, {@code "cubic"}. */
    String name();

    /** The connection is about to send its first data, or changed to this controller. */
    void start(CongestionView view);

    /** Slow-start threshold after congestion, in segments, at least 2. */
    int ssthresh(CongestionView view);

    /**
     * An ACK delivered something; called in every state, before the window is adjusted. Growth does
     * not belong here, ending slow start does.
     */
    default void onAck(CongestionView view, AckSample sample) {
        // Growth is all that most controllers do.
    }

    /**
     * Grows {@code view.cwnd} for {@code acked} segments; not called during a reduction, and not at
     * all if the controller owns the window. Whether the window may grow is in {@code
     * view.mayGrow}, and the controller has to look at it.
     */
    void grow(CongestionView view, int acked);

    /** Congestion window after a reduction proved needless, in segments. */
    int undoCwnd(CongestionView view);

    /** Something happened apart from ACKs. */
    default void onEvent(CongestionView view, CongestionEvent event) {
        // Most events change nothing.
    }

    /** The sender is about to enter {@code next}; {@code view.state} is still the old state. */
    default void onState(CongestionView view, CongestionState next) {
        // Most controllers answer in ssthresh.
    }

    /**
     * Whether the controller sets cwnd and pacing rate itself with every ACK, also during recovery;
     * then {@link #control} takes the place of {@link #grow} and of the reduction.
     */
    default boolean ownsWindow() {
        return false;
    }

    /** Sets cwnd and pacing rate; only for controllers that own the window. */
    default void control(CongestionView view, AckSample sample) {
        throw new IllegalStateException(name() + " does not own the window");
    }

    /**
     * Segments are taken as lost: called for each piece of the sequence space while an ACK or a
     * timer is processed, before {@link #control}. Only for controllers that own the window; the
     * others learn of losses by {@link #ssthresh} and {@link #onState}.
     */
    default void onLost(CongestionView view, LostSegments lost) {
        // Most controllers answer to the state of recovery alone.
    }

    /** Whether departures must be paced for the algorithm to work. */
    default boolean wantsPacing() {
        return false;
    }

    /**
     * Whether the algorithm lives on congestion marks (DCTCP): the connection then asks for ECN
     * whatever {@code tcp_ecn} says, everything leaves ECN-capable, and the receiver reports each
     * mark for itself. Must be the same for all instances of a name.
     */
    default boolean needsEcn() {
        return false;
    }

    /**
     * How many windows of data the send buffer is made to hold, unless the application fixed its
     * size: more than 2 if the window is left quickly and has to be refilled from the buffer.
     */
    default int sendBufferFactor() {
        return 2;
    }
}
