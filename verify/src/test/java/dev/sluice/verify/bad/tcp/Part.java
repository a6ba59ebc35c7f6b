package dev.sluice.verify.bad.tcp;

/** A part that is public, open to extension, and knows its connection. */
public class Part {
    final TcpConnection connection;

    public Part(TcpConnection connection) {
        this.connection = connection;
    }
}
