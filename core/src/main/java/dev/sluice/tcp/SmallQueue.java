package dev.sluice.tcp;

/**
 * TCP small queues and autocorking: how much of this connection sits in the device, and who has to
 * send when it drains (B-2.7 to B-2.9).
 *
 * <p>The bytes in the device count truesize. When the sender stops because of them it leaves the
 * THROTTLED mark; the completion that finds the mark takes it and owes the connection a turn.
 */
final class SmallQueue {
    /** Truesize handed to the device and not completed (Linux {@code sk_wmem_alloc}). */
    private int bytesInDevice;

    private boolean throttled;

    void reset() {
        bytesInDevice = 0;
        throttled = false;
    }

    int bytesInDevice() {
        return bytesInDevice;
    }

    boolean throttled() {
        return throttled;
    }

    void handedToDevice(int truesize) {
        bytesInDevice += truesize;
    }

    /** The sender stops; a completion has to start it again. */
    void throttle() {
        throttled = true;
    }

    /**
     * The device has finished with a packet.
     *
     * @return whether the connection is owed a turn
     */
    boolean completed(int truesize) {
        bytesInDevice -= truesize;
        assert bytesInDevice >= 0 : "completed more than was handed to the device";
        boolean owed = throttled;
        throttled = false;
        return owed;
    }

    /** B-2.8: the backlog this packet may join, in bytes of truesize. */
    static long limit(
            int truesize, long pacingBytesPerSecond, long outputLimit, boolean retransmission) {
        long limit = Math.min(Math.max(2L * truesize, pacingBytesPerSecond >> 10), outputLimit);
        return retransmission ? limit << 1 : limit;
    }
}
