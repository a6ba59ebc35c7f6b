package dev.sluice.trace;

/**
 * Writes every event into compact binary records and gives them back in order.
 *
 * <p>A record is seven longs: time, kind with connection, and five words of arguments. Records live
 * in chunks that are allocated when first needed. At its capacity the log overwrites the oldest
 * record, so it is a flight recorder if small and a full history if large.
 *
 * <p>{@link #replay} calls the same methods on another observer with the same arguments: whoever
 * can watch a stack can read a log. {@link #hash()} covers every event ever written, overwritten
 * ones included, and is the same for two runs exactly if they saw the same events (up to 64-bit
 * collisions).
 *
 * <p>Not safe for use by several threads.
 */
public final class EventLog implements StackObserver {
    /** What an event is; one constant per method of {@link StackObserver}. */
    public enum Kind {
        CONNECTION_OPENED,
        CONNECTION_CLOSED,
        SEGMENT_SENT,
        SEGMENT_RECEIVED,
        STATE_CHANGED,
        CONGESTION_CHANGED,
        LOSS_MARKED,
        ROUND_TRIP_MEASURED,
        TIMER_FIRED,
        SEND_WINDOW_CHANGED,
        RECEIVE_WINDOW_CHANGED,
        SEND_HELD,
        APPLICATION_WROTE,
        APPLICATION_READ,
        DROPPED,
        MEMORY_PRESSURE_CHANGED
    }

    private static final Kind[] KINDS = Kind.values();
    private static final int WORDS = 7;
    private static final int CHUNK_SHIFT = 9;
    private static final int CHUNK_RECORDS = 1 << CHUNK_SHIFT;
    private static final long HASH_MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final long[][] chunks;
    private final long capacity;
    private long written;
    private long hash = HASH_MULTIPLIER;

    /** A log that keeps the last {@code capacity} events, rounded up to a multiple of 512. */
    public EventLog(int capacity) {
        if (capacity <= 0) {
            throw new IllegalArgumentException("capacity must be positive, not " + capacity);
        }
        chunks = new long[(capacity - 1 >>> CHUNK_SHIFT) + 1][];
        this.capacity = (long) chunks.length << CHUNK_SHIFT;
    }

    /**
     * Number of the oldest event kept. Events are numbered from 0 in the order they were written.
     */
    public long first() {
        return Math.max(0, written - capacity);
    }

    /** One past the number of the newest event. */
    public long end() {
        return written;
    }

    /** Nanoseconds on the clock of the stack. */
    public long time(long event) {
        return chunk(event)[place(event)];
    }

    public Kind kind(long event) {
        return KINDS[(int) (chunk(event)[place(event) + 1] >>> 32)];
    }

    /** Number of the connection, or {@link StackObserver#NO_CONNECTION}. */
    public int connection(long event) {
        return (int) chunk(event)[place(event) + 1];
    }

    /** A hash of every event written so far, of all its arguments and of their order. */
    public long hash() {
        return hash;
    }

    /** Calls the method that wrote {@code event} on {@code observer}, with the same arguments. */
    public void replay(long event, StackObserver observer) {
        long[] w = chunk(event);
        int p = place(event);
        long now = w[p];
        int connection = (int) w[p + 1];
        long a = w[p + 2];
        long b = w[p + 3];
        long c = w[p + 4];
        long d = w[p + 5];
        long e = w[p + 6];
        switch (kind(event)) {
            case CONNECTION_OPENED ->
                    observer.connectionOpened(
                            now,
                            connection,
                            high(e) != 0,
                            a,
                            b,
                            low(e) >>> 16,
                            c,
                            d,
                            low(e) & 0xFFFF);
            case CONNECTION_CLOSED -> observer.connectionClosed(now, connection, (int) a);
            case SEGMENT_SENT ->
                    observer.segmentSent(
                            now, connection, a, high(d), b, c, low(d), high(e), low(e));
            case SEGMENT_RECEIVED ->
                    observer.segmentReceived(now, connection, a, high(d), b, c, low(d), (int) e);
            case STATE_CHANGED -> observer.stateChanged(now, connection, high(a), low(a), (int) b);
            case CONGESTION_CHANGED ->
                    observer.congestionChanged(now, connection, (int) a, high(b), low(b), (int) c);
            case LOSS_MARKED -> observer.lossMarked(now, connection, a, b, high(c), low(c));
            case ROUND_TRIP_MEASURED -> observer.roundTripMeasured(now, connection, a, b, c);
            case TIMER_FIRED -> observer.timerFired(now, connection, high(a), low(a));
            case SEND_WINDOW_CHANGED -> observer.sendWindowChanged(now, connection, a, b);
            case RECEIVE_WINDOW_CHANGED ->
                    observer.receiveWindowChanged(now, connection, a, b, high(c), low(c));
            case SEND_HELD -> observer.sendHeld(now, connection, a, (int) b);
            case APPLICATION_WROTE -> observer.applicationWrote(now, connection, a);
            case APPLICATION_READ -> observer.applicationRead(now, connection, a);
            case DROPPED -> observer.dropped(now, connection, high(a), low(a));
            case MEMORY_PRESSURE_CHANGED -> observer.memoryPressureChanged(now, a != 0, b);
        }
    }

    @Override
    public void connectionOpened(
            long now,
            int connection,
            boolean passive,
            long localHigh,
            long localLow,
            int localPort,
            long remoteHigh,
            long remoteLow,
            int remotePort) {
        long ports = pack(passive ? 1 : 0, localPort << 16 | remotePort & 0xFFFF);
        write(
                Kind.CONNECTION_OPENED,
                now,
                connection,
                localHigh,
                localLow,
                remoteHigh,
                remoteLow,
                ports);
    }

    @Override
    public void connectionClosed(long now, int connection, int reason) {
        write(Kind.CONNECTION_CLOSED, now, connection, reason, 0, 0, 0, 0);
    }

    @Override
    public void segmentSent(
            long now,
            int connection,
            long seq,
            int length,
            long ack,
            long window,
            int flags,
            int segments,
            int kind) {
        write(
                Kind.SEGMENT_SENT,
                now,
                connection,
                seq,
                ack,
                window,
                pack(length, flags),
                pack(segments, kind));
    }

    @Override
    public void segmentReceived(
            long now,
            int connection,
            long seq,
            int length,
            long ack,
            long window,
            int flags,
            int segments) {
        write(
                Kind.SEGMENT_RECEIVED,
                now,
                connection,
                seq,
                ack,
                window,
                pack(length, flags),
                segments);
    }

    @Override
    public void stateChanged(long now, int connection, int from, int to, int cause) {
        write(Kind.STATE_CHANGED, now, connection, pack(from, to), cause, 0, 0, 0);
    }

    @Override
    public void congestionChanged(
            long now, int connection, int caState, int cwnd, int ssthresh, int pipe) {
        write(Kind.CONGESTION_CHANGED, now, connection, caState, pack(cwnd, ssthresh), pipe, 0, 0);
    }

    @Override
    public void lossMarked(
            long now, int connection, long start, long end, int segments, int cause) {
        write(Kind.LOSS_MARKED, now, connection, start, end, pack(segments, cause), 0, 0);
    }

    @Override
    public void roundTripMeasured(
            long now, int connection, long rttNanos, long srttNanos, long rtoNanos) {
        write(Kind.ROUND_TRIP_MEASURED, now, connection, rttNanos, srttNanos, rtoNanos, 0, 0);
    }

    @Override
    public void timerFired(long now, int connection, int timer, int backoff) {
        write(Kind.TIMER_FIRED, now, connection, pack(timer, backoff), 0, 0, 0, 0);
    }

    @Override
    public void sendWindowChanged(long now, int connection, long sndUna, long sndWnd) {
        write(Kind.SEND_WINDOW_CHANGED, now, connection, sndUna, sndWnd, 0, 0, 0);
    }

    @Override
    public void receiveWindowChanged(
            long now, int connection, long rcvNxt, long rcvWnd, int queuedBytes, int bufferBytes) {
        long buffer = pack(queuedBytes, bufferBytes);
        write(Kind.RECEIVE_WINDOW_CHANGED, now, connection, rcvNxt, rcvWnd, buffer, 0, 0);
    }

    @Override
    public void sendHeld(long now, int connection, long notSent, int reason) {
        write(Kind.SEND_HELD, now, connection, notSent, reason, 0, 0, 0);
    }

    @Override
    public void applicationWrote(long now, int connection, long end) {
        write(Kind.APPLICATION_WROTE, now, connection, end, 0, 0, 0, 0);
    }

    @Override
    public void applicationRead(long now, int connection, long position) {
        write(Kind.APPLICATION_READ, now, connection, position, 0, 0, 0, 0);
    }

    @Override
    public void dropped(long now, int connection, int reason, int length) {
        write(Kind.DROPPED, now, connection, pack(reason, length), 0, 0, 0, 0);
    }

    @Override
    public void memoryPressureChanged(long now, boolean pressure, long pages) {
        write(Kind.MEMORY_PRESSURE_CHANGED, now, NO_CONNECTION, pressure ? 1 : 0, pages, 0, 0, 0);
    }

    private void write(
            Kind kind, long now, int connection, long a, long b, long c, long d, long e) {
        long slot = written % capacity;
        int index = (int) (slot >>> CHUNK_SHIFT);
        long[] w = chunks[index];
        if (w == null) {
            w = new long[CHUNK_RECORDS * WORDS];
            chunks[index] = w;
        }
        int p = place(slot);
        long header = pack(kind.ordinal(), connection);
        w[p] = now;
        w[p + 1] = header;
        w[p + 2] = a;
        w[p + 3] = b;
        w[p + 4] = c;
        w[p + 5] = d;
        w[p + 6] = e;
        written++;
        hash = mixed(mixed(mixed(mixed(mixed(mixed(mixed(hash, now), header), a), b), c), d), e);
    }

    private long[] chunk(long event) {
        if (event < first() || event >= written) {
            throw new IndexOutOfBoundsException(
                    "event " + event + " is not among " + first() + " to " + (written - 1));
        }
        return chunks[(int) (event % capacity >>> CHUNK_SHIFT)];
    }

    /** Chunks divide the capacity, so the place within a chunk follows from the number alone. */
    private static int place(long event) {
        return (int) (event & CHUNK_RECORDS - 1) * WORDS;
    }

    private static long mixed(long hash, long word) {
        long value = (hash ^ word) * HASH_MULTIPLIER;
        return value ^ value >>> 29;
    }

    private static long pack(int high, int low) {
        return (long) high << 32 | low & 0xFFFF_FFFFL;
    }

    private static int high(long packed) {
        return (int) (packed >>> 32);
    }

    private static int low(long packed) {
        return (int) packed;
    }
}
