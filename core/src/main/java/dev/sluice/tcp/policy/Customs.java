package dev.sluice.tcp.policy;

/**
 * Habits in which stacks differ although they speak the same TCP: where RFC 9293 leaves a choice,
 * or is commonly not followed. Ours are {@link #LINUX}; the others are for comparison.
 *
 * @param repeatsSynSoon a SYN that drew an answer to something else is repeated within
 *     milliseconds, because our reset has just removed what was in the way; otherwise the
 *     retransmission timer repeats it
 * @param finWithEveryAck an ACK that leaves after the FIN and before its acknowledgment carries the
 *     FIN again
 * @param resetAtEdges a RST numbered as the peer's FIN, or at the end of the data out of order, is
 *     believed, not only one at RCV.NXT (B-10.6)
 * @param exactWindow a RST right behind the window is ignored; otherwise it draws a challenge as
 *     one inside does, because a segment without data would be acceptable there
 * @param refusedUntilEstablished a RST in SYN_RECEIVED is reported as a refusal (RFC 9293 section
 *     3.10.7.4), and one in CLOSE_WAIT as a reset
 * @param timeWaitNeedsAck TIME_WAIT ignores what has no ACK bit, but for a SYN that opens anew
 * @param rejectsStraySynAck a listener answers a SYN-ACK with a reset (RFC 9293 section 3.10.7.2);
 *     otherwise it keeps silent
 * @param synFinOpens a SYN with a FIN is taken for a SYN
 * @param anySecondSegment of two segments the second is acknowledged at once however short both are
 *     (RFC 1122 section 4.2.3.2 asks for it only of full-sized ones)
 * @param keepsSynAckData data on a SYN-ACK is delivered also without Fast Open
 */
public record Customs(
        boolean repeatsSynSoon,
        boolean finWithEveryAck,
        boolean resetAtEdges,
        boolean exactWindow,
        boolean refusedUntilEstablished,
        boolean timeWaitNeedsAck,
        boolean rejectsStraySynAck,
        boolean synFinOpens,
        boolean anySecondSegment,
        boolean keepsSynAckData) {
    /** What Linux does, and this stack unless told otherwise. */
    public static final Customs LINUX =
            new Customs(true, false, true, false, false, false, true, false, false, false);

    /** What FreeBSD does. */
    public static final Customs FREEBSD =
            new Customs(false, true, false, true, true, true, false, true, true, true);

    /** Those that {@code net.stack.tcp_customs} calls {@code name}. */
    public static Customs of(String name) {
        return name.equals("freebsd") ? FREEBSD : LINUX;
    }
}
