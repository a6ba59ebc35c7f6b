package dev.sluice.cli;

/**
 * Measures how long something took by the wall clock. The only clock outside of {@code runtime}:
 * nothing decides by it what a simulation does.
 */
final class Stopwatch {
    private final long begun = System.nanoTime();

    /** Nanoseconds since this was made; at least 1. */
    long nanos() {
        return Math.max(1, System.nanoTime() - begun);
    }
}
