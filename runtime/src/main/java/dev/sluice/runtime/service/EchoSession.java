package dev.sluice.runtime.service;

import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.SocketSignals;

/** Sends back what arrives, in order, and ends when the peer does. */
final class EchoSession implements SocketSignals {
    private static final int BUFFER = 65_536;

    private final StreamSocket socket;

    /** Small until more than that arrives at once, so that an idle session is small. */
    private byte[] buffer;

    private int from;
    private int to;
    private boolean ended;
    private boolean closed;

    EchoSession(StreamSocket socket) {
        this.socket = socket;
    }

    @Override
    public void ready(long now, int events) {
        while (!closed) {
            int result;
            if (from < to) {
                result = socket.write(now, buffer, from, to - from, 0);
                from += Math.max(0, result);
            } else if (ended) {
                closed = true;
                socket.close(now);
                return;
            } else {
                result = fill(now);
            }
            if (Results.isFailure(result)) {
                closed = true;
                socket.close(now);
            } else if (result < 0) {
                return;
            }
        }
    }

    private int fill(long now) {
        if (buffer == null) {
            buffer = new byte[Math.clamp(socket.unread(), 64, BUFFER)];
        } else if (socket.unread() > buffer.length && buffer.length < BUFFER) {
            buffer = new byte[BUFFER];
        }
        int result = socket.read(now, buffer, 0, buffer.length, 0);
        from = 0;
        to = Math.max(0, result);
        ended = result == 0;
        return result;
    }
}
