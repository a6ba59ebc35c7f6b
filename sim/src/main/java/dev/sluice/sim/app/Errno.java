package dev.sluice.sim.app;

/** The few Linux numbers that programs have to know. */
final class Errno {
    static final int EAGAIN = 11;
    static final int ECONNRESET = 104;
    static final int EINPROGRESS = 115;

    static final int SHUT_WR = 1;

    private Errno() {}

    /** Whether a negative result says no more than "not now". */
    static boolean isTemporary(int result) {
        return result == -EAGAIN || result == -EINPROGRESS;
    }
}
