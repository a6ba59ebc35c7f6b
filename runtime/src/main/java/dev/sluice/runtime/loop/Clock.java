package dev.sluice.runtime.loop;

/** A seam: the time that a loop drives its stack by. */
public interface Clock {
    /** Nanoseconds since some moment; never decreases. */
    long now();

    /** The monotonic clock of the system: the same time for all stacks of a JVM. */
    static Clock system() {
        return System::nanoTime;
    }
}
