package dev.sluice.tcp.congestion;

/**
 * Data center TCP (RFC 8257, B-5.4): the window is reduced in proportion to how much of what was
 * delivered carried the congestion mark. Growth is that of {@link NewReno}, and so is everything if
 * the peer takes no part in ECN.
 */
public final class Dctcp implements CongestionController {
    private static final int ALPHA_BITS = 10;

    /** Everything is marked. */
    private static final int ALPHA_ONE = 1 << ALPHA_BITS;

    /** Weight of the last window in alpha: g = 1/16 (RFC 8257 section 4.2). */
    private static final int GAIN_SHIFT = 4;

    private final NewReno reno = new NewReno();
    private boolean ecn;

    /** Smoothed fraction of segments that were marked, in 1/1024. */
    private int alpha;

    private int priorCwnd;

    // The window under observation.
    private long windowEnd;
    private int deliveredBefore;
    private int deliveredCeBefore;

    /** A controller that has seen nothing yet. */
    public Dctcp() {}

    @Override
    public String name() {
        return "dctcp";
    }

    @Override
    public boolean needsEcn() {
        return true;
    }

    /** Alpha begins at 1, so that the first mark halves the window. */
    @Override
    public void start(CongestionView view) {
        reno.start(view);
        ecn = view.ecn;
        alpha = ALPHA_ONE;
        priorCwnd = 0;
        observe(view);
    }

    private void observe(CongestionView view) {
        windowEnd = view.sndNxt;
        deliveredBefore = view.delivered;
        deliveredCeBefore = view.deliveredCe;
    }

    /** cwnd (1 - alpha / 2), at least two segments (RFC 8257 section 3.3). */
    @Override
    public int ssthresh(CongestionView view) {
        priorCwnd = view.cwnd;
        if (!ecn) {
            return reno.ssthresh(view);
        }
        int cut = (int) ((long) view.cwnd * alpha >> ALPHA_BITS + 1);
        return Math.max(view.cwnd - cut, 2);
    }

    /** Once per window of data: alpha (RFC 8257 section 3.3, step 7). */
    @Override
    public void onAck(CongestionView view, AckSample sample) {
        if (view.sndUna < windowEnd) {
            return;
        }
        int delivered = view.delivered - deliveredBefore;
        int marked = view.deliveredCe - deliveredCeBefore;
        int decay = alpha >> GAIN_SHIFT;
        // Too small to decay any further, it is nothing.
        alpha -= decay == 0 ? alpha : decay;
        if (marked > 0) {
            long fraction = ((long) marked << ALPHA_BITS - GAIN_SHIFT) / Math.max(1, delivered);
            alpha = (int) Math.min(alpha + fraction, ALPHA_ONE);
        }
        observe(view);
    }

    @Override
    public void grow(CongestionView view, int acked) {
        reno.grow(view, acked);
    }

    @Override
    public int undoCwnd(CongestionView view) {
        return Math.max(view.cwnd, priorCwnd);
    }

    /** Loss is answered as by NewReno, whatever alpha says (RFC 8257 section 3.5). */
    @Override
    public void onEvent(CongestionView view, CongestionEvent event) {
        if (event == CongestionEvent.TIMEOUT) {
            halve(view);
        }
    }

    @Override
    public void onState(CongestionView view, CongestionState next) {
        if (next == CongestionState.RECOVERY && view.state != CongestionState.RECOVERY) {
            halve(view);
        }
    }

    private void halve(CongestionView view) {
        priorCwnd = view.cwnd;
        view.ssthresh = Math.max(view.cwnd >> 1, 2);
    }

    /** The fraction of marked segments as last estimated, in 1/1024. */
    public int alpha() {
        return alpha;
    }
}
