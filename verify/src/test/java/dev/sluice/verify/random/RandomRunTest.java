package dev.sluice.verify.random;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Random runs of two stacks over bad links. {@code -Dsluice.seed=N} repeats one, {@code
 * -Dsluice.long=true} makes many more.
 */
class RandomRunTest {
    private static final int SHORT_RUNS = 1_000;
    private static final int LONG_RUNS = 20_000;

    @Test
    void every_byte_arrives_once_and_in_order_whatever_the_network_does() {
        String seed = System.getProperty("sluice.seed");
        if (seed != null) {
            run(Long.decode(seed), true);
            return;
        }
        int runs = Boolean.getBoolean("sluice.long") ? LONG_RUNS : SHORT_RUNS;
        long packets = 0;
        for (int i = 1; i <= runs; i++) {
            packets += run(i, false);
        }
        System.out.println("random runs: seeds 1 to " + runs + ", " + packets + " packets");
    }

    @Test
    void a_run_repeats_itself_packet_for_packet() {
        for (long seed = 5_001; seed <= 5_010; seed++) {
            RandomOptions options = RandomOptions.draw(seed);
            assertThat(new RandomRun(options).run()).isEqualTo(new RandomRun(options).run());
        }
    }

    private static long run(long seed, boolean verbose) {
        RandomOptions options = RandomOptions.draw(seed);
        if (verbose) {
            System.out.println(options);
        }
        RandomRun run = new RandomRun(options);
        try {
            run.run();
        } catch (AssertionError | RuntimeException e) {
            System.out.println("random run failed: " + options);
            System.out.println("repeat it with: ./sluice test --seed " + seed);
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        return run.packets();
    }
}
