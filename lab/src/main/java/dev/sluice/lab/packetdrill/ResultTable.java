package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The results of many scripts: totals, a summary by area, and a table for other programs. */
public final class ResultTable {
    private final List<ScriptResult> results;

    public ResultTable(List<ScriptResult> results) {
        this.results = List.copyOf(results);
    }

    /** How many scripts came to a verdict. */
    public int count(Verdict verdict) {
        return (int) results.stream().filter(r -> r.verdict() == verdict).count();
    }

    /** Whether there is at least one script and every one passed. */
    public boolean allPassed() {
        return !results.isEmpty() && count(Verdict.PASSED) == results.size();
    }

    /** {@code passed N, failed N, unsupported N}. */
    public String totals() {
        return "passed %d, failed %d, unsupported %d"
                .formatted(
                        count(Verdict.PASSED), count(Verdict.FAILED), count(Verdict.UNSUPPORTED));
    }

    /** One line an area, in alphabetical order, if there is more than one area. */
    public List<String> summaryByArea() {
        Map<String, Map<Verdict, Integer>> areas = new TreeMap<>();
        for (ScriptResult result : results) {
            areas.computeIfAbsent(result.area(), a -> new EnumMap<>(Verdict.class))
                    .merge(result.verdict(), 1, Integer::sum);
        }
        if (areas.size() < 2) {
            return List.of();
        }
        int width = areas.keySet().stream().mapToInt(String::length).max().orElse(0);
        List<String> lines = new ArrayList<>();
        areas.forEach((area, counts) -> lines.add(line(area, width, counts)));
        return lines;
    }

    private static String line(String area, int width, Map<Verdict, Integer> counts) {
        int passed = counts.getOrDefault(Verdict.PASSED, 0);
        int failed = counts.getOrDefault(Verdict.FAILED, 0);
        int unsupported = counts.getOrDefault(Verdict.UNSUPPORTED, 0);
        String name = area.isEmpty() ? "." : area;
        return "%s%s  %3d of %3d pass, %3d fail, %3d unsupported"
                .formatted(
                        name,
                        " ".repeat(Math.max(0, width - name.length())),
                        passed,
                        passed + failed + unsupported,
                        failed,
                        unsupported);
    }

    /**
     * Facts as {@code # name<tab>value}, a header, and one line a script: script, area, verdict,
     * place, message, virtual seconds.
     */
    public String toTsv(Map<String, String> facts) {
        StringBuilder text = new StringBuilder();
        facts.forEach(
                (name, value) ->
                        text.append("# ")
                                .append(name)
                                .append('\t')
                                .append(cell(value))
                                .append('\n'));
        text.append("script\tarea\tverdict\tplace\tmessage\tvirtual_seconds\n");
        for (ScriptResult result : results) {
            String place = result.position().map(p -> p.line() + ":" + p.column()).orElse("");
            text.append(cell(result.name()))
                    .append('\t')
                    .append(cell(result.area()))
                    .append('\t')
                    .append(result.verdict().word())
                    .append('\t')
                    .append(place)
                    .append('\t')
                    .append(cell(result.message()))
                    .append('\t')
                    .append(TimeRules.seconds(result.virtualNanos()))
                    .append('\n');
        }
        return text.toString();
    }

    private static String cell(String text) {
        return text.replaceAll("[\t\r\n]+", " ");
    }

    /** The form that build servers read: a failure is a failure, unsupported is skipped. */
    public String toJunitXml() {
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        xml.append(
                "<testsuite name=\"packetdrill\" tests=\"%d\" failures=\"%d\" skipped=\"%d\" errors=\"0\">\n"
                        .formatted(
                                results.size(), count(Verdict.FAILED), count(Verdict.UNSUPPORTED)));
        for (ScriptResult result : results) {
            xml.append(
                    "  <testcase classname=\"%s\" name=\"%s\" time=\"0\""
                            .formatted(
                                    escape("packetdrill." + result.area().replace('/', '.')),
                                    escape(result.name())));
            switch (result.verdict()) {
                case PASSED -> xml.append("/>\n");
                case FAILED ->
                        xml.append(
                                ">\n    <failure message=\"%s\">%s</failure>\n  </testcase>\n"
                                        .formatted(
                                                escape(result.headline()),
                                                escape(String.join("\n", result.details()))));
                case UNSUPPORTED ->
                        xml.append(
                                ">\n    <skipped message=\"%s\"/>\n  </testcase>\n"
                                        .formatted(escape(result.headline())));
            }
        }
        return xml.append("</testsuite>\n").toString();
    }

    /** Text for XML 1.0, which has no way to write most control characters. */
    private static String escape(String text) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\n', '\t' -> escaped.append(c);
                default -> escaped.append(c < 0x20 ? '\ufffd' : c);
            }
        }
        return escaped.toString();
    }
}
