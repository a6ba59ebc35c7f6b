package dev.sluice.lab.scenario;

/**
 * An expectation and what was measured.
 *
 * @param expectation what was expected
 * @param measured what the run gave, in the unit of the measure; {@code Long.MAX_VALUE} if it never
 *     came to an end
 */
public record Verdict(Expectation expectation, long measured) {
    /** Whether the run did what was expected. */
    public boolean held() {
        return measured >= expectation.least()
                && measured <= expectation.most()
                && measured != Long.MAX_VALUE;
    }

    /** What was measured, in words. */
    public String measuredText() {
        return measured == Long.MAX_VALUE ? "nothing" : expectation.measure().unit().text(measured);
    }
}
