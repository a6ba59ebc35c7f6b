package dev.sluice.testkit;

import dev.sluice.wire.SegmentNotation;
import dev.sluice.wire.SegmentOption;

import java.util.ArrayList;
import java.util.List;

/**
 * Whether a sent packet is what a line of a test demands: what the line leaves out may be anything.
 */
final class Expectation {
    private final String text;
    private final SegmentNotation.Segment wanted;

    Expectation(String text) {
        this.text = text;
        if (text.startsWith("> icmp")) {
            this.wanted = null;
            return;
        }
        this.wanted = Notation.parse(text);
        if (wanted.direction() != '>') {
            throw new IllegalArgumentException("\"" + text + "\": what we send begins with >");
        }
    }

    /** Bytes of payload; 0 if the line is about no TCP segment. */
    int length() {
        return wanted == null ? 0 : wanted.length();
    }

    boolean matches(Sent sent) {
        if (wanted == null) {
            return sent.toString().equals(text);
        }
        SegmentNotation.Segment s = sent.segment();
        return s != null
                && same(wanted.sourcePort(), s.sourcePort())
                && same(wanted.destinationPort(), s.destinationPort())
                && wanted.flags() == s.flags()
                && wanted.seq() == s.seq()
                && wanted.length() == s.length()
                && (wanted.ack() < 0 || wanted.ack() == s.ack())
                && same(wanted.window(), s.window())
                && same(wanted.urgent(), s.urgent())
                && (wanted.ip().ecn() < 0 || wanted.ip().ecn() == Math.max(0, s.ip().ecn()))
                && same(wanted.ip().ttl(), sent.ttl())
                && sameOptions(s.options());
    }

    private static boolean same(int wanted, int actual) {
        return wanted < 0 || wanted == actual;
    }

    private boolean sameOptions(List<SegmentOption> actual) {
        if (wanted.anyOptions() || wanted.options().isEmpty()) {
            return true;
        }
        return text.contains("nop")
                ? wanted.options().equals(actual)
                : withoutPadding(wanted.options()).equals(withoutPadding(actual));
    }

    private static List<SegmentOption> withoutPadding(List<SegmentOption> options) {
        List<SegmentOption> kept = new ArrayList<>(options);
        kept.removeIf(o -> o instanceof SegmentOption.Nop || o instanceof SegmentOption.Eol);
        return kept;
    }

    @Override
    public String toString() {
        return text;
    }
}
