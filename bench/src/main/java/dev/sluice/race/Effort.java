package dev.sluice.race;

import java.util.List;

/**
 * How long the tests run.
 *
 * @param fixedMillis for each test of the real thing, in each kind of JVM
 * @param variantMillis for each variant that must fail, at first
 * @param attempts how often a variant that has shown nothing is tried; each time twice as long
 * @param rounds how often all of it is done
 * @param conclusive long enough that a variant which has shown nothing is a failure
 */
record Effort(int fixedMillis, int variantMillis, int attempts, int rounds, boolean conclusive) {
    /** Compiled with instructions in random order: what the processor would hide shows anyway. */
    static final List<String> SHUFFLED =
            List.of(
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:+StressLCM",
                    "-XX:+StressGCM",
                    "-XX:+StressIGVN",
                    "-XX:+StressCCP");

    private static final List<String> OPTIMISED = List.of("-XX:-TieredCompilation");
    private static final List<String> SIMPLE = List.of("-XX:TieredStopAtLevel=1");

    static Effort ofShort() {
        return new Effort(200, 150, 7, 1, false);
    }

    static Effort ofNormal() {
        return new Effort(1_000, 500, 7, 1, true);
    }

    static Effort ofTough() {
        return new Effort(5_000, 2_000, 6, 3, true);
    }

    /** The kinds of JVM in which the real thing is tested. */
    List<List<String>> kinds() {
        return List.of(SHUFFLED, OPTIMISED, SIMPLE);
    }

    /** The kind of JVM for an attempt of the variants. */
    static List<String> kindOf(int attempt) {
        return attempt % 3 == 2 ? OPTIMISED : SHUFFLED;
    }
}
