package dev.sluice.tcp;

/**
 * What one ACK said about what was outstanding: filled by {@link Scoreboard} while it takes rows
 * away and marks them, read by everybody after it. One per stack, cleared for each ACK.
 */
final class AckOutcome {
    /** No time. */
    static final long NEVER = Long.MIN_VALUE;

    // Linux's FLAG_ bits of one pass through tcp_ack.
    static final int UNA_ADVANCED = 1;
    static final int DATA_ACKED = 1 << 1;
    static final int SYN_ACKED = 1 << 2;

    /** Something retransmitted was cumulatively acknowledged: no RTT from it (Karn). */
    static final int RETRANSMITTED_ACKED = 1 << 3;

    static final int DATA_SACKED = 1 << 4;

    /** Never-retransmitted data from before the recovery point arrived (F-RTO, B-4.9). */
    static final int ORIGINAL_ACKED = 1 << 5;

    /** A valid D-SACK. */
    static final int DSACK = 1 << 6;

    /** The D-SACK is for the loss probe. */
    static final int DSACK_PROBE = 1 << 7;

    /** The first outstanding row had been SACKed: the receiver may have dropped it. */
    static final int RENEGING = 1 << 8;

    /** A retransmission was found lost. */
    static final int LOST_RETRANSMISSION = 1 << 9;

    /** ECE with ECN negotiated. */
    static final int ECN_ECHO = 1 << 10;

    /** Carries data or moves the window: not a duplicate ACK (RFC 5681 section 2). */
    static final int NOT_DUPLICATE = 1 << 11;

    /** The retransmission or probe timer is to start anew. */
    static final int RESTART_TIMER = 1 << 12;

    static final int ACKED = DATA_ACKED | SYN_ACKED;

    // Given.
    long now;
    long minRttNanos;

    /** Recovery point before the ACK. */
    long recoveryPoint;

    /** SND.UNA before the ACK. */
    long priorUna;

    /** A row sent at or after this was sent after what the ACK's TSecr echoes. */
    long echoHorizon;

    // Found.
    int flags;

    /** Segments cumulatively acknowledged. */
    int packetsAcked;

    /** Segments newly known to have arrived. */
    int delivered;

    /** Payload bytes in {@link #delivered}. */
    int deliveredBytes;

    /** Segments of retransmissions that D-SACKs show to have been needless. */
    int needlessRetransmits;

    /** Send times of the first and last never-retransmitted row cumulatively acknowledged. */
    long firstAckSent;

    long lastAckSent;

    /** The same of rows newly SACKed. */
    long firstSackSent;

    long lastSackSent;

    /** Lowest never-retransmitted offset that arrived after a higher one. */
    long lowestReordered;

    // For RACK: the row delivered last in order of transmission.
    boolean rackSampled;
    long rackSent;
    long rackEnd;
    long rackRttNanos;

    // For the rate sampler: its snapshot in the row sent last.
    boolean rateSampled;
    long rateSent;
    long rateEnd;
    long ratePriorDelivered;
    long ratePriorNanos;
    long rateFirstSent;
    boolean rateAppLimited;
    boolean rateRetransmitted;
    int rateTxInFlight;
    int rateLostBefore;

    void clear(long nowNanos, long minRtt, long recovery, long una) {
        now = nowNanos;
        minRttNanos = minRtt;
        recoveryPoint = recovery;
        priorUna = una;
        echoHorizon = Long.MAX_VALUE;
        flags = 0;
        packetsAcked = 0;
        delivered = 0;
        deliveredBytes = 0;
        needlessRetransmits = 0;
        firstAckSent = NEVER;
        lastAckSent = NEVER;
        firstSackSent = NEVER;
        lastSackSent = NEVER;
        lowestReordered = Long.MAX_VALUE;
        rackSampled = false;
        rackSent = NEVER;
        rackEnd = 0;
        rateSampled = false;
    }

    boolean has(int mask) {
        return (flags & mask) != 0;
    }

    void noteReordering(long start) {
        if (start < lowestReordered) {
            lowestReordered = start;
        }
    }

    /** The timestamp echo is of a segment sent before {@code sentNanos}. */
    boolean echoIsBefore(long sentNanos) {
        return sentNanos >= echoHorizon;
    }

    /** A row arrived: RFC 8985 section 6.2, steps 1 and 2. */
    void rackDelivered(long sentNanos, long end, boolean retransmitted) {
        long rtt = now - sentNanos;
        if (retransmitted && rtt < minRttNanos) {
            // Too fast for the retransmission: the ACK is of an earlier transmission.
            return;
        }
        rackSampled = true;
        rackRttNanos = rtt;
        if (LossDetector.sentAfter(sentNanos, end, rackSent, rackEnd)) {
            rackSent = sentNanos;
            rackEnd = end;
        }
    }
}
