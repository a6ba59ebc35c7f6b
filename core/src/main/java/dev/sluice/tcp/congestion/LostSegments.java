package dev.sluice.tcp.congestion;

/**
 * A piece of the sequence space that is taken as lost. Filled for every piece and reused; a
 * controller must not keep it.
 */
public final class LostSegments {
    /** First offset of the piece. */
    public long start;

    /** One past the last offset of the piece. */
    public long end;

    /** How many segments it holds. */
    public int segments;

    /** Segments in flight just after it was sent, its own among them. */
    public int txInFlight;

    /** Segments taken as lost since it was sent, its own among them. */
    public int lostSinceSent;

    /** The application was the limit when it was sent. */
    public boolean appLimited;

    /** A piece of nothing yet. */
    public LostSegments() {}
}
