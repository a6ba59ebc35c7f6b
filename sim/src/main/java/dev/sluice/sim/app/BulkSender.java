package dev.sluice.sim.app;

import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Process;
import dev.sluice.socket.StreamSocket;

/**
 * Writes as much as the socket takes until everything is written, shuts down its side, waits for
 * the peer's end and closes.
 */
public final class BulkSender implements App {
    /** A length that is never reached. */
    public static final long ENDLESS = Long.MAX_VALUE;

    private static final int WRITE_SIZE = 65_536;

    private final StreamSocket socket;
    private final long length;
    private final int writeSize;
    private final Payload payload;
    private final Ledger ledger;

    private long written;
    private boolean shut;
    private boolean closed;
    private int error;

    /**
     * @param length bytes to send
     * @param writeSize most bytes in one write
     * @param ledger where to keep the books
     */
    public BulkSender(
            StreamSocket socket, long length, int writeSize, Payload payload, Ledger ledger) {
        this.socket = socket;
        this.length = length;
        this.writeSize = writeSize;
        this.payload = payload;
        this.ledger = ledger;
    }

    /** A sender of synthetic payload in large writes. */
    public BulkSender(StreamSocket socket, long length) {
        this(socket, length, WRITE_SIZE, Payload.synthetic(), new Ledger("bulk"));
    }

    @Override
    public void run(long now, Process process, int events) {
        if (!closed && !shut) {
            write(now);
        }
        if (!closed && shut) {
            drain(now);
        }
    }

    private void write(long now) {
        while (written < length) {
            int size = (int) Math.min(writeSize, length - written);
            int count = payload.write(now, socket, written, size, 0);
            if (count < 0) {
                closeUnlessTemporary(now, count);
                return;
            }
            written += count;
            ledger.wrote(count);
        }
        if (length == 0 && !Errno.isConnected(socket)) {
            return; // a shutdown now would give up the attempt to connect
        }
        shut = true;
        ledger.endOfWriting();
        socket.shutdown(now, Errno.SHUT_WR);
    }

    /** Nothing is expected from the peer but its end. */
    private void drain(long now) {
        int count;
        do {
            count = socket.readSynthetic(now, WRITE_SIZE);
        } while (count > 0);
        closeUnlessTemporary(now, count);
    }

    private void closeUnlessTemporary(long now, int result) {
        if (!Errno.isTemporary(result)) {
            error = result;
            closed = true;
            socket.close(now);
        }
    }

    public StreamSocket socket() {
        return socket;
    }

    /** Bytes the socket accepted. */
    public long written() {
        return written;
    }

    /** Whether the program has closed its socket. */
    public boolean isClosed() {
        return closed;
    }

    /** The negative errno that ended the transfer; 0 if none did. */
    public int error() {
        return error;
    }
}
