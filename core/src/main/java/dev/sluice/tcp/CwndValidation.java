package dev.sluice.tcp;

/**
 * Whether the congestion window is what limits the sender (RFC 2861 as Linux has it, B-4.11): a
 * window that is not used must not grow, and shrinks if it stays unused.
 */
final class CwndValidation {
    private boolean limited;

    /** Most segments out in the round that ends at {@link #roundEnd}. */
    private int maxPacketsOut;

    private long roundEnd;
    private int used;
    private long stampNanos;
    private boolean stamped;

    /** The idle time before the next first segment was already answered. */
    boolean idleHandled;

    void reset() {
        limited = false;
        maxPacketsOut = 0;
        roundEnd = 0;
        used = 0;
        stamped = false;
        idleHandled = false;
    }

    /** The window was adjusted: the time without use starts anew. */
    void touch(long now) {
        stampNanos = now;
        stamped = true;
    }

    /** The window was the limit at some point of the last round trip. */
    boolean isLimited() {
        return limited;
    }

    /** Whether the window may grow. */
    boolean mayGrow(CongestionWindow window) {
        return limited || window.inSlowStart() && window.cwnd < 2 * (long) maxPacketsOut;
    }

    /**
     * After output.
     *
     * @param cwndLimited the congestion window stopped it
     * @param leastUsed count at least this many segments as used: the initial window
     * @param watch idle restart is on and the controller has no loop of its own
     * @param shrink an unused window may be reduced now: the state is OPEN and the application is
     *     not waiting for buffer space
     */
    void afterOutput(
            long now,
            CongestionWindow window,
            int packetsOut,
            long sndUna,
            long sndNxt,
            boolean cwndLimited,
            long rtoNanos,
            int leastUsed,
            boolean watch,
            boolean shrink) {
        if (sndUna >= roundEnd || cwndLimited || !limited && packetsOut > maxPacketsOut) {
            limited = cwndLimited;
            maxPacketsOut = packetsOut;
            roundEnd = sndNxt;
        }
        if (mayGrow(window)) {
            used = 0;
            touch(now);
            return;
        }
        used = Math.max(used, packetsOut);
        if (!stamped) {
            touch(now);
        }
        if (watch && now - stampNanos >= rtoNanos) {
            if (shrink) {
                int counted = Math.max(used, leastUsed);
                if (counted < window.cwnd) {
                    window.ssthresh = window.currentSsthresh();
                    window.cwnd = window.cwnd + counted >> 1;
                }
                used = 0;
            }
            touch(now);
        }
    }
}
