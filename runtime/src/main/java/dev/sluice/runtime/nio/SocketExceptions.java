package dev.sluice.runtime.nio;

import dev.sluice.socket.SocketError;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;

/** The exception, with its message, that Java users expect for an error of a socket. */
final class SocketExceptions {
    private SocketExceptions() {}

    /**
     * Of calls that are neither reads nor writes.
     *
     * @param result a negative error, or {@link StreamPort#GONE}
     */
    static IOException of(int result) {
        if (result == StreamPort.GONE) {
            return new SocketException("The stack is closed");
        }
        SocketError error = SocketError.of(result);
        return switch (error) {
            case null -> new SocketException("Error " + -result);
            case ECONNREFUSED, ETIMEDOUT, ENOTCONN -> new ConnectException(error.text());
            case EHOSTUNREACH -> new NoRouteToHostException(error.text());
            case EADDRINUSE, EADDRNOTAVAIL -> new BindException(error.text());
            case EPROTO -> new ProtocolException(error.text());
            default -> new SocketException(error.text());
        };
    }

    /** Of reading and writing, where the cause is not in the call; see {@link #of}. */
    static IOException ofTransfer(int result) {
        if (result == StreamPort.GONE) {
            return of(result);
        }
        SocketError error = SocketError.of(result);
        return new IOException(error == null ? "Error " + -result : error.text());
    }

    /** Reading, once the peer has reset the connection. */
    static IOException reset() {
        return new SocketException("Connection reset");
    }
}
