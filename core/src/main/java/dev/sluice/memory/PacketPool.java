package dev.sluice.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Packet buffers in three sizes, carved from off-heap slabs and reused for the life of the pool.
 *
 * <p>Small buffers hold headers (and the headers of synthetic packets), medium ones a packet of an
 * ordinary MTU, large ones a super-segment. The pool grows by slabs up to its limit and then
 * refuses. Owned by one thread (architecture section 8 lists the concurrent variant with the live
 * face).
 */
public final class PacketPool implements AutoCloseable {
    public static final int SMALL = 256;
    public static final int MEDIUM = 2048;
    public static final int LARGE = 66_048;

    private static final int SLAB_BYTES = 1 << 20;

    private final Arena arena = Arena.ofShared();
    private final long limitBytes;
    private long slabBytes;
    private PacketBuffer freeSmall;
    private PacketBuffer freeMedium;
    private PacketBuffer freeLarge;
    private long outstanding;

    /** A pool that never holds more than {@code limitBytes} of off-heap memory. */
    public PacketPool(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * A buffer of at least {@code bytes}, or null if the limit is reached or none is that large.
     */
    public PacketBuffer acquire(int bytes) {
        PacketBuffer buffer;
        if (bytes <= SMALL) {
            if (freeSmall == null && !grow(SMALL)) {
                return null;
            }
            buffer = freeSmall;
            freeSmall = buffer.next();
        } else if (bytes <= MEDIUM) {
            if (freeMedium == null && !grow(MEDIUM)) {
                return null;
            }
            buffer = freeMedium;
            freeMedium = buffer.next();
        } else if (bytes <= LARGE) {
            if (freeLarge == null && !grow(LARGE)) {
                return null;
            }
            buffer = freeLarge;
            freeLarge = buffer.next();
        } else {
            return null;
        }
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
            if (current.capacity() == SMALL) {
                current.next(freeSmall);
                freeSmall = current;
            } else if (current.capacity() == MEDIUM) {
                current.next(freeMedium);
                freeMedium = current;
            } else {
                current.next(freeLarge);
                freeLarge = current;
            }
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

    private boolean grow(int size) {
        if (slabBytes + SLAB_BYTES > limitBytes) {
            return false;
        }
        MemorySegment slab = arena.allocate(SLAB_BYTES, 64);
        ByteBuffer bytes = slab.asByteBuffer();
        slabBytes += SLAB_BYTES;
        for (long base = 0; base + size <= SLAB_BYTES; base += size) {
            PacketBuffer buffer = new PacketBuffer(slab, bytes, base, size);
            if (size == SMALL) {
                buffer.next(freeSmall);
                freeSmall = buffer;
            } else if (size == MEDIUM) {
                buffer.next(freeMedium);
                freeMedium = buffer;
            } else {
                buffer.next(freeLarge);
                freeLarge = buffer;
            }
        }
        return true;
    }

    @Override
    public void close() {
        arena.close();
    }
}
