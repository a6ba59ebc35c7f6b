package dev.sluice.testkit;

import dev.sluice.wire.SegmentNotation;

import java.util.ArrayList;
import java.util.List;

/**
 * Sent segments as a test wants to see them: where a line names more payload than one segment
 * carries, the segments that carry on from each other are joined up to that length. How data is cut
 * into super-segments depends on rates that most tests are not about.
 */
final class Run {
    private Run() {}

    static List<Sent> joined(List<Expectation> wanted, List<Sent> sent) {
        List<Sent> result = new ArrayList<>();
        int next = 0;
        for (Expectation line : wanted) {
            if (next == sent.size()) {
                break;
            }
            Sent run = sent.get(next++);
            while (next < sent.size() && continues(run, sent.get(next), line.length())) {
                run = join(run, sent.get(next++));
            }
            result.add(run);
        }
        result.addAll(sent.subList(next, sent.size()));
        return result;
    }

    private static boolean continues(Sent run, Sent more, int length) {
        SegmentNotation.Segment a = run.segment();
        SegmentNotation.Segment b = more.segment();
        return a != null
                && b != null
                && a.length() > 0
                && b.length() > 0
                && a.length() + b.length() <= length
                && a.end() == b.seq()
                && a.ack() == b.ack()
                && a.destinationPort() == b.destinationPort()
                && a.options().equals(b.options());
    }

    private static Sent join(Sent run, Sent more) {
        SegmentNotation.Segment a = run.segment();
        SegmentNotation.Segment b = more.segment();
        SegmentNotation.Segment whole =
                new SegmentNotation.Segment(
                        a.direction(),
                        a.ip(),
                        a.sourcePort(),
                        a.destinationPort(),
                        b.flags(),
                        b.ace(),
                        a.seq(),
                        a.length() + b.length(),
                        b.ack(),
                        b.window(),
                        b.urgent(),
                        a.options(),
                        a.anyOptions());
        return new Sent(
                whole,
                null,
                run.segments() + more.segments(),
                Math.max(run.segmentSize(), more.segmentSize()),
                run.ttl(),
                run.bytes());
    }
}
