package dev.sluice.sim.net;

import java.util.List;
import java.util.function.Supplier;

/**
 * What one direction of a link is like.
 *
 * @param bitsPerSecond  serialization rate
 * @param delayNanos     propagation delay
 * @param overheadBytes  bytes that every packet costs on the wire beyond the IP packet itself
 * @param queue          makes the queue in front of the link
 * @param impairments    what happens to packets, in order
 */
public record LinkSpec(
        long bitsPerSecond,
        long delayNanos,
        int overheadBytes,
        Supplier<Qdisc> queue,
        List<Impairment> impairments) {
    public LinkSpec {
        if (bitsPerSecond <= 0 || delayNanos < 0 || overheadBytes < 0) {
            throw new IllegalArgumentException("a link needs a rate, and neither delay nor overhead is negative");
        }
        impairments = List.copyOf(impairments);
    }

    /** A link without overhead or impairments and with an unlimited queue. */
    public static LinkSpec of(long bitsPerSecond, long delayNanos) {
        return new LinkSpec(bitsPerSecond, delayNanos, 0, Fifo::unlimited, List.of());
    }

    public LinkSpec withQueue(Supplier<Qdisc> newQueue) {
        return new LinkSpec(bitsPerSecond, delayNanos, overheadBytes, newQueue, impairments);
    }

    public LinkSpec withOverhead(int bytes) {
        return new LinkSpec(bitsPerSecond, delayNanos, bytes, queue, impairments);
    }

    public LinkSpec withImpairments(Impairment... newImpairments) {
        return new LinkSpec(bitsPerSecond, delayNanos, overheadBytes, queue, List.of(newImpairments));
    }
}
