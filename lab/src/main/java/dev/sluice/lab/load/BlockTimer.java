package dev.sluice.lab.load;

import java.util.function.LongConsumer;

/**
 * How long the blocks of a stream are under way: from the moment the sender's socket accepted the
 * last byte of a block to the moment the receiver has read it. That includes the time in the send
 * buffer.
 */
public final class BlockTimer {
    private final int blockBytes;
    private final LongConsumer latencies;
    private long[] accepted = new long[64];
    private long firstBlock;
    private long endBlock;

    /**
     * @param blockBytes bytes of a block
     * @param latencies told the time of every block, in order, nanoseconds
     */
    public BlockTimer(int blockBytes, LongConsumer latencies) {
        this.blockBytes = blockBytes;
        this.latencies = latencies;
    }

    /** The sender's socket has accepted {@code position} bytes by now. */
    public void accepted(long now, long position) {
        while ((endBlock + 1) * blockBytes <= position) {
            if (endBlock - firstBlock == accepted.length) {
                grow();
            }
            accepted[(int) (endBlock++ % accepted.length)] = now;
        }
    }

    /** The receiver has read {@code position} bytes by now. */
    public void read(long now, long position) {
        while (firstBlock < endBlock && (firstBlock + 1) * blockBytes <= position) {
            latencies.accept(now - accepted[(int) (firstBlock++ % accepted.length)]);
        }
    }

    private void grow() {
        long[] larger = new long[accepted.length * 2];
        for (long block = firstBlock; block < endBlock; block++) {
            larger[(int) (block % larger.length)] = accepted[(int) (block % accepted.length)];
        }
        accepted = larger;
    }
}
