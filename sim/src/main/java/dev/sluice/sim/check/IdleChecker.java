package dev.sluice.sim.check;

import dev.sluice.sim.engine.Simulation;
import dev.sluice.sim.net.Topology;

import java.util.function.LongSupplier;

/**
 * A network whose programs rest allocates nothing (architecture section 15): timers may fire and
 * probes may be exchanged, but from what is there already.
 *
 * <p>Looks at a stretch of time that {@link #rest} lets pass. Other checkers and taps that allocate
 * must not be installed in the same run, for it cannot tell them from the stack.
 */
public final class IdleChecker implements Checker {
    private static final int STRETCHES = 8;

    private final LongSupplier allocated;
    private Topology network;

    /**
     * @param allocated bytes of heap that this thread has allocated so far, exactly; asking must
     *     not allocate
     */
    public IdleChecker(LongSupplier allocated) {
        this.allocated = allocated;
    }

    @Override
    public void install(Topology topology) {
        network = topology;
    }

    /**
     * Lets virtual time pass in which programs must not do anything: one stretch unseen, so that
     * what idleness needs is there, and then as many as it takes to see one, of at most {@value
     * #STRETCHES}, in which nothing was allocated. It may take several because the JVM itself
     * allocates a little when it links or compiles a method anew.
     *
     * @param nanos virtual time of a stretch
     * @return events of the stretch in which neither heap nor memory for packets was allocated
     */
    public long rest(long nanos) {
        Simulation simulation = network.simulation();
        simulation.runFor(nanos);
        long bytes = 0;
        for (int i = 0; i < STRETCHES; i++) {
            long events = simulation.eventsHandled();
            long slabs = network.packets().slabBytes();
            long before = allocated.getAsLong();
            simulation.runFor(nanos);
            bytes = allocated.getAsLong() - before;
            if (network.packets().slabBytes() != slabs) {
                throw new CheckFailure(
                        simulation.now(), "an idle network took more memory for packets");
            }
            if (bytes == 0) {
                return simulation.eventsHandled() - events;
            }
        }
        throw new CheckFailure(
                simulation.now(), "an idle network allocated " + bytes + " bytes of heap again");
    }

    /** Nothing to look at: what an idle network does shows in {@link #rest}. */
    @Override
    public void verify(long now) {}
}
