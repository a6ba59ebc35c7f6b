package dev.sluice.sim.app;

import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Process;
import dev.sluice.socket.StreamSocket;
import dev.sluice.wire.IpAddress;

/** Opens many connections, a batch at a time, and keeps them without ever sending anything. */
public final class IdleClients implements App {
    private final IpAddress address;
    private final int port;
    private final int batch;
    private final long intervalNanos;
    private final StreamSocket[] sockets;
    private int opened;

    /**
     * @param count how many connections
     * @param batch how many at once
     * @param intervalNanos from one batch to the next
     */
    public IdleClients(IpAddress address, int port, int count, int batch, long intervalNanos) {
        this.address = address;
        this.port = port;
        this.batch = batch;
        this.intervalNanos = intervalNanos;
        sockets = new StreamSocket[count];
    }

    @Override
    public void run(long now, Process process, int events) {
        if ((events & (Process.STARTED | Process.TIMER)) == 0) {
            return;
        }
        int end = Math.min(opened + batch, sockets.length);
        while (opened < end) {
            StreamSocket socket = new StreamSocket(process.host().stack());
            int result = socket.connect(now, address, port);
            if (result < 0 && !Errno.isTemporary(result)) {
                throw new IllegalStateException("cannot connect: " + result);
            }
            sockets[opened++] = socket;
        }
        if (opened < sockets.length) {
            process.wakeAt(now + intervalNanos);
        }
    }

    /** Connections begun. */
    public int opened() {
        return opened;
    }

    /** The socket of one connection. */
    public StreamSocket socket(int index) {
        return sockets[index];
    }
}
