package dev.sluice.tcp;

import dev.sluice.trace.Counter;

/**
 * Memory of the receive side: what is charged to a connection, to the stack, and what gives way
 * when either is full (B-7.12, B-7.13). Part of the spine, without state.
 */
final class ReceiveMemory {
    /**
     * Whether a segment of this truesize may be kept, after whatever can be done for it. If so, the
     * stack's account has the memory ready and {@link #charge} must follow.
     */
    boolean makeRoom(long now, TcpConnection c, int truesize, long seq) {
        if (fits(c, truesize) && admits(now, c, truesize)) {
            return true;
        }
        TcpContext context = c.context;
        context.count(Counter.PRUNE_CALLED);
        ReceiveWindow w = c.receiveWindow;
        if ((long) w.rmemAlloc + truesize > w.rcvBuf) {
            c.ackPolicy.dropQuickAcks();
            boolean mayGrow =
                    c.settings.lockedRcvBuf == 0
                            && !context.memory.pressure()
                            && !context.memory.softPressure();
            w.onOverflow(mayGrow, context.config.rmemMax, c.advertisedMss);
        } else {
            w.onPressure(c.advertisedMss);
        }
        if (isKept(now, c, truesize) || thinOut(now, c, truesize, seq)) {
            return true;
        }
        context.count(Counter.RCV_PRUNED);
        return false;
    }

    /**
     * Collapse what is out of order; if that is not enough, give up what lies beyond the segment.
     */
    private boolean thinOut(long now, TcpConnection c, int truesize, long seq) {
        ReceiveQueue queue = c.receiveQueue;
        if (queue == null || queue.isEmpty()) {
            return false;
        }
        int before = queue.truesize();
        c.context.counters.add(Counter.TCP_RCV_COLLAPSED, queue.collapse(c.context.packets));
        charge(now, c, queue.truesize() - before);
        if (isKept(now, c, truesize)) {
            return true;
        }
        int chunk = Math.max(1, c.receiveWindow.rcvBuf >> 3);
        boolean pruned = false;
        boolean kept = false;
        int freed = queue.prune(c.context.packets, seq, chunk);
        while (freed > 0) {
            pruned = true;
            charge(now, c, -freed);
            kept = isKept(now, c, truesize);
            freed = kept ? 0 : queue.prune(c.context.packets, seq, chunk);
        }
        if (pruned) {
            c.context.count(Counter.OFO_PRUNED);
        }
        return kept;
    }

    /** Admits a segment whatever the limits say. */
    void force(TcpConnection c, int truesize) {
        c.forwardAlloc = c.context.memory.force(c.forwardAlloc, truesize);
    }

    /** Charges what was admitted; negative to uncharge. */
    void charge(long now, TcpConnection c, int truesize) {
        if (truesize >= 0) {
            c.forwardAlloc -= truesize;
        } else {
            c.forwardAlloc = c.context.memory.uncharge(now, c.forwardAlloc, -truesize);
        }
        c.receiveWindow.rmemAlloc += truesize;
    }

    /** Takes back what the application has finished reading. */
    void reclaim(long now, TcpConnection c) {
        if (c.in != null) {
            int freed = c.in.reclaim(c.context.packets);
            if (freed > 0) {
                charge(now, c, -freed);
            }
        }
    }

    /** Forgets out-of-order data and what was to be reported about it. */
    void discardQueue(long now, TcpConnection c) {
        ReceiveQueue queue = c.receiveQueue;
        if (queue != null) {
            int truesize = queue.truesize();
            queue.clear(c.context.packets);
            charge(now, c, -truesize);
            c.receiveQueue = null;
            c.context.giveBack(queue);
        }
    }

    /** Throws away what the application has not read. */
    void discardStream(long now, TcpConnection c) {
        if (c.in != null) {
            c.in.skip(c.available());
            reclaim(now, c);
        }
    }

    private static boolean isKept(long now, TcpConnection c, int truesize) {
        ReceiveWindow w = c.receiveWindow;
        boolean room =
                fits(c, truesize)
                        || c.context.receivePromise.admits(
                                (long) w.rmemAlloc + truesize, w.rcvBuf, w.promisedSpace());
        return room && admits(now, c, truesize);
    }

    private static boolean fits(TcpConnection c, int truesize) {
        ReceiveWindow w = c.receiveWindow;
        return (long) w.rmemAlloc + truesize <= w.rcvBuf || w.rmemAlloc == 0;
    }

    /** The stack's limit; on success {@code c.forwardAlloc} covers the truesize. */
    private static boolean admits(long now, TcpConnection c, int truesize) {
        if (truesize <= c.forwardAlloc) {
            return true;
        }
        int forward =
                c.context.memory.admitReceive(
                        now, c.forwardAlloc, truesize, c.receiveWindow.rmemAlloc, c.wmemQueued());
        if (forward < 0) {
            return false;
        }
        c.forwardAlloc = forward;
        return true;
    }
}
