package dev.sluice.sim.app;

import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Process;
import dev.sluice.socket.StreamSocket;

/** Sends back on a connection whatever it receives, and ends it when the peer does. */
public final class EchoSession implements App {
    private final StreamSocket socket;
    private final byte[] buffer;
    private int from;
    private int to;
    private boolean ended;
    private boolean closed;

    /**
     * @param bufferBytes how much it reads before it has written it back
     */
    public EchoSession(StreamSocket socket, int bufferBytes) {
        this.socket = socket;
        buffer = new byte[bufferBytes];
    }

    /** An echo server on a port. */
    public static Server server(int port) {
        return new Server(port, socket -> new EchoSession(socket, 16_384));
    }

    @Override
    public void run(long now, Process process, int events) {
        while (!closed) {
            if (from < to) {
                int count = socket.write(now, buffer, from, to - from, 0);
                if (count < 0) {
                    giveUpUnlessTemporary(now, count);
                    return;
                }
                from += count;
            } else if (ended) {
                closed = true;
                socket.close(now);
            } else {
                int count = socket.read(now, buffer, 0, buffer.length, 0);
                if (count < 0) {
                    giveUpUnlessTemporary(now, count);
                    return;
                }
                from = 0;
                to = count;
                ended = count == 0;
            }
        }
    }

    private void giveUpUnlessTemporary(long now, int result) {
        if (!Errno.isTemporary(result)) {
            closed = true;
            socket.close(now);
        }
    }
}
