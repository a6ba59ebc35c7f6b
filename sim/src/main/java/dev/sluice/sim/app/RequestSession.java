package dev.sluice.sim.app;

import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Process;
import dev.sluice.socket.StreamSocket;

/** Answers the requests of a {@link RequestClient}: reads a whole one, writes the response. */
public final class RequestSession implements App {
    private final StreamSocket socket;
    private final Exchange exchange;
    private final Payload requests = Payload.stored(0);
    private final WriteScript script;

    private long received;
    private long sent;
    private int inRequest;
    private boolean closed;

    public RequestSession(StreamSocket socket, Exchange exchange) {
        this.socket = socket;
        this.exchange = exchange;
        script = new WriteScript(exchange.responseWrites(), Payload.stored(0));
    }

    /** A server of such sessions. */
    public static Server server(int port, Exchange exchange) {
        return new Server(port, socket -> new RequestSession(socket, exchange));
    }

    @Override
    public void run(long now, Process process, int events) {
        while (!closed) {
            if (!script.isDone()) {
                long before = script.remaining();
                int result = script.run(now, socket, sent);
                sent += before - script.remaining();
                if (result < 0) {
                    closeUnlessTemporary(now, result);
                    return;
                }
            }
            int count = requests.read(now, socket, received, exchange.requestBytes() - inRequest);
            if (count <= 0) {
                closeUnlessTemporary(now, count);
                return;
            }
            received += count;
            inRequest += count;
            if (inRequest == exchange.requestBytes()) {
                inRequest = 0;
                script.begin();
            }
        }
    }

    private void closeUnlessTemporary(long now, int result) {
        if (!Errno.isTemporary(result)) {
            closed = true;
            socket.close(now);
        }
    }
}
