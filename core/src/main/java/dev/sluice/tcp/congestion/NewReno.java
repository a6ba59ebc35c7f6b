package dev.sluice.tcp.congestion;

/** Slow start and congestion avoidance of RFC 5681, as Linux's {@code reno} (B-5.1). */
public final class NewReno implements CongestionController {
    private int priorCwnd;

    /** A controller that has seen nothing yet. */
    public NewReno() {}

    @Override
    public String name() {
        return "reno";
    }

    @Override
    public void start(CongestionView view) {
        priorCwnd = 0;
    }

    /** Half the window, at least two segments (RFC 5681 equation 4). */
    @Override
    public int ssthresh(CongestionView view) {
        priorCwnd = view.cwnd;
        return Math.max(view.cwnd >> 1, 2);
    }

    @Override
    public void grow(CongestionView view, int acked) {
        if (!view.mayGrow) {
            return;
        }
        int left = acked;
        if (view.inSlowStart()) {
            left = view.slowStart(acked);
            if (left == 0) {
                return;
            }
        }
        view.increase(view.cwnd, left);
    }

    @Override
    public int undoCwnd(CongestionView view) {
        return Math.max(view.cwnd, priorCwnd);
    }
}
