package dev.sluice.tcp;

import java.util.Arrays;

/**
 * The unsent part of what the application wrote: record boundaries over the bytes of the outgoing
 * stream, as Linux keeps them in the buffers of its write queue (B-0.4, B-2.1 to B-2.3).
 *
 * <p>A record is what one transmit may not cross without cause: it ends where a write filled the
 * size goal, or at an explicit end of record (MSG_EOR). Later writes extend the last record while
 * there is room. The bytes themselves are in {@code ByteStream}; sent ones are rows of {@link
 * Scoreboard}.
 */
final class SendQueue {
    /** Metadata charged for each buffer of the write and retransmit queues (B-7.2), in bytes. */
    static final int RECORD_OVERHEAD = 960;

    private static final byte PUSH = 1;
    private static final byte END_OF_RECORD = 2;

    private long[] recordEnd = new long[8];
    private byte[] recordFlags = new byte[8];
    private int head;
    private int count;

    /** Start of the first record that is not completely sent. */
    private long headStart = 1;

    /** End of the data that was last marked with PSH (Linux {@code pushed_seq}). */
    long pushedEnd = 1;

    void reset() {
        head = 0;
        count = 0;
        headStart = 1;
        pushedEnd = 1;
    }

    /** Positions an empty queue: nothing is unsent before {@code offset}. */
    void begin(long offset) {
        assert count == 0;
        headStart = offset;
        pushedEnd = offset;
    }

    /** Records with unsent bytes. */
    int records() {
        return count;
    }

    /** How many bytes the last record can still take. */
    int tailRoom(int sizeGoal) {
        if (count == 0) {
            return 0;
        }
        int last = slot(count - 1);
        if ((recordFlags[last] & END_OF_RECORD) != 0) {
            return 0;
        }
        long start = count == 1 ? headStart : recordEnd[slot(count - 2)];
        return (int) Math.max(0, sizeGoal - (recordEnd[last] - start));
    }

    /** Bytes in the last record; 0 if there is none. */
    long tailLength() {
        if (count == 0) {
            return 0;
        }
        long start = count == 1 ? headStart : recordEnd[slot(count - 2)];
        return recordEnd[slot(count - 1)] - start;
    }

    /** The last record grew. What a later call adds takes its PSH mark away (B-2.3). */
    void extendTail(long newEnd, boolean byLaterCall) {
        int last = slot(count - 1);
        recordEnd[last] = newEnd;
        if (byLaterCall) {
            recordFlags[last] &= ~PUSH;
        }
    }

    /** A new record up to {@code end}. */
    void append(long end) {
        if (count == recordEnd.length) {
            grow();
        }
        int slot = slot(count++);
        recordEnd[slot] = end;
        recordFlags[slot] = 0;
    }

    /** Marks the last record with PSH and remembers how far data has been pushed. */
    void markPush(long writeEnd) {
        if (count > 0) {
            recordFlags[slot(count - 1)] |= PUSH;
        }
        pushedEnd = writeEnd;
    }

    /** The last record is complete: later writes start another. */
    void endRecord() {
        if (count > 0) {
            recordFlags[slot(count - 1)] |= END_OF_RECORD;
        }
    }

    /** Whether this much unpushed data calls for PSH whatever the flags say (B-2.3). */
    boolean forcedPush(long writeEnd, int maxWindow) {
        return writeEnd > pushedEnd + (maxWindow >> 1);
    }

    /**
     * How far one segment from the head may reach: to the end of the data or of the marked record.
     */
    long sendableEnd() {
        for (int i = 0; i < count; i++) {
            int slot = slot(i);
            if ((recordFlags[slot] & END_OF_RECORD) != 0) {
                return recordEnd[slot];
            }
        }
        return count == 0 ? headStart : recordEnd[slot(count - 1)];
    }

    /** Whether a segment that ends at {@code offset} ends a record marked with PSH. */
    boolean endsPushed(long offset) {
        for (int i = 0; i < count; i++) {
            int slot = slot(i);
            if (recordEnd[slot] >= offset) {
                return recordEnd[slot] == offset && (recordFlags[slot] & PUSH) != 0;
            }
        }
        return false;
    }

    /** Whether {@code offset} ends a record of MSG_EOR. */
    boolean endsRecord(long offset) {
        for (int i = 0; i < count; i++) {
            int slot = slot(i);
            if (recordEnd[slot] >= offset) {
                return recordEnd[slot] == offset && (recordFlags[slot] & END_OF_RECORD) != 0;
            }
        }
        return false;
    }

    /** Takes everything before {@code offset} as sent. */
    void sent(long offset) {
        while (count > 0 && recordEnd[head] <= offset) {
            head = head + 1 & recordEnd.length - 1;
            count--;
        }
        headStart = offset;
    }

    private int slot(int index) {
        return head + index & recordEnd.length - 1;
    }

    private void grow() {
        int capacity = recordEnd.length;
        long[] ends = new long[capacity * 2];
        byte[] flags = new byte[capacity * 2];
        for (int i = 0; i < count; i++) {
            ends[i] = recordEnd[slot(i)];
            flags[i] = recordFlags[slot(i)];
        }
        recordEnd = ends;
        recordFlags = flags;
        head = 0;
    }

    void checkInvariants(long sndNxt, long writeEnd) {
        assert count == 0 || recordEnd[slot(count - 1)] == writeEnd
                : "records end at " + Arrays.toString(recordEnd) + " but data at " + writeEnd;
        assert count > 0 || headStart >= writeEnd || writeEnd <= sndNxt;
        for (int i = 1; i < count; i++) {
            assert recordEnd[slot(i)] > recordEnd[slot(i - 1)] : "records out of order";
        }
    }
}
