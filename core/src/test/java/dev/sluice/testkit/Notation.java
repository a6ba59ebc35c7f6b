package dev.sluice.testkit;

import dev.sluice.wire.SegmentNotation;

/** Segment notation as tests may write it: options need no padding. */
final class Notation {
    private Notation() {}

    /** The segment; an ill-formed text is an {@link IllegalArgumentException}. */
    static SegmentNotation.Segment parse(String text) {
        SegmentNotation.Parsed parsed = SegmentNotation.parse(text);
        int close = text.lastIndexOf('>');
        String padding = "";
        for (int i = 0; i < 3 && !parsed.isValid() && close > 1; i++) {
            padding += ",nop";
            parsed = SegmentNotation.parse(text.substring(0, close) + padding + ">");
        }
        if (!parsed.isValid()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\": " + SegmentNotation.parse(text).error());
        }
        return parsed.segment();
    }
}
