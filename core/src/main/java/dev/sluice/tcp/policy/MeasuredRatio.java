package dev.sluice.tcp.policy;

/** The ratio that arriving segments show, one half to begin with: Linux since 6.10 (B-7.3). */
public final class MeasuredRatio implements WindowFromSpace {
    private static final int INITIAL = 128;
    private static final int ONE_SHIFT = 8;

    /** The policy has no state. */
    public MeasuredRatio() {}

    @Override
    public int window(int space, int ratio) {
        return (int) ((long) space * ratio >> ONE_SHIFT);
    }

    @Override
    public int space(int window, int ratio) {
        return (int) Math.min(Integer.MAX_VALUE, ((long) window << ONE_SHIFT) / ratio);
    }

    @Override
    public int initialRatio() {
        return INITIAL;
    }

    @Override
    public int measure(int current, int payload, int truesize) {
        // Memory that claims to be smaller than what it holds would make the window outgrow the
        // buffer, so one is the most a ratio can be.
        long ratio = ((long) payload << ONE_SHIFT) / truesize;
        return (int) Math.max(1, Math.min(1 << ONE_SHIFT, ratio));
    }

    @Override
    public int firstWindow(int window, int mss) {
        return window > mss ? window - window % mss : window;
    }

    @Override
    public int bufferFor(int buffer, int mss) {
        return buffer;
    }

    @Override
    public boolean admitsWholeBuffer() {
        return false;
    }
}
