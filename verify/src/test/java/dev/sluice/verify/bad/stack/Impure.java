package dev.sluice.verify.bad.stack;

import java.util.HashMap;
import java.util.Map;

/** Reads a system property, and hands out work in the order of a hash table. */
public final class Impure {
    private final Map<String, Integer> ports = new HashMap<>();

    int sum() {
        int sum = System.getProperty("answer", "").length();
        for (int port : ports.values()) {
            sum += port;
        }
        return sum;
    }
}
