package dev.sluice.race;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * {@code sluice race}: runs the tests of everything that threads share, and prints a row for each
 * protocol. Exit status 1 if a forbidden outcome was seen, or if a variant that must fail did not.
 */
public final class RaceRun {
    private static final int MISSED = 1;
    private static final int USAGE = 2;

    /** So few samples are not enough: then the test runs once more, for longer. */
    private static final long FEW_SAMPLES = 1_000;

    private static final int LONGER = 8;

    /** How the table begins. */
    private static final String TABLE = "| Shared |";

    private final Effort effort;
    private final List<RaceTest> tests;
    private final Path table;

    private RaceRun(Effort effort, List<RaceTest> tests, Path table) {
        this.effort = effort;
        this.tests = tests;
        this.table = table;
    }

    /**
     * Arguments are those that the command has checked: {@code --short} or {@code --tough}, {@code
     * --test PATTERN}, {@code --table FILE}.
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        Effort effort = Effort.ofNormal();
        Pattern pattern = Pattern.compile("");
        Path table = null;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--short" -> effort = Effort.ofShort();
                case "--tough" -> effort = Effort.ofTough();
                case "--test" -> pattern = patternOrExit(args[++i]);
                case "--table" -> table = Path.of(args[++i]);
                default -> throw new IllegalArgumentException(args[i]);
            }
        }
        List<RaceTest> chosen = new ArrayList<>();
        for (RaceTest test : RaceTest.all()) {
            Row row = test.holder().getAnnotation(Row.class);
            String key = test.name() + " " + row.shared() + " " + row.protocol();
            if (pattern.matcher(key).find()) {
                chosen.add(test);
            }
        }
        if (chosen.isEmpty()) {
            System.err.println("sluice race: no test has a name or row with " + pattern);
            System.exit(USAGE);
        }
        System.exit(new RaceRun(effort, chosen, table).run());
    }

    private static Pattern patternOrExit(String text) {
        try {
            return Pattern.compile(text, Pattern.CASE_INSENSITIVE);
        } catch (PatternSyntaxException e) {
            System.err.println("sluice race: not a regular expression: " + text);
            System.exit(USAGE);
            throw e;
        }
    }

    private int run() throws IOException, InterruptedException {
        for (int round = 0; round < effort.rounds(); round++) {
            runFixed();
            runVariants();
        }
        List<RowResult> rows = rows();
        rows.forEach(row -> System.out.println(row.line()));
        if (table != null) {
            writeTable(rows);
        }
        List<String> problems = new ArrayList<>();
        rows.forEach(row -> problems.addAll(row.problems()));
        problems.forEach(problem -> System.out.println("race: " + problem));
        long passed = rows.stream().filter(RowResult::isPassed).count();
        System.out.printf("race: %d of %d rows hold%n", passed, rows.size());
        int left = effort.conclusive() ? 0 : rows.stream().mapToInt(RowResult::unproven).sum();
        return problems.size() == left ? 0 : MISSED;
    }

    private void runFixed() throws IOException, InterruptedException {
        List<RaceTest> fixed = tests.stream().filter(test -> !test.mustFail()).toList();
        for (List<String> kind : effort.kinds()) {
            Workers.run(fixed, effort.fixedMillis(), kind);
        }
        // On a machine that is busy otherwise the two sides hardly ever meet.
        List<RaceTest> few = fixed.stream().filter(test -> test.samples() < FEW_SAMPLES).toList();
        if (!few.isEmpty()) {
            Workers.run(few, LONGER * effort.fixedMillis(), effort.kinds().getFirst());
        }
    }

    /** Those that x86 hides run once, for the sight of it; the others until they have failed. */
    private void runVariants() throws IOException, InterruptedException {
        List<RaceTest> left = tests.stream().filter(RaceTest::mustFail).toList();
        int millis = effort.variantMillis();
        for (int attempt = 0; attempt < effort.attempts() && !left.isEmpty(); attempt++) {
            Workers.run(left, millis, Effort.kindOf(attempt));
            left = left.stream().filter(test -> !test.isSettled()).toList();
            millis *= 2;
        }
    }

    private List<RowResult> rows() {
        Map<Class<?>, RowResult> rows = new LinkedHashMap<>();
        for (RaceTest test : tests) {
            rows.computeIfAbsent(test.holder(), RowResult::new).add(test);
        }
        List<RowResult> sorted = new ArrayList<>(rows.values());
        sorted.sort(
                Comparator.comparing((RowResult r) -> r.row().shared().startsWith("litmus"))
                        .thenComparing(r -> r.row().shared())
                        .thenComparing(r -> r.row().protocol()));
        return sorted;
    }

    /** Replaces the table in the file, or writes one. */
    private void writeTable(List<RowResult> rows) throws IOException {
        List<String> lines = new ArrayList<>();
        int at = 0;
        if (Files.exists(table)) {
            lines.addAll(Files.readAllLines(table));
            while (at < lines.size() && !lines.get(at).startsWith(TABLE)) {
                at++;
            }
            while (at < lines.size() && lines.get(at).startsWith("|")) {
                lines.remove(at);
            }
        }
        List<String> written = new ArrayList<>();
        written.add(
                TABLE + " Protocol | Writer → reader | Ordering | Test | Forbidden | Variants |");
        written.add("| --- | --- | --- | --- | --- | --- | --- |");
        rows.forEach(row -> written.add(row.markdown()));
        lines.addAll(at, written);
        Files.write(table, lines);
    }
}
