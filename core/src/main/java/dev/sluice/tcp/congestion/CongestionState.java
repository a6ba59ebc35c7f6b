package dev.sluice.tcp.congestion;

/**
 * Where a sender stands between smooth sending and repair (Linux {@code icsk_ca_state}, B-4.7).
 *
 * <p>The constants are in the order Linux reports as {@code tcpi_ca_state}: later is worse.
 */
public enum CongestionState {
    /** Nothing unusual. */
    OPEN,
    /** Duplicate ACKs or SACKs were seen; nothing is taken as lost yet. */
    DISORDER,
    /**
     * The window is being reduced for another reason than loss: ECN, a full local queue, a probe.
     */
    CWR,
    /** Fast recovery: lost segments are being retransmitted (RFC 6675, RFC 8985). */
    RECOVERY,
    /** Recovery after a retransmission timeout. */
    LOSS;

    /** The window is being reduced step by step: CWR or RECOVERY. */
    public boolean isReducing() {
        return this == CWR || this == RECOVERY;
    }
}
