package dev.sluice.tcp;

import dev.sluice.tcp.congestion.CongestionState;

import java.util.Arrays;

/**
 * Which rows are lost: RACK with its reordering window, the first hole of NewReno without SACK, and
 * the outcome of a tail loss probe (RFC 8985, RFC 6582, B-4.4, B-4.5).
 */
final class LossDetector {
    /** No probe is out. */
    static final long NO_PROBE = -1;

    private final Scoreboard scoreboard;

    // The segment sent last among those delivered (RACK.segment).
    private long rackSent;
    private long rackEnd;
    private long rackRttNanos;
    private boolean advanced;

    /** Count of delivered segments when the reordering window was last widened. */
    private long widenedAtDelivered;

    private boolean dsackSeen;

    /** Segments of retransmissions found lost by the last call that marks. */
    private int lostAgain;

    /** Rows marked lost and not yet told to the controller; only if {@link #reports}. */
    private int[] marked = new int[8];

    private int markedCount;

    /** The controller wants to know of each row. */
    boolean reports;

    /** SND.NXT after the probe was sent (TLP.end_seq), or {@link #NO_PROBE}. */
    long probeEnd;

    /** The probe was a retransmission. */
    boolean probeIsRetransmission;

    LossDetector(Scoreboard scoreboard) {
        this.scoreboard = scoreboard;
        reset();
    }

    void reset() {
        rackSent = AckOutcome.NEVER;
        rackEnd = 0;
        rackRttNanos = 0;
        advanced = false;
        widenedAtDelivered = 0;
        dsackSeen = false;
        lostAgain = 0;
        probeEnd = NO_PROBE;
        probeIsRetransmission = false;
        reports = false;
        markedCount = 0;
    }

    /** RFC 8985 section 6.2: order of transmission, with ties broken by sequence. */
    static boolean sentAfter(long sent1, long end1, long sent2, long end2) {
        return sent1 > sent2 || sent1 == sent2 && end1 > end2;
    }

    /** Takes over what an ACK said about the row delivered last. */
    void update(AckOutcome o) {
        if (o.rackSampled) {
            advanced = true;
            rackRttNanos = o.rackRttNanos;
            if (sentAfter(o.rackSent, o.rackEnd, rackSent, rackEnd)) {
                rackSent = o.rackSent;
                rackEnd = o.rackEnd;
            }
        }
    }

    /** After an undo: look at everything again with the next ACK. */
    void reexamine() {
        advanced = true;
    }

    /** A D-SACK arrived on a path that reorders. */
    void noteDsack() {
        dsackSeen = true;
    }

    /**
     * Adapts the reordering window: wider after each round trip with a D-SACK (RFC 8985 section
     * 6.2, step 4).
     *
     * @param priorDelivered delivered count when the acknowledged row was sent; negative if unknown
     */
    void adaptWindow(CongestionWindow window, long priorDelivered, long delivered) {
        if (priorDelivered < 0) {
            return;
        }
        if (priorDelivered < widenedAtDelivered) {
            dsackSeen = false;
        }
        if (dsackSeen) {
            window.widenRack();
            dsackSeen = false;
            widenedAtDelivered = delivered;
        } else {
            window.settleRack();
        }
    }

    /** RACK.reo_wnd in nanoseconds. */
    long reorderWindow(CongestionWindow w, CongestionState state, long minRtt, long srtt) {
        if (w.reordSeen == 0) {
            boolean recovering = state.compareTo(CongestionState.RECOVERY) >= 0;
            if (recovering || scoreboard.sackedOut() >= w.reordering) {
                return 0;
            }
        }
        return Math.min((minRtt >> 2) * w.rackSteps(), srtt);
    }

    /**
     * Marks what RACK finds lost, if there is news (RFC 8985 section 6.2, step 5).
     *
     * @return nanoseconds until more may be found, 0 for never
     */
    long detect(long now, long reorderWindow) {
        if (!advanced) {
            lostAgain = 0;
            return 0;
        }
        advanced = false;
        return detectAgain(now, reorderWindow);
    }

    /** The same without news: the reorder timer expired. */
    long detectAgain(long now, long reorderWindow) {
        lostAgain = 0;
        long timeout = 0;
        int row = scoreboard.oldestSent();
        while (row != Scoreboard.NONE) {
            int following = scoreboard.nextSent(row);
            long sent = scoreboard.sentNanos(row);
            if (!sentAfter(rackSent, rackEnd, sent, scoreboard.end(row))) {
                break;
            }
            long remaining = rackRttNanos + reorderWindow - (now - sent);
            if (remaining <= 0) {
                mark(row);
            } else {
                timeout = Math.max(timeout, remaining);
            }
            row = following;
        }
        return timeout;
    }

    /** Segments of retransmissions found lost by the last call that marks. */
    int lostAgain() {
        return lostAgain;
    }

    /**
     * The retransmission timer expired: everything is lost but what was sent too recently to know
     * (B-4.6).
     *
     * @return whether the first row had been SACKed, so that no SACK can be believed
     */
    boolean markTimeout(long now, boolean sackOk) {
        lostAgain = 0;
        int head = scoreboard.first();
        boolean reneged =
                head != Scoreboard.NONE && (scoreboard.flags(head) & Scoreboard.SACKED) != 0;
        if (reneged) {
            scoreboard.clearSacked();
        } else if (!sackOk) {
            scoreboard.clearRenoSacked();
        }
        for (int row = head; row != Scoreboard.NONE; row = scoreboard.next(row)) {
            boolean recent = rackRttNanos - (now - scoreboard.sentNanos(row)) > 0;
            if (reneged || row == head || !recent) {
                mark(row);
            }
        }
        return reneged;
    }

    /**
     * Without SACK only the first segment can be known lost: at DupThresh duplicate ACKs, and at
     * every partial ACK in recovery (RFC 6582 section 3.2).
     */
    void markNewReno(CongestionState state, int dupThresh, boolean advancedUna, int mss) {
        lostAgain = 0;
        boolean enough =
                state.compareTo(CongestionState.RECOVERY) < 0
                        && scoreboard.sackedOut() >= dupThresh;
        boolean partial = state == CongestionState.RECOVERY && advancedUna;
        int head = scoreboard.first();
        if (!enough && !partial || (scoreboard.flags(head) & Scoreboard.LOST) != 0) {
            return;
        }
        if (scoreboard.segments(head) > 1) {
            scoreboard.split(head, scoreboard.start(head) + mss, mss);
        }
        mark(head);
    }

    private void mark(int row) {
        int before = scoreboard.totalLost();
        lostAgain += scoreboard.markLost(row);
        if (!reports || scoreboard.totalLost() == before) {
            return;
        }
        if (markedCount == marked.length) {
            marked = Arrays.copyOf(marked, 2 * markedCount);
        }
        marked[markedCount++] = row;
    }

    /** How many rows were marked since {@link #clearMarked}, if {@link #reports}. */
    int markedCount() {
        return markedCount;
    }

    /** A row that was marked, in the order of marking. */
    int marked(int index) {
        return marked[index];
    }

    void clearMarked() {
        markedCount = 0;
    }

    // ---- tail loss probe ---------------------------------------------------------------------

    void probeSent(long sndNxt, boolean retransmission) {
        probeEnd = sndNxt;
        probeIsRetransmission = retransmission;
    }

    void forgetProbe() {
        probeEnd = NO_PROBE;
    }

    /**
     * What an ACK says about the probe (RFC 8985 section 7.4.2).
     *
     * @return whether the probe repaired a loss, which has to be answered by a reduction
     */
    boolean probeRepairedLoss(long segAck, AckOutcome o) {
        if (probeEnd == NO_PROBE || segAck < probeEnd) {
            return false;
        }
        int progress =
                AckOutcome.UNA_ADVANCED
                        | AckOutcome.NOT_DUPLICATE
                        | AckOutcome.ACKED
                        | AckOutcome.DATA_SACKED;
        if (!probeIsRetransmission || o.has(AckOutcome.DSACK_PROBE)) {
            probeEnd = NO_PROBE;
        } else if (segAck > probeEnd) {
            return true;
        } else if (!o.has(progress)) {
            // A bare duplicate: both the original and the probe arrived.
            probeEnd = NO_PROBE;
        }
        return false;
    }
}
