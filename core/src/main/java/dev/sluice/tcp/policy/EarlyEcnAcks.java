package dev.sluice.tcp.policy;

/**
 * Linux before 4.18, to show what it cost: the acknowledgment sent at a change of the mark cancels
 * that of the new segment, and data with CWR waits like any other, so that a sender with a window
 * of one segment stalls until its own timer (B-1.2.2, B-1.2.5).
 */
public final class EarlyEcnAcks implements EcnAckPolicy {
    private static final int QUICK_ACKS = 16;

    /** The policy has no state. */
    public EarlyEcnAcks() {}

    @Override
    public boolean acknowledgesChange() {
        return false;
    }

    @Override
    public boolean priorAckSettlesAll() {
        return true;
    }

    @Override
    public boolean acknowledgesReduction() {
        return false;
    }

    @Override
    public int quickAcks() {
        return QUICK_ACKS;
    }
}
