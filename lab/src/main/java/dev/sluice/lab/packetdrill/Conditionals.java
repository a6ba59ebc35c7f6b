package dev.sluice.lab.packetdrill;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * The {@code #ifdef NAME}, {@code #ifndef NAME}, {@code #else}, {@code #endif} lines of the nplab
 * dialect, which the FreeBSD suite uses. Excluded text becomes blanks, so that every position stays
 * what it was.
 */
final class Conditionals {
    private Conditionals() {}

    static Source apply(Source source, Set<String> defined) {
        String text = source.text();
        if (!text.contains("#")) {
            return source;
        }
        StringBuilder kept = new StringBuilder(text);
        Deque<Boolean> including = new ArrayDeque<>();
        Deque<Integer> opened = new ArrayDeque<>();
        int start = 0;
        while (start < text.length()) {
            int newline = text.indexOf('\n', start);
            int end = newline < 0 ? text.length() : newline;
            String[] words = text.substring(start, end).strip().split("\\s+");
            boolean directive = true;
            switch (words[0]) {
                case "#ifdef", "#ifndef" -> {
                    if (words.length != 2) {
                        throw ScriptSyntaxException.expected(
                                source.position(start),
                                "one name after " + words[0],
                                "more or less");
                    }
                    including.push(defined.contains(words[1]) == words[0].equals("#ifdef"));
                    opened.push(start);
                }
                case "#else" -> {
                    requireOpen(including, source, start, words[0]);
                    including.push(!including.pop());
                }
                case "#endif" -> {
                    requireOpen(including, source, start, words[0]);
                    including.pop();
                    opened.pop();
                }
                default -> directive = false;
            }
            if (directive || including.contains(false)) {
                blank(kept, start, end);
            }
            start = end + 1;
        }
        if (!opened.isEmpty()) {
            throw ScriptSyntaxException.expected(
                    source.position(opened.peek()), "#endif for this", "the end of the script");
        }
        return new Source(source.name(), kept.toString());
    }

    private static void requireOpen(
            Deque<Boolean> including, Source source, int start, String directive) {
        if (including.isEmpty()) {
            throw ScriptSyntaxException.expected(
                    source.position(start), "#ifdef before " + directive, "none");
        }
    }

    private static void blank(StringBuilder text, int from, int to) {
        for (int i = from; i < to; i++) {
            text.setCharAt(i, ' ');
        }
    }
}
