package dev.sluice.sim.app;

import dev.sluice.sim.net.App;
import dev.sluice.sim.net.Process;
import dev.sluice.socket.ListenSocket;
import dev.sluice.socket.StreamSocket;
import dev.sluice.wire.IpAddress;

import java.util.function.Consumer;
import java.util.function.Function;

/** Listens on a port and starts a program for every connection it accepts. */
public final class Server implements App {
    private final int port;
    private final int backlog;
    private final Consumer<StreamSocket> options;
    private final Function<StreamSocket, App> sessions;

    private ListenSocket listener;
    private int accepted;

    /**
     * @param options sets up the socket before it listens; accepted ones inherit what they inherit
     * @param sessions makes the program for one connection
     */
    public Server(
            int port,
            int backlog,
            Consumer<StreamSocket> options,
            Function<StreamSocket, App> sessions) {
        this.port = port;
        this.backlog = backlog;
        this.options = options;
        this.sessions = sessions;
    }

    /** A server with sockets as they come and a backlog that is never full. */
    public Server(int port, Function<StreamSocket, App> sessions) {
        this(port, 1 << 20, socket -> {}, sessions);
    }

    @Override
    public void run(long now, Process process, int events) {
        if ((events & Process.STARTED) != 0) {
            StreamSocket socket = process.socket();
            options.accept(socket);
            int bound = socket.bind(IpAddress.ANY6, port);
            if (bound < 0) {
                throw new IllegalStateException("cannot bind port " + port + ": " + bound);
            }
            listener = socket.listen(backlog);
            listener.signals(process);
        }
        for (StreamSocket s = listener.accept(now); s != null; s = listener.accept(now)) {
            accepted++;
            App session = sessions.apply(s);
            if (session != null) {
                s.signals(process.spawn(session));
            }
        }
    }

    /** Connections accepted. */
    public int accepted() {
        return accepted;
    }

    /** The listening socket; null before the program started. */
    public ListenSocket listener() {
        return listener;
    }
}
