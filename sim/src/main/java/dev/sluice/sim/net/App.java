package dev.sluice.sim.net;

/**
 * A program on a simulated host: driven by events, never blocking.
 *
 * <p>It runs as a {@link Process}, which sockets signal and which can set itself one timer.
 */
public interface App {
    /**
     * Does what can be done now.
     *
     * @param now virtual time, nanoseconds
     * @param process what the program runs as
     * @param events {@link Process#STARTED}, {@link Process#TIMER} and the {@code EPOLL*} bits its
     *     sockets signalled since the last call
     */
    void run(long now, Process process, int events);
}
