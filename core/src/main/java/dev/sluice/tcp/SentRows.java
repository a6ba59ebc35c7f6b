package dev.sluice.tcp;

import java.util.Arrays;

/**
 * The rows of a {@link Scoreboard}: storage in primitive arrays, two orders over it, and the counts
 * that follow from the tags.
 *
 * <p>A row is named by a small number that stays valid until the row is removed. The rows cover
 * SND.UNA to SND.NXT without gaps. By sequence they stand in a ring of row numbers, which allows
 * binary search; by the time of their last transmission, those that may still be found lost stand
 * in a list (B-0.4).
 */
final class SentRows {
    /** No row. */
    static final int NONE = -1;

    /** Reported by a SACK block (tag S). */
    static final int SACKED = 1;

    /** Taken as lost (tag L). */
    static final int LOST = 2;

    /** A retransmission is in flight (tag R). */
    static final int RETRANS = 4;

    static final int TAGS = SACKED | LOST | RETRANS;
    static final int SYN = 16;
    static final int FIN = 32;
    static final int PUSH = 64;

    /** Ends a record of MSG_EOR: never joined with what follows. */
    static final int RECORD_END = 256;

    /** Bound on rows. */
    static final int MAX_ROWS = 1 << 16;

    private static final int INITIAL_ROWS = 16;
    private static final int KEPT_ROWS = 1024;
    private static final int UNLINKED = -2;

    // Layout of a row in the two arrays: what belongs to a row is close together.
    private static final int LONGS = 6;
    private static final int START = 0;
    private static final int END = 1;
    private static final int SENT = 2;
    private static final int FIRST_SENT = 3;
    private static final int DELIVERED_TIME = 4;
    private static final int DELIVERED = 5;

    private static final int INTS = 9;
    private static final int FLAGS = 0;
    private static final int SEGMENTS = 1;
    private static final int MSS = 2;
    private static final int POSITION = 3;
    private static final int SENT_NEXT = 4;
    private static final int SENT_PREVIOUS = 5;
    private static final int RUN = 6;
    private static final int TX_IN_FLIGHT = 7;
    private static final int LOST_BEFORE = 8;

    private long[] longs = new long[INITIAL_ROWS * LONGS];
    private int[] ints = new int[INITIAL_ROWS * INTS];

    /** Row numbers in sequence order; position p lives at {@code p & order.length - 1}. */
    private int[] order = new int[INITIAL_ROWS];

    /** Position of the first row, modulo 2^32. */
    private int head;

    private int count;
    private int freeRow = NONE;
    private int usedRows;
    private int oldestSent = NONE;
    private int latestSent = NONE;

    // Counts in segments.
    private int packets;
    private int sacked;
    private int lost;
    private int retransmitted;
    private int pending;

    // ---- questions ---------------------------------------------------------------------------

    int count() {
        return count;
    }

    /** Segments of all rows. */
    int packets() {
        return packets;
    }

    /** Segments with tag S. */
    int sacked() {
        return sacked;
    }

    /** Segments with tag L. */
    int lost() {
        return lost;
    }

    /** Segments with tag R. */
    int retransmitted() {
        return retransmitted;
    }

    /** Segments with tag L alone. */
    int pending() {
        return pending;
    }

    int first() {
        return count == 0 ? NONE : order[head & order.length - 1];
    }

    int last() {
        return count == 0 ? NONE : order[head + count - 1 & order.length - 1];
    }

    int next(int row) {
        int position = ints[row * INTS + POSITION] + 1;
        return position - head < count ? order[position & order.length - 1] : NONE;
    }

    int previous(int row) {
        int position = ints[row * INTS + POSITION] - 1;
        return position - head >= 0 ? order[position & order.length - 1] : NONE;
    }

    int oldestSent() {
        return oldestSent;
    }

    int nextSent(int row) {
        return ints[row * INTS + SENT_NEXT];
    }

    /** Whether the row is in the list by time of transmission. */
    boolean isLinkedSent(int row) {
        return ints[row * INTS + SENT_NEXT] != UNLINKED;
    }

    long start(int row) {
        return longs[row * LONGS + START];
    }

    long end(int row) {
        return longs[row * LONGS + END];
    }

    int segments(int row) {
        return ints[row * INTS + SEGMENTS];
    }

    int mss(int row) {
        return ints[row * INTS + MSS];
    }

    int flags(int row) {
        return ints[row * INTS + FLAGS];
    }

    long sentNanos(int row) {
        return longs[row * LONGS + SENT];
    }

    long firstSentNanos(int row) {
        return longs[row * LONGS + FIRST_SENT];
    }

    long deliveredNanos(int row) {
        return longs[row * LONGS + DELIVERED_TIME];
    }

    long delivered(int row) {
        return longs[row * LONGS + DELIVERED];
    }

    /** Segments in flight just after the row was sent, its own among them. */
    int txInFlight(int row) {
        return ints[row * INTS + TX_IN_FLIGHT];
    }

    /** Segments ever taken as lost when the row was sent. */
    int lostBefore(int row) {
        return ints[row * INTS + LOST_BEFORE];
    }

    /** A number the owner keeps with the row. */
    int run(int row) {
        return ints[row * INTS + RUN];
    }

    void run(int row, int value) {
        ints[row * INTS + RUN] = value;
    }

    /** The row that holds {@code offset}, or {@link #NONE}. */
    int find(long offset) {
        if (count == 0 || offset < start(first()) || offset >= end(last())) {
            return NONE;
        }
        int mask = order.length - 1;
        int low = 0;
        int high = count - 1;
        while (low < high) {
            int middle = low + high + 1 >>> 1;
            if (longs[order[head + middle & mask] * LONGS + START] <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return order[head + low & mask];
    }

    /** How many segments of {@code mss} payload bytes a range makes; SYN and FIN ride along. */
    static int segmentCount(long start, long end, int flags, int mss) {
        long payload = end - start;
        if ((flags & SYN) != 0) {
            payload--;
        }
        if ((flags & FIN) != 0) {
            payload--;
        }
        return payload <= mss ? 1 : (int) ((payload + mss - 1) / mss);
    }

    // ---- changes -----------------------------------------------------------------------------

    /** Adds a row at the end of both orders; {@link #NONE} if there is no room. */
    int append(long start, long end, int mss, int flags, long now) {
        if (count == MAX_ROWS) {
            return NONE;
        }
        int row = takeRow();
        order[head + count & order.length - 1] = row;
        int l = row * LONGS;
        longs[l + START] = start;
        longs[l + END] = end;
        longs[l + SENT] = now;
        int i = row * INTS;
        ints[i + POSITION] = head + count;
        ints[i + FLAGS] = flags;
        ints[i + MSS] = mss;
        ints[i + SEGMENTS] = segmentCount(start, end, flags, mss);
        count++;
        recount(row, 1);
        linkSentAfter(latestSent, row);
        return row;
    }

    void snapshot(
            int row,
            long delivered,
            long deliveredNanos,
            long firstSentNanos,
            int txInFlight,
            int lostBefore) {
        int l = row * LONGS;
        longs[l + DELIVERED] = delivered;
        longs[l + DELIVERED_TIME] = deliveredNanos;
        longs[l + FIRST_SENT] = firstSentNanos;
        int i = row * INTS;
        ints[i + TX_IN_FLIGHT] = txInFlight;
        ints[i + LOST_BEFORE] = lostBefore;
    }

    /** The row was sent again, now: last in the order of transmission. */
    void sentAgain(int row, long now) {
        longs[row * LONGS + SENT] = now;
        unlinkSent(row);
        linkSentAfter(latestSent, row);
    }

    /** Changes the flags of a row and the counts with them. */
    void flags(int row, int flags) {
        recount(row, -1);
        ints[row * INTS + FLAGS] = flags;
        recount(row, 1);
    }

    /**
     * Splits at {@code at}; both halves are counted anew with {@code mss}. FIN and PSH go with the
     * second half (B-2.3). {@link #NONE} if there is no room.
     */
    int split(int row, long at, int mss) {
        if (count == MAX_ROWS) {
            return NONE;
        }
        int second = takeRow();
        recount(row, -1);
        System.arraycopy(longs, row * LONGS, longs, second * LONGS, LONGS);
        ints[second * INTS + TX_IN_FLIGHT] = txInFlight(row);
        ints[second * INTS + LOST_BEFORE] = lostBefore(row);
        longs[row * LONGS + END] = at;
        longs[second * LONGS + START] = at;
        int flags = flags(row);
        shape(row, flags & ~(FIN | PUSH | RECORD_END), mss);
        shape(second, flags & ~SYN, mss);
        insertAfter(row, second);
        if (isLinkedSent(row)) {
            linkSentAfter(row, second);
        } else {
            ints[second * INTS + SENT_NEXT] = UNLINKED;
        }
        return second;
    }

    /**
     * The first of two neighbours takes the second in, with its FIN and PSH and those of its flags
     * in {@code kept}.
     */
    void join(int row, int after, int kept) {
        recount(row, -1);
        recount(after, -1);
        unlinkSent(after);
        longs[row * LONGS + END] = end(after);
        removeAt(ints[after * INTS + POSITION]);
        ints[after * INTS + SENT_NEXT] = freeRow;
        freeRow = after;
        int flags = flags(row) | flags(after) & (FIN | PUSH | RECORD_END | kept);
        int bytes = (int) (end(row) - start(row));
        shape(row, flags, Math.max(mss(row), bytes));
    }

    private void shape(int row, int flags, int mss) {
        int i = row * INTS;
        ints[i + FLAGS] = flags;
        ints[i + MSS] = mss;
        ints[i + SEGMENTS] = segmentCount(start(row), end(row), flags, mss);
        recount(row, 1);
    }

    /** The row begins later: what is before {@code start} is acknowledged. */
    void trim(int row, long start) {
        recount(row, -1);
        longs[row * LONGS + START] = start;
        shape(row, flags(row) & ~SYN, mss(row));
    }

    void removeFirst() {
        int row = first();
        recount(row, -1);
        unlinkSent(row);
        head++;
        count--;
        ints[row * INTS + SENT_NEXT] = freeRow;
        freeRow = row;
    }

    /** To the state of a fresh one; arrays that grew large are not kept. */
    void reset() {
        if (order.length > KEPT_ROWS) {
            longs = new long[INITIAL_ROWS * LONGS];
            ints = new int[INITIAL_ROWS * INTS];
            order = new int[INITIAL_ROWS];
        }
        head = 0;
        count = 0;
        freeRow = NONE;
        usedRows = 0;
        oldestSent = NONE;
        latestSent = NONE;
        packets = 0;
        sacked = 0;
        lost = 0;
        retransmitted = 0;
        pending = 0;
    }

    private void recount(int row, int sign) {
        int flags = ints[row * INTS + FLAGS];
        int n = sign * ints[row * INTS + SEGMENTS];
        packets += n;
        sacked += n * (flags & SACKED);
        lost += n * ((flags & LOST) >> 1);
        retransmitted += n * ((flags & RETRANS) >> 2);
        if ((flags & TAGS) == LOST) {
            pending += n;
        }
    }

    private int takeRow() {
        int row = freeRow;
        if (row != NONE) {
            freeRow = ints[row * INTS + SENT_NEXT];
            return row;
        }
        if (usedRows == order.length) {
            grow();
        }
        return usedRows++;
    }

    private void grow() {
        int capacity = order.length;
        int[] bigger = new int[capacity * 2];
        for (int index = 0; index < count; index++) {
            bigger[head + index & bigger.length - 1] = order[head + index & capacity - 1];
        }
        order = bigger;
        longs = Arrays.copyOf(longs, capacity * 2 * LONGS);
        ints = Arrays.copyOf(ints, capacity * 2 * INTS);
    }

    /** Makes room in the ring by moving the shorter side. */
    private void insertAfter(int row, int inserted) {
        int mask = order.length - 1;
        int position = ints[row * INTS + POSITION] + 1;
        int before = position - head;
        if (count - before <= before) {
            for (int p = head + count; p != position; p--) {
                move(p - 1, p, mask);
            }
        } else {
            head--;
            position--;
            for (int p = head; p != position; p++) {
                move(p + 1, p, mask);
            }
        }
        order[position & mask] = inserted;
        ints[inserted * INTS + POSITION] = position;
        count++;
    }

    /** Closes the gap in the ring by moving the shorter side. */
    private void removeAt(int position) {
        int mask = order.length - 1;
        int before = position - head;
        if (before < count - before) {
            for (int p = position; p != head; p--) {
                move(p - 1, p, mask);
            }
            head++;
        } else {
            for (int p = position; p != head + count - 1; p++) {
                move(p + 1, p, mask);
            }
        }
        count--;
    }

    private void move(int from, int to, int mask) {
        int moved = order[from & mask];
        order[to & mask] = moved;
        ints[moved * INTS + POSITION] = to;
    }

    // ---- order of transmission ---------------------------------------------------------------

    private void linkSentAfter(int before, int row) {
        int after = before == NONE ? oldestSent : ints[before * INTS + SENT_NEXT];
        ints[row * INTS + SENT_PREVIOUS] = before;
        ints[row * INTS + SENT_NEXT] = after;
        if (before == NONE) {
            oldestSent = row;
        } else {
            ints[before * INTS + SENT_NEXT] = row;
        }
        if (after == NONE) {
            latestSent = row;
        } else {
            ints[after * INTS + SENT_PREVIOUS] = row;
        }
    }

    /** Puts a row back where its time of transmission belongs; {@code from} is a guess. */
    void relinkSent(int from, int row) {
        long sent = sentNanos(row);
        int before = from != NONE && sentNanos(from) <= sent ? from : NONE;
        int after = before == NONE ? oldestSent : nextSent(before);
        while (after != NONE && sentNanos(after) <= sent) {
            before = after;
            after = nextSent(after);
        }
        linkSentAfter(before, row);
    }

    void unlinkSent(int row) {
        int i = row * INTS;
        int after = ints[i + SENT_NEXT];
        if (after == UNLINKED) {
            return;
        }
        int before = ints[i + SENT_PREVIOUS];
        if (before == NONE) {
            oldestSent = after;
        } else {
            ints[before * INTS + SENT_NEXT] = after;
        }
        if (after == NONE) {
            latestSent = before;
        } else {
            ints[after * INTS + SENT_PREVIOUS] = before;
        }
        ints[i + SENT_NEXT] = UNLINKED;
    }

    // ---- checks ------------------------------------------------------------------------------

    /**
     * Recomputes what is kept incrementally.
     *
     * @throws IllegalStateException if something disagrees
     */
    void checkInvariants() {
        int[] sums = new int[5];
        long expectedStart = count == 0 ? 0 : start(first());
        int linked = 0;
        for (int index = 0; index < count; index++) {
            int row = order[head + index & order.length - 1];
            int flags = flags(row);
            int n = segments(row);
            require(ints[row * INTS + POSITION] == head + index, "position", row);
            require(start(row) == expectedStart && end(row) > expectedStart, "contiguous", row);
            require(n == segmentCount(start(row), end(row), flags, mss(row)), "segments", row);
            expectedStart = end(row);
            sums[0] += n;
            sums[1] += (flags & SACKED) != 0 ? n : 0;
            sums[2] += (flags & LOST) != 0 ? n : 0;
            sums[3] += (flags & RETRANS) != 0 ? n : 0;
            sums[4] += (flags & TAGS) == LOST ? n : 0;
            linked += isLinkedSent(row) ? 1 : 0;
        }
        require(sums[0] == packets, "packets", packets);
        require(sums[1] == sacked, "sacked", sacked);
        require(sums[2] == lost, "lost", lost);
        require(sums[3] == retransmitted, "retransmitted", retransmitted);
        require(sums[4] == pending, "pending", pending);
        int before = NONE;
        for (int row = oldestSent; row != NONE; row = nextSent(row)) {
            require(ints[row * INTS + SENT_PREVIOUS] == before, "sent previous", row);
            require(before == NONE || sentNanos(before) <= sentNanos(row), "sent order", row);
            before = row;
            linked--;
        }
        require(before == latestSent && linked == 0, "sent list", latestSent);
    }

    static void require(boolean condition, String what, int value) {
        if (!condition) {
            throw new IllegalStateException("scoreboard: " + what + " at " + value);
        }
    }
}
