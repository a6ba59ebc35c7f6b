package dev.sluice.sim.app;

import dev.sluice.socket.SocketError;

/** What programs make of the results of socket calls. */
final class Errno {
    static final int SHUT_WR = 1;

    private Errno() {}

    /** Whether a negative result says no more than "not now". */
    static boolean isTemporary(int result) {
        return result == SocketError.EAGAIN.result() || result == SocketError.EINPROGRESS.result();
    }
}
