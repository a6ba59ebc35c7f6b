package dev.sluice.lab.packetdrill;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last events of a run, for the report of a failure. */
final class Trail {
    private static final int LENGTH = 12;

    private final Deque<String> lines = new ArrayDeque<>();

    void add(long nanos, String event) {
        if (lines.size() == LENGTH) {
            lines.removeFirst();
        }
        lines.addLast(TimeRules.seconds(nanos) + " " + event);
    }

    List<String> lines() {
        return List.copyOf(lines);
    }
}
