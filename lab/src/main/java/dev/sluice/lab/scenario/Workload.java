package dev.sluice.lab.scenario;

import dev.sluice.sim.app.Exchange;

/** What the client and the server of a scenario do on one connection. */
public sealed interface Workload {
    /**
     * The client sends bytes as fast as TCP takes them. A latency is that of one block, from the
     * write to the read.
     *
     * @param bytes how many
     * @param blockBytes bytes of a block
     */
    record Bulk(long bytes, int blockBytes) implements Workload {}

    /**
     * The client sends a request and waits for the response, again and again. A latency is that of
     * one exchange, from the first write to the last byte read.
     *
     * @param exchange the writes of either side
     * @param rounds how many exchanges
     * @param pauseNanos from a response to the next request
     * @param noDelay whether the client sets {@code TCP_NODELAY}
     */
    record Exchanges(Exchange exchange, int rounds, long pauseNanos, boolean noDelay)
            implements Workload {}
}
