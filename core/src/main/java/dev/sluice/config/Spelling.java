package dev.sluice.config;

import java.util.Locale;

/** What somebody who misspelt a name may have meant. */
public final class Spelling {
    private Spelling() {}

    /** The candidate that takes the fewest edits to become {@code name}; case does not count. */
    public static String nearest(String name, Iterable<String> candidates) {
        String wanted = name.toLowerCase(Locale.ROOT);
        String nearest = null;
        int fewest = Integer.MAX_VALUE;
        for (String candidate : candidates) {
            int edits = edits(candidate.toLowerCase(Locale.ROOT), wanted);
            if (edits < fewest) {
                fewest = edits;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /**
     * Levenshtein distance: insertions, deletions and replacements that turn one into the other.
     */
    static int edits(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }
}
