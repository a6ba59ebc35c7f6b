package dev.sluice.verify.bad.wire;

import dev.sluice.verify.bad.tcp.TcpConnection;

import java.io.File;

/** A codec that knows a connection, does input and output, and throws. */
public final class Upward {
    final TcpConnection connection = new TcpConnection();

    boolean read(File file) {
        if (file.length() > 20) {
            throw new IllegalArgumentException("bad packet");
        }
        return connection.equals(file);
    }
}
