package dev.sluice.runtime.loop;

/** A seam: the time that a loop drives its stack by. */
public interface Clock {
    /** Nanoseconds since some moment; never decreases. */
    long now();

    /** The monotonic clock of the system, counted from this call. */
    static Clock system() {
        long origin = System.nanoTime();
        return () -> System.nanoTime() - origin;
    }
}
