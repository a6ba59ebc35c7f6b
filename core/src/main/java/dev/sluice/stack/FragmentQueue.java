package dev.sluice.stack;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;

import java.util.Arrays;

/**
 * The fragments of one packet that have come, ordered by where they belong. They never overlap, so
 * that it is complete when as many bytes are here as it is long.
 */
final class FragmentQueue {
    /** What {@link #insert} found. */
    enum Fit {
        NEW,
        /** All of it is here already. */
        DUPLICATE,
        /** Part of it is here already, which no honest sender does (RFC 5722, RFC 8200 4.5). */
        OVERLAP
    }

    private static final int UNKNOWN = -1;
    private static final int FEW = 8;

    // Whose fragments these are.
    boolean ipv6;
    int id;
    int protocol;
    long sourceHi;
    long sourceLo;
    long destinationHi;
    long destinationLo;
    boolean broadcast;

    long deadline;
    int truesize;

    /** Fragments of this source that the stack had seen when the last one came. */
    int seen;

    /** One bit for each ECN codepoint that a fragment carried. */
    int ecnSeen;

    /** Of the first fragment, once it is here. */
    int tos;

    int ttl;
    int headerLength;

    // Ordered by start; the window of each buffer is its payload.
    private int[] starts = new int[FEW];
    private int[] ends = new int[FEW];
    private PacketBuffer[] buffers = new PacketBuffer[FEW];
    private int count;
    private int bytes;
    private int length = UNKNOWN;

    // Links of the lists that IpReassembly keeps.
    FragmentQueue nextInBucket;
    FragmentQueue older;
    FragmentQueue newer;

    int count() {
        return count;
    }

    /** Bytes of the whole payload. */
    int length() {
        return length;
    }

    boolean isComplete() {
        return bytes == length;
    }

    /** The first fragment; null if it is not here. */
    PacketBuffer first() {
        return count > 0 && starts[0] == 0 ? buffers[0] : null;
    }

    PacketBuffer buffer(int i) {
        return buffers[i];
    }

    int start(int i) {
        return starts[i];
    }

    /**
     * Whether a fragment is at odds with what is known of the packet's end; if not, and it is the
     * last, the end is known from now on.
     */
    boolean contradicts(int end, boolean last) {
        int reached = count == 0 ? 0 : ends[count - 1];
        if (last) {
            if (end < reached || length != UNKNOWN && end != length) {
                return true;
            }
            length = end;
            return false;
        }
        return length != UNKNOWN && end > length;
    }

    /** Puts a fragment in its place; it is kept only if it is {@link Fit#NEW}. */
    Fit insert(PacketBuffer buffer, int start, int end) {
        int at = placeFor(start);
        if (at > 0 && start < ends[at - 1]) {
            return end <= ends[at - 1] ? Fit.DUPLICATE : overlapFrom(at - 1, start, end);
        }
        if (at < count && end > starts[at]) {
            return overlapFrom(at, start, end);
        }
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count * 2);
            ends = Arrays.copyOf(ends, count * 2);
            buffers = Arrays.copyOf(buffers, count * 2);
        }
        System.arraycopy(starts, at, starts, at + 1, count - at);
        System.arraycopy(ends, at, ends, at + 1, count - at);
        System.arraycopy(buffers, at, buffers, at + 1, count - at);
        starts[at] = start;
        ends[at] = end;
        buffers[at] = buffer;
        count++;
        bytes += end - start;
        truesize += buffer.truesize();
        return Fit.NEW;
    }

    /** A repetition may span several fragments that lie together without a gap. */
    private Fit overlapFrom(int from, int start, int end) {
        if (starts[from] > start) {
            return Fit.OVERLAP;
        }
        int reached = ends[from];
        for (int i = from + 1; i < count && starts[i] == reached; i++) {
            reached = ends[i];
        }
        return end <= reached ? Fit.DUPLICATE : Fit.OVERLAP;
    }

    /** Index of the first fragment that starts after {@code start}. */
    private int placeFor(int start) {
        if (count > 0 && start > starts[count - 1]) {
            return count; // as they come from most senders
        }
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = low + high >>> 1;
            if (starts[middle] <= start) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Gives the fragments back; the queue is as good as new for the same packet. */
    void clear(PacketPool pool) {
        for (int i = 0; i < count; i++) {
            pool.release(buffers[i]);
            buffers[i] = null;
        }
        count = 0;
        bytes = 0;
        length = UNKNOWN;
        truesize = 0;
        ecnSeen = 0;
        if (starts.length > FEW) {
            starts = new int[FEW];
            ends = new int[FEW];
            buffers = new PacketBuffer[FEW];
        }
    }
}
