package dev.sluice.lab.scenario;

import dev.sluice.trace.Counter;

import java.util.Arrays;
import java.util.function.ToLongFunction;

/**
 * Something that can be read off the outcome of a run.
 *
 * @param name what it is, for people
 * @param unit what the number counts
 * @param value reads it
 */
public record Measure(String name, Unit unit, ToLongFunction<Outcome> value) {
    /** Bytes that arrived, each checked to be the right one at its place. */
    static Measure delivered() {
        return new Measure("bytes delivered in order", Unit.BYTES, Outcome::deliveredBytes);
    }

    /** Payload per second from the first write to the last byte read. */
    static Measure goodput() {
        return new Measure("goodput", Unit.BITS_PER_SECOND, Outcome::goodputBitsPerSecond);
    }

    /** Whatever the checkers of the simulator found wrong. */
    static Measure violations() {
        return new Measure(
                "violations found by checkers", Unit.COUNT, o -> o.violation() == null ? 0 : 1);
    }

    /** A counter of one host, named as nstat names it. */
    static Measure counter(Endpoint host, Counter counter) {
        return new Measure(
                host.hostName() + " " + counter.nstatName(),
                Unit.COUNT,
                o -> o.counter(host, counter));
    }

    /** Packets that the link from the client to the server lost. */
    static Measure lostByLink() {
        return new Measure("packets lost by the link", Unit.COUNT, Outcome::lostPackets);
    }

    /** Segments retransmitted that no loss asked for. */
    static Measure needlessRetransmissions() {
        return new Measure(
                "segments retransmitted beyond those lost",
                Unit.COUNT,
                o -> o.counter(Endpoint.CLIENT, Counter.TCP_RETRANS_SEGS) - o.lostPackets());
    }

    /** Exchanges that were answered. */
    static Measure exchanges() {
        return new Measure("exchanges", Unit.COUNT, o -> o.latencies().length);
    }

    static Measure firstExchange() {
        return new Measure("first exchange", Unit.NANOSECONDS, o -> latency(o.latencies(), 0));
    }

    /** The exchange in the middle of all but the first. */
    static Measure medianAfterFirst() {
        return new Measure(
                "median of the exchanges after it",
                Unit.NANOSECONDS,
                o -> {
                    long[] sorted = sortedAfterFirst(o);
                    return latency(sorted, sorted.length / 2);
                });
    }

    /** The fastest of all but the first. */
    static Measure fastestAfterFirst() {
        return new Measure(
                "fastest of the exchanges after it",
                Unit.NANOSECONDS,
                o -> latency(sortedAfterFirst(o), 0));
    }

    /** The slowest of all but the first. */
    static Measure slowestAfterFirst() {
        return new Measure(
                "slowest of the exchanges after it",
                Unit.NANOSECONDS,
                o -> {
                    long[] sorted = sortedAfterFirst(o);
                    return latency(sorted, sorted.length - 1);
                });
    }

    private static long[] sortedAfterFirst(Outcome outcome) {
        long[] all = outcome.latencies();
        long[] rest = Arrays.copyOfRange(all, Math.min(1, all.length), all.length);
        Arrays.sort(rest);
        return rest;
    }

    /** A latency; one that never came to an end is longer than any other. */
    private static long latency(long[] latencies, int index) {
        return index >= 0 && index < latencies.length ? latencies[index] : Long.MAX_VALUE;
    }
}
