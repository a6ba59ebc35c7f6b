package dev.sluice.lab.packetdrill;

import java.util.Optional;

/**
 * Joins consecutive segments until they are as long as the one the script expects, so that a script
 * written for a stack with segmentation offload also fits one without.
 *
 * <p>All fragments but the last must be of one size, each must begin where the one before ended,
 * and acknowledgment number, window, size of the options and flags other than FIN, PSH and CWR must
 * not change. The result has the time and header of the last fragment and the sequence number and
 * CWR of the first.
 */
final class SegmentGluer {
    private static final int MAY_DIFFER = TcpFlags.FIN | TcpFlags.PSH | TcpFlags.CWR;

    private final int wantedLength;
    private Segment first;
    private Segment last;
    private int length;
    private boolean zeroPayload = true;
    private String problem;

    /** For an expected segment of {@code wantedLength} payload bytes. */
    SegmentGluer(int wantedLength) {
        this.wantedLength = wantedLength;
    }

    /** Adds the next segment. */
    void add(Segment segment) {
        if (first != null && problem == null) {
            problem = mismatch(segment);
        }
        if (first == null) {
            first = segment;
        }
        last = segment;
        length += segment.length();
        zeroPayload &= segment.zeroPayload();
    }

    private String mismatch(Segment segment) {
        if (segment.sequence() != last.end()) {
            return "fragment begins at " + segment.sequence() + ", not at " + last.end();
        }
        if (last.length() != first.length()) {
            return "fragment of " + last.length() + " bytes among those of " + first.length();
        }
        if (segment.length() > first.length()) {
            return "last fragment of " + segment.length() + " bytes after " + first.length();
        }
        if ((segment.flags() | MAY_DIFFER) != (first.flags() | MAY_DIFFER)) {
            return "flags change to " + TcpFlags.format(segment.flags()) + " between fragments";
        }
        if (segment.ack() != first.ack()) {
            return "ack changes to " + segment.ack() + " between fragments";
        }
        if (segment.window() != first.window()) {
            return "window changes to " + segment.window() + " between fragments";
        }
        if (OptionCodec.length(segment.options()) != OptionCodec.length(first.options())) {
            return "size of the options changes between fragments";
        }
        return null;
    }

    /**
     * Whether another segment is needed. Segments without payload are never joined; neither is
     * anything after a fragment that did not fit.
     */
    boolean wantsMore() {
        if (first == null) {
            return true;
        }
        boolean plain = !last.has(TcpFlags.SYN) && !last.has(TcpFlags.RST) && last.length() > 0;
        return problem == null && plain && !last.has(TcpFlags.FIN) && length < wantedLength;
    }

    /** Whether nothing was added. */
    boolean isEmpty() {
        return first == null;
    }

    /** Why the fragments cannot be one segment, if so. */
    Optional<String> problem() {
        return Optional.ofNullable(problem);
    }

    /** All fragments as one segment. */
    Segment glued() {
        if (first == last) {
            return first;
        }
        int flags = last.flags() & ~TcpFlags.CWR | first.flags() & TcpFlags.CWR;
        return last.with(first.sequence(), length, zeroPayload, flags);
    }
}
