package dev.sluice.lab.scenario;

import dev.sluice.config.StackConfig;
import dev.sluice.sim.app.Exchange;
import dev.sluice.sim.net.Impairments;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;
import dev.sluice.trace.Counter;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The scenarios there are. What each is about is also in {@code docs/scenarios.md}. */
public final class Scenarios {
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;
    private static final long MEGABIT = 1_000_000;
    private static final int BLOCK_BYTES = 65_536;

    /** Payload and size of a full packet: MTU 1500 less 20 (IP), 20 (TCP) and 12 (timestamps). */
    private static final long PAYLOAD_BYTES = 1_448;

    private static final long PACKET_BYTES = 1_500;

    private static final List<Scenario> ALL =
            List.of(cleanBulk(), lossyBulk(), nagleDelack(), nagleOff());

    private Scenarios() {}

    /** All scenarios, in the order in which they are run. */
    public static List<Scenario> all() {
        return ALL;
    }

    /** The scenario with this name, or null. */
    public static Scenario find(String name) {
        return ALL.stream().filter(s -> s.name().equals(name)).findFirst().orElse(null);
    }

    /** The scenario whose name is the most like this one. */
    public static Scenario nearest(String name) {
        return ALL.stream().min(Comparator.comparingInt(s -> edits(s.name(), name))).orElseThrow();
    }

    private static Scenario cleanBulk() {
        long rate = 100 * MEGABIT;
        long rtt = 10 * MILLI;
        long bytes = 10_000_000;
        LinkSpec link = LinkSpec.of(rate, rtt / 2).withQueuePackets(1_000);
        // What the link carries of payload when every packet is full.
        long ceiling = rate / PACKET_BYTES * PAYLOAD_BYTES;
        return new Scenario(
                "clean-bulk",
                "bulk data over a link that loses nothing",
                "100 Mbit/s, RTT 10 ms",
                link,
                link,
                NicSpec.standard(),
                StackConfig.defaults(),
                new Workload.Bulk(bytes, BLOCK_BYTES),
                10 * SECOND,
                List.of(
                        noViolations(),
                        Expectation.exactly(
                                Measure.delivered(), bytes, "a stream is complete or reset"),
                        Expectation.between(
                                Measure.goodput(),
                                ceiling / 100 * 93,
                                ceiling,
                                "only the handshake and the first round trips of slow start leave"
                                        + " the link idle"),
                        Expectation.exactly(
                                Measure.counter(Endpoint.CLIENT, Counter.TCP_RETRANS_SEGS),
                                0,
                                "nothing is lost, so nothing is sent twice"),
                        Expectation.exactly(
                                Measure.counter(Endpoint.CLIENT, Counter.TCP_TIMEOUTS),
                                0,
                                "ACKs arrive well before the retransmission timer")));
    }

    private static Scenario lossyBulk() {
        long rtt = 10 * MILLI;
        long bytes = 5_000_000;
        LinkSpec link = LinkSpec.of(100 * MEGABIT, rtt / 2).withQueuePackets(1_000);
        return new Scenario(
                "lossy-bulk",
                "bulk data over a link that loses 1 % of what the client sends",
                "100 Mbit/s, RTT 10 ms",
                link.with(Impairments.loss(1, 100)),
                link,
                NicSpec.standard(),
                StackConfig.defaults(),
                new Workload.Bulk(bytes, BLOCK_BYTES),
                60 * SECOND,
                List.of(
                        noViolations(),
                        Expectation.exactly(
                                Measure.delivered(), bytes, "loss delays a stream, never harms it"),
                        Expectation.atLeast(Measure.lostByLink(), 1, "the link does lose packets"),
                        Expectation.atLeast(
                                Measure.counter(Endpoint.CLIENT, Counter.TCP_RETRANS_SEGS),
                                1,
                                "what is lost is sent again"),
                        Expectation.between(
                                Measure.needlessRetransmissions(),
                                0,
                                3,
                                "SACK tells what arrived: little is sent twice that was not lost"),
                        Expectation.atLeast(
                                Measure.counter(Endpoint.CLIENT, Counter.TCP_SACK_RECOVERY),
                                1,
                                "losses are repaired by fast recovery (RFC 6675)")));
    }

    private static Scenario nagleDelack() {
        long rtt = MILLI;
        int rounds = 100;
        StackConfig config = StackConfig.defaults();
        long delayedAck = config.delackMinNanos;
        long slack = 100 * MICRO;
        return exchanges(
                "nagle-delack",
                "write-write-read with Nagle's algorithm against a delayed ACK",
                rtt,
                config,
                rounds,
                false,
                List.of(
                        noViolations(),
                        Expectation.exactly(
                                Measure.exchanges(), rounds, "slow, but every request is answered"),
                        Expectation.between(
                                Measure.firstExchange(),
                                2 * rtt,
                                2 * rtt + slack,
                                "a new connection is in quick-ACK mode: Nagle costs one round trip"
                                        + " (B-3.4)"),
                        Expectation.between(
                                Measure.fastestAfterFirst(),
                                delayedAck + 2 * rtt,
                                delayedAck + 2 * rtt + slack,
                                "the server has answered, so it delays the ACK that the second"
                                        + " write waits for (B-2.6, B-3.2, B-3.5)"),
                        Expectation.between(
                                Measure.medianAfterFirst(),
                                delayedAck + 2 * rtt,
                                delayedAck + 2 * rtt + slack,
                                "it does so every time"),
                        Expectation.between(
                                Measure.slowestAfterFirst(),
                                delayedAck + 2 * rtt,
                                delayedAck + 2 * rtt + slack,
                                "and never longer than its timer says"),
                        Expectation.exactly(
                                Measure.counter(Endpoint.SERVER, Counter.DELAYED_ACKS),
                                rounds - 1,
                                "one ACK by the timer for each exchange but the first"),
                        noRetransmissions()));
    }

    private static Scenario nagleOff() {
        long rtt = MILLI;
        int rounds = 100;
        long slack = 100 * MICRO;
        return exchanges(
                "nagle-off",
                "the same with TCP_NODELAY",
                rtt,
                StackConfig.defaults(),
                rounds,
                true,
                List.of(
                        noViolations(),
                        Expectation.exactly(
                                Measure.exchanges(), rounds, "every request is answered"),
                        Expectation.between(
                                Measure.firstExchange(),
                                rtt,
                                rtt + slack,
                                "both writes leave at once: one round trip"),
                        Expectation.between(
                                Measure.medianAfterFirst(), rtt, rtt + slack, "as the first one"),
                        Expectation.between(
                                Measure.slowestAfterFirst(), rtt, rtt + slack, "without exception"),
                        Expectation.exactly(
                                Measure.counter(Endpoint.SERVER, Counter.DELAYED_ACKS),
                                0,
                                "responses carry the ACKs"),
                        noRetransmissions()));
    }

    private static Scenario exchanges(
            String name,
            String summary,
            long rtt,
            StackConfig config,
            int rounds,
            boolean noDelay,
            List<Expectation> expectations) {
        LinkSpec link = LinkSpec.of(1_000 * MEGABIT, rtt / 2);
        return new Scenario(
                name,
                summary,
                "1 Gbit/s, RTT 1 ms",
                link,
                link,
                NicSpec.standard(),
                config,
                new Workload.Exchanges(
                        new Exchange(new int[] {100, 200}, new int[] {1_000}),
                        rounds,
                        10 * MILLI,
                        noDelay),
                60 * SECOND,
                expectations);
    }

    private static Expectation noViolations() {
        return Expectation.exactly(
                Measure.violations(), 0, "packets are conserved, windows and states are sound");
    }

    private static Expectation noRetransmissions() {
        return Expectation.exactly(
                Measure.counter(Endpoint.CLIENT, Counter.TCP_RETRANS_SEGS),
                0,
                "a delayed ACK comes before the retransmission timer");
    }

    /** Levenshtein distance. */
    private static int edits(String from, String to) {
        List<Integer> row = new ArrayList<>();
        for (int j = 0; j <= to.length(); j++) {
            row.add(j);
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row.get(0);
            row.set(0, i);
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row.get(j);
                row.set(j, Math.min(replaced, 1 + Math.min(diagonal, row.get(j - 1))));
            }
        }
        return row.get(to.length());
    }
}
