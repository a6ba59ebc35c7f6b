package dev.sluice.runtime;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * A file in the format of {@link Properties}, in the order it was written in, with its line
 * numbers; no key may be there twice.
 */
final class PropertyFile {
    /** One assignment. */
    record Entry(int line, String key, String value) {}

    private final String name;
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    private PropertyFile(String name) {
        this.name = name;
    }

    static PropertyFile parse(String name, String text) throws LiveConfigException {
        PropertyFile file = new PropertyFile(name);
        StringBuilder logical = new StringBuilder();
        int number = 0;
        int first = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (logical.isEmpty()) {
                String trimmed = line.strip();
                if (trimmed.isEmpty() || trimmed.startsWith("#") || trimmed.startsWith("!")) {
                    continue;
                }
                first = number;
            }
            logical.append(line);
            if (isContinued(line)) {
                logical.append('\n');
            } else {
                file.add(first, logical.toString());
                logical.setLength(0);
            }
        }
        if (!logical.isEmpty()) {
            file.add(first, logical.toString());
        }
        return file;
    }

    /** Ends with a backslash that is not itself behind one. */
    private static boolean isContinued(String line) {
        int backslashes = 0;
        while (backslashes < line.length()
                && line.charAt(line.length() - 1 - backslashes) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    private void add(int line, String logical) throws LiveConfigException {
        Properties one = new Properties();
        try {
            one.load(new StringReader(logical));
        } catch (IllegalArgumentException e) {
            throw error(line, "an escape of the form \\uXXXX is malformed", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (String key : one.stringPropertyNames()) {
            Entry entry = new Entry(line, key, one.getProperty(key).strip());
            Entry before = entries.putIfAbsent(key, entry);
            if (before != null) {
                throw error(
                        line,
                        "%s has been given in line %d already".formatted(key, before.line()),
                        null);
            }
        }
    }

    String name() {
        return name;
    }

    /** In the order of the file. */
    List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    /** Something is wrong in that line. */
    LiveConfigException error(int line, String sentence, Throwable cause) {
        return new LiveConfigException("%s:%d: %s".formatted(name, line, sentence), cause);
    }

    /** Something is wrong with the file as a whole. */
    LiveConfigException error(String sentence) {
        return new LiveConfigException(name + ": " + sentence);
    }
}
