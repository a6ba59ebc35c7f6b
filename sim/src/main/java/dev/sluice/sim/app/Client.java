package dev.sluice.sim.app;

import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Process;
import dev.sluice.socket.StreamSocket;
import dev.sluice.wire.IpAddress;

import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Opens one connection and hands it to a program that works the same way behind a {@link Server}.
 */
public final class Client implements App {
    private final IpAddress address;
    private final int port;
    private final Consumer<StreamSocket> options;
    private final Function<StreamSocket, App> sessions;

    private StreamSocket socket;
    private App session;

    /**
     * @param address where to connect to
     * @param port where to connect to
     * @param options sets up the socket before it connects
     * @param sessions makes the program; it runs from the start and finds the socket not yet
     *     writable
     */
    public Client(
            IpAddress address,
            int port,
            Consumer<StreamSocket> options,
            Function<StreamSocket, App> sessions) {
        this.address = address;
        this.port = port;
        this.options = options;
        this.sessions = sessions;
    }

    /** A client with a socket as it comes. */
    public Client(IpAddress address, int port, Function<StreamSocket, App> sessions) {
        this(address, port, socket -> {}, sessions);
    }

    @Override
    public void run(long now, Process process, int events) {
        if ((events & Process.STARTED) != 0) {
            socket = process.socket();
            options.accept(socket);
            session = sessions.apply(socket);
            int result = socket.connect(now, address, port);
            if (result < 0 && !Errno.isTemporary(result)) {
                throw new IllegalStateException("cannot connect: errno " + -result);
            }
        }
        session.run(now, process, events);
    }

    /** The socket; null before the program started. */
    public StreamSocket socket() {
        return socket;
    }
}
