package dev.sluice.tcp.policy;

/**
 * The buffer counts payload and nothing else, and all of it is window, rounded up to whole segments
 * as soon as their size is known: FreeBSD.
 */
public final class WholeBuffer implements WindowFromSpace {
    private static final int ONE = 256;

    /** The policy has no state. */
    public WholeBuffer() {}

    @Override
    public int window(int space, int ratio) {
        return space;
    }

    @Override
    public int space(int window, int ratio) {
        return window;
    }

    @Override
    public int initialRatio() {
        return ONE;
    }

    @Override
    public int measure(int current, int payload, int truesize) {
        return ONE;
    }

    @Override
    public int firstWindow(int window, int mss) {
        return window;
    }

    @Override
    public int bufferFor(int buffer, int mss) {
        return (buffer + mss - 1) / mss * mss;
    }

    @Override
    public boolean admitsWholeBuffer() {
        return true;
    }
}
