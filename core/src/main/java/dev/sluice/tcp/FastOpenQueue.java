package dev.sluice.tcp;

import java.util.Arrays;

/**
 * How many connections of a listener may be open on the strength of a cookie alone (RFC 7413
 * section 5.1, Linux {@code fastopen_queue}). One that was reset before its handshake completed
 * keeps its place for a minute, so that forged SYNs cannot be had for the price of a RST.
 */
final class FastOpenQueue {
    private static final long RESET_PENALTY_NANOS = 60_000_000_000L;

    private int limit;
    private int length;

    // When the places of those that were reset become free: a ring, oldest first.
    private long[] penalties = new long[4];
    private int first;
    private int count;

    /** Most connections at a time; 0: no Fast Open. */
    void limit(int connections) {
        limit = connections;
    }

    int limit() {
        return limit;
    }

    /** Whether there is a place, if need be one whose penalty has run out. */
    boolean hasRoom(long now) {
        if (limit == 0) {
            return false;
        }
        if (length < limit) {
            return true;
        }
        if (count == 0 || penalties[first] > now) {
            return false;
        }
        first = first + 1 & penalties.length - 1;
        count--;
        length--;
        return true;
    }

    void enter() {
        length++;
    }

    /** The handshake is complete, or was given up. @param reset by the peer's RST */
    void leave(long now, boolean reset) {
        if (!reset) {
            length--;
            return;
        }
        if (count == penalties.length) {
            long[] longer = Arrays.copyOf(penalties, 2 * count);
            for (int i = 0; i < count; i++) {
                longer[i] = penalties[first + i & count - 1];
            }
            penalties = longer;
            first = 0;
        }
        penalties[first + count & penalties.length - 1] = now + RESET_PENALTY_NANOS;
        count++;
    }
}
