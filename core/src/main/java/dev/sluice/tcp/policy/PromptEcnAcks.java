package dev.sluice.tcp.policy;

/** No sender is kept waiting: Linux since 4.19 (B-1.2.7). */
public final class PromptEcnAcks implements EcnAckPolicy {
    private static final int QUICK_ACKS = 2;

    /** The policy has no state. */
    public PromptEcnAcks() {}

    @Override
    public boolean acknowledgesChange() {
        return true;
    }

    @Override
    public boolean priorAckSettlesAll() {
        return false;
    }

    @Override
    public boolean acknowledgesReduction() {
        return true;
    }

    @Override
    public int quickAcks() {
        return QUICK_ACKS;
    }
}
