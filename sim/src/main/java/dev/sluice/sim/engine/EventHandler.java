package dev.sluice.sim.engine;

/** Something that events are addressed to, registered once with {@link Simulation#register}. */
public interface EventHandler {
    /**
     * Handles one event. It may schedule others, at {@code now} or later, and must not run the
     * simulation itself.
     *
     * @param now virtual time, nanoseconds
     * @param code what the event is about, as given to {@link Simulation#schedule}
     * @param argument whatever belongs to the code, as given to {@link Simulation#schedule}
     */
    void handle(long now, int code, long argument);
}
