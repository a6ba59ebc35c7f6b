package dev.sluice.config;

import java.util.List;

/**
 * How the value of a sysctl is written and which values there are.
 *
 * <p>Whatever the kind, a value is an array of longs: one for a number, a switch (0 or 1) or a
 * choice (its index), two or three for a list, two for each Fast Open key. Immutable.
 */
final class SysctlFormat {
    static final String NO_FAST_OPEN_KEY = "00000000-00000000-00000000-00000000";

    private enum Kind {
        SWITCH("switch"),
        NUMBER("number"),
        LIST("numbers"),
        CHOICE("choice"),
        FAST_OPEN_KEY("key");

        private final String word;

        Kind(String word) {
            this.word = word;
        }
    }

    private final Kind kind;
    private final int count;
    private final long least;
    private final long most;
    private final boolean ascending;
    private final List<String> choices;

    private SysctlFormat(
            Kind kind, int count, long least, long most, boolean ascending, List<String> choices) {
        this.kind = kind;
        this.count = count;
        this.least = least;
        this.most = most;
        this.ascending = ascending;
        this.choices = choices;
    }

    /** 0 or 1. */
    static SysctlFormat flag() {
        return new SysctlFormat(Kind.SWITCH, 1, 0, 1, false, List.of());
    }

    /** A number, decimal or, with the prefix 0x, hexadecimal. */
    static SysctlFormat number(long least, long most) {
        return new SysctlFormat(Kind.NUMBER, 1, least, most, false, List.of());
    }

    /** Several numbers with space between them. */
    static SysctlFormat list(int count, long least, long most) {
        return new SysctlFormat(Kind.LIST, count, least, most, false, List.of());
    }

    /** Several numbers, none smaller than the one before. */
    static SysctlFormat ascending(int count, long least, long most) {
        return new SysctlFormat(Kind.LIST, count, least, most, true, List.of());
    }

    /** One of several names. */
    static SysctlFormat choice(String... names) {
        return new SysctlFormat(Kind.CHOICE, 1, 0, names.length - 1, false, List.of(names));
    }

    /** One or two 128-bit keys, each as four groups of eight hexadecimal digits. */
    static SysctlFormat fastOpenKey() {
        return new SysctlFormat(Kind.FAST_OPEN_KEY, 2, 0, 0, false, List.of());
    }

    /** The kind of value in one word, for people. */
    String kind() {
        return kind.word;
    }

    /** Which values are allowed, for people. */
    String allowed() {
        return switch (kind) {
            case SWITCH -> "0 or 1";
            case NUMBER -> least + " to " + most;
            case LIST ->
                    "%d numbers, each %d to %d%s"
                            .formatted(count, least, most, ascending ? ", ascending" : "");
            case CHOICE -> String.join(", ", choices);
            case FAST_OPEN_KEY ->
                    "xxxxxxxx-xxxxxxxx-xxxxxxxx-xxxxxxxx, or two of them with a comma";
        };
    }

    /** The value that {@code text} stands for, or null if there is no such value. */
    long[] parse(String text) {
        return switch (kind) {
            case SWITCH, NUMBER, LIST -> parseNumbers(text);
            case CHOICE -> choices.contains(text) ? new long[] {choices.indexOf(text)} : null;
            case FAST_OPEN_KEY -> parseKeys(text);
        };
    }

    /** How {@code value} is written; {@link #parse} undoes it. */
    String print(long[] value) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < value.length; i++) {
            switch (kind) {
                case CHOICE -> text.append(choices.get((int) value[i]));
                case FAST_OPEN_KEY -> {
                    String digits = "%016x".formatted(value[i]);
                    text.append(i == 0 ? "" : i == 2 ? "," : "-");
                    text.append(digits, 0, 8).append('-').append(digits, 8, 16);
                }
                default -> text.append(i == 0 ? "" : " ").append(value[i]);
            }
        }
        return text.toString();
    }

    private long[] parseNumbers(String text) {
        String[] words = text.split("\\s+");
        if (words.length != count) {
            return null;
        }
        long[] value = new long[count];
        for (int i = 0; i < count; i++) {
            try {
                value[i] =
                        words[i].startsWith("0x")
                                ? Long.parseLong(words[i].substring(2), 16)
                                : Long.parseLong(words[i]);
            } catch (NumberFormatException notANumber) {
                return null;
            }
            boolean descends = ascending && i > 0 && value[i] < value[i - 1];
            if (value[i] < least || value[i] > most || descends) {
                return null;
            }
        }
        return value;
    }

    private static long[] parseKeys(String text) {
        String[] keys = text.split(",", -1);
        if (keys.length > 2) {
            return null;
        }
        long[] value = new long[2 * keys.length];
        for (int i = 0; i < keys.length; i++) {
            if (!keys[i].matches("[0-9a-fA-F]{8}(-[0-9a-fA-F]{8}){3}")) {
                return null;
            }
            String digits = keys[i].replace("-", "");
            value[2 * i] = Long.parseUnsignedLong(digits.substring(0, 16), 16);
            value[2 * i + 1] = Long.parseUnsignedLong(digits.substring(16), 16);
        }
        return value;
    }
}
