package dev.sluice.sim.app;

import dev.sluice.sim.check.Ledger;
import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Process;
import dev.sluice.socket.StreamSocket;

/**
 * Sends and receives at the same time: writes its bytes and shuts down, reads and checks the peer's
 * to their end, and closes when both are over. It may be told to lose patience and close early.
 */
public final class DuplexSession implements App {
    private final StreamSocket socket;
    private final Payload outgoing;
    private final long length;
    private final int writeSize;
    private final Ledger outgoingLedger;
    private final Payload incoming;
    private final Ledger incomingLedger;

    private long patience = Long.MAX_VALUE;
    private long written;
    private long received;
    private boolean shut;
    private boolean ended;
    private boolean closed;
    private int error;

    /**
     * @param length bytes to send
     * @param writeSize most bytes in one write, and in one read
     * @param outgoingLedger books of what this side sends
     * @param incomingLedger books of what the other side sends
     */
    public DuplexSession(
            StreamSocket socket,
            Payload outgoing,
            long length,
            int writeSize,
            Ledger outgoingLedger,
            Payload incoming,
            Ledger incomingLedger) {
        this.socket = socket;
        this.outgoing = outgoing;
        this.length = length;
        this.writeSize = writeSize;
        this.outgoingLedger = outgoingLedger;
        this.incoming = incoming;
        this.incomingLedger = incomingLedger;
    }

    /** Closes without ceremony once so many bytes were read and written together. */
    public DuplexSession closingAfter(long bytes) {
        patience = bytes;
        return this;
    }

    @Override
    public void run(long now, Process process, int events) {
        boolean progress = true;
        while (!closed && progress) {
            progress = write(now);
            if (!closed && read(now)) {
                progress = true;
            }
            if (!closed && (shut && ended || written + received >= patience)) {
                outgoingLedger.endOfWriting();
                closed = true;
                socket.close(now);
            }
        }
    }

    private boolean write(long now) {
        if (shut) {
            return false;
        }
        if (written == length) {
            if (length == 0 && !Errno.isConnected(socket)) {
                return false; // a shutdown now would give up the attempt to connect
            }
            shut = true;
            outgoingLedger.endOfWriting();
            socket.shutdown(now, Errno.SHUT_WR);
            return true;
        }
        int size = (int) Math.min(writeSize, length - written);
        int count = outgoing.write(now, socket, written, size, 0);
        if (count < 0) {
            closeUnlessTemporary(now, count);
            return false;
        }
        written += count;
        outgoingLedger.wrote(count);
        return true;
    }

    private boolean read(long now) {
        if (ended) {
            return false;
        }
        int count = incoming.read(now, socket, received, writeSize);
        if (count < 0) {
            closeUnlessTemporary(now, count);
            return false;
        }
        if (count == 0) {
            ended = true;
            incomingLedger.endOfReading(now);
        } else {
            received += count;
            incomingLedger.read(now, count);
        }
        return true;
    }

    private void closeUnlessTemporary(long now, int result) {
        if (!Errno.isTemporary(result)) {
            error = result;
            closed = true;
            socket.close(now);
        }
    }

    /** Whether the program has closed its socket. */
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
