package dev.sluice.tcp;

/**
 * How long a connection had data to send, and what limited it meanwhile: the chronographs of
 * Linux's {@code tcp_info} (B-14.2), and how much time went into timeouts.
 *
 * <p>Of the limits the higher wins while both hold; time without a limit is busy all the same.
 * Times are kept in milliseconds as differences of a common clock, so that short intervals round to
 * the truth in sum.
 */
final class BusyTime {
    /** Nothing to send. */
    static final int IDLE = 0;

    /** Data is queued or in flight. */
    static final int BUSY = 1;

    /** The peer's window holds data back. */
    static final int RECEIVE_WINDOW = 2;

    /** The writer waits for the send buffer, and all of that is in flight. */
    static final int SEND_BUFFER = 3;

    private static final long NANOS_PER_MILLI = 1_000_000L;

    private int what;
    private int since;
    private int busy;
    private int receiveWindow;
    private int sendBuffer;

    // Timeouts: how many, how many runs of them, how long those took, when the present one began.
    private int timeouts;
    private int timeoutRuns;
    private int timeoutMillis;
    private int timeoutSince;
    private boolean timedOut;

    /** From now on {@code limit} holds, unless a higher one does. */
    void start(long now, int limit) {
        if (limit > what) {
            become(now, limit);
        }
    }

    /** {@code limit} no longer holds; data is still to be sent. */
    void stop(long now, int limit) {
        if (limit == what) {
            become(now, BUSY);
        }
    }

    /** Everything is acknowledged. */
    void idle(long now) {
        become(now, IDLE);
    }

    private void become(long now, int next) {
        int stamp = millis(now);
        add(what, stamp - since);
        what = next;
        since = stamp;
    }

    private void add(int to, int millis) {
        switch (to) {
            case BUSY -> busy += millis;
            case RECEIVE_WINDOW -> receiveWindow += millis;
            case SEND_BUFFER -> sendBuffer += millis;
            default -> {
                // Idle time is what is left.
            }
        }
    }

    /** A retransmission timer fired. */
    void onTimeout(long now, boolean firstInARow) {
        if (firstInARow) {
            timeoutRuns++;
            timeoutSince = millis(now);
            timedOut = true;
        }
        timeouts++;
    }

    /** An ACK moved SND.UNA. */
    void onProgress(long now) {
        if (timedOut) {
            timedOut = false;
            timeoutMillis += millis(now) - timeoutSince;
        }
    }

    /**
     * Fills {@code tcpi_busy_time} and its companions, in microseconds, and {@code tcpi_total_rto}.
     */
    void info(long now, TcpInfo info) {
        int current = millis(now) - since;
        long window = receiveWindow + (what == RECEIVE_WINDOW ? current : 0);
        long buffer = sendBuffer + (what == SEND_BUFFER ? current : 0);
        long all = busy + (what == BUSY ? current : 0) + window + buffer;
        info.busyTime = 1000 * all;
        info.rwndLimited = 1000 * window;
        info.sndbufLimited = 1000 * buffer;
        info.totalRto = timeouts;
        info.totalRtoRecoveries = timeoutRuns;
        info.totalRtoTime = timeoutMillis;
    }

    private static int millis(long now) {
        return (int) (now / NANOS_PER_MILLI);
    }
}
