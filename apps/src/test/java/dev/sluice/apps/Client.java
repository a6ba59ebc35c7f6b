package dev.sluice.apps;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** An application that talks to a server. */
interface Client {
    /**
     * Talks to the server, and fails if an answer is not the expected one.
     *
     * @param own the address of this side, for applications that listen as well
     */
    void use(InetAddress own, InetSocketAddress server) throws Exception;
}
