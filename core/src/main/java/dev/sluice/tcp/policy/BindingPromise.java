package dev.sluice.tcp.policy;

/**
 * A promise is kept: shrinking the buffer never loses data that was allowed to be sent, and a
 * reader that drains a small buffer says so at once (B-1.4.5 rules 1 and 2).
 *
 * <p>The overdraft beyond the buffer is bounded by the memory the promise itself stands for.
 */
public final class BindingPromise implements ReceivePromise {
    /** The policy has no state. */
    public BindingPromise() {}

    @Override
    public boolean admits(long charged, int rcvBuf, int promisedSpace) {
        return charged <= (long) rcvBuf + promisedSpace;
    }

    /**
     * Rounding up with every ACK would keep a window open for ever that should close: segments
     * shorter than the granularity would never use it up. So it ends where the memory does;
     * rounding down moves the visible right edge left by less than the granularity, as RFC 7323
     * section 2.4 expects, and what was promised is still accepted.
     */
    @Override
    public boolean roundsUp(int neededSpace, int rcvBuf) {
        return neededSpace <= rcvBuf;
    }

    @Override
    public boolean announces(int wish, int offered, boolean drained, int halfBuffer, int rcvMss) {
        // The silly window rule of RFC 9293 section 3.8.6.2.2: the gain must be worth a segment.
        int worth = Math.min(halfBuffer, rcvMss);
        // A peer that can still send a full segment needs no hint; ordinary ACKs tell it soon
        // enough.
        return drained && offered < rcvMss && wish - offered >= worth;
    }
}
