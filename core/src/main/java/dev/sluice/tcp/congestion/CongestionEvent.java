package dev.sluice.tcp.congestion;

/** What happens to a sender apart from ACKs (B-5.6). */
public enum CongestionEvent {
    /** New data is about to leave and nothing is in flight. */
    TRANSMIT_START,
    /** The window was reduced after an idle time. */
    WINDOW_RESTART,
    /** A reduction of the window is complete: cwnd has reached ssthresh. */
    REDUCTION_COMPLETE,
    /** The retransmission timer expired and the window collapsed. */
    TIMEOUT,
    /** A segment arrived with the congestion mark (receiver side, DCTCP). */
    ECN_IS_CE,
    /** A segment arrived without it after one with it. */
    ECN_NO_CE
}
