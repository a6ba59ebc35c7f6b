package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.Command;
import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.runtime.loop.Gate;
import dev.sluice.runtime.loop.StackClosedException;
import dev.sluice.socket.ListenSocket;
import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.SocketSignals;

/** A server channel's way to its listening socket; one thread accepts at a time. */
final class ListenPort implements SocketSignals {
    private final Host host;
    private final ListenSocket socket;
    private final KeyList keys;
    private final Gate acceptor = new Gate();
    private final Command acceptCall = new Command(this::acceptNow);
    private StreamPort accepted;

    /** On the stack. */
    ListenPort(Host host, ListenSocket socket, KeyList keys) {
        this.host = host;
        this.socket = socket;
        this.keys = keys;
        socket.signals(this);
    }

    EventLoop loop() {
        return host.loop();
    }

    /** On the stack: EPOLL* bits. */
    int readySet() {
        return socket.readySet();
    }

    @Override
    public void ready(long now, int events) {
        acceptor.open();
        keys.signal(events);
    }

    /**
     * Takes the oldest connection that waits.
     *
     * @return 0 and then {@link #accepted}; {@link StreamPort#AGAIN} or {@link StreamPort#GONE}
     */
    int accept() {
        try {
            return (int) host.loop().call(acceptCall);
        } catch (StackClosedException e) {
            return StreamPort.GONE;
        }
    }

    private long acceptNow(long now) {
        StreamSocket connection = socket.accept(now);
        if (connection == null) {
            return StreamPort.AGAIN;
        }
        accepted = new StreamPort(host, connection, new KeyList());
        return 0;
    }

    /** What {@link #accept} has taken. */
    StreamPort accepted() {
        StreamPort taken = accepted;
        accepted = null;
        return taken;
    }

    /** Before trying to accept: what comes afterwards ends {@link #await}. */
    void willAccept() {
        acceptor.shut();
    }

    /** See {@link EventLoop#await}. */
    boolean await(long deadline) {
        try {
            return host.loop().await(acceptor, deadline);
        } catch (StackClosedException e) {
            return true; // the next try says so
        }
    }

    /** Whoever waits has to look again. */
    void wake() {
        acceptor.open();
    }

    void close() {
        try {
            host.loop().call(now -> socket.close(now));
        } catch (StackClosedException e) {
            // It has been closed with its stack.
        }
    }
}
