package dev.sluice.tcp.congestion;

/**
 * An algorithm that decides how much may be in flight: one instance per connection, driven by its
 * owner thread (B-5.6).
 *
 * <p>Recovery is not its business: the sender finds losses, paces the reduction (RFC 9937) and
 * undoes it. The controller says where a reduction leads ({@link #ssthresh}), how the window grows,
 * and what an undo restores. It allocates nothing after construction and does not keep its
 * arguments.
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
    void onAck(CongestionView view, AckSample sample);

    /** Grows {@code view.cwnd} for {@code acked} segments; not called during a reduction. */
    void grow(CongestionView view, int acked);

    /** Congestion window after a reduction proved needless, in segments. */
    int undoCwnd(CongestionView view);

    /** Something happened apart from ACKs. */
    void onEvent(CongestionView view, CongestionEvent event);

    /** The sender is about to enter {@code next}; {@code view.state} is still the old state. */
    void onState(CongestionView view, CongestionState next);

    /**
     * Whether the controller sets cwnd and pacing rate itself with every ACK, also during recovery;
     * then {@link #control} takes the place of {@link #grow} and of the reduction.
     */
    boolean ownsWindow();

    /** Sets cwnd and pacing rate; only for controllers that own the window. */
    void control(CongestionView view, AckSample sample);

    /** Whether departures must be paced for the algorithm to work. */
    boolean wantsPacing();

    /**
     * Whether the algorithm lives on congestion marks (DCTCP): the connection then asks for ECN
     * whatever {@code tcp_ecn} says, everything leaves ECN-capable, and the receiver reports each
     * mark for itself. Must be the same for all instances of a name.
     */
    default boolean needsEcn() {
        return false;
    }
}
