package dev.sluice.tcp;

/**
 * Who is told that a socket may have become ready. Called by the driver when it drains {@code
 * NetworkStack.signal}, never from inside protocol processing.
 */
public interface SocketSignals {
    /**
     * @param now nanoseconds
     * @param events Linux {@code EPOLL*} bits that became true since the last call; the truth is
     *     what {@code readySet()} says
     */
    void ready(long now, int events);
}
