package dev.sluice.sim.app;

import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Process;
import dev.sluice.socket.StreamSocket;

/** Reads a connection a little at a time, at fixed intervals, and closes it at its end. */
public final class SlowReader implements App {
    private final StreamSocket socket;
    private final Payload payload;
    private final Ledger ledger;
    private final int readSize;
    private final long intervalNanos;

    private long received;
    private boolean closed;

    /**
     * @param readSize most bytes read at a time
     * @param intervalNanos time from one read to the next
     */
    public SlowReader(
            StreamSocket socket, Payload payload, Ledger ledger, int readSize, long intervalNanos) {
        this.socket = socket;
        this.payload = payload;
        this.ledger = ledger;
        this.readSize = readSize;
        this.intervalNanos = intervalNanos;
    }

    @Override
    public void run(long now, Process process, int events) {
        if ((events & (Process.STARTED | Process.TIMER)) == 0 || closed) {
            return; // being told that there is data does not hurry it
        }
        int count = payload.read(now, socket, received, readSize);
        if (count > 0) {
            received += count;
            ledger.read(now, count);
        } else if (!Errno.isTemporary(count)) {
            if (count == 0) {
                ledger.endOfReading(now);
            }
            closed = true;
            socket.close(now);
            return;
        }
        process.wakeAt(now + intervalNanos);
    }

    /** Bytes read. */
    public long received() {
        return received;
    }

    /** Whether the end of the stream, or an error, was reached. */
    public boolean isClosed() {
        return closed;
    }
}
