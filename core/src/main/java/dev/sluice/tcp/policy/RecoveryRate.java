package dev.sluice.tcp.policy;

/**
 * How fast to send while the congestion window is being reduced (B-4.8): the part of proportional
 * rate reduction that changed twice in its history.
 */
public interface RecoveryRate {
    /**
     * How many segments to let go in answer to one ACK; all arguments are in segments.
     *
     * @param inFlight believed to be in the network, after this ACK
     * @param ssthresh where the reduction leads to
     * @param priorCwnd congestion window before the reduction, at least 1
     * @param prrDelivered delivered since the reduction began, this ACK included
     * @param prrOut sent since the reduction began
     * @param delivered delivered by this ACK, at least 1
     * @param safeAck the ACK advanced SND.UNA and showed no further loss
     * @return at least 0; the window becomes {@code inFlight} plus this
     */
    int segments(
            int inFlight,
            int ssthresh,
            int priorCwnd,
            int prrDelivered,
            int prrOut,
            int delivered,
            boolean safeAck);
}
