package dev.sluice.sim.fault;

/** Something that breaks in the network at a time; see {@link FaultInjector}. */
public sealed interface Fault {
    /** When it breaks, nanoseconds of virtual time. */
    long atNanos();

    /**
     * A link direction loses everything for a while.
     *
     * @param from name of the node the link leaves
     * @param to name of the node it leads to
     * @param durationNanos how long; {@code Long.MAX_VALUE} for ever
     */
    record Partition(long atNanos, String from, String to, long durationNanos) implements Fault {}

    /**
     * A link direction silently loses large packets for a while.
     *
     * @param passingBytes the largest IP packet that still passes
     * @param durationNanos how long; {@code Long.MAX_VALUE} for ever
     */
    record SizeBlackhole(long atNanos, String from, String to, int passingBytes, long durationNanos)
            implements Fault {}

    /**
     * A host dies without a word.
     *
     * @param host its name
     * @param durationNanos after which it comes back with an empty memory; {@code Long.MAX_VALUE}
     *     never
     */
    record PeerCrash(long atNanos, String host, long durationNanos) implements Fault {}
}
