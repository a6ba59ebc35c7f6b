package dev.sluice.tcp.congestion;

/**
 * What one ACK told the sender. Filled for every ACK and reused; a controller must not keep it.
 *
 * <p>Counts are in segments, times in nanoseconds.
 */
public final class AckSample {
    /** Segments newly delivered, SACKed ones included. */
    public int delivered;

    /** Segments newly taken as lost. */
    public int lost;

    /** Segments cumulatively acknowledged. */
    public int acked;

    /** RTT of the segment delivered last, never from retransmissions; -1 if unknown. */
    public long rttNanos;

    /** In flight before the ACK. */
    public int priorInFlight;

    /** SND.UNA moved. */
    public boolean advanced;

    /** The ACK reports congestion marks (ECE). */
    public boolean ecnEcho;

    /** Delivered over {@link #rateIntervalNanos}; -1 if there is no rate sample. */
    public int rateDelivered;

    /** Time in which that was delivered; -1 if there is no valid rate sample. */
    public long rateIntervalNanos;

    /** Count of delivered segments when the acknowledged segment was sent; -1 if unknown. */
    public long priorDelivered;

    /** The rate says how much the application had to send, not what the path can take. */
    public boolean rateAppLimited;

    /** The acknowledged segment had been retransmitted. */
    public boolean rateRetransmitted;

    /** A sample of nothing yet. */
    public AckSample() {}
}
