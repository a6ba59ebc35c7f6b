package dev.sluice.runtime.service;

import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.SocketSignals;

/** Takes what arrives, without copying it anywhere, and ends when the peer does. */
final class DiscardSession implements SocketSignals {
    private static final int AT_ONCE = 1 << 24;

    private final StreamSocket socket;

    DiscardSession(StreamSocket socket) {
        this.socket = socket;
    }

    @Override
    public void ready(long now, int events) {
        int taken;
        do {
            taken = socket.skip(now, AT_ONCE);
        } while (taken > 0);
        if (taken == 0 || Results.isFailure(taken)) {
            socket.close(now);
        }
    }
}
