package dev.sluice.tcp;

/**
 * Something with a 4-tuple that segments and deadlines can be for: a connection, or a half-open row
 * of a listener. What the demultiplexing table holds.
 */
public sealed interface Endpoint permits TcpConnection, HalfOpen {
    /** Index in the stack's table; unique among the living. */
    int number();

    long localHi();

    long localLo();

    long remoteHi();

    long remoteLo();

    int localPort();

    int remotePort();
}
