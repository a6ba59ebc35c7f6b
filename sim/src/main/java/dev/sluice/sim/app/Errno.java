package dev.sluice.sim.app;

import dev.sluice.socket.SocketError;
import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.Readiness;

/** What programs make of the results of socket calls. */
final class Errno {
    static final int SHUT_WR = 1;

    private Errno() {}

    /** Whether a negative result says no more than "not now". */
    static boolean isTemporary(int result) {
        return result == SocketError.EAGAIN.result() || result == SocketError.EINPROGRESS.result();
    }

    /** Whether a socket on which nothing was written has an answer to its attempt to connect. */
    static boolean isConnected(StreamSocket socket) {
        return (socket.readySet() & (Readiness.OUT | Readiness.ERR | Readiness.HUP)) != 0;
    }
}
