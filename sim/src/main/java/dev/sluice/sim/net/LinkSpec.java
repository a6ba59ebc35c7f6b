package dev.sluice.sim.net;

import dev.sluice.seed.Rng;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What one direction of a link is like. It makes queues and impairments rather than holding them,
 * so that it can serve for several links; each gets a generator of its own, split by the link's
 * name.
 *
 * @param bitsPerSecond serialization rate
 * @param delayNanos propagation delay
 * @param overheadBytes bytes that every packet costs on the wire beyond the IP packet itself
 * @param queue makes the queue in front of the link
 * @param impairments make what happens to packets, in order
 */
public record LinkSpec(
        long bitsPerSecond,
        long delayNanos,
        int overheadBytes,
        Function<Rng, Qdisc> queue,
        List<Function<Rng, Impairment>> impairments) {
    public LinkSpec {
        if (bitsPerSecond <= 0 || delayNanos < 0 || overheadBytes < 0) {
            throw new IllegalArgumentException(
                    "a link needs a rate, and neither delay nor overhead is negative");
        }
        impairments = List.copyOf(impairments);
    }

    /** A link without overhead or impairments and with an unlimited queue. */
    public static LinkSpec of(long bitsPerSecond, long delayNanos) {
        return new LinkSpec(bitsPerSecond, delayNanos, 0, rng -> Fifo.unlimited(), List.of());
    }

    public LinkSpec withQueue(Function<Rng, Qdisc> newQueue) {
        return new LinkSpec(bitsPerSecond, delayNanos, overheadBytes, newQueue, impairments);
    }

    /** With a drop-tail queue of so many packets. */
    public LinkSpec withQueuePackets(int packets) {
        return withQueue(rng -> Fifo.ofPackets(packets));
    }

    public LinkSpec withOverhead(int bytes) {
        return new LinkSpec(bitsPerSecond, delayNanos, bytes, queue, impairments);
    }

    /** With these impairments instead of those so far, as made by {@link Impairments}. */
    public LinkSpec withImpairments(List<Function<Rng, Impairment>> newImpairments) {
        return new LinkSpec(bitsPerSecond, delayNanos, overheadBytes, queue, newImpairments);
    }

    /** With one more impairment, after those so far. */
    public LinkSpec with(Function<Rng, Impairment> impairment) {
        List<Function<Rng, Impairment>> longer = new ArrayList<>(impairments);
        longer.add(impairment);
        return withImpairments(longer);
    }
}
