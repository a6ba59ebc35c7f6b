package dev.sluice.tcp.policy;

/**
 * Whether a socket with free space may be called writable while the host is short of memory
 * (B-1.3).
 */
public interface WritableRule {
    /**
     * Proposal 2 of B-1.3.5 with the hard-limit term of B-1.3.6: under pressure every socket
     * converges to a small queue, and nobody is told to write what would be refused.
     */
    WritableRule THROTTLE =
            (queued, minimum, pressure, overLimit) ->
                    !(pressure && queued >= minimum) && !(overLimit && queued > 0);

    /**
     * @param queuedBytes truesize queued by the socket
     * @param minimumBytes {@code tcp_wmem[0]}
     * @param pressure the stack is under memory pressure
     * @param overLimit the stack is over {@code tcp_mem[2]}
     */
    boolean admits(int queuedBytes, int minimumBytes, boolean pressure, boolean overLimit);
}
