package dev.sluice.lab.packetdrill;

import java.util.List;
import java.util.Optional;

/**
 * What came of one script.
 *
 * @param name as given
 * @param area the directory it is in, relative to the one that was asked for
 * @param position where it went wrong
 * @param message what went wrong, in one line; empty if nothing did
 * @param details expected and actual, and the last events
 * @param virtualNanos how long the script took in its own time
 * @param capture the packets of the run, in order
 */
public record ScriptResult(
        String name,
        String area,
        Verdict verdict,
        Optional<Position> position,
        String message,
        List<String> details,
        long virtualNanos,
        List<CapturedPacket> capture) {
    public ScriptResult {
        details = List.copyOf(details);
        capture = List.copyOf(capture);
    }

    /**
     * A packet of the run.
     *
     * @param timeNanos since the start of the script
     * @param outbound sent by the stack under test
     * @param bytes from the IP header on; not to be changed
     */
    public record CapturedPacket(long timeNanos, boolean outbound, byte[] bytes) {}

    /** The same for another name and area. */
    ScriptResult in(String newArea) {
        return new ScriptResult(
                name, newArea, verdict, position, message, details, virtualNanos, capture);
    }

    /** Place and message in one line. */
    public String headline() {
        return position.map(p -> p + ": " + message).orElse(message);
    }
}
