package dev.sluice.tcp;

/**
 * What the peer allows us to send: SND.UNA, SND.NXT, SND.WND and the questions about them (RFC 9293
 * section 3.3.1, B-2.6, B-7.7).
 *
 * <p>All positions are offsets in our own stream; windows are bytes.
 */
final class SendWindow {
    /** SND.UNA: first unacknowledged offset. */
    long sndUna;

    /** SND.NXT: next offset to send. */
    long sndNxt;

    /** SND.WND in bytes, scaled. */
    int sndWnd;

    /** SND.WL1: SEG.SEQ of the last window update, an offset in the peer's stream. */
    long sndWl1;

    /** Largest SND.WND ever seen (Linux {@code max_window}). */
    int maxWindow;

    /** Snd.Wind.Shift (RFC 7323 section 2.2); 0 if the peer does not scale. */
    byte sndWindShift;

    /**
     * End of the last transmitted segment that was not full (Linux {@code snd_sml}, B-2.6), low 32
     * bits.
     */
    int sndSml;

    /** First offset the peer does not accept yet (Linux {@code tcp_wnd_end}). */
    long windowEnd() {
        return sndUna + sndWnd;
    }

    /**
     * Takes SEG.WND if this segment is newer than the last that set it (RFC 9293 section 3.10.7.4,
     * with Linux's third case: same ACK, wider window).
     *
     * @return whether the window changed
     */
    boolean update(long segSeq, long segAck, int segWnd) {
        if (segAck > sndUna
                || segSeq > sndWl1
                || (segSeq == sndWl1 && (segWnd > sndWnd || segWnd == 0))) {
            sndWl1 = segSeq;
            if (sndWnd != segWnd) {
                sndWnd = segWnd;
                if (segWnd > maxWindow) {
                    maxWindow = segWnd;
                }
                return true;
            }
        }
        return false;
    }

    /** A small segment is out and unacknowledged: Minshall's condition (B-2.6). */
    boolean smallInFlight() {
        int unacknowledged = sndSml - (int) sndUna;
        return unacknowledged > 0 && unacknowledged <= sndNxt - sndUna;
    }
}
