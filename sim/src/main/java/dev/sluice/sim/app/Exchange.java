package dev.sluice.sim.app;

import java.util.Arrays;

/**
 * The script of a request and its response: the sizes of the writes that make up each.
 *
 * <p>{@code new Exchange(new int[] {100, 200}, new int[] {1000})} is the write-write-read pattern
 * that Nagle's algorithm and delayed acknowledgments punish.
 */
public final class Exchange {
    private final int[] requestWrites;
    private final int[] responseWrites;
    private final int requestBytes;
    private final int responseBytes;

    public Exchange(int[] requestWrites, int[] responseWrites) {
        this.requestWrites = requestWrites.clone();
        this.responseWrites = responseWrites.clone();
        requestBytes = Arrays.stream(requestWrites).sum();
        responseBytes = Arrays.stream(responseWrites).sum();
        if (requestBytes <= 0 || responseBytes <= 0) {
            throw new IllegalArgumentException("an exchange needs bytes in both directions");
        }
    }

    int[] requestWrites() {
        return requestWrites;
    }

    int[] responseWrites() {
        return responseWrites;
    }

    /** Bytes of a request. */
    public int requestBytes() {
        return requestBytes;
    }

    /** Bytes of a response. */
    public int responseBytes() {
        return responseBytes;
    }
}
