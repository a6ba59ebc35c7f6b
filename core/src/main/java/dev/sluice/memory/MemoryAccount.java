package dev.sluice.memory;

/**
 * The memory that all sockets of a stack share, in pages, and the rules by which a socket gets more
 * of it (B-7.12, Linux {@code tcp_mem}).
 *
 * <p>A socket reserves whole pages and charges truesize against them. What it has reserved and not
 * charged is its <em>forward</em> allocation, an int that the socket keeps and passes in; the
 * methods return what it is afterwards. After a successful admission the caller subtracts the
 * truesize from it and adds it to its own {@code rmemAlloc} or {@code wmemQueued}; to give memory
 * back it calls {@link #uncharge}.
 *
 * <p>Pressure begins above the second limit and ends at or below the first, or when memory given
 * back brings usage below the first. Owned by one thread; nothing is allocated.
 */
public final class MemoryAccount {
    /** Bytes of a page. */
    public static final int PAGE = 4096;

    /** Returned instead of a forward allocation: the memory is not granted. */
    public static final int REFUSED = -1;

    private final int rmemMin;
    private final int wmemMin;
    private long minPages;
    private long pressurePages;
    private long maxPages;
    private long pages;
    private long sockets;
    private boolean pressure;
    private boolean suppressed;
    private long pressureSince;
    private long pressureNanos;
    private long pressures;
    private long changes;

    /**
     * @param minPages {@code tcp_mem[0]}
     * @param pressurePages {@code tcp_mem[1]}
     * @param maxPages {@code tcp_mem[2]}
     * @param rmemMin {@code tcp_rmem[0]}, bytes
     * @param wmemMin {@code tcp_wmem[0]}, bytes
     */
    public MemoryAccount(
            long minPages, long pressurePages, long maxPages, int rmemMin, int wmemMin) {
        this.rmemMin = rmemMin;
        this.wmemMin = wmemMin;
        limits(minPages, pressurePages, maxPages);
    }

    /** Changes the three limits; they apply from the next admission on. */
    public void limits(long newMinPages, long newPressurePages, long newMaxPages) {
        minPages = newMinPages;
        pressurePages = newPressurePages;
        maxPages = newMaxPages;
    }

    /** One more socket shares the memory. */
    public void socketOpened() {
        sockets++;
    }

    /** A socket is gone; it must have called {@link #close} for its forward allocation. */
    public void socketClosed() {
        sockets--;
    }

    /**
     * Makes sure that {@code truesize} more bytes can be charged to the receive side.
     *
     * @return the forward allocation, at least {@code truesize}, or {@link #REFUSED} and nothing
     *     changed
     */
    public int admitReceive(long now, int forward, int truesize, int rmemAlloc, int wmemQueued) {
        if (truesize <= forward) {
            return forward;
        }
        int reserved = pagesFor(truesize - forward);
        boolean admitted =
                reserve(now, reserved, forward, rmemAlloc, wmemQueued, rmemAlloc < rmemMin);
        return admitted ? forward + reserved * PAGE : refuse(reserved);
    }

    /**
     * Makes sure that {@code truesize} more bytes can be charged to the send side. If {@link
     * #suppressed} says so afterwards, granted or not, the caller shrinks its send buffer, unless
     * the application fixed it, to {@link #moderatedSendBuffer}.
     *
     * @param sndbuf limit of the send buffer
     * @param locked whether the application fixed it
     * @return the forward allocation, at least {@code truesize}, or {@link #REFUSED} and nothing
     *     changed
     */
    public int admitSend(
            long now,
            int forward,
            int truesize,
            int rmemAlloc,
            int wmemQueued,
            int sndbuf,
            boolean locked) {
        suppressed = false;
        if (truesize <= forward) {
            return forward;
        }
        int reserved = pagesFor(truesize - forward);
        if (reserve(now, reserved, forward, rmemAlloc, wmemQueued, wmemQueued < wmemMin)) {
            return forward + reserved * PAGE;
        }
        suppressed = true;
        int limit = locked ? sndbuf : moderatedSendBuffer(sndbuf, wmemQueued);
        // A socket that is at its own limit stops by itself.
        if ((long) wmemQueued + truesize >= limit) {
            return forward + reserved * PAGE;
        }
        return refuse(reserved);
    }

    /**
     * Makes sure that payload of {@code truesize} can be charged to the send side, or at least as
     * much of it as brings the socket up to {@code tcp_wmem[0]}.
     *
     * @return the forward allocation; the caller may charge the smaller of it and {@code truesize},
     *     and if it is 0 nothing
     */
    public int admitPayload(
            long now,
            int forward,
            int truesize,
            int rmemAlloc,
            int wmemQueued,
            int sndbuf,
            boolean locked) {
        int admitted = admitSend(now, forward, truesize, rmemAlloc, wmemQueued, sndbuf, locked);
        if (admitted != REFUSED) {
            return admitted;
        }
        int left = wmemMin - wmemQueued;
        return left > 0 ? force(forward, Math.min(left, truesize)) : forward;
    }

    /**
     * Makes sure that {@code truesize} more bytes can be charged, whatever the limits say: for a
     * FIN, or the first packet of an empty queue.
     *
     * @return the forward allocation, at least {@code truesize}
     */
    public int force(int forward, int truesize) {
        if (truesize <= forward) {
            return forward;
        }
        int reserved = pagesFor(truesize - forward);
        pages += reserved;
        return forward + reserved * PAGE;
    }

    /**
     * Takes back {@code truesize} bytes that were charged. Whole pages go back to the stack.
     *
     * @return the forward allocation, less than a page
     */
    public int uncharge(long now, int forward, int truesize) {
        int available = forward + truesize;
        if (available >= PAGE) {
            giveBack(now, available / PAGE);
        }
        return available % PAGE;
    }

    /** Takes back the forward allocation of a socket that has nothing charged any more. */
    public void close(long now, int forward) {
        assert forward % PAGE == 0 : "socket closed with memory charged";
        giveBack(now, forward / PAGE);
    }

    /** What a suppressed send shrinks the limit of its buffer to, in bytes of truesize. */
    public static int moderatedSendBuffer(int sndbuf, int wmemQueued) {
        return Math.max(Math.min(sndbuf, wmemQueued >> 1), Truesize.MIN_SEND_BUFFER);
    }

    /** Whether the last {@link #admitSend} or {@link #admitPayload} ran into the limits. */
    public boolean suppressed() {
        return suppressed;
    }

    /** Pages reserved by all sockets. */
    public long pages() {
        return pages;
    }

    public long sockets() {
        return sockets;
    }

    /** Whether sockets are asked to do with less. */
    public boolean pressure() {
        return pressure;
    }

    /**
     * Whether usage has reached the first limit: not pressure yet, but no time to grow buffers
     * (B-7.11).
     */
    public boolean softPressure() {
        return pages >= minPages;
    }

    /** Whether usage is above the last limit, where even small sockets are refused. */
    public boolean overLimit() {
        return pages > maxPages;
    }

    /** How often pressure began: {@code TCPMemoryPressures}. */
    public long pressures() {
        return pressures;
    }

    /**
     * Nanoseconds under pressure up to its last end: {@code TCPMemoryPressuresChrono} in
     * milliseconds.
     */
    public long pressureNanos() {
        return pressureNanos;
    }

    /**
     * How often pressure began or ended; the stack looks whether it moved to tell those who wait.
     */
    public long pressureChanges() {
        return changes;
    }

    private boolean reserve(
            long now,
            int reserved,
            int forward,
            int rmemAlloc,
            int wmemQueued,
            boolean belowMinimum) {
        pages += reserved;
        if (pages <= minPages) {
            leavePressure(now);
            return true;
        }
        if (pages > pressurePages) {
            enterPressure(now);
        }
        if (pages > maxPages) {
            return false;
        }
        if (belowMinimum || !pressure) {
            return true;
        }
        long footprint = (long) forward + (long) reserved * PAGE + rmemAlloc + wmemQueued;
        return sockets * ((footprint + PAGE - 1) / PAGE) < maxPages;
    }

    private int refuse(int reserved) {
        pages -= reserved;
        return REFUSED;
    }

    private void giveBack(long now, int count) {
        pages -= count;
        if (pages < minPages) {
            leavePressure(now);
        }
    }

    private void enterPressure(long now) {
        if (!pressure) {
            pressure = true;
            pressureSince = now;
            pressures++;
            changes++;
        }
    }

    private void leavePressure(long now) {
        if (pressure) {
            pressure = false;
            pressureNanos += now - pressureSince;
            changes++;
        }
    }

    private static int pagesFor(int bytes) {
        return (bytes + PAGE - 1) / PAGE;
    }
}
