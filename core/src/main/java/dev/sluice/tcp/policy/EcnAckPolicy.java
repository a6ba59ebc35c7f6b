package dev.sluice.tcp.policy;

/**
 * How promptly a receiver acknowledges what concerns congestion marks (B-1.2). Implementations have
 * no state.
 *
 * <p>With DCTCP (RFC 8257 section 3.2) every acknowledgment speaks for data that was all marked or
 * all unmarked. So when the mark changes while an acknowledgment is delayed, that one has to leave
 * first and covers only the data before the change.
 */
public interface EcnAckPolicy {
    /** Whether the first segment after a change of the mark is acknowledged at once. */
    boolean acknowledgesChange();

    /**
     * Whether the acknowledgment of the data before the change cancels everything owed, also for
     * the segment that has just come.
     */
    boolean priorAckSettlesAll();

    /** Whether data with CWR is acknowledged at once: its sender may have nothing else to send. */
    boolean acknowledgesReduction();

    /** Most acknowledgments that are not delayed after a mark, at least 1. */
    int quickAcks();
}
