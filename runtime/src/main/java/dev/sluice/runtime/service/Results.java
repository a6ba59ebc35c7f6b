package dev.sluice.runtime.service;

import dev.sluice.socket.SocketError;

/** What results of socket calls mean to a server. */
final class Results {
    private static final int EAGAIN = SocketError.EAGAIN.result();

    private Results() {}

    /** Whether a negative result is final: everything but "later". */
    static boolean isFailure(int result) {
        return result < 0 && result != EAGAIN;
    }
}
