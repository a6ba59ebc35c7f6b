package dev.sluice.sim.check;

/** Something that must hold did not: a bug of the stack or of the simulator, not of the network. */
public final class CheckFailure extends AssertionError {
    private static final long serialVersionUID = 1L;

    /**
     * @param time virtual time at which it was noticed, nanoseconds
     * @param what what was expected and what was found
     */
    public CheckFailure(long time, String what) {
        super("at " + time + " ns: " + what);
    }
}
