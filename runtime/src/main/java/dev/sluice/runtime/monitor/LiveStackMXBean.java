package dev.sluice.runtime.monitor;

import java.util.Map;

/**
 * A live stack as JMX sees it: {@code dev.sluice:type=LiveStack,name=NAME}. What {@code sluice
 * stat} and {@code sluice ss} ask.
 */
public interface LiveStackMXBean {
    /** The name it was published under. */
    String getName();

    /** The device it is on. */
    String getDevice();

    /** Connections in the table, half-open ones included. */
    int getConnections();

    /** All counters by the names that nstat gives them; zeros included. */
    Map<String, Long> getCounters();

    /** The counters in the form of nstat, without those that are 0. */
    String getNstat();

    /**
     * The TCP sockets in the form of ss.
     *
     * @param options letters of ss: {@code i} (what is known of each connection), {@code l}
     *     (listening ones), {@code a} (all), {@code n} (numbers in full); others mean nothing
     */
    String sockets(String options);
}
