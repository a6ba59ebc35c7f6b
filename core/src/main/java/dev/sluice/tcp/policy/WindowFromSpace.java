package dev.sluice.tcp.policy;

/**
 * How much window a receive buffer is worth, and the reverse (B-7.3).
 *
 * <p>Space is memory with all its overhead (truesize), window is payload; both in bytes. The ratio
 * is per connection, in 1/256, and kept by the caller. Implementations have no state.
 */
public interface WindowFromSpace {
    /**
     * Window that {@code space} bytes of memory can back; negative space gives a negative window.
     */
    int window(int space, int ratio);

    /** Memory needed to back a window, capped at {@link Integer#MAX_VALUE}. */
    int space(int window, int ratio);

    /** Ratio of a connection that has measured nothing yet. */
    int initialRatio();

    /**
     * The ratio after a segment larger than any before.
     *
     * @param current ratio before
     * @param payload bytes of payload, at least 1
     * @param truesize memory it occupies, bytes, at least 1
     */
    int measure(int current, int payload, int truesize);

    /**
     * The window of the first segment we send, in bytes.
     *
     * @param window what the buffer could back
     * @param mss our own segment size, bytes
     */
    int firstWindow(int window, int mss);

    /** The receive buffer, in bytes of space, once the segment size of the connection is known. */
    int bufferFor(int buffer, int mss);

    /**
     * Whether data beyond the advertised window is in the window too, as long as the buffer has
     * room: where a header without scaling cannot express it all.
     */
    boolean admitsWholeBuffer();
}
