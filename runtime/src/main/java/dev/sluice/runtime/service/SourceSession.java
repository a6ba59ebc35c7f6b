package dev.sluice.runtime.service;

import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.SocketSignals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Sends the lines of the character generator protocol until the peer has closed: 72 of the 95
 * printing characters, each line one further on than the last, with CR and LF (RFC 864).
 */
final class SourceSession implements SocketSignals {
    private static final int CHARACTERS = 95;
    private static final int LINE = 72;
    private static final int PERIOD = CHARACTERS * (LINE + 2);

    /** The pattern so many times over, so that one call fills a send buffer. */
    private static final int REPEATS = 64;

    private static final MemorySegment PATTERN = pattern();

    private final StreamSocket socket;
    private long sent;
    private boolean ended;

    SourceSession(StreamSocket socket) {
        this.socket = socket;
    }

    private static MemorySegment pattern() {
        MemorySegment pattern = Arena.global().allocate((long) PERIOD * REPEATS, 64);
        for (int i = 0; i < PERIOD * REPEATS; i++) {
            int line = i / (LINE + 2);
            int column = i % (LINE + 2);
            byte b =
                    switch (column) {
                        case LINE -> '\r';
                        case LINE + 1 -> '\n';
                        default -> (byte) (' ' + (line + column) % CHARACTERS);
                    };
            pattern.set(ValueLayout.JAVA_BYTE, i, b);
        }
        return pattern.asReadOnly();
    }

    @Override
    public void ready(long now, int events) {
        if (ended) {
            return;
        }
        int read;
        do {
            read = socket.skip(now, PERIOD);
        } while (read > 0);
        if (read == 0 || Results.isFailure(read)) {
            end(now);
            return;
        }
        int written;
        do {
            int from = (int) (sent % PERIOD);
            written = socket.write(now, PATTERN, from, PERIOD * REPEATS - from, 0);
            sent += Math.max(0, written);
        } while (written > 0);
        if (Results.isFailure(written)) {
            end(now);
        }
    }

    private void end(long now) {
        ended = true;
        socket.close(now);
    }
}
