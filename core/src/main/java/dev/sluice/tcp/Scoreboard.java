package dev.sluice.tcp;

import java.util.Arrays;

/**
 * What was sent and is not cumulatively acknowledged: one row per super-segment, with what RFC
 * 6675, RFC 8985 and the rate sampler need to know about it (B-0.4, B-4.3).
 *
 * <p>The SYN is the row [0, 1); a FIN is counted in the end of its row. Counts are in segments, as
 * Linux counts. Runs of SACKed rows carry boundary tags, the first row of a run naming the last and
 * the last the first, so that an ACK that repeats what is known costs nothing per row.
 */
final class Scoreboard {
    /** No row. */
    static final int NONE = SentRows.NONE;

    /** Reported by a SACK block (tag S). */
    static final int SACKED = SentRows.SACKED;

    /** Taken as lost (tag L). */
    static final int LOST = SentRows.LOST;

    /** A retransmission is in flight (tag R). */
    static final int RETRANS = SentRows.RETRANS;

    /** Was retransmitted at some time: its acknowledgment is ambiguous (Karn). */
    static final int EVER_RETRANS = 8;

    static final int SYN = SentRows.SYN;
    static final int FIN = SentRows.FIN;
    static final int PUSH = SentRows.PUSH;
    static final int RECORD_END = SentRows.RECORD_END;

    /** Was sent while the application was the limit (B-2.13). */
    static final int APP_LIMITED = 128;

    /** Bound on rows; beyond it nothing new is sent and nothing is split. */
    static final int MAX_ROWS = SentRows.MAX_ROWS;

    private static final int TAGS = SentRows.TAGS;
    private static final int KNOWN_BLOCKS = 4;

    private final SentRows rows = new SentRows();

    /** No row before this one waits for its retransmission; {@link #NONE} if unknown. */
    private int retransmitHint = NONE;

    private int highestSacked = NONE;

    // The latest SACK blocks: the next ACK usually repeats them.
    private final long[] knownStart = new long[KNOWN_BLOCKS];
    private final long[] knownEnd = new long[KNOWN_BLOCKS];
    private int knownNext;

    private int renoSacked;
    private int totalLost;

    // ---- questions ---------------------------------------------------------------------------

    boolean isEmpty() {
        return rows.count() == 0;
    }

    int rows() {
        return rows.count();
    }

    /** Whether {@link #append} and {@link #split} have room for one more row. */
    boolean hasRoom() {
        return rows.count() < MAX_ROWS;
    }

    /** Segments sent and not cumulatively acknowledged (Linux {@code packets_out}). */
    int packetsOut() {
        return rows.packets();
    }

    /** Segments SACKed, or guessed from duplicate ACKs without SACK (Linux {@code sacked_out}). */
    int sackedOut() {
        return rows.sacked() + renoSacked;
    }

    int lostOut() {
        return rows.lost();
    }

    int retransOut() {
        return rows.retransmitted();
    }

    /** Segments believed to be in the network: pipe (RFC 6675), B-0.3. */
    int inFlight() {
        return rows.packets() - sackedOut() - rows.lost() + rows.retransmitted();
    }

    /** Segments that are lost and not yet sent again. */
    int pendingRetransmit() {
        return rows.pending();
    }

    /** Segments ever marked lost since the last {@link #reset}, retransmissions included. */
    int totalLost() {
        return totalLost;
    }

    /** Some retransmission is in flight, or the first row was retransmitted. */
    boolean anyRetransmitted() {
        int row = first();
        return rows.retransmitted() > 0 || row != NONE && (flags(row) & EVER_RETRANS) != 0;
    }

    /** End of the highest SACKed row; start of the first row if there is none (Linux's fack). */
    long sackedEnd() {
        if (highestSacked != NONE) {
            return end(highestSacked);
        }
        return isEmpty() ? 0 : start(first());
    }

    int first() {
        return rows.first();
    }

    int last() {
        return rows.last();
    }

    /** The row after this one in the stream. */
    int next(int row) {
        return rows.next(row);
    }

    /** The row sent longest ago that may still be found lost. */
    int oldestSent() {
        return rows.oldestSent();
    }

    /** The next later one in order of transmission. */
    int nextSent(int row) {
        return rows.nextSent(row);
    }

    long start(int row) {
        return rows.start(row);
    }

    /** One past the last sequence number, FIN included. */
    long end(int row) {
        return rows.end(row);
    }

    int segments(int row) {
        return rows.segments(row);
    }

    /** Payload bytes of each segment of the row but the last. */
    int mss(int row) {
        return rows.mss(row);
    }

    int flags(int row) {
        return rows.flags(row);
    }

    /** Segments in flight just after the row was last sent. */
    int txInFlight(int row) {
        return rows.txInFlight(row);
    }

    /** Segments taken as lost since the row was last sent. */
    int lostSinceSent(int row) {
        return totalLost - rows.lostBefore(row);
    }

    /** When the row was last sent. */
    long sentNanos(int row) {
        return rows.sentNanos(row);
    }

    /** The row that holds {@code offset}, or {@link #NONE}. */
    int find(long offset) {
        return rows.find(offset);
    }

    /** The lowest row that is lost and not yet sent again, or {@link #NONE}. */
    int nextToRetransmit() {
        if (rows.pending() == 0) {
            return NONE;
        }
        int row = retransmitHint == NONE ? first() : retransmitHint;
        while (row != NONE && (flags(row) & TAGS) != LOST) {
            row = next(row);
        }
        retransmitHint = row;
        return row;
    }

    // ---- sending -----------------------------------------------------------------------------

    /**
     * Adds what is being sent for the first time.
     *
     * @param start where the row before ends
     * @param end one past the last sequence number, FIN included
     * @param mss payload bytes per segment
     * @param flags of {@link #SYN}, {@link #FIN}, {@link #PUSH}
     * @return the row, or {@link #NONE} if there is no room
     */
    int append(long start, long end, int mss, int flags, long now) {
        return rows.append(start, end, mss, flags, now);
    }

    /** Remembers with the row what the rate sampler knew when it was sent. */
    void snapshot(
            int row,
            long delivered,
            long deliveredNanos,
            long firstSentNanos,
            int txInFlight,
            boolean applicationLimited) {
        rows.snapshot(row, delivered, deliveredNanos, firstSentNanos, txInFlight, totalLost);
        int flags = flags(row);
        rows.flags(row, applicationLimited ? flags | APP_LIMITED : flags & ~APP_LIMITED);
    }

    /** A lost row was sent again. */
    void retransmitted(int row, long now) {
        rows.flags(row, flags(row) | RETRANS | EVER_RETRANS);
        rows.sentAgain(row, now);
    }

    /** A row that is not lost was sent again as a probe: it counts in flight once (B-4.5). */
    void probed(int row, long now) {
        rows.flags(row, flags(row) | EVER_RETRANS);
        rows.sentAgain(row, now);
    }

    /**
     * Splits a row that is not SACKED; both halves are counted anew with {@code mss}. FIN and PSH
     * go with the second half (B-2.3).
     *
     * @param at an offset inside the payload of the row
     * @return the second half, or {@link #NONE} if there is no room
     */
    int split(int row, long at, int mss) {
        assert at > start(row) && at < end(row) && (flags(row) & SACKED) == 0;
        return rows.split(row, at, mss);
    }

    /** Whether two neighbours are single segments that the receiver has not reported. */
    boolean mayJoin(int row, int after) {
        int either = flags(row) | flags(after);
        return segments(row) == 1
                && segments(after) == 1
                && (either & (SACKED | SYN)) == 0
                && (flags(row) & RECORD_END) == 0;
    }

    /**
     * Makes one row of two neighbours that {@link #mayJoin}, for one transmission; what was known
     * of the second is forgotten, but that it may have been sent twice.
     */
    void join(int row, int after) {
        if (retransmitHint == after) {
            retransmitHint = row;
        }
        rows.join(row, after, EVER_RETRANS);
        renoSacked = Math.max(0, renoSacked - 1);
    }

    // ---- acknowledgment ----------------------------------------------------------------------

    /**
     * Takes away what a cumulative acknowledgment covers; a row covered in part loses its beginning
     * (RFC 9293 section 3.10.7.4).
     */
    void acknowledge(long una, boolean sackOk, AckOutcome o) {
        while (!isEmpty()) {
            int row = first();
            if (start(row) >= una) {
                break;
            }
            boolean whole = end(row) <= una;
            int acked = segments(row);
            if (!whole) {
                acked -= SentRows.segmentCount(una, end(row), flags(row) & ~SYN, mss(row));
            }
            if (acked > 0) {
                report(row, acked, una, sackOk, o);
            }
            if (!whole) {
                rows.trim(row, una);
                break;
            }
            forgetFirst(row);
        }
        if (!isEmpty() && (flags(first()) & SACKED) != 0) {
            o.flags |= AckOutcome.RENEGING;
        }
    }

    private void report(int row, int acked, long una, boolean sackOk, AckOutcome o) {
        int flags = flags(row);
        boolean sacked = (flags & SACKED) != 0;
        boolean retransmitted = (flags & EVER_RETRANS) != 0;
        if (retransmitted) {
            o.flags |= AckOutcome.RETRANSMITTED_ACKED;
        } else if (!sacked) {
            long sent = sentNanos(row);
            o.lastAckSent = sent;
            if (o.firstAckSent == AckOutcome.NEVER) {
                o.firstAckSent = sent;
            }
            o.noteReordering(start(row));
            if (Math.min(end(row), una) <= o.recoveryPoint) {
                o.flags |= AckOutcome.ORIGINAL_ACKED;
            }
        }
        if (!sacked) {
            o.deliveredBytes += (int) (Math.min(end(row), una) - start(row));
            if (sackOk) {
                o.delivered += acked;
                if (!(retransmitted && o.echoIsBefore(sentNanos(row)))) {
                    o.rackDelivered(sentNanos(row), end(row), retransmitted);
                }
            }
            sampleRate(row, o);
        }
        o.packetsAcked += acked;
        o.flags |= (flags & SYN) != 0 ? AckOutcome.SYN_ACKED : AckOutcome.DATA_ACKED;
    }

    private void forgetFirst(int row) {
        if (retransmitHint == row) {
            retransmitHint = next(row);
        }
        if (highestSacked == row) {
            highestSacked = NONE;
        } else if ((flags(row) & SACKED) != 0) {
            int after = next(row);
            if ((flags(after) & SACKED) != 0) {
                int finish = rows.run(row);
                rows.run(after, finish);
                rows.run(finish, after);
            }
        }
        rows.removeFirst();
    }

    /**
     * Marks what a SACK block reports. Only whole segments are marked; a row covered in part is
     * split (B-4.3).
     *
     * @param from above SND.UNA
     * @param to at most SND.NXT
     */
    void sack(long from, long to, AckOutcome o) {
        if (isKnown(from, to)) {
            return;
        }

        int row = firstOfBlock(from);
        while (row != NONE && start(row) < to) {
            row = (flags(row) & SACKED) != 0 ? next(endOfRun(row)) : sackRow(row, from, to, o);
        }
    }

    /** Whether the block says nothing new; remembers it. A block that grew takes its own place. */
    private boolean isKnown(long from, long to) {
        for (int k = 0; k < KNOWN_BLOCKS; k++) {
            if (knownStart[k] == from) {
                boolean known = knownEnd[k] == to;
                knownEnd[k] = to;
                return known;
            }
        }
        knownStart[knownNext] = from;
        knownEnd[knownNext] = to;
        knownNext = knownNext + 1 & KNOWN_BLOCKS - 1;
        return false;
    }

    /** Where to begin; the run of the highest SACKed row is already known to be covered. */
    private int firstOfBlock(long from) {
        if (highestSacked != NONE && start(rows.run(highestSacked)) == from) {
            return highestSacked;
        }
        return find(from);
    }

    /** The last row of the run that this one begins; the row itself if it does not begin one. */
    private int endOfRun(int row) {
        int before = rows.previous(row);
        boolean begins = before == NONE || (flags(before) & SACKED) == 0;
        return begins ? rows.run(row) : row;
    }

    /** Marks the covered part of one row and answers the row to go on with. */
    private int sackRow(int row, long from, long to, AckOutcome o) {
        long start = start(row);
        long end = end(row);
        int mss = mss(row);
        long first = from <= start ? start : start + (from - start + mss - 1) / mss * mss;
        long last = to >= end ? end : start + (to - start) / mss * mss;
        if (first >= end || last <= first) {
            return next(row);
        }
        int covered = row;
        if (first > start) {
            covered = split(row, first, mss);
            if (covered == NONE) {
                return NONE;
            }
        }
        if (last < end && split(covered, last, mss) == NONE) {
            return NONE;
        }
        return next(markSacked(covered, o));
    }

    /** Tags one row S and answers the last row of the run it now belongs to. */
    private int markSacked(int row, AckOutcome o) {
        int flags = flags(row);
        boolean retransmitted = (flags & EVER_RETRANS) != 0;
        o.rackDelivered(sentNanos(row), end(row), retransmitted);
        if (!retransmitted) {
            if (start(row) < sackedEnd()) {
                o.noteReordering(start(row));
            }
            if (end(row) <= o.recoveryPoint) {
                o.flags |= AckOutcome.ORIGINAL_ACKED;
            }
            if (o.firstSackSent == AckOutcome.NEVER) {
                o.firstSackSent = sentNanos(row);
            }
            o.lastSackSent = sentNanos(row);
        }
        // R without L stays: the retransmission is taken to be in flight still.
        int cleared = (flags & LOST) != 0 ? LOST | RETRANS : 0;
        rows.flags(row, flags & ~cleared | SACKED);
        rows.unlinkSent(row);
        if (highestSacked == NONE || start(row) > start(highestSacked)) {
            highestSacked = row;
        }
        o.delivered += segments(row);
        o.deliveredBytes += (int) (end(row) - start(row));
        o.flags |= AckOutcome.DATA_SACKED;
        sampleRate(row, o);
        return joinRuns(row);
    }

    private int joinRuns(int row) {
        int begin = row;
        int finish = row;
        int before = rows.previous(row);
        if (before != NONE && (flags(before) & SACKED) != 0) {
            begin = rows.run(before);
        }
        int after = next(row);
        if (after != NONE && (flags(after) & SACKED) != 0) {
            finish = rows.run(after);
        }
        rows.run(begin, finish);
        rows.run(finish, begin);
        return finish;
    }

    /**
     * The receiver got the bytes of this block twice and they are still outstanding (RFC 2883):
     * accounts for the retransmissions that were not needed. Call after {@link #sack}.
     */
    void duplicate(long from, long to, long undoMarker, AckOutcome o) {
        int row = find(from);
        while (row != NONE && end(row) <= to) {
            int flags = flags(row);
            if (start(row) >= from && (flags & EVER_RETRANS) != 0) {
                if (end(row) > undoMarker) {
                    o.needlessRetransmits += segments(row);
                }
                if ((flags & SACKED) != 0) {
                    o.noteReordering(start(row));
                    rows.flags(row, flags & ~RETRANS);
                }
            }
            row = next(row);
        }
    }

    private void sampleRate(int row, AckOutcome o) {
        long sent = sentNanos(row);
        long end = end(row);
        if (o.rateSampled && (sent < o.rateSent || sent == o.rateSent && end <= o.rateEnd)) {
            return;
        }
        o.rateSampled = true;
        o.rateSent = sent;
        o.rateEnd = end;
        o.ratePriorDelivered = rows.delivered(row);
        o.ratePriorNanos = rows.deliveredNanos(row);
        o.rateFirstSent = rows.firstSentNanos(row);
        o.rateAppLimited = (flags(row) & APP_LIMITED) != 0;
        o.rateRetransmitted = (flags(row) & EVER_RETRANS) != 0;
        o.rateTxInFlight = rows.txInFlight(row);
        o.rateLostBefore = rows.lostBefore(row);
    }

    // ---- loss --------------------------------------------------------------------------------

    /**
     * Takes the last transmission of a row as lost; the row waits for its retransmission.
     *
     * @return segments of which a retransmission was lost
     */
    int markLost(int row) {
        int flags = flags(row);
        if ((flags & SACKED) != 0 || (flags & TAGS) == LOST) {
            return 0;
        }
        totalLost += segments(row);
        rows.flags(row, flags & ~RETRANS | LOST);
        rows.unlinkSent(row);
        if (retransmitHint == NONE || start(row) < start(retransmitHint)) {
            retransmitHint = row;
        }
        return (flags & RETRANS) != 0 ? segments(row) : 0;
    }

    /** Nothing is lost after all (B-4.10); what is not SACKed may be found lost again. */
    void clearLost() {
        int near = NONE;
        for (int row = first(); row != NONE; row = next(row)) {
            int flags = flags(row);
            if ((flags & LOST) != 0) {
                rows.flags(row, flags & ~LOST);
                if (!rows.isLinkedSent(row)) {
                    rows.relinkSent(near, row);
                }
                near = row;
            }
        }
        retransmitHint = NONE;
    }

    /** The receiver dropped what it had reported (RFC 2018 section 8): forgets all SACKs. */
    void clearSacked() {
        int near = NONE;
        for (int row = first(); row != NONE; row = next(row)) {
            int flags = flags(row);
            if ((flags & SACKED) != 0) {
                rows.flags(row, flags & ~SACKED);
                rows.relinkSent(near, row);
                near = row;
            }
        }
        highestSacked = NONE;
        forgetKnownBlocks();
    }

    private void forgetKnownBlocks() {
        Arrays.fill(knownStart, 0);
        Arrays.fill(knownEnd, 0);
    }

    // ---- duplicate ACKs without SACK ---------------------------------------------------------

    /**
     * Without SACK, every duplicate ACK stands for one segment that arrived (RFC 5681 section 3.2).
     *
     * @return segments newly taken as delivered
     */
    int addRenoSacked(int duplicates) {
        int before = renoSacked;
        renoSacked += duplicates;
        return Math.max(0, boundedRenoSacked() - before);
    }

    /** Whether the guess exceeds what can have arrived; bounds it. */
    boolean limitRenoSacked() {
        int before = renoSacked;
        renoSacked = boundedRenoSacked();
        return renoSacked < before;
    }

    private int boundedRenoSacked() {
        int holes = Math.min(Math.max(lostOut(), 1), packetsOut());
        return Math.min(renoSacked, packetsOut() - holes);
    }

    /**
     * A cumulative ACK filled one hole; the rest of what it covers had made duplicate ACKs.
     *
     * @return segments newly delivered
     */
    int removeRenoSacked(int acked) {
        int delivered = Math.max(acked - renoSacked, 1);
        renoSacked = Math.max(0, renoSacked - (acked - 1));
        return delivered;
    }

    void clearRenoSacked() {
        renoSacked = 0;
    }

    // ---- reset and checks --------------------------------------------------------------------

    /** To the state of a fresh one. */
    void reset() {
        rows.reset();
        retransmitHint = NONE;
        highestSacked = NONE;
        forgetKnownBlocks();
        renoSacked = 0;
        totalLost = 0;
    }

    /**
     * Recomputes what is kept incrementally.
     *
     * @throws IllegalStateException if something disagrees
     */
    void checkInvariants() {
        rows.checkInvariants();
        int runStart = NONE;
        for (int row = first(); row != NONE; row = next(row)) {
            int flags = flags(row);
            boolean sacked = (flags & SACKED) != 0;
            SentRows.require(!sacked || (flags & LOST) == 0, "S and L", row);
            boolean mayBeLost = !sacked && (flags & TAGS) != LOST;
            SentRows.require(rows.isLinkedSent(row) == mayBeLost, "sent list", row);
            if (sacked && runStart == NONE) {
                runStart = row;
            }
            int after = next(row);
            if (sacked && (after == NONE || (flags(after) & SACKED) == 0)) {
                SentRows.require(rows.run(runStart) == row, "run", runStart);
                SentRows.require(rows.run(row) == runStart, "run", row);
                runStart = NONE;
            }
            SentRows.require(!sacked || start(row) <= start(highestSacked), "highest", row);
            boolean passed = retransmitHint != NONE && start(row) < start(retransmitHint);
            SentRows.require(!passed || (flags & TAGS) != LOST, "hint", row);
        }
        SentRows.require((highestSacked == NONE) == (rows.sacked() == 0), "highest", NONE);
        SentRows.require(inFlight() >= 0, "inFlight", inFlight());
    }
}
