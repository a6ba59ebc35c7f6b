package dev.sluice.race;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A row of the table with its tests and what they have shown. */
final class RowResult {
    private static final String HIDDEN = "not observable on x86";

    private final Row row;
    private final String holder;
    private final List<RaceTest> fixed = new ArrayList<>();
    private final List<RaceTest> variants = new ArrayList<>();

    RowResult(Class<?> holder) {
        this.row = holder.getAnnotation(Row.class);
        this.holder = holder.getName();
    }

    void add(RaceTest test) {
        (test.mustFail() ? variants : fixed).add(test);
    }

    Row row() {
        return row;
    }

    boolean isPassed() {
        return problems().isEmpty();
    }

    /** What makes the run fail, a line each. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (RaceTest test : fixed) {
            test.badStates()
                    .forEach(
                            (state, times) ->
                                    problems.add(
                                            "%s: forbidden outcome (%s), %,d times"
                                                    .formatted(test.name(), state, times)));
            if (test.samples() == 0) {
                problems.add(test.name() + ": no sample was taken");
            }
        }
        for (RaceTest test : variants) {
            if (!test.isSettled()) {
                problems.add(
                        "%s: never failed in %,d samples, so the test beside it proves nothing"
                                .formatted(test.name(), test.samples()));
            }
        }
        for (RaceTest test : all()) {
            test.faults().forEach(fault -> problems.add(test.name() + ": " + fault));
        }
        return problems;
    }

    /** Problems that only a longer run can settle: variants that have not failed yet. */
    int unproven() {
        return (int) variants.stream().filter(test -> !test.isSettled()).count();
    }

    private List<RaceTest> all() {
        List<RaceTest> all = new ArrayList<>(fixed);
        all.addAll(variants);
        return all;
    }

    /** For the terminal. */
    String line() {
        List<String> seen = new ArrayList<>();
        for (RaceTest test : variants) {
            seen.add(seen(test));
        }
        return String.format(
                Locale.ROOT,
                "%-4s %-29s %-42s fixed: forbidden %,d of %,d; must-fail: %s",
                isPassed() ? "ok" : "FAIL",
                row.shared(),
                row.protocol(),
                sumBad(),
                sumSamples(),
                seen.isEmpty() ? "none, there is no fence" : String.join(", ", seen));
    }

    /** For the table in the documentation. */
    String markdown() {
        List<String> seen = new ArrayList<>();
        for (RaceTest test : variants) {
            seen.add("without " + test.missing() + ": " + seen(test));
        }
        return String.format(
                Locale.ROOT,
                "| `%s` | %s | %s | %s | `%s` | %,d of %,d | %s |",
                row.shared(),
                row.protocol(),
                row.parties(),
                row.ordering(),
                holder.substring(holder.lastIndexOf('.') + 1),
                sumBad(),
                sumSamples(),
                seen.isEmpty() ? "there is no fence" : String.join("<br>", seen));
    }

    private static String seen(RaceTest test) {
        return !test.isObservable() && test.bad() == 0
                ? HIDDEN
                : String.format(Locale.ROOT, "seen %,d of %,d", test.bad(), test.samples());
    }

    private long sumBad() {
        return fixed.stream().mapToLong(RaceTest::bad).sum();
    }

    private long sumSamples() {
        return fixed.stream().mapToLong(RaceTest::samples).sum();
    }
}
