package dev.sluice.tcp;

import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;

/**
 * The SACK option of an ACK: which block is a D-SACK, which are valid, in which order they are
 * applied (RFC 2018, RFC 2883, B-4.3). Scratch of one stack.
 */
final class SackBlocks {
    private final long[] from = new long[IncomingSegment.MAX_SACK];
    private final long[] to = new long[IncomingSegment.MAX_SACK];

    /**
     * Marks what the blocks of {@code s} report on {@code board}.
     *
     * @param window after the cumulative part of the ACK was taken over
     * @param mss current MSS, to count duplicate segments
     * @param totalRetransmits segments the connection ever retransmitted
     */
    void apply(
            IncomingSegment s,
            SendWindow window,
            Flight f,
            CongestionWindow congestion,
            int mss,
            int totalRetransmits,
            AckOutcome o,
            Counters counters) {
        if (s.ack < o.priorUna - window.maxWindow) {
            return;
        }
        boolean dsack = isDsack(s);
        if (dsack) {
            counters.increment(
                    s.sackStart[0] < s.ack ? Counter.TCP_DSACK_RECV : Counter.TCP_DSACK_OFO_RECV);
            noteDsack(s, window, f, congestion, mss, totalRetransmits, o, counters);
        }
        int count = 0;
        for (int i = 0; i < s.sackCount; i++) {
            long start = s.sackStart[i];
            long end = s.sackEnd[i];
            boolean duplicate = dsack && i == 0;
            if (!isValid(start, end, window, duplicate, f.recovery)) {
                discard(s, end, window, duplicate, f.recovery, counters);
            } else if (end > window.sndUna) {
                insert(count++, start, end);
            }
        }
        for (int i = 0; i < count; i++) {
            f.scoreboard.sack(from[i], to[i], o);
        }
        if (dsack && o.has(AckOutcome.DSACK) && s.sackEnd[0] > window.sndUna) {
            f.scoreboard.duplicate(s.sackStart[0], s.sackEnd[0], f.recovery.undoMarker, o);
        }
        f.recovery.onNeedless(o.needlessRetransmits);
    }

    /** RFC 2883 section 4: the first block is below the ACK or inside the second. */
    private static boolean isDsack(IncomingSegment s) {
        if (s.sackStart[0] < s.ack) {
            return true;
        }
        return s.sackCount > 1 && s.sackStart[0] >= s.sackStart[1] && s.sackEnd[0] <= s.sackEnd[1];
    }

    private static void noteDsack(
            IncomingSegment s,
            SendWindow window,
            Flight f,
            CongestionWindow congestion,
            int mss,
            int totalRetransmits,
            AckOutcome o,
            Counters counters) {
        long length = s.sackEnd[0] - s.sackStart[0];
        if (length <= 0 || length > window.maxWindow) {
            counters.increment(Counter.TCP_DSACK_IGNORED_DUBIOUS);
            return;
        }
        int segments = 1;
        LossDetector detector = f.lossDetector;
        if (length > mss) {
            segments = (int) ((length + mss - 1) / mss);
        } else if (detector.probeIsRetransmission && s.sackEnd[0] == detector.probeEnd) {
            o.flags |= AckOutcome.DSACK_PROBE;
        }
        congestion.dsackDups += segments;
        if (congestion.dsackDups > totalRetransmits) {
            // The network duplicates, or the receiver does not tell the truth.
            counters.increment(Counter.TCP_DSACK_IGNORED_DUBIOUS);
            return;
        }
        counters.add(Counter.TCP_DSACK_RECV_SEGS, segments);
        o.flags |= AckOutcome.DSACK;
        if (congestion.reordSeen > 0 && !o.has(AckOutcome.DSACK_PROBE)) {
            detector.noteDsack();
        }
        // Of data already forgotten; what is outstanding is counted row by row.
        if (s.sackEnd[0] <= o.priorUna && s.sackEnd[0] > f.recovery.undoMarker) {
            o.needlessRetransmits += segments;
        }
    }

    private static boolean isValid(
            long start, long end, SendWindow window, boolean dsack, Recovery recovery) {
        if (end > window.sndNxt || start >= end) {
            return false;
        }
        if (start > window.sndUna) {
            return true;
        }
        if (!dsack || recovery.undoMarker == Recovery.NO_UNDO || end > window.sndUna) {
            return false;
        }
        if (start >= recovery.undoMarker) {
            return true;
        }
        return end > recovery.undoMarker && start >= end - window.maxWindow;
    }

    private static void discard(
            IncomingSegment s,
            long end,
            SendWindow window,
            boolean dsack,
            Recovery recovery,
            Counters counters) {
        if (dsack) {
            counters.increment(
                    recovery.undoMarker == Recovery.NO_UNDO
                            ? Counter.TCP_DSACK_IGNORED_NO_UNDO
                            : Counter.TCP_DSACK_IGNORED_OLD);
        } else if (s.ack == window.sndUna || end > window.sndUna) {
            // An old ACK that was overtaken reports what is long acknowledged: no fault of its.
            counters.increment(Counter.TCP_SACK_DISCARD);
        }
    }

    /** Keeps the blocks in ascending order. */
    private void insert(int count, long start, long end) {
        int i = count;
        while (i > 0 && from[i - 1] > start) {
            from[i] = from[i - 1];
            to[i] = to[i - 1];
            i--;
        }
        from[i] = start;
        to[i] = end;
    }
}
