package dev.sluice.tcp.policy;

/**
 * Proportional rate reduction as RFC 9937 section 5 has it, in segments.
 *
 * <p>Above ssthresh the sending rate is reduced in proportion; below it the window is rebuilt by
 * what is delivered, and by one more segment per ACK that shows safe progress. The flight at the
 * start is taken to be the congestion window then, as in Linux.
 */
public final class Rfc9937RecoveryRate implements RecoveryRate {
    /** The policy has no state. */
    public Rfc9937RecoveryRate() {}

    @Override
    public int segments(
            int inFlight,
            int ssthresh,
            int priorCwnd,
            int prrDelivered,
            int prrOut,
            int delivered,
            boolean safeAck) {
        int missing = ssthresh - inFlight;
        int send;
        if (missing < 0) {
            long due = ((long) ssthresh * prrDelivered + priorCwnd - 1) / priorCwnd;
            send = (int) due - prrOut;
        } else {
            send = Math.max(prrDelivered - prrOut, delivered);
            if (safeAck) {
                send++;
            }
            send = Math.min(missing, send);
        }
        // The first ACK of a recovery always lets the fast retransmit go.
        return Math.max(send, prrOut == 0 ? 1 : 0);
    }
}
