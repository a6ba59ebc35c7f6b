package dev.sluice.lab.scenario;

/**
 * A range that a measured value has to lie in.
 *
 * @param measure what is measured
 * @param least smallest value that is as expected
 * @param most largest value that is as expected; {@link #ANY} if there is none
 * @param reason why the mechanism under study makes it so
 */
public record Expectation(Measure measure, long least, long most, String reason) {
    /** No upper end. */
    public static final long ANY = Long.MAX_VALUE;

    public Expectation {
        if (least > most) {
            throw new IllegalArgumentException("nothing lies between " + least + " and " + most);
        }
    }

    static Expectation exactly(Measure measure, long value, String reason) {
        return new Expectation(measure, value, value, reason);
    }

    static Expectation atLeast(Measure measure, long least, String reason) {
        return new Expectation(measure, least, ANY, reason);
    }

    static Expectation between(Measure measure, long least, long most, String reason) {
        return new Expectation(measure, least, most, reason);
    }

    /** Compares with what a run gave. */
    Verdict judge(Outcome outcome) {
        return new Verdict(this, measure.value().applyAsLong(outcome));
    }

    /** The range in words: {@code 42.000 to 42.250 ms}. */
    public String range() {
        Unit unit = measure.unit();
        if (least == most) {
            return unit.text(least);
        }
        if (most == ANY) {
            return "at least " + unit.text(least);
        }
        return unit.withUnit(unit.number(least) + " to " + unit.number(most));
    }
}
