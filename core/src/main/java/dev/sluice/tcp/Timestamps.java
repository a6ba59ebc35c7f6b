package dev.sluice.tcp;

/**
 * Timestamps option, TS.Recent and PAWS (RFC 7323, B-10.5).
 *
 * <p>Our clock ticks in milliseconds and starts at an offset of its own for every connection.
 * Values on the wire are 32-bit and compared by difference; the peer's ticks are taken for
 * milliseconds where a time is needed.
 */
final class Timestamps {
    /**
     * How much older than TS.Recent a segment may be for the sequence check, in the peer's ticks.
     */
    private static final int PAWS_WINDOW = 1;

    /**
     * After this idle time TS.Recent says nothing any more: a fast clock may have wrapped
     * (seconds).
     */
    private static final int PAWS_WRAP_SECONDS = 2147;

    private static final int NANOS_PER_TICK = 1_000_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** A longer round trip is a TSecr of somebody else's clock. */
    private static final long MAX_ROUND_TRIP_NANOS = 2147 * NANOS_PER_SECOND;

    /** Both SYNs carried the option. */
    boolean enabled;

    /** TS.Recent: what we echo, on the peer's clock; 0 while unknown. */
    int tsRecent;

    /** When TS.Recent was taken, seconds. */
    private int tsRecentSeconds;

    /** Added to our ticks (RFC 7323 section 5.4). */
    private int offset;

    /** Gives our clock its offset, random per connection. */
    void start(int clockOffset) {
        offset = clockOffset;
    }

    /** The clock that all connections of a stack share, before their offsets. */
    static int baseClock(long now) {
        return (int) (now / NANOS_PER_TICK);
    }

    /** TSval of a segment that leaves now. */
    int clock(long now) {
        return baseClock(now) + offset;
    }

    /** TSval of the peer's SYN or SYN-ACK; taken without question. */
    void onSyn(long now, int tsVal) {
        enabled = true;
        store(now, tsVal);
    }

    /** Whether PAWS rejects a segment with this TSval; the caller exempts RSTs. */
    boolean isOld(long now, int tsVal) {
        return isOlderBy(now, tsVal, PAWS_WINDOW);
    }

    /**
     * Takes TSval for TS.Recent, if the segment covers the last acknowledgment we sent and is not
     * older than what we have (RFC 7323 section 4.3).
     *
     * @param segSeq SEG.SEQ
     * @param lastAckSent Last.ACK.sent, which is RCV.NXT of the last segment with ACK
     */
    boolean update(long now, int tsVal, long segSeq, long lastAckSent) {
        if (segSeq > lastAckSent || isOlderBy(now, tsVal, 0)) {
            return false;
        }
        boolean newer = tsVal - tsRecent > 0;
        store(now, tsVal);
        return newer;
    }

    /** How much older than TS.Recent a TSval is; negative if it is newer. */
    long ageNanos(int tsVal) {
        return (long) (tsRecent - tsVal) * NANOS_PER_TICK;
    }

    /**
     * Time since we sent the TSval that came back, at least one tick.
     *
     * @return nanoseconds, or -1 if TSecr is none of ours
     */
    long roundTripNanos(long now, int tsEcr) {
        long nanos = echoNanos(now, tsEcr);
        return nanos == 0 ? NANOS_PER_TICK : nanos;
    }

    /**
     * Time since we sent the TSval that came back, as far as the clock can tell.
     *
     * @return nanoseconds, 0 if it took less than a tick, or -1 if TSecr is none of ours
     */
    long echoNanos(long now, int tsEcr) {
        if (tsEcr == 0) {
            return -1;
        }
        int ticks = clock(now) - tsEcr;
        long nanos = (long) ticks * NANOS_PER_TICK;
        return ticks < 0 || nanos >= MAX_ROUND_TRIP_NANOS ? -1 : nanos;
    }

    private boolean isOlderBy(long now, int tsVal, int window) {
        return tsRecent - tsVal > window
                && tsRecent != 0
                && (int) (now / NANOS_PER_SECOND) - tsRecentSeconds < PAWS_WRAP_SECONDS;
    }

    private void store(long now, int tsVal) {
        tsRecent = tsVal;
        tsRecentSeconds = (int) (now / NANOS_PER_SECOND);
    }
}
