package dev.sluice.sim.app;

import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Process;
import dev.sluice.socket.StreamSocket;

/** Reads a connection to its end as fast as data comes, checks every byte, and closes. */
public final class BulkReceiver implements App {
    private final StreamSocket socket;
    private final Payload payload;
    private final Ledger ledger;

    private long received;
    private boolean closed;
    private int error;

    public BulkReceiver(StreamSocket socket, Payload payload, Ledger ledger) {
        this.socket = socket;
        this.payload = payload;
        this.ledger = ledger;
    }

    @Override
    public void run(long now, Process process, int events) {
        while (!closed) {
            int count = payload.read(now, socket, received, Integer.MAX_VALUE);
            if (count > 0) {
                received += count;
                ledger.read(now, count);
                continue;
            }
            if (Errno.isTemporary(count)) {
                return;
            }
            if (count == 0) {
                ledger.endOfReading(now);
            }
            error = count;
            closed = true;
            socket.close(now);
        }
    }

    /** Bytes read. */
    public long received() {
        return received;
    }

    /** Whether the end of the stream, or an error, was reached. */
    public boolean isClosed() {
        return closed;
    }

    /** The negative errno that ended the connection; 0 if none did. */
    public int error() {
        return error;
    }

    public StreamSocket socket() {
        return socket;
    }
}
