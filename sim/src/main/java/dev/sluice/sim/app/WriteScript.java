package dev.sluice.sim.app;

import dev.sluice.socket.StreamSocket;

/** Writes of given sizes in a row, continued where the socket was full. */
final class WriteScript {
    private final int[] sizes;
    private final Payload payload;
    private int index;
    private int left;

    WriteScript(int[] sizes, Payload payload) {
        this.sizes = sizes;
        this.payload = payload;
        index = sizes.length;
    }

    void begin() {
        index = 0;
        left = sizes[0];
    }

    boolean isDone() {
        return index == sizes.length;
    }

    /**
     * Writes what the socket takes.
     *
     * @return 0, or the negative errno of the write that did not succeed
     */
    int run(long now, StreamSocket socket, long position) {
        long at = position;
        while (!isDone()) {
            if (left == 0) {
                index++;
                left = isDone() ? 0 : sizes[index];
                continue;
            }
            int count = payload.write(now, socket, at, left, 0);
            if (count < 0) {
                return count;
            }
            left -= count;
            at += count;
        }
        return 0;
    }

    /** Bytes of the current round that are not yet written. */
    int remaining() {
        int sum = left;
        for (int i = index + 1; i < sizes.length; i++) {
            sum += sizes[i];
        }
        return sum;
    }
}
