package dev.sluice.tcp.policy;

/** What a window once offered obliges us to (B-1.4.5). Implementations have no state. */
public interface ReceivePromise {
    /**
     * Whether data inside the offered window is kept although the receive buffer is full.
     *
     * @param charged truesize charged to the connection if the data is kept, bytes
     * @param rcvBuf limit of that charge, bytes
     * @param promisedSpace memory that everything from the application's position to the right edge
     *     of the offered window would need, bytes
     */
    boolean admits(long charged, int rcvBuf, int promisedSpace);

    /**
     * Whether a window that is offered again, because the promise is larger than the wish, may be
     * rounded up to the granularity of the scale. That promises more than before.
     *
     * @param neededSpace memory for everything unread and everything promised after rounding up
     * @param rcvBuf limit of the receive buffer, bytes
     */
    boolean roundsUp(int neededSpace, int rcvBuf);

    /**
     * Whether reading makes us announce a larger window, although the window has not doubled
     * (B-3.7).
     *
     * @param wish window we could offer now, bytes
     * @param offered window the peer still has, bytes, less than {@code wish}
     * @param drained the application has read everything
     * @param halfBuffer window of half the receive buffer, bytes
     * @param rcvMss the peer's segment size, bytes
     */
    boolean announces(int wish, int offered, boolean drained, int halfBuffer, int rcvMss);
}
