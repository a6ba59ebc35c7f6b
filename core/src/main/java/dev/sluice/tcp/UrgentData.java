package dev.sluice.tcp;

/**
 * Urgent data as sockets have it: one byte beside the stream (RFC 9293 section 3.8.5, RFC 6093).
 * Made when a connection first sends or receives any. Positions are offsets in their stream.
 */
public final class UrgentData {
    private static final byte NONE = 0;
    private static final byte ANNOUNCED = 1;
    private static final byte HERE = 2;
    private static final byte TAKEN = 3;

    private static final int LARGEST_POINTER = 0xffff;

    /** Of the byte last announced by the peer. */
    private long position;

    private byte state;
    private byte value;

    /** SND.UP: one past the last urgent byte of ours; 0 for none. */
    private long sndUp;

    UrgentData() {}

    // ---- receiving ---------------------------------------------------------------------------

    /**
     * A segment has URG.
     *
     * @param at where its pointer says the byte is
     * @param readEnd next byte the application will read
     * @param rcvNxt RCV.NXT
     * @return whether that is news
     */
    boolean announce(long at, long readEnd, long rcvNxt) {
        if (at < readEnd || at < rcvNxt || state != NONE && at <= position) {
            return false;
        }
        position = at;
        state = ANNOUNCED;
        return true;
    }

    /** The byte is announced and has not been seen. */
    boolean isAwaited() {
        return state == ANNOUNCED;
    }

    /** Where it is. */
    long position() {
        return position;
    }

    /** Its segment has come. */
    void arrived(byte octet) {
        value = octet;
        state = HERE;
    }

    /** Something was announced that the application has not read past. */
    public boolean exists() {
        return state != NONE;
    }

    /** The byte can be taken (readiness PRI). */
    public boolean isHere() {
        return state == HERE;
    }

    /** It was taken and still has its place in the stream. */
    public boolean isTaken() {
        return state == TAKEN;
    }

    /** The byte; it counts as taken unless this is a {@code peek}. */
    public byte take(boolean peek) {
        if (!peek) {
            state = TAKEN;
        }
        return value;
    }

    /** A peek has passed the byte: it can be taken until the next read. */
    public void keep() {
        state = HERE;
    }

    /** Bytes in front of it for a reader at {@code readEnd}; negative if it is behind him. */
    long distance(long readEnd) {
        return position - readEnd;
    }

    /** The application has read up to {@code readEnd}: what it passed is forgotten. */
    void readTo(long readEnd) {
        if (readEnd > position) {
            state = NONE;
        }
    }

    // ---- sending -----------------------------------------------------------------------------

    /** The last byte before {@code end} is urgent. */
    void send(long end) {
        sndUp = end;
    }

    /** Urgent data of ours is not acknowledged. */
    boolean isSending(long sndUna) {
        return sndUp > sndUna;
    }

    /**
     * The pointer of a segment that starts at {@code seq}; 0 for a segment without URG.
     *
     * @param sndNxt SND.NXT before the segment
     */
    int pointer(long seq, long sndNxt) {
        if (seq >= sndUp) {
            return 0;
        }
        if (sndUp - seq <= LARGEST_POINTER) {
            return (int) (sndUp - seq);
        }
        // Too far for the field: the largest pointer says at least that there is some.
        return seq + LARGEST_POINTER > sndNxt ? LARGEST_POINTER : 0;
    }
}
