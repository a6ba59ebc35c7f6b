package dev.sluice.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Packet buffers in a few sizes, carved from off-heap slabs and reused for the life of the pool.
 *
 * <p>Small buffers hold headers (and the headers of synthetic packets), medium ones a packet of an
 * ordinary MTU, large ones a super-segment of any length. The sizes between double, so that what
 * waits in a receive queue takes about the memory it needs: from 2 KiB on less than twice its
 * length. The pool grows by slabs up to its limit and then refuses. Owned by one thread.
 */
public final class PacketPool implements AutoCloseable {
    public static final int SMALL = 256;
    public static final int MEDIUM = 2048;
    public static final int LARGE = 66_048;

    /** In order; between {@link #MEDIUM} and {@link #LARGE} the powers of two. */
    private static final int[] SIZES = {SMALL, MEDIUM, 4096, 8192, 16_384, 32_768, LARGE};

    private static final int SLAB_BYTES = 1 << 20;

    private final Arena arena = Arena.ofShared();
    private final long limitBytes;

    /** For each size the free buffers, linked. */
    private final PacketBuffer[] free = new PacketBuffer[SIZES.length];

    private long slabBytes;
    private long outstanding;

    /** A pool that never holds more than {@code limitBytes} of off-heap memory. */
    public PacketPool(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * The capacity of the smallest buffer that holds so many bytes; {@link #LARGE} for more than
     * any.
     */
    public static int sizeFor(int bytes) {
        return SIZES[sizeIndex(bytes)];
    }

    private static int sizeIndex(int bytes) {
        if (bytes <= SMALL) {
            return 0;
        }
        if (bytes <= MEDIUM) {
            return 1;
        }
        // 2049 to 4096 are in the third size, and so on up to the last.
        int doublings = Integer.SIZE - Integer.numberOfLeadingZeros((bytes - 1) / MEDIUM);
        return Math.min(1 + doublings, SIZES.length - 1);
    }

    /**
     * A buffer of at least {@code bytes}, or null if the limit is reached or none is that large. At
     * the limit it may be larger than {@link #sizeFor} says.
     */
    public PacketBuffer acquire(int bytes) {
        if (bytes > LARGE) {
            return null;
        }
        int index = sizeIndex(bytes);
        if (free[index] == null && !grow(index)) {
            do {
                index++;
            } while (index < SIZES.length && free[index] == null);
            if (index == SIZES.length) {
                return null;
            }
        }
        PacketBuffer buffer = free[index];
        free[index] = buffer.next();
        buffer.next(null);
        buffer.free(false);
        outstanding++;
        return buffer;
    }

    /** Takes a buffer back, and with it every buffer chained to it. */
    public void release(PacketBuffer buffer) {
        PacketBuffer current = buffer;
        while (current != null) {
            assert !current.isFree() : "packet buffer released twice";
            PacketBuffer chained = current.chain();
            current.reset();
            current.free(true);
            int index = sizeIndex(current.capacity());
            current.next(free[index]);
            free[index] = current;
            outstanding--;
            current = chained;
        }
    }

    /** Buffers handed out and not yet given back. */
    public long outstanding() {
        return outstanding;
    }

    /** Off-heap memory held, in bytes. */
    public long slabBytes() {
        return slabBytes;
    }

    private boolean grow(int index) {
        if (slabBytes + SLAB_BYTES > limitBytes) {
            return false;
        }
        MemorySegment slab = arena.allocate(SLAB_BYTES, 64);
        ByteBuffer bytes = slab.asByteBuffer();
        slabBytes += SLAB_BYTES;
        int size = SIZES[index];
        for (long base = 0; base + size <= SLAB_BYTES; base += size) {
            PacketBuffer buffer = new PacketBuffer(slab, bytes, base, size);
            buffer.next(free[index]);
            free[index] = buffer;
        }
        return true;
    }

    @Override
    public void close() {
        arena.close();
    }
}
