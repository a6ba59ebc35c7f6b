package dev.sluice.tcp;

/**
 * When to acknowledge (RFC 9293 section 3.8.6.3, B-3): at once, delayed, with the next data, or as
 * a rate-limited reply to a segment that is out of place.
 *
 * <p>Sizes are bytes of payload, times nanoseconds unless the name says otherwise.
 */
final class AckPolicy {
    /** Quick-ACK budget of a new connection and after duplicates (B-3.4). */
    static final int MAX_QUICK_ACKS = 16;

    private static final long DELAY_MAX_NANOS = 200_000_000L;
    private static final long DELAY_MAX_IDLE_NANOS = 500_000_000L;

    /** The grain by which an ACK must beat the peer's RTO floor: a Linux tick at 1000 Hz. */
    private static final long TICK_NANOS = 1_000_000L;

    private static final int NANOS_PER_MICRO = 1000;
    private static final int DEFAULT_MSS = 536;
    private static final int MIN_MSS = 88;

    /** Duplicate ACKs that go out at once per hole before compression begins (B-3.6). */
    private static final int DUPLICATES_AT_ONCE = 3;

    private static final long NEVER = Long.MIN_VALUE;

    // Bits of pending.
    private static final int SCHEDULED = 1;
    private static final int PUSHED = 1 << 1;
    private static final int PUSHED_TWICE = 1 << 2;
    private static final int NOW = 1 << 3;
    private static final int NO_MEMORY = 1 << 4;

    /** Estimate of the peer's segment size (RMSS of RFC 5681, Linux rcv_mss, B-3.8). */
    int rcvMss = DEFAULT_MSS;

    /** Length of the last segment smaller than the estimate; 0 if the last was not smaller. */
    private char lastSmallSegment;

    private int atoMicros;
    private int atoMinMicros = 40_000;
    private byte pending;
    private byte quick;
    private byte pingPong;
    private byte pingPongThreshold = 1;
    private byte maxQuickAcks = MAX_QUICK_ACKS;
    private byte duplicates;
    private byte compressed;

    /** RCV.NXT, low 32 bits, for which duplicates were counted. */
    private int compressionRcvNxt;

    private long lastDataReceived;
    private long lastOutOfWindowReply = NEVER;

    /**
     * What the stack's configuration says.
     *
     * @param pingPongThresh how many replies in a row make an exchange interactive, 1 to 255
     * @param shortestAtoNanos least and initial ATO
     * @param mostQuickAcks ACKs not delayed at the start; 0 for none
     */
    void start(long now, int pingPongThresh, long shortestAtoNanos, int mostQuickAcks) {
        maxQuickAcks = (byte) mostQuickAcks;
        lastDataReceived = now;
        pingPongThreshold = (byte) pingPongThresh;
        atoMinMicros = (int) (shortestAtoNanos / NANOS_PER_MICRO);
    }

    /** First guess of the peer's segment size, before any data has come. */
    void initRcvMss(int advertisedMss, int sendMss, int rcvWnd) {
        int guess = Math.min(Math.min(advertisedMss, sendMss), Math.min(rcvWnd / 2, DEFAULT_MSS));
        rcvMss = Math.max(guess, MIN_MSS);
    }

    // ---- what is owed ------------------------------------------------------------------------

    /** An acknowledgment is owed; any segment that carries ACK of RCV.NXT settles it. */
    boolean isScheduled() {
        return (pending & SCHEDULED) != 0;
    }

    void schedule() {
        pending |= SCHEDULED;
    }

    /** The acknowledgment owed must not wait. */
    void scheduleNow() {
        pending |= SCHEDULED | NOW;
    }

    /**
     * A FIN, or data that was here before in part. Linux answers by its quick-ACK budget; a stack
     * without one answers at once.
     */
    void scheduleForNotableSegment() {
        if (maxQuickAcks == 0) {
            scheduleNow();
        } else {
            schedule();
        }
    }

    /** If an acknowledgment is going to be owed, it must not wait. */
    void hurry() {
        pending |= NOW;
    }

    /** The acknowledgment owed must not wait, because a segment was dropped for want of memory. */
    void scheduleNoMemory() {
        pending |= SCHEDULED | NOW | NO_MEMORY;
    }

    /** The next window offered must be 0 (B-7.6). */
    boolean isOutOfMemory() {
        return (pending & NO_MEMORY) != 0;
    }

    /** Clauses (b) and (c) of B-3.1. */
    boolean isImmediate() {
        return (pending & NOW) != 0 || inQuickAck();
    }

    /** The second clause of B-3.7: a reader that emptied the queue answers a pushed segment. */
    boolean pushDeservesAck() {
        return (pending & PUSHED_TWICE) != 0 || ((pending & PUSHED) != 0 && !inPingPong());
    }

    /**
     * A segment that carries ACK left.
     *
     * @param ackOffset what it acknowledges
     * @param rcvNxt what it could acknowledge; if that is more, the debt remains (B-1.2.7 rule 4)
     */
    void onAckSent(long ackOffset, long rcvNxt) {
        compressed = 0;
        if (ackOffset != rcvNxt) {
            return;
        }
        if (quick > 0 && isScheduled() && --quick == 0) {
            // The quick start is over: from here on ACKs are delayed by the shortest time.
            atoMicros = atoMinMicros;
        }
        pending = 0;
    }

    // ---- quick ACKs and interactive exchanges --------------------------------------------------

    /** Duplicate or misplaced data, or an ECN event: the sender may depend on fast answers. */
    void enterQuickAck(int max, int rcvWnd) {
        raiseQuickAcks(max, rcvWnd);
        pingPong = 0;
        atoMicros = atoMinMicros;
    }

    boolean inQuickAck() {
        return quick > 0 && !inPingPong();
    }

    /** The receive window grew: one ACK tells the sender soon. */
    void onWindowGrown() {
        if (quick == 0) {
            quick = 1;
        }
    }

    /** Less than half of the buffer is free: fewer ACKs, so that the next one can offer more. */
    void dropQuickAcks() {
        quick = 0;
    }

    boolean inPingPong() {
        return (pingPong & 0xff) >= (pingPongThreshold & 0xff);
    }

    void enterPingPong() {
        pingPong = pingPongThreshold;
    }

    void leavePingPong() {
        pingPong = 0;
    }

    /**
     * Marks the acknowledgment owed so that {@link #pushDeservesAck} holds for it (TCP_QUICKACK).
     */
    void markPushed() {
        pending |= PUSHED;
    }

    /** We sent data; soon after we received some, that is an answer (B-3.5). */
    void onDataSent(long now) {
        if (now - lastDataReceived < atoNanos() && (pingPong & 0xff) < 0xff) {
            pingPong++;
        }
    }

    /** Segment size and start of the next budget, as B-3.4 has it. */
    private void raiseQuickAcks(int max, int rcvWnd) {
        int budget = rcvWnd / (2 * rcvMss);
        if (budget == 0) {
            budget = 2;
        }
        budget = Math.min(budget, max);
        if (budget > quick) {
            quick = (byte) budget;
        }
    }

    // ---- delay -------------------------------------------------------------------------------

    /** In-order data arrived: adapts the ATO to the gap (B-3.3). */
    void onDataReceived(long now, long rtoNanos, int rcvWnd) {
        long ato = atoNanos();
        long atoMin = atoMinNanos();
        if (ato == 0) {
            raiseQuickAcks(maxQuickAcks, rcvWnd);
            ato = atoMin;
        } else {
            long gap = now - lastDataReceived;
            if (gap <= atoMin / 2) {
                ato = ato / 2 + atoMin / 2;
            } else if (gap < ato) {
                ato = Math.min(ato / 2 + gap, rtoNanos);
            } else if (gap > rtoNanos) {
                // The sender has probably started over and wants to see ACKs.
                raiseQuickAcks(maxQuickAcks, rcvWnd);
            }
        }
        atoMicros = (int) (ato / NANOS_PER_MICRO);
        lastDataReceived = now;
    }

    /**
     * How long the acknowledgment owed may wait (B-3.2).
     *
     * @param srttNanos smoothed round-trip time, 0 if unknown
     * @param delayMaxNanos bound set for this connection
     * @param rtoMinNanos floor of our own RTO, taken for the peer's
     */
    long delayNanos(long srttNanos, long delayMaxNanos, long rtoMinNanos) {
        long delay = atoNanos();
        long atoMin = atoMinNanos();
        if (delay > atoMin) {
            long max =
                    inPingPong() || (pending & PUSHED) != 0
                            ? DELAY_MAX_NANOS
                            : DELAY_MAX_IDLE_NANOS;
            if (srttNanos > 0) {
                max = Math.min(max, Math.max(srttNanos, atoMin));
            }
            delay = Math.min(delay, max);
        }
        long bound = Math.min(delayMaxNanos, Math.max(rtoMinNanos, 2 * TICK_NANOS) - TICK_NANOS);
        return Math.min(delay, bound);
    }

    /** The delayed-ACK timer expired and an acknowledgment was still owed. */
    void onDelayExpired(long rtoNanos) {
        if (inPingPong()) {
            // We owed an answer and did not give one: the exchange is not interactive after all.
            pingPong = 0;
            atoMicros = atoMinMicros;
        } else {
            atoMicros = (int) (Math.min(2 * atoNanos(), rtoNanos) / NANOS_PER_MICRO);
        }
    }

    /** Current ATO, 0 before the first data (tcpi_ato). */
    long atoNanos() {
        return (long) atoMicros * NANOS_PER_MICRO;
    }

    private long atoMinNanos() {
        return (long) atoMinMicros * NANOS_PER_MICRO;
    }

    /** When data last arrived (tcpi_last_data_recv). */
    long lastDataReceived() {
        return lastDataReceived;
    }

    // ---- the peer's segment size -------------------------------------------------------------

    /**
     * Learns from the length of a data segment (B-3.8).
     *
     * @param length payload of one wire segment
     * @param optionBytes options of this segment
     * @param fixedOptionBytes options of every segment; the others, SACK, come and go and take
     *     their room from the payload
     * @param pushed the segment has PSH
     * @param tail the segment has FIN, SYN, URG or PSH and may be short for that reason
     * @return whether the length is above the estimate there was, so that the ratio of payload to
     *     memory must be measured anew (B-7.3)
     */
    boolean measureSegment(
            int length,
            int optionBytes,
            int fixedOptionBytes,
            boolean pushed,
            boolean tail,
            int advertisedMss) {
        int previousSmall = lastSmallSegment;
        lastSmallSegment = 0;
        if (length >= rcvMss) {
            boolean larger = length > rcvMss;
            rcvMss = Math.min(length, advertisedMss);
            if (pushed) {
                pending |= PUSHED;
            }
            return larger;
        }
        int whole = length + optionBytes;
        if (whole >= DEFAULT_MSS || (whole >= MIN_MSS && !tail)) {
            int small = whole - fixedOptionBytes;
            lastSmallSegment = (char) small;
            if (small == previousSmall) {
                rcvMss = small;
                return false;
            }
        }
        pending |= (byte) ((pending & PUSHED) != 0 ? PUSHED_TWICE : PUSHED);
        return false;
    }

    // ---- SACK compression --------------------------------------------------------------------

    /**
     * A duplicate ACK is due for out-of-order data: send it, or hold it back (B-3.6)?
     *
     * @param limit how many may be merged into one (sysctl tcp_comp_sack_nr, at most 255)
     * @return true to send at once
     */
    boolean sendsDuplicate(long rcvNxt, int limit) {
        if (compressed() >= limit) {
            return true;
        }
        if (compressionRcvNxt != (int) rcvNxt) {
            compressionRcvNxt = (int) rcvNxt;
            duplicates = 0;
        }
        if (duplicates < DUPLICATES_AT_ONCE) {
            duplicates++;
            return true;
        }
        compressed++;
        return false;
    }

    /** Duplicate ACKs held back since the last ACK left. */
    int compressed() {
        return compressed & 0xff;
    }

    /** One of those held back is about to leave for itself; the others are what was saved. */
    void releaseCompressed() {
        compressed--;
    }

    // ---- replies to misplaced segments -------------------------------------------------------

    /**
     * Whether a segment that is out of place may be answered: one answer per interval (RFC 5961
     * section 7, B-10.5).
     */
    boolean mayReplyOutOfWindow(long now, long intervalNanos) {
        if (lastOutOfWindowReply != NEVER && now - lastOutOfWindowReply < intervalNanos) {
            return false;
        }
        lastOutOfWindowReply = now;
        return true;
    }
}
