package dev.sluice.apps;

import java.net.InetAddress;

/** An application that serves. */
interface Server {
    /**
     * Serves at a port of its own choice.
     *
     * @param at the local address
     */
    Running serve(InetAddress at) throws Exception;

    /**
     * A server at work.
     *
     * @param port where it listens
     * @param stop ends it in the application's own orderly way
     */
    record Running(int port, AutoCloseable stop) {}
}
