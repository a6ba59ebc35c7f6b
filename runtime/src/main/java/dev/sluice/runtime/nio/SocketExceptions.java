package dev.sluice.runtime.nio;

import dev.sluice.socket.SocketError;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/**
 * The exception that Java users expect for an error of a socket, with the message that the JDK has
 * on Linux: the one place where results of the stack become exceptions.
 *
 * <p>The JDK makes different exceptions of the same error: opening and binding name the cause in
 * their type ({@link #of}), reading and writing of channels give a plain {@code IOException}
 * ({@link #ofTransfer}), streams of sockets a {@code SocketException} ({@link #ofStream}). All
 * three say what {@code strerror} says.
 */
final class SocketExceptions {
    /** A result besides those of the stack: the stack has been closed, or has failed. */
    static final int STACK_CLOSED = Integer.MIN_VALUE + 1;

    private SocketExceptions() {}

    /**
     * Of calls that are neither reads nor writes, and of sending to an address.
     *
     * @param result a negative error, or {@link #STACK_CLOSED}
     */
    static IOException of(int result) {
        return switch (SocketError.of(result)) {
            case ECONNREFUSED, ETIMEDOUT, ENOTCONN -> new ConnectException(text(result));
            case EHOSTUNREACH -> new NoRouteToHostException(text(result));
            case EADDRINUSE, EADDRNOTAVAIL, EACCES -> new BindException(text(result));
            case EPROTO -> new ProtocolException(text(result));
            case null, default -> new SocketException(text(result));
        };
    }

    /** Of reading and writing through a channel. */
    static IOException ofTransfer(int result) {
        return result == STACK_CLOSED ? of(result) : new IOException(text(result));
    }

    /** Of reading and writing through the streams of a socket. */
    static SocketException ofStream(int result) {
        return new SocketException(text(result));
    }

    /** Of reading and writing where only one peer is in question: it may have no such port. */
    static IOException ofDatagram(int result) {
        return result == SocketError.ECONNREFUSED.result()
                ? new PortUnreachableException()
                : ofTransfer(result);
    }

    /** Of sending a datagram to an address. */
    static IOException ofSendTo(int result) {
        return result == SocketError.ECONNREFUSED.result()
                ? new PortUnreachableException()
                : of(result);
    }

    private static String text(int result) {
        if (result == STACK_CLOSED) {
            return "The stack is closed";
        }
        SocketError error = SocketError.of(result);
        return error == null ? "Error " + -result : error.text();
    }

    // ---- what is no error of the stack -------------------------------------------------------

    /** Reading, once the peer has reset the connection: in both worlds, and every time. */
    static SocketException reset() {
        return new SocketException("Connection reset");
    }

    static SocketTimeoutException readTimedOut() {
        return new SocketTimeoutException("Read timed out");
    }

    static SocketTimeoutException connectTimedOut() {
        return new SocketTimeoutException("Connect timed out");
    }

    static SocketTimeoutException acceptTimedOut() {
        return new SocketTimeoutException("Accept timed out");
    }

    static SocketTimeoutException receiveTimedOut() {
        return new SocketTimeoutException("Receive timed out");
    }

    /** A call of a socket that has been closed, also meanwhile. */
    static SocketException socketClosed() {
        return new SocketException("Socket closed");
    }

    /** A virtual thread was interrupted in a call of a socket, which has closed it. */
    static SocketException closedByInterrupt() {
        return new SocketException("Closed by interrupt");
    }

    // ---- what a channel throws, as its socket throws it --------------------------------------

    /** An exception of a channel as one that a method of its socket may throw. */
    static IOException ofChannel(Exception e) {
        return e instanceof IOException known ? known : ofChannelOption(e);
    }

    /**
     * The same where only {@code SocketException} is allowed.
     *
     * @throws RuntimeException {@code e}, if there is no exception of sockets for it
     */
    static SocketException ofChannelOption(Exception e) {
        String text =
                switch (e) {
                    case SocketException _ -> null;
                    case ClosedChannelException _ -> "Socket is closed";
                    case NotYetConnectedException _ -> "Socket is not connected";
                    case AlreadyBoundException _ -> "Already bound";
                    case AlreadyConnectedException _ -> "Already connected";
                    case NotYetBoundException _ -> "Socket is not bound yet";
                    case UnsupportedAddressTypeException _ -> "Unsupported address type";
                    case UnresolvedAddressException _ -> "Unresolved address";
                    case IOException other -> other.getMessage();
                    case RuntimeException other -> throw other;
                    default -> throw new IllegalArgumentException(e);
                };
        if (text == null) {
            return (SocketException) e;
        }
        SocketException translated = new SocketException(text);
        translated.initCause(e);
        return translated;
    }
}
