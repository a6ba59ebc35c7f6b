package dev.sluice.socket;

import dev.sluice.stack.NetworkStack;
import dev.sluice.tcp.Readiness;
import dev.sluice.tcp.SocketSignals;
import dev.sluice.tcp.TcpConnection;
import dev.sluice.tcp.TcpListener;

/**
 * A listening socket as Linux has it: non-blocking {@code accept}, ready when one waits (B-8.1).
 */
public final class ListenSocket {
    private final NetworkStack stack;
    private final TcpListener listener;

    ListenSocket(NetworkStack stack, TcpListener listener) {
        this.stack = stack;
        this.listener = listener;
    }

    /** The oldest established connection; null if none waits ({@code EAGAIN}). */
    public StreamSocket accept(long now) {
        TcpConnection connection = listener.accept();
        return connection == null ? null : new StreamSocket(stack, connection);
    }

    /** Changes the backlog, as a second {@code listen} does. */
    public int listen(int backlog) {
        listener.backlog(backlog);
        return 0;
    }

    public int localPort() {
        return listener.localPort();
    }

    /** EPOLL* bits: IN iff a connection waits. */
    public int readySet() {
        return listener.waiting() > 0 ? Readiness.IN : 0;
    }

    /** Connections that wait to be accepted. */
    public int waiting() {
        return listener.waiting();
    }

    public void signals(SocketSignals target) {
        listener.signals(target);
    }

    /** It was closed or shut down: nobody can connect any more. */
    public boolean isClosed() {
        return listener.isClosed();
    }

    /**
     * Shutting down reception stops listening; of sending there is none.
     *
     * @param how {@link SocketFlags}: SHUT_RD, SHUT_WR, SHUT_RDWR
     */
    public int shutdown(long now, int how) {
        if (how < SocketFlags.SHUT_RD || how > SocketFlags.SHUT_RDWR) {
            return SocketError.EINVAL.result();
        }
        return how == SocketFlags.SHUT_WR ? 0 : close(now);
    }

    /** Stops listening; connections nobody accepted are reset. */
    public int close(long now) {
        if (!listener.isClosed()) {
            stack.close(now, listener);
        }
        return 0;
    }
}
