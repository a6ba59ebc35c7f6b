package dev.sluice.runtime.service;

import dev.sluice.socket.ListenSocket;
import dev.sluice.socket.SocketOption;
import dev.sluice.socket.StreamSocket;
import dev.sluice.stack.NetworkStack;
import dev.sluice.tcp.Readiness;
import dev.sluice.tcp.SocketSignals;
import dev.sluice.wire.IpAddress;

import java.util.function.Function;

/** Listens on a port of all addresses and starts a session for every connection. */
final class Acceptor implements SocketSignals {
    private final ListenSocket listener;
    private final Function<StreamSocket, SocketSignals> sessions;

    private Acceptor(ListenSocket listener, Function<StreamSocket, SocketSignals> sessions) {
        this.listener = listener;
        this.sessions = sessions;
    }

    static void listen(
            NetworkStack stack, int port, Function<StreamSocket, SocketSignals> sessions) {
        StreamSocket socket = new StreamSocket(stack);
        socket.setOption(0, SocketOption.TCP_NODELAY, 1);
        int bound = socket.bind(IpAddress.ANY6, port);
        ListenSocket listener = bound < 0 ? null : socket.listen(stack.config().somaxconn);
        if (listener == null) {
            throw new IllegalStateException("port " + port + " is taken");
        }
        listener.signals(new Acceptor(listener, sessions));
    }

    @Override
    public void ready(long now, int events) {
        for (StreamSocket s = listener.accept(now); s != null; s = listener.accept(now)) {
            SocketSignals session = sessions.apply(s);
            s.signals(session);
            // What happened before anybody listened.
            session.ready(now, Readiness.IN | Readiness.OUT);
        }
    }
}
