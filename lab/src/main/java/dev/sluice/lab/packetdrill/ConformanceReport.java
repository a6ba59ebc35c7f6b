package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Makes the document of conformance from tables of results: for each suite what was run, how many
 * of its scripts pass by area, and why each of the others does not.
 */
public final class ConformanceReport {
    private static final int COLUMNS = 6;

    /** Beyond this many scripts that do not pass, only their reasons are listed. */
    private static final int MOST_LISTED = 200;

    private ConformanceReport() {}

    /** One line of a table. */
    private record Row(String script, String area, String verdict, String place, String message) {}

    /** A table and what its first lines say about it. */
    private record Suite(Map<String, String> facts, List<Row> rows) {}

    /**
     * The document in Markdown.
     *
     * @param tables contents of results files, as {@link ResultTable#toTsv} writes them
     * @throws IllegalArgumentException if one is no such file
     */
    public static String markdown(List<String> tables) {
        StringBuilder text = new StringBuilder();
        text.append("# Conformance\n\n");
        text.append("Generated from results files by `./sluice packetdrill --report`. ");
        text.append("A script passes only if everything it demands happened; ");
        text.append("what the interpreter or the stack does not do is unsupported and never ");
        text.append("counts as passed. Why the rest does not pass: ");
        text.append("[conformance-reasons.md](conformance-reasons.md).\n");
        for (String table : tables) {
            append(text, parse(table));
        }
        return text.toString();
    }

    private static Suite parse(String table) {
        Map<String, String> facts = new TreeMap<>();
        List<Row> rows = new ArrayList<>();
        boolean header = false;
        for (String line : table.split("\n")) {
            String[] cells = line.split("\t", -1);
            if (line.startsWith("# ")) {
                facts.put(cells[0].substring(2), cells.length > 1 ? cells[1] : "");
            } else if (cells.length != COLUMNS) {
                throw new IllegalArgumentException("not a line of a results file: " + line);
            } else if (!header) {
                header = true;
            } else {
                rows.add(new Row(cells[0], cells[1], cells[2], cells[3], cells[4]));
            }
        }
        return new Suite(facts, rows);
    }

    private static void append(StringBuilder text, Suite suite) {
        text.append("\n## ").append(suite.facts().getOrDefault("suite", "scripts")).append("\n\n");
        suite.facts()
                .forEach(
                        (name, value) -> {
                            if (!name.equals("suite")) {
                                text.append("- ").append(name).append(": ").append(value);
                                text.append('\n');
                            }
                        });
        text.append("- result: ").append(totals(suite.rows())).append("\n\n");
        appendAreas(text, suite.rows());
        appendOthers(text, suite.rows());
    }

    private static long count(List<Row> rows, Verdict verdict) {
        return rows.stream().filter(row -> row.verdict().equals(verdict.word())).count();
    }

    private static String totals(List<Row> rows) {
        return "%d scripts, %d pass, %d fail, %d unsupported"
                .formatted(
                        rows.size(),
                        count(rows, Verdict.PASSED),
                        count(rows, Verdict.FAILED),
                        count(rows, Verdict.UNSUPPORTED));
    }

    private static void appendAreas(StringBuilder text, List<Row> rows) {
        Map<String, List<Row>> areas = new TreeMap<>();
        rows.forEach(row -> areas.computeIfAbsent(row.area(), a -> new ArrayList<>()).add(row));
        text.append("| area | scripts | pass | fail | unsupported |\n|---|---|---|---|---|\n");
        areas.forEach(
                (area, of) ->
                        text.append(
                                "| %s | %d | %d | %d | %d |\n"
                                        .formatted(
                                                area.isEmpty() ? "." : area,
                                                of.size(),
                                                count(of, Verdict.PASSED),
                                                count(of, Verdict.FAILED),
                                                count(of, Verdict.UNSUPPORTED))));
    }

    private static void appendOthers(StringBuilder text, List<Row> rows) {
        List<Row> others =
                rows.stream().filter(r -> !r.verdict().equals(Verdict.PASSED.word())).toList();
        if (others.isEmpty()) {
            return;
        }
        if (others.size() > MOST_LISTED) {
            appendReasons(text, others);
            return;
        }
        text.append("\n| script that does not pass | verdict | line | why |\n|---|---|---|---|\n");
        for (Row row : others) {
            String name = row.script().substring(row.script().lastIndexOf('/') + 1);
            String script = row.area().isEmpty() ? name : row.area() + "/" + name;
            text.append(
                    "| %s | %s | %s | %s |\n"
                            .formatted(script, row.verdict(), row.place(), cell(row.message())));
        }
    }

    /** Reasons with their numbers left out, the most frequent first. */
    private static void appendReasons(StringBuilder text, List<Row> rows) {
        Map<String, Integer> counts = new TreeMap<>();
        for (Row row : rows) {
            String reason = row.message().replaceAll("\\d[\\d.]*", "N");
            counts.merge("| " + row.verdict() + " | " + cell(reason) + " |", 1, Integer::sum);
        }
        text.append("\n| scripts that do not pass | verdict | why |\n|---|---|---|\n");
        counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .forEach(
                        entry ->
                                text.append("| ")
                                        .append(entry.getValue())
                                        .append(' ')
                                        .append(entry.getKey())
                                        .append('\n'));
    }

    private static String cell(String message) {
        return message.replace("|", "\\|").replace("<", "&lt;");
    }
}
