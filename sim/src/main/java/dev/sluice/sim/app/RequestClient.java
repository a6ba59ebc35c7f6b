package dev.sluice.sim.app;

import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Process;
import dev.sluice.socket.SocketError;
import dev.sluice.socket.StreamSocket;

import java.util.function.LongConsumer;

/**
 * Sends requests one after the other on one connection, each when the response to the one before
 * has come and a pause is over, and closes when all are answered.
 */
public final class RequestClient implements App {
    private final StreamSocket socket;
    private final Exchange exchange;
    private final int rounds;
    private final long pauseNanos;
    private final LongConsumer latencies;
    private final Payload requests = Payload.stored(0);
    private final Payload responses = Payload.stored(0);
    private final WriteScript script;

    private long sent;
    private long received;
    private int round;
    private long begun;
    private boolean connected;
    private boolean pausing;
    private boolean closed;
    private int error;

    /**
     * @param rounds how many requests
     * @param pauseNanos from a response to the next request
     * @param latencies told the time from the first write of a request to the last byte of its
     *     response, nanoseconds
     */
    public RequestClient(
            StreamSocket socket,
            Exchange exchange,
            int rounds,
            long pauseNanos,
            LongConsumer latencies) {
        this.socket = socket;
        this.exchange = exchange;
        this.rounds = rounds;
        this.pauseNanos = pauseNanos;
        this.latencies = latencies;
        script = new WriteScript(exchange.requestWrites(), requests);
    }

    @Override
    public void run(long now, Process process, int events) {
        if (!closed && !connected) {
            if (!Errno.isConnected(socket)) {
                return;
            }
            connected = true;
            begin(now);
        } else if ((events & Process.TIMER) != 0) {
            begin(now);
        }
        if (!pausing && !closed) {
            exchange(now, process);
        }
    }

    private void begin(long now) {
        pausing = false;
        round++;
        begun = now;
        script.begin();
    }

    private void exchange(long now, Process process) {
        long before = script.remaining();
        fail(now, script.run(now, socket, sent));
        sent += before - script.remaining();
        while (!closed && !pausing) {
            int left = (int) (round * (long) exchange.responseBytes() - received);
            int count = responses.read(now, socket, received, left);
            if (count == 0) {
                fail(now, SocketError.ECONNRESET.result());
            } else if (count < 0) {
                fail(now, count);
                return;
            }
            received += count;
            if (count == left) {
                latencies.accept(now - begun);
                finishRound(now, process);
            }
        }
    }

    private void finishRound(long now, Process process) {
        pausing = true;
        if (round == rounds) {
            closed = true;
            socket.close(now);
        } else {
            process.wakeAt(now + pauseNanos);
        }
    }

    private void fail(long now, int result) {
        if (result < 0 && !Errno.isTemporary(result)) {
            error = result;
            closed = true;
            socket.close(now);
        }
    }

    /** Responses received completely. */
    public int answered() {
        return (int) (received / exchange.responseBytes());
    }

    /** Whether the program has closed its socket. */
    public boolean isClosed() {
        return closed;
    }

    /** The negative errno that ended the connection before its time; 0 if none did. */
    public int error() {
        return error;
    }

    public StreamSocket socket() {
        return socket;
    }
}
