package dev.sluice.lab.packetdrill;

import java.util.Arrays;

/** The text of one script and the arithmetic from character offsets to lines and columns. */
final class Source {
    private final String name;
    private final String text;
    private final int[] lineStarts;

    Source(String name, String text) {
        this.name = name;
        this.text = text;
        int[] starts = new int[16];
        int count = 1;
        for (int at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
            if (count == starts.length) {
                starts = Arrays.copyOf(starts, count * 2);
            }
            starts[count++] = at + 1;
        }
        this.lineStarts = Arrays.copyOf(starts, count);
    }

    String name() {
        return name;
    }

    String text() {
        return text;
    }

    Position position(int offset) {
        int found = Arrays.binarySearch(lineStarts, offset);
        int line = found >= 0 ? found : -found - 2;
        return new Position(name, line + 1, offset - lineStarts[line] + 1);
    }

    /** The line that holds {@code offset}, without its line end. */
    String line(int lineNumber) {
        int start = lineStarts[lineNumber - 1];
        int end = lineNumber < lineStarts.length ? lineStarts[lineNumber] - 1 : text.length();
        return text.substring(start, end).stripTrailing();
    }
}
