package dev.sluice.tcp;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;

import java.util.Arrays;

/**
 * Reassembly: what arrived beyond a hole, the blocks to report about it (RFC 2018), the duplicate
 * to report (RFC 2883), and a FIN that is not yet in order.
 *
 * <p>Data is kept as <em>islands</em>, maximal ranges without a gap, ordered by offset in parallel
 * arrays; the packets of an island hang on it as a list in order, linked by {@link
 * PacketBuffer#next}. Islands neither touch nor overlap: what arrives is trimmed to what is new,
 * which is always one piece, because islands that lie wholly inside it are replaced by it. So the
 * work per segment depends on the number of holes, not of packets.
 *
 * <p>A FIN takes one position at the end of its island, as it does in sequence space. The queue
 * exists only while there is something to remember and then returns to the pool of the stack.
 */
final class ReceiveQueue {
    // Bits of the result of insert.
    /** The packet, perhaps trimmed, belongs to the queue. */
    static final int KEPT = 1;

    /** All of it was here already; nothing changed but the duplicate to report. */
    static final int DUPLICATE = 1 << 1;

    /** Part of it was here already, or it replaces islands that were. */
    static final int OVERLAPPED = 1 << 2;

    /** A duplicate is to be reported that was not before. */
    static final int DUPLICATE_REPORTED = 1 << 3;

    /** A block that a reader of the first two would miss has changed (B-3.6). */
    static final int DISTANT_BLOCK = 1 << 4;

    /** There is no room for another island. */
    static final int FULL = 1 << 5;

    /** Its bytes went into the buffer before it. */
    static final int COALESCED = 1 << 6;

    /** Blocks remembered in order of change; four fit a segment without timestamps. */
    private static final int MAX_BLOCKS = 4;

    /** Blocks that ordinary loss keeps busy; a change beyond them is worth an ACK of its own. */
    private static final int NEAR_BLOCKS = 2;

    private static final int INITIAL_ISLANDS = 8;
    private static final long NONE = -1;

    private long[] start = new long[INITIAL_ISLANDS];
    private long[] end = new long[INITIAL_ISLANDS];
    private PacketBuffer[] head = new PacketBuffer[INITIAL_ISLANDS];
    private PacketBuffer[] tail = new PacketBuffer[INITIAL_ISLANDS];
    private int islands;

    private int truesize;
    private long finAt = NONE;

    private final long[] blockStart = new long[MAX_BLOCKS];
    private final long[] blockEnd = new long[MAX_BLOCKS];
    private int blocks;

    private long duplicateStart;
    private long duplicateEnd;
    private boolean hasDuplicate;
    private boolean duplicateWritten;

    /** Link of the pool's free list. */
    ReceiveQueue nextFree;

    // ---- questions ---------------------------------------------------------------------------

    /** No data is queued. */
    boolean isEmpty() {
        return islands == 0;
    }

    /** Nothing is queued and nothing is to be reported: the queue can go back to the pool. */
    boolean isIdle() {
        return islands == 0 && !hasDuplicate;
    }

    /** Ranges without a gap; there is a hole before each. */
    int islands() {
        return islands;
    }

    /** Memory of all packets queued. */
    int truesize() {
        return truesize;
    }

    /** One past the highest offset received; 0 if nothing is queued. */
    long highestEnd() {
        return islands == 0 ? 0 : end[islands - 1];
    }

    /** The offset of a FIN that is queued, or -1. */
    long finAt() {
        return finAt;
    }

    // ---- insertion ---------------------------------------------------------------------------

    /**
     * Takes what is new of a segment that does not start at RCV.NXT.
     *
     * @param packet payload only; may be null if the segment is a FIN without payload
     * @param segStart SEG.SEQ, beyond RCV.NXT
     * @param segEnd one past the last position, a FIN counted
     * @param fin the last position is a FIN
     * @param reportDuplicates D-SACK is in use
     * @param maxIslands bound on the number of islands
     * @return bits; without {@link #KEPT} the packet still belongs to the caller
     */
    int insert(
            PacketPool pool,
            PacketBuffer packet,
            long segStart,
            long segEnd,
            boolean fin,
            boolean reportDuplicates,
            int maxIslands) {
        int at = firstEndingAtOrAfter(segStart);
        boolean joinsLeft = at < islands && start[at] <= segStart;
        if (joinsLeft && end[at] >= segEnd) {
            int bits = report(segStart, segEnd, reportDuplicates);
            return bits | DUPLICATE | touch(at);
        }
        int next = joinsLeft ? at + 1 : at;
        if (!joinsLeft && islands == maxIslands && (next == islands || start[next] > segEnd)) {
            return FULL;
        }
        int bits = 0;
        long from = segStart;
        long to = segEnd;
        if (joinsLeft && end[at] > segStart) {
            from = end[at];
            bits |= OVERLAPPED | report(segStart, from, reportDuplicates);
        }
        while (next < islands && end[next] <= to) {
            bits |= OVERLAPPED | report(start[next], end[next], reportDuplicates);
            dropIsland(pool, next);
        }
        boolean joinsRight = next < islands && start[next] <= to;
        if (joinsRight && start[next] < to) {
            bits |= OVERLAPPED | report(start[next], to, reportDuplicates);
            to = start[next];
        }
        boolean keepsFin = fin && to == segEnd;
        if (keepsFin) {
            finAt = to - 1;
        }
        int payload = (int) (to - from) - (keepsFin ? 1 : 0);
        PacketBuffer kept = null;
        if (payload > 0) {
            kept = Payload.dropFirst(pool, packet, (int) (from - segStart));
            Payload.keepFirst(pool, kept, payload);
            bits |= KEPT;
            if (joinsLeft && Payload.coalesce(pool, tail[at], kept)) {
                bits |= COALESCED;
                kept = null;
            } else {
                kept = Payload.fit(pool, kept);
                kept.next(null);
                truesize += Payload.truesize(kept);
            }
        }
        int island = place(joinsLeft ? at : -1, joinsRight ? next : -1, next, from, to, kept);
        return bits | touch(island);
    }

    /** Links the new piece to its neighbours; returns its island. */
    private int place(int left, int right, int where, long from, long to, PacketBuffer packet) {
        if (left >= 0) {
            end[left] = to;
            append(left, packet, packet);
            if (right >= 0) {
                end[left] = end[right];
                append(left, head[right], tail[right]);
                removeRow(right);
            }
            return left;
        }
        if (right >= 0) {
            start[right] = from;
            if (packet != null) {
                packet.next(head[right]);
                head[right] = packet;
                if (tail[right] == null) {
                    tail[right] = packet;
                }
            }
            return right;
        }
        insertRow(where);
        start[where] = from;
        end[where] = to;
        head[where] = packet;
        tail[where] = packet;
        return where;
    }

    private void append(int island, PacketBuffer first, PacketBuffer last) {
        if (first == null) {
            return;
        }
        if (tail[island] == null) {
            head[island] = first;
        } else {
            tail[island].next(first);
        }
        tail[island] = last;
    }

    // ---- delivery ----------------------------------------------------------------------------

    /**
     * RCV.NXT moved: forgets what it covers.
     *
     * @return whether an island now begins at RCV.NXT; bit {@link #DUPLICATE_REPORTED} may be added
     *     to {@link #KEPT}, which stands for yes
     */
    int advance(PacketPool pool, long rcvNxt, boolean reportDuplicates) {
        int bits = 0;
        while (islands > 0 && end[0] <= rcvNxt) {
            bits |= report(start[0], end[0], reportDuplicates);
            dropIsland(pool, 0);
        }
        if (islands > 0 && start[0] < rcvNxt) {
            bits |= report(start[0], rcvNxt, reportDuplicates);
            dropFront(pool, (int) (rcvNxt - start[0]));
            start[0] = rcvNxt;
        }
        forgetBlocks(rcvNxt);
        return islands > 0 && start[0] == rcvNxt ? bits | KEPT : bits;
    }

    /** Next packet of the first island, or null if that was the last; it belongs to the caller. */
    PacketBuffer takeFirst() {
        PacketBuffer packet = head[0];
        if (packet != null) {
            head[0] = packet.next();
            packet.next(null);
            truesize -= Payload.truesize(packet);
        }
        return packet;
    }

    /** Ends the delivery of the first island, whose packets were taken: the new RCV.NXT. */
    long finishFirst() {
        long rcvNxt = end[0];
        head[0] = null;
        removeRow(0);
        forgetBlocks(rcvNxt);
        return rcvNxt;
    }

    /** Removes bytes from the front of the first island's packets. */
    private void dropFront(PacketPool pool, int bytes) {
        int left = bytes;
        while (left > 0 && head[0] != null) {
            PacketBuffer packet = head[0];
            PacketBuffer following = packet.next();
            int length = Payload.length(packet);
            truesize -= Payload.truesize(packet);
            PacketBuffer rest = Payload.dropFirst(pool, packet, Math.min(left, length));
            if (rest == null) {
                head[0] = following;
                if (following == null) {
                    tail[0] = null;
                }
            } else {
                truesize += Payload.truesize(rest);
                if (tail[0] == packet) {
                    tail[0] = rest;
                }
                rest.next(following);
                head[0] = rest;
            }
            left -= length;
        }
    }

    // ---- reports -----------------------------------------------------------------------------

    /** How many blocks {@link #sackBlocks} would write if there is room for four. */
    int sackCount() {
        return Math.min(MAX_BLOCKS, blocks + (hasDuplicate ? 1 : 0));
    }

    /**
     * Blocks for an outgoing segment: the duplicate first, then the most recently changed first
     * (RFC 2018 section 4, RFC 2883 section 4).
     *
     * @return how many were written
     */
    int sackBlocks(long[] starts, long[] ends, int max) {
        int n = 0;
        if (hasDuplicate && n < max) {
            starts[n] = duplicateStart;
            ends[n++] = duplicateEnd;
            duplicateWritten = true;
        }
        for (int i = 0; i < blocks && n < max; i++) {
            starts[n] = blockStart[i];
            ends[n++] = blockEnd[i];
        }
        return n;
    }

    /**
     * Something arrived again: to be reported with the next ACK, together with what is already to
     * be reported if the two touch (RFC 2883 section 4).
     *
     * @return {@link #DUPLICATE_REPORTED} if there was nothing to be reported before
     */
    int duplicate(long from, long to) {
        if (!hasDuplicate) {
            hasDuplicate = true;
            duplicateStart = from;
            duplicateEnd = to;
            return DUPLICATE_REPORTED;
        }
        if (from <= duplicateEnd && duplicateStart <= to) {
            duplicateStart = Math.min(duplicateStart, from);
            duplicateEnd = Math.max(duplicateEnd, to);
        }
        return 0;
    }

    /** A whole segment arrived again: replaces what was to be reported. */
    void replaceDuplicate(long from, long to) {
        hasDuplicate = true;
        duplicateStart = from;
        duplicateEnd = to;
    }

    /** Whether the duplicate reported last began at {@code from}. */
    boolean duplicateBegan(long from) {
        return duplicateStart == from;
    }

    boolean hasDuplicate() {
        return hasDuplicate;
    }

    /** A segment left: a duplicate that {@link #sackBlocks} wrote into it is reported once only. */
    void onSent() {
        if (duplicateWritten) {
            hasDuplicate = false;
            duplicateWritten = false;
        }
    }

    private int report(long from, long to, boolean wanted) {
        return wanted ? duplicate(from, to) : 0;
    }

    /** An island changed: it becomes the first block, in place of all blocks it has swallowed. */
    private int touch(int island) {
        long from = start[island];
        long to = end[island];
        int kept = 0;
        int position = NEAR_BLOCKS;
        boolean known = false;
        for (int i = 0; i < blocks; i++) {
            if (blockStart[i] >= from && blockEnd[i] <= to) {
                if (!known) {
                    position = i;
                    known = true;
                }
            } else {
                blockStart[kept] = blockStart[i];
                blockEnd[kept++] = blockEnd[i];
            }
        }
        if (!known) {
            position = kept;
        }
        int moved = Math.min(kept, MAX_BLOCKS - 1);
        System.arraycopy(blockStart, 0, blockStart, 1, moved);
        System.arraycopy(blockEnd, 0, blockEnd, 1, moved);
        blockStart[0] = from;
        blockEnd[0] = to;
        blocks = moved + 1;
        return position >= NEAR_BLOCKS ? DISTANT_BLOCK : 0;
    }

    private void forgetBlocks(long rcvNxt) {
        int kept = 0;
        for (int i = 0; i < blocks; i++) {
            if (blockEnd[i] > rcvNxt) {
                blockStart[kept] = Math.max(blockStart[i], rcvNxt);
                blockEnd[kept++] = blockEnd[i];
            }
        }
        blocks = kept;
    }

    // ---- making room (B-7.13) ------------------------------------------------------------------

    /**
     * Gives up the highest data first, as long as it lies beyond {@code above}.
     *
     * @param goal truesize to free, in bytes
     * @return truesize freed
     */
    int prune(PacketPool pool, long above, int goal) {
        int before = truesize;
        while (islands > 0 && before - truesize < goal && end[islands - 1] > above) {
            int last = islands - 1;
            if (start[last] >= above && truesizeOf(last) <= goal - (before - truesize)) {
                dropIsland(pool, last);
            } else if (!cutTail(
                    pool, last, Math.max(above, start[last]), goal - (before - truesize))) {
                break;
            }
        }
        if (truesize != before) {
            // RFC 2018 section 8 allows it, and what was reported is no longer true.
            blocks = 0;
        }
        return before - truesize;
    }

    /**
     * Copies runs of packets into one buffer each, where that saves memory.
     *
     * @return how many packets disappeared
     */
    int collapse(PacketPool pool) {
        int removed = 0;
        for (int island = 0; island < islands; island++) {
            PacketBuffer before = null;
            PacketBuffer first = head[island];
            while (first != null) {
                PacketBuffer merged = null;
                PacketBuffer last = Payload.endOfRun(first);
                PacketBuffer following = last.next();
                if (last != first) {
                    int memory = Payload.runTruesize(first, last);
                    merged = Payload.merge(pool, first, last);
                    if (merged != null) {
                        truesize += merged.truesize() - memory;
                    }
                }
                if (merged != null) {
                    removed += Payload.releaseRun(pool, first, last, merged) - 1;
                    merged.next(following);
                    if (before == null) {
                        head[island] = merged;
                    } else {
                        before.next(merged);
                    }
                    if (following == null) {
                        tail[island] = merged;
                    }
                    before = merged;
                } else {
                    before = last;
                }
                first = following;
            }
        }
        return removed;
    }

    /** Shortens an island from its end by whole packets, to free {@code goal} bytes of truesize. */
    private boolean cutTail(PacketPool pool, int island, long above, int goal) {
        int keep = truesizeOf(island) - goal;
        long position = start[island];
        PacketBuffer last = null;
        PacketBuffer packet = head[island];
        int kept = 0;
        while (packet != null && (position < above || kept + Payload.truesize(packet) <= keep)) {
            kept += Payload.truesize(packet);
            position += Payload.length(packet);
            last = packet;
            packet = packet.next();
        }
        if (packet == null) {
            return false;
        }
        while (packet != null) {
            PacketBuffer following = packet.next();
            truesize -= Payload.truesize(packet);
            pool.release(packet);
            packet = following;
        }
        forgetFin(position, end[island]);
        if (last == null) {
            head[island] = null;
            removeRow(island);
        } else {
            last.next(null);
            tail[island] = last;
            end[island] = position;
        }
        return true;
    }

    private int truesizeOf(int island) {
        int bytes = 0;
        for (PacketBuffer p = head[island]; p != null; p = p.next()) {
            bytes += Payload.truesize(p);
        }
        return bytes;
    }

    // ---- rows --------------------------------------------------------------------------------

    /** Index of the first island that ends at or after an offset; islands if there is none. */
    private int firstEndingAtOrAfter(long offset) {
        int high = islands;
        if (high == 0 || end[high - 1] < offset) {
            return high;
        }
        int low = 0;
        while (low < high) {
            int middle = low + high >>> 1;
            if (end[middle] < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void dropIsland(PacketPool pool, int island) {
        PacketBuffer packet = head[island];
        while (packet != null) {
            PacketBuffer following = packet.next();
            truesize -= Payload.truesize(packet);
            pool.release(packet);
            packet = following;
        }
        forgetFin(start[island], end[island]);
        removeRow(island);
    }

    private void forgetFin(long from, long to) {
        if (finAt >= from && finAt < to) {
            finAt = NONE;
        }
    }

    private void insertRow(int at) {
        if (islands == start.length) {
            int capacity = islands * 2;
            start = Arrays.copyOf(start, capacity);
            end = Arrays.copyOf(end, capacity);
            head = Arrays.copyOf(head, capacity);
            tail = Arrays.copyOf(tail, capacity);
        }
        shift(at, at + 1);
        islands++;
    }

    private void removeRow(int at) {
        shift(at + 1, at);
        islands--;
        head[islands] = null;
        tail[islands] = null;
    }

    /** Moves the rows from {@code from} on so that they begin at {@code to}. */
    private void shift(int from, int to) {
        int rows = islands - from;
        System.arraycopy(start, from, start, to, rows);
        System.arraycopy(end, from, end, to, rows);
        System.arraycopy(head, from, head, to, rows);
        System.arraycopy(tail, from, tail, to, rows);
    }

    /** Gives everything back to the pool and becomes as new. */
    void clear(PacketPool pool) {
        while (islands > 0) {
            dropIsland(pool, islands - 1);
        }
        reset();
    }

    /** To the state of a fresh one; nothing may be queued. */
    void reset() {
        assert islands == 0 : "packets would be lost";
        blocks = 0;
        hasDuplicate = false;
        duplicateWritten = false;
        finAt = NONE;
        truesize = 0;
    }
}
