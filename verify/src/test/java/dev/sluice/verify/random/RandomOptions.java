package dev.sluice.verify.random;

import dev.sluice.seed.Rng;
import dev.sluice.sim.net.Impairment;
import dev.sluice.sim.net.Impairments;
import dev.sluice.sim.net.LinkSpec;
import dev.sluice.sim.net.NicSpec;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Everything about a random run that is drawn from its seed before it begins. */
record RandomOptions(
        long seed,
        boolean ipv6,
        NicSpec clientCard,
        NicSpec serverCard,
        LinkOptions there,
        LinkOptions back,
        boolean sack,
        boolean timestamps,
        boolean windowScaling,
        String congestion,
        int ecnClient,
        int ecnServer,
        int ecnOption,
        int marks,
        boolean partition,
        long faultNanos,
        List<FlowOptions> flows) {
    private static final String[] CONGESTION = {"cubic", "reno", "dctcp", "bbr"};
    private static final int[] MTUS = {296, 576, 1280, 1400, 1500, 9000};

    /** One direction of the link. Ratios are of 1000 packets. */
    record LinkOptions(
            long bitsPerSecond,
            long delayNanos,
            int queuePackets,
            int loss,
            int bursts,
            int reorder,
            int swap,
            int duplicate,
            int corrupt,
            long jitterNanos,
            boolean jitterOvertakes) {
        static LinkOptions draw(Rng rng, long bitsPerSecond, long delayNanos) {
            int badness = rng.nextInt(4); // a good link, one fault, some, or all of them
            return new LinkOptions(
                    bitsPerSecond,
                    delayNanos,
                    rng.between(5, rng.nextBoolean() ? 50 : 1000),
                    sometimes(rng, badness, 200),
                    sometimes(rng, badness, 20),
                    sometimes(rng, badness, 200),
                    sometimes(rng, badness, 100),
                    sometimes(rng, badness, 100),
                    sometimes(rng, badness, 100),
                    sometimes(rng, badness, 1000) * (delayNanos / 500),
                    rng.nextBoolean());
        }

        private static int sometimes(Rng rng, int badness, int most) {
            boolean applies = rng.chance(badness, 3);
            int amount = rng.between(1, most);
            return applies ? amount : 0;
        }

        LinkSpec spec(long faultNanos) {
            List<Function<Rng, Impairment>> made = new ArrayList<>();
            add(made, loss, Impairments.loss(loss, 1000));
            add(made, bursts, Impairments.burstLoss(bursts, 8));
            add(made, corrupt, Impairments.corrupt(corrupt, 1000));
            add(made, duplicate, Impairments.duplicate(duplicate, 1000));
            add(made, reorder, Impairments.reorder(reorder, 1000, delayNanos / 2 + 1_000));
            add(made, swap, Impairments.swap(swap, 1000, 3, 10_000_000));
            add(made, (int) jitterNanos, Impairments.jitter(jitterNanos, jitterOvertakes));
            LinkSpec spec = LinkSpec.of(bitsPerSecond, delayNanos).withQueuePackets(queuePackets);
            for (Function<Rng, Impairment> impairment : made) {
                spec = spec.with(Impairments.until(faultNanos, impairment));
            }
            return spec;
        }

        private static void add(
                List<Function<Rng, Impairment>> made, int amount, Function<Rng, Impairment> one) {
            if (amount > 0) {
                made.add(one);
            }
        }
    }

    /** One connection. Buffer sizes of 0 leave the defaults. */
    record FlowOptions(
            long clientBytes,
            long serverBytes,
            boolean synthetic,
            int writeSize,
            int clientSendBuffer,
            int clientReceiveBuffer,
            int serverSendBuffer,
            int serverReceiveBuffer,
            boolean noDelay,
            long clientPatience,
            long serverPatience,
            boolean reset,
            long startNanos) {
        static FlowOptions draw(Rng rng, long mostBytes) {
            boolean impatient = rng.chance(1, 4);
            int clientReceiveBuffer = buffer(rng);
            int serverReceiveBuffer = buffer(rng);
            return new FlowOptions(
                    size(rng, mostInto(serverReceiveBuffer, mostBytes)),
                    rng.nextBoolean() ? 0 : size(rng, mostInto(clientReceiveBuffer, mostBytes)),
                    rng.nextBoolean(),
                    rng.nextBoolean() ? rng.between(1, 3_000) : 65_536,
                    buffer(rng),
                    clientReceiveBuffer,
                    buffer(rng),
                    serverReceiveBuffer,
                    rng.nextBoolean(),
                    impatient && rng.nextBoolean() ? rng.nextLong(mostBytes) : Long.MAX_VALUE,
                    impatient ? rng.nextLong(mostBytes) : Long.MAX_VALUE,
                    rng.chance(1, 3),
                    rng.nextLong(3_000_000_000L));
        }

        /** A window smaller than a segment takes a few hundred bytes per persist timeout. */
        private static long mostInto(int receiveBuffer, long most) {
            return receiveBuffer > 0 && receiveBuffer < 5_000 ? most / 20 : most;
        }

        private static long size(Rng rng, long most) {
            return rng.nextLong(rng.nextBoolean() ? most : Math.min(most, 5_000));
        }

        private static int buffer(Rng rng) {
            return switch (rng.nextInt(5)) {
                case 0 -> 1;
                case 1 -> rng.between(2_000, 20_000);
                case 2 -> 4_000_000;
                default -> 0;
            };
        }
    }

    static RandomOptions draw(long seed) {
        Rng rng = new Rng(seed).split("options");
        Rng ecn = rng.split("ecn");
        String congestion = CONGESTION[ecn.nextInt(CONGESTION.length)];
        boolean ipv6 = rng.chance(1, 3);
        long rate = 1_000_000L << rng.nextInt(14);
        long delay = 10_000L << rng.nextInt(14);
        // A transfer of this size passes the link in some seconds.
        long mostBytes = Math.clamp(rate / 8, 100_000, 2_000_000);
        List<FlowOptions> flows = new ArrayList<>();
        int count = rng.between(1, 4);
        for (int i = 0; i < count; i++) {
            flows.add(FlowOptions.draw(rng, mostBytes));
        }
        return new RandomOptions(
                seed,
                ipv6,
                card(rng, ipv6),
                card(rng, ipv6),
                LinkOptions.draw(rng, rate, delay),
                LinkOptions.draw(
                        rng, rng.nextBoolean() ? rate : Math.max(500_000, rate / 10), delay),
                !rng.chance(1, 4),
                !rng.chance(1, 4),
                !rng.chance(1, 5),
                congestion,
                ecn.nextInt(6),
                ecn.nextInt(6),
                ecn.nextInt(4),
                // The ACK of DCTCP for what came before a mark takes back window, as Linux's does.
                congestion.equals("dctcp") || ecn.nextBoolean() ? 0 : ecn.between(1, 200),
                rng.chance(1, 4),
                rng.between(1_000_000_000L, 20_000_000_000L),
                flows);
    }

    private static NicSpec card(Rng rng, boolean ipv6) {
        int mtu = MTUS[rng.nextInt(MTUS.length)];
        long hold = rng.nextBoolean() ? 0 : rng.nextLong(100_000);
        return new NicSpec(
                ipv6 ? Math.max(mtu, 1280) : mtu,
                rng.nextBoolean(),
                rng.nextBoolean(),
                rng.nextBoolean(),
                rng.nextBoolean() ? 1024 : rng.between(1, 20),
                hold,
                rng.nextBoolean() ? 0 : hold);
    }
}
