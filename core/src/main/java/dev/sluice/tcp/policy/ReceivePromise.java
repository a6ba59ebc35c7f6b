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
