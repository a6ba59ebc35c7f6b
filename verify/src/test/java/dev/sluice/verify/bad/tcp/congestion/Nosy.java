package dev.sluice.verify.bad.tcp.congestion;

import dev.sluice.verify.bad.tcp.TcpConnection;

/** A controller that sees a connection, and computes its window in floating point. */
public final class Nosy {
    int window(TcpConnection connection, int cwnd) {
        return connection == null ? cwnd : (int) (cwnd * 0.7);
    }
}
