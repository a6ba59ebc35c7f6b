package dev.sluice.runtime.service;

import dev.sluice.socket.StreamSocket;
import dev.sluice.stack.NetworkStack;
import dev.sluice.tcp.SocketSignals;

import java.util.function.Function;

/** The services there are, each with its well-known port. */
public enum Service {
    /** Takes everything and says nothing (RFC 863). */
    DISCARD(9, DiscardSession::new),

    /** Sends characters for as long as somebody takes them (RFC 864). */
    SOURCE(19, SourceSession::new),

    /** Sends back what it gets (RFC 862). */
    ECHO(7, EchoSession::new),

    /** Answers every request with one page (RFC 9112). */
    HTTP(80, HttpSession::new);

    private final int port;
    private final Function<StreamSocket, SocketSignals> sessions;

    Service(int port, Function<StreamSocket, SocketSignals> sessions) {
        this.port = port;
        this.sessions = sessions;
    }

    public int port() {
        return port;
    }

    /** Listens on the port; before the loop of the stack starts. */
    public void listen(NetworkStack stack) {
        Acceptor.listen(stack, port, sessions);
    }
}
