package dev.sluice.lab.scenario;

import dev.sluice.lab.load.LatencyRecorder;
import dev.sluice.trace.Counter;

import java.nio.file.Path;
import java.util.List;

/**
 * What a run of a scenario gave.
 *
 * @param scenario what was run
 * @param seed where its randomness came from
 * @param deliveredBytes payload the server read in bulk, or both sides read in exchanges
 * @param busyNanos virtual time from the start of the client to the last byte read
 * @param lostPackets packets lost by the link from the client to the server
 * @param latencies in the order in which they were measured, nanoseconds
 * @param clientCounters counters of the client, by {@link Counter#ordinal()}
 * @param serverCounters counters of the server
 * @param captures the packets of either host
 * @param violation what a checker found wrong; null if nothing
 */
public record Outcome(
        Scenario scenario,
        long seed,
        long deliveredBytes,
        long busyNanos,
        long lostPackets,
        long[] latencies,
        long[] clientCounters,
        long[] serverCounters,
        List<Path> captures,
        String violation) {
    private static final long BITS_PER_BYTE = 8;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long NANOS_PER_MICRO = 1_000;

    /** How every expectation of the scenario fared. */
    public List<Verdict> verdicts() {
        return scenario.expectations().stream().map(e -> e.judge(this)).toList();
    }

    /** A counter of one host. */
    public long counter(Endpoint host, Counter counter) {
        return (host == Endpoint.CLIENT ? clientCounters : serverCounters)[counter.ordinal()];
    }

    /** Payload bits per second of virtual time. */
    public long goodputBitsPerSecond() {
        long micros = Math.max(1, busyNanos / NANOS_PER_MICRO);
        return deliveredBytes * BITS_PER_BYTE * MICROS_PER_SECOND / micros;
    }

    /** The latencies as a histogram. */
    public LatencyRecorder histogram() {
        LatencyRecorder recorder = new LatencyRecorder();
        for (long latency : latencies) {
            recorder.record(latency);
        }
        return recorder;
    }
}
