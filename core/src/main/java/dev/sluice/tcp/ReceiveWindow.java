package dev.sluice.tcp;

import dev.sluice.tcp.policy.ReceivePromise;
import dev.sluice.tcp.policy.WindowFromSpace;

/**
 * RCV.NXT and RCV.WND, the receive buffer behind them, and the tuning of both (RFC 9293 section
 * 3.8.6.2.2, RFC 7323 section 2, B-7).
 *
 * <p>Positions are offsets in the peer's stream. Windows are bytes of payload; buffers and what is
 * charged to them are bytes of truesize.
 */
final class ReceiveWindow {
    /** Set by {@link #select} if the wish was zero and the promise forbade it. */
    static final int WANTED_ZERO = 1 << 16;

    private static final int MAX_UNSCALED = 65_535;
    private static final int MAX_SIGNED = 32_767;
    private static final int MAX_SHIFT = 14;

    /** Half of the smallest receive buffer: the clamp never goes below. */
    private static final int MIN_CLAMP = 1152;

    /** Segments shorter than this do not widen the window (B-7.5). */
    private static final int MIN_GROWTH_SEGMENT = 128;

    /** Initial autotuning reference, in segments. */
    private static final int INITIAL_SPACE_SEGMENTS = 10;

    /**
     * Stamps for tuning are counted in units of 1024 ns and wrap after an hour, which is harmless.
     */
    private static final int STAMP_SHIFT = 10;

    /** The round-trip estimate is kept times eight. */
    private static final int RTT_SHIFT = 3;

    // Bits of marks.
    private static final int FIN_RECEIVED = 1;

    /** RCV.NXT: next offset expected. */
    long rcvNxt;

    /** RCV.NXT when the window was last advertised (Linux rcv_wup); Last.ACK.sent of RFC 7323. */
    long rcvWup;

    /** Next offset the application will read (Linux copied_seq). */
    long readEnd;

    /** RCV.WND as last advertised. */
    int rcvWnd;

    /** Largest window we ever advertise (Linux window_clamp). */
    int windowClamp;

    /** Soft limit of the window: receiver slow start (Linux rcv_ssthresh, B-7.5). */
    int rcvSsthresh;

    /** Limit of {@link #rmemAlloc} (SO_RCVBUF as stored). */
    int rcvBuf;

    /** Truesize of what is queued, in order or not. */
    int rmemAlloc;

    /** Rcv.Wind.Shift (Linux rcv_wscale). */
    byte rcvWindShift;

    private byte marks;

    /** Payload per memory, in 1/256 (Linux scaling_ratio). */
    private short ratio;

    private WindowFromSpace policy;

    /**
     * How far beyond the present right edge the window once reached: tcp_shrink_window, or no
     * memory.
     */
    private int retracted;

    // Dynamic right sizing (B-7.10). The two positions keep their low 32 bits only.
    private int space;
    private int spaceFrom;
    private int spaceStamp;
    private int rttTimesEight;
    private int rttFrom;
    private int rttStamp;

    /** TSecr of the last echo that was looked at. */
    private int lastEcho;

    /** The buffer before the handshake, and how it turns into window. */
    void start(WindowFromSpace windowFromSpace, int buffer) {
        policy = windowFromSpace;
        ratio = (short) windowFromSpace.initialRatio();
        rcvBuf = buffer;
    }

    // ---- opening -----------------------------------------------------------------------------

    /**
     * Window and scale for our SYN or SYN-ACK (B-7.1, B-7.4): sets windowClamp, rcvWnd, rcvSsthresh
     * and rcvWindShift.
     *
     * @param mss advertised MSS less the options of every segment
     * @param clamp TCP_WINDOW_CLAMP; 0 for none
     * @param bufferLocked SO_RCVBUF was set, so that the buffer limits the scale too
     * @param scaleOk we offer window scaling, or answer a peer that did
     * @param largestBuffer the larger of tcp_rmem[2] and rmem_max
     * @param signedWindows tcp_workaround_signed_windows
     */
    void selectInitial(
            int mss,
            int clamp,
            boolean bufferLocked,
            boolean scaleOk,
            int largestBuffer,
            boolean signedWindows) {
        int full = fullSpace();
        int limit = clamp == 0 ? MAX_UNSCALED << MAX_SHIFT : clamp;
        if (bufferLocked && limit > full) {
            limit = full;
        }
        int initial = policy.firstWindow(Math.min(limit, Math.max(full, 0)), mss);
        rcvWnd = Math.min(initial, signedWindows ? MAX_SIGNED : MAX_UNSCALED);
        rcvWindShift = 0;
        if (scaleOk) {
            int widest = Math.min(Math.max(initial, largestBuffer), limit);
            int log = widest < 1 ? 0 : Integer.SIZE - 1 - Integer.numberOfLeadingZeros(widest);
            rcvWindShift = (byte) Math.max(0, Math.min(MAX_SHIFT, log - 15));
        }
        windowClamp = Math.min(MAX_UNSCALED << rcvWindShift, limit);
        rcvSsthresh = rcvWnd;
    }

    /** The peer does not scale: neither do we (RFC 7323 section 2.2). */
    void withoutScaling() {
        rcvWindShift = 0;
        windowClamp = Math.min(windowClamp, MAX_UNSCALED);
    }

    /** Window field of a SYN or SYN-ACK: never scaled (RFC 7323 section 2.2). */
    int synWindow() {
        return Math.min(rcvWnd, MAX_UNSCALED);
    }

    /** The peer's SYN arrived: the first byte of its stream is expected. */
    void onSyn() {
        rcvNxt = 1;
        rcvWup = 1;
        readEnd = 1;
        spaceFrom = 1;
    }

    /** The segment size of the connection is settled. */
    void onSegmentSize(int mss) {
        rcvBuf = policy.bufferFor(rcvBuf, mss);
    }

    /** The connection is established: the clamp meets the buffer, and tuning begins. */
    void onEstablished(long now, int advertisedMss) {
        int full = fullSpace();
        if (windowClamp >= full) {
            windowClamp = full;
        }
        // One segment of the buffer is kept back, so that a full window still finds room for it.
        if (windowClamp > 2 * advertisedMss && windowClamp + advertisedMss > full) {
            windowClamp = Math.max(2 * advertisedMss, full - advertisedMss);
        }
        rcvSsthresh = Math.min(rcvSsthresh, windowClamp);
        space = Math.min(Math.min(rcvSsthresh, rcvWnd), INITIAL_SPACE_SEGMENTS * advertisedMss);
        spaceFrom = (int) readEnd;
        spaceStamp = stamp(now);
    }

    // ---- questions ---------------------------------------------------------------------------

    /** What the peer may still send: RCV.WUP + RCV.WND - RCV.NXT, never negative. */
    int offered() {
        return (int) Math.max(0, rcvWup + rcvWnd - rcvNxt);
    }

    /** First offset that is outside everything we ever promised. */
    long windowEnd() {
        long promised = rcvWup + rcvWnd + retracted;
        return policy.admitsWholeBuffer() ? Math.max(promised, rcvNxt + freeSpace()) : promised;
    }

    /** Bytes in order that the application has not read. */
    int unread() {
        return (int) (rcvNxt - readEnd) - (isFinReceived() ? 1 : 0);
    }

    /** The peer's FIN is in order and counted in RCV.NXT. */
    boolean isFinReceived() {
        return (marks & FIN_RECEIVED) != 0;
    }

    /** The peer's FIN became in order: RCV.NXT passes over it. */
    void onFin() {
        marks |= FIN_RECEIVED;
    }

    /**
     * Memory left for payload, as window; negative if the buffer is overdrawn (Linux tcp_space).
     */
    int freeSpace() {
        return policy.window(rcvBuf - rmemAlloc, ratio);
    }

    /** The whole buffer as window (Linux tcp_full_space). */
    int fullSpace() {
        return policy.window(rcvBuf, ratio);
    }

    /** Memory needed for all the application has not read and all that the peer may still send. */
    int promisedSpace() {
        long bytes = Math.max(0, windowEnd() - readEnd);
        return policy.space((int) Math.min(Integer.MAX_VALUE, bytes), ratio);
    }

    /** Less than half of the window is left (B-7.6): quick ACKs would only confirm a small one. */
    boolean isLowOnSpace() {
        return freeSpace() < Math.min(windowClamp, fullSpace()) >> 1;
    }

    /** Receiver-side round-trip time, nanoseconds; 0 while unknown (tcpi_rcv_rtt). */
    long receiverRttNanos() {
        return (long) (rttTimesEight >> RTT_SHIFT) << STAMP_SHIFT;
    }

    /** Reference of auto-tuning: what the application read in one round trip (tcpi_rcv_space). */
    int space() {
        return space;
    }

    /** Payload per memory, in 1/256. */
    int ratio() {
        return ratio;
    }

    // ---- selection ---------------------------------------------------------------------------

    /**
     * The window we would like to offer (B-7.6); says nothing of what was promised.
     *
     * @param rcvMss estimate of the peer's segment size
     * @param mayShrink tcp_shrink_window is set
     */
    int wish(int rcvMss, boolean mayShrink) {
        int allowed = fullSpace();
        int full = Math.min(windowClamp, allowed);
        int mss = Math.min(rcvMss, full);
        if (mss <= 0) {
            return 0;
        }
        int unit = 1 << rcvWindShift;
        int free = freeSpace();
        boolean shrinks = mayShrink && rcvWindShift > 0;
        if (shrinks) {
            free &= -unit;
        }
        if (free < full >> 1) {
            free &= -unit;
            if (free < allowed >> 4 || free < mss || (shrinks && free < unit)) {
                return 0;
            }
        }
        if (free > rcvSsthresh) {
            free = rcvSsthresh;
            if (shrinks) {
                free = roundUp(free, unit);
            }
        }
        if (shrinks) {
            return free;
        }
        // Rounding up never leaves a window of zero while there is room.
        return rcvWindShift > 0 ? roundUp(free, unit) : unscaledWish(free, full, mss);
    }

    /** Without scaling, small changes are not worth announcing: keep to multiples of a segment. */
    private int unscaledWish(int free, int full, int mss) {
        int window = rcvWnd;
        if (window <= free - mss || window > free) {
            return free - free % mss;
        }
        if (mss == full && free > window + (full >> 1)) {
            return free;
        }
        return window;
    }

    /**
     * The window for a segment that leaves now: moves RCV.WUP and RCV.WND. The right edge of what
     * we accept never moves left, and neither does what the peer sees of it, but for the
     * granularity (RFC 9293 section 3.8.6.2.2, B-7.6).
     *
     * @return the 16 bits of the header, with {@link #WANTED_ZERO} possibly added
     */
    int select(int rcvMss, boolean mayShrink, boolean signedWindows, ReceivePromise promise) {
        int promised = promised();
        int window = wish(rcvMss, mayShrink);
        int result = 0;
        if (window < promised && !(mayShrink && rcvWindShift > 0)) {
            result = window == 0 ? WANTED_ZERO : 0;
            window = offerAgain(promised, promise);
        }
        int most = rcvWindShift == 0 && signedWindows ? MAX_SIGNED : MAX_UNSCALED << rcvWindShift;
        advertise(Math.min(window, most));
        return result | rcvWnd >> rcvWindShift;
    }

    /** What is still offered, and what rounding down hid of it. */
    private int promised() {
        int offered = offered();
        return retracted < 1 << rcvWindShift ? offered + retracted : offered;
    }

    private int offerAgain(int promised, ReceivePromise promise) {
        int unit = 1 << rcvWindShift;
        int up = roundUp(promised, unit);
        if (up == promised) {
            return up;
        }
        long bytes = Math.min(Integer.MAX_VALUE, rcvNxt - readEnd + up);
        return promise.roundsUp(policy.space((int) bytes, ratio), rcvBuf) ? up : up - unit;
    }

    private void advertise(int window) {
        long reached = windowEnd();
        rcvWnd = window;
        rcvWup = rcvNxt;
        retracted = (int) Math.max(0, reached - rcvWup - rcvWnd);
    }

    /** A segment was refused for want of memory: offer nothing until there is some (B-7.6). */
    void close() {
        advertise(0);
    }

    // ---- receiver slow start and the measured ratio --------------------------------------------

    /**
     * A segment of {@code length} payload bytes in {@code truesize} bytes of memory was kept: may
     * the window grow (B-7.5)?
     *
     * @param largestBuffer tcp_rmem[2]
     * @return whether it grew
     */
    boolean grow(int length, int truesize, int rcvMss, int advertisedMss, int largestBuffer) {
        int room = Math.min(windowClamp, freeSpace()) - rcvSsthresh;
        if (length < MIN_GROWTH_SEGMENT || room <= 0) {
            return false;
        }
        int increment;
        if (policy.window(truesize, ratio) <= length) {
            increment = 2 * advertisedMss;
        } else {
            increment = modestIncrement(length, truesize, rcvMss, largestBuffer);
        }
        if (increment == 0) {
            return false;
        }
        rcvSsthresh += Math.min(room, Math.max(increment, 2 * length));
        return true;
    }

    /**
     * Segments that waste memory widen the window only while it is small for the buffer there could
     * be.
     */
    private int modestIncrement(int length, int truesize, int rcvMss, int largestBuffer) {
        int worth = policy.window(truesize, ratio) >> 1;
        int window = policy.window(largestBuffer, ratio) >> 1;
        while (rcvSsthresh <= window) {
            if (worth <= length) {
                return 2 * rcvMss;
            }
            worth >>= 1;
            window >>= 1;
        }
        return 0;
    }

    /** The stack is short of memory: four segments must do (B-7.5). */
    void onPressure(int advertisedMss) {
        rcvSsthresh = Math.min(rcvSsthresh, 4 * advertisedMss);
    }

    /** A segment larger than any before shows how much payload the buffer really holds (B-7.3). */
    void measureRatio(int length, int truesize) {
        int measured = policy.measure(ratio, length, truesize);
        if (measured != ratio) {
            ratio = (short) measured;
            clamp(fullSpace());
            space = Math.min(space, windowClamp);
        }
    }

    // ---- the buffer --------------------------------------------------------------------------

    /** SO_RCVBUF, already doubled and bounded; the clamp follows at once (B-7.9). */
    void buffer(int bytes) {
        rcvBuf = bytes;
        if (windowClamp != 0) {
            clamp(fullSpace());
        }
    }

    /** TCP_WINDOW_CLAMP, or what follows from the buffer: the soft limit goes along. */
    void clamp(int bytes) {
        int before = windowClamp;
        windowClamp = Math.max(MIN_CLAMP, bytes);
        if (windowClamp < before) {
            rcvSsthresh = Math.min(rcvSsthresh, windowClamp);
        } else {
            rcvSsthresh = Math.max(rcvSsthresh, Math.min(rcvWnd, windowClamp));
        }
    }

    /**
     * The buffer is overdrawn (B-7.13): let it grow to what is used, if it may, or keep the sender
     * small.
     *
     * @param largestBuffer tcp_rmem[2]
     */
    void onOverflow(boolean mayGrow, int largestBuffer, int advertisedMss) {
        if (mayGrow && rcvBuf < largestBuffer) {
            rcvBuf = Math.max(rcvBuf, Math.min(rmemAlloc, largestBuffer));
        }
        if (rmemAlloc > rcvBuf) {
            rcvSsthresh = Math.min(windowClamp, 2 * advertisedMss);
        }
    }

    // ---- auto-tuning (B-7.10) ------------------------------------------------------------------

    /** In-order data arrived on a connection without timestamps: one sample per window. */
    void sampleByWindow(long now) {
        if (rttStamp != 0 && (int) rcvNxt - rttFrom < 0) {
            return;
        }
        int stamp = stamp(now);
        if (rttStamp != 0) {
            int sample = Math.max(1, stamp - rttStamp) << RTT_SHIFT;
            if (sample > 0 && (rttTimesEight == 0 || sample < rttTimesEight)) {
                rttTimesEight = sample;
            }
        }
        rttFrom = (int) rcvNxt + rcvWnd;
        rttStamp = stamp == 0 ? 1 : stamp;
    }

    /** Every TSecr gives one sample: whether this one has not been seen; from now on it has. */
    boolean isNewEcho(int tsEcr) {
        boolean fresh = tsEcr != lastEcho;
        lastEcho = tsEcr;
        return fresh;
    }

    /**
     * A sample from a timestamp that a full-sized segment echoed.
     *
     * @param nanos as {@link Timestamps#echoNanos} gives it, not negative
     * @param queueEmpty the application has read everything; a larger sample counts only then,
     *     because otherwise it measures the application
     */
    void sampleByTimestamp(long nanos, boolean queueEmpty) {
        int sample = (int) Math.max(1, Math.min(Integer.MAX_VALUE >> 4, nanos >> STAMP_SHIFT));
        if (rttTimesEight == 0) {
            rttTimesEight = sample << RTT_SHIFT;
        } else if (queueEmpty || sample << RTT_SHIFT <= rttTimesEight) {
            rttTimesEight += sample - (rttTimesEight >> RTT_SHIFT);
        }
    }

    /**
     * The application read: once per round trip, compare what it took with the round before.
     *
     * @param mayGrow auto-tuning is on and SO_RCVBUF was not set
     * @param outOfOrderSpan from RCV.NXT to the end of the highest segment queued out of order
     * @param largestBuffer tcp_rmem[2]
     * @param lowRttNanos tcp_rcvbuf_low_rtt
     */
    void tune(long now, boolean mayGrow, int outOfOrderSpan, int largestBuffer, long lowRttNanos) {
        int stamp = stamp(now);
        int rtt = rttTimesEight >> RTT_SHIFT;
        if (rtt == 0 || stamp - spaceStamp < rtt) {
            return;
        }
        int copied = (int) readEnd - spaceFrom - unread();
        if (copied > space) {
            int before = space;
            space = copied;
            if (mayGrow) {
                growBuffer(copied, before, outOfOrderSpan, largestBuffer, lowRttNanos);
            }
        }
        spaceFrom = (int) readEnd;
        spaceStamp = stamp;
    }

    /** Out-of-order data needs room of its own: as {@link #tune}, with the reference as it is. */
    void tuneForGap(int outOfOrderSpan, int largestBuffer, long lowRttNanos) {
        growBuffer(space, space, outOfOrderSpan, largestBuffer, lowRttNanos);
    }

    private void growBuffer(
            int copied, int before, int outOfOrderSpan, int largestBuffer, long lowRttNanos) {
        long window = 2L * copied;
        long rttNanos = receiverRttNanos();
        if (rttNanos < lowRttNanos) {
            window += window * rttNanos / lowRttNanos;
        } else if (before > 0) {
            // The sender may double its rate in the next round trip.
            window += 2 * (window * (copied - before) / before);
        }
        window = Math.min(Integer.MAX_VALUE, window + outOfOrderSpan);
        int buffer = Math.min(policy.space((int) window, ratio), largestBuffer);
        if (buffer > rcvBuf) {
            rcvBuf = buffer;
            windowClamp = fullSpace();
        }
    }

    private static int stamp(long now) {
        return (int) (now >> STAMP_SHIFT);
    }

    private static int roundUp(int value, int unit) {
        return value + unit - 1 & -unit;
    }
}
