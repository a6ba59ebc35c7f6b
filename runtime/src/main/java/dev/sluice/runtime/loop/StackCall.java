package dev.sluice.runtime.loop;

/** Something to do on a stack, by whoever has it; short, never waiting. */
@FunctionalInterface
public interface StackCall {
    /**
     * @param now nanoseconds of the stack's clock
     * @return what the caller is told: as a rule a count or a negative errno
     */
    long run(long now);
}
