package dev.sluice.sim.check;

import dev.sluice.sim.net.Topology;

/**
 * Watches a run and ends it with a {@link CheckFailure} when something does not hold that must.
 *
 * <p>A checker may allocate and take its time; it is meant for tests.
 */
public interface Checker {
    /**
     * Looks at a network that is complete and has not begun to run; registers where it wants to
     * see.
     */
    void install(Topology topology);

    /** Looks once more at the end, or in a pause, of a run. */
    void verify(long now);
}
