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

    @Override
    public boolean announces(int wish, int offered, boolean drained, int halfBuffer, int rcvMss) {
        // The silly window rule of RFC 9293 section 3.8.6.2.2: the gain must be worth a segment.
        int worth = Math.min(halfBuffer, rcvMss);
        // A peer that can still send a full segment needs no hint; ordinary ACKs tell it soon
        // enough.
        return drained && offered < rcvMss && wish - offered >= worth;
    }
}
