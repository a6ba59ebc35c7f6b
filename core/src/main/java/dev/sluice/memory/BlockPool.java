package dev.sluice.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Fixed-size off-heap blocks for {@link ByteStream}, carved from slabs and reused for the life of
 * the pool.
 *
 * <p>Any number of threads may take and give back blocks. Free blocks wait in a bounded
 * many-to-many ring: every slot has a turn number that says whose move it is, a taker or giver
 * claims a slot by compare-and-set on its end of the ring, and the turn number, written with
 * release and read with acquire, hands over the block (architecture section 8). Nobody waits,
 * except for another thread that has claimed a slot and is between its two stores. The pool grows
 * by slabs up to its limit and then refuses and counts.
 */
public final class BlockPool implements AutoCloseable {
    private static final int SLAB_BYTES = 1 << 18;

    private static final VarHandle BLOCK = MethodHandles.arrayElementVarHandle(Block[].class);
    private static final VarHandle TURN = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle GIVEN;
    private static final VarHandle TAKEN;
    private static final VarHandle SLABS;
    private static final VarHandle REFUSALS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            GIVEN = lookup.findVarHandle(BlockPool.class, "given", long.class);
            TAKEN = lookup.findVarHandle(BlockPool.class, "taken", long.class);
            SLABS = lookup.findVarHandle(BlockPool.class, "slabs", int.class);
            REFUSALS = lookup.findVarHandle(BlockPool.class, "refusals", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final Arena arena = Arena.ofShared();
    private final int blockBytes;
    private final int blocksPerSlab;
    private final int maxSlabs;
    private final int mask;

    /**
     * Free blocks. Slot s is free for giver number g when its turn is g, for taker g when it is g +
     * 1.
     */
    private final Block[] ring;

    private final long[] turns;

    /** How many blocks were ever put into the ring, and taken out of it. */
    private long given;

    private long taken;
    private int slabs;
    private long refusals;

    /**
     * A pool of blocks of {@code blockBytes} that never holds more than {@code limitBytes} of
     * off-heap memory, rounded down to slabs of 256 KiB (or one block, if that is more), but at
     * least one.
     */
    public BlockPool(int blockBytes, long limitBytes) {
        if (blockBytes <= 0) {
            throw new IllegalArgumentException("blocks of " + blockBytes + " bytes");
        }
        this.blockBytes = blockBytes;
        blocksPerSlab = Math.max(1, SLAB_BYTES / blockBytes);
        long slabBytes = (long) blocksPerSlab * blockBytes;
        maxSlabs = Math.clamp(limitBytes / slabBytes, 1, (1 << 30) / blocksPerSlab);
        int capacity = Integer.highestOneBit(2 * maxSlabs * blocksPerSlab - 1);
        mask = capacity - 1;
        ring = new Block[capacity];
        turns = new long[capacity];
        for (int i = 0; i < capacity; i++) {
            turns[i] = i;
        }
    }

    public int blockBytes() {
        return blockBytes;
    }

    /** Blocks handed out and not yet given back; exact only while nobody takes or gives. */
    public long outstanding() {
        long free = (long) GIVEN.getOpaque(this) - (long) TAKEN.getOpaque(this);
        return (long) (int) SLABS.getOpaque(this) * blocksPerSlab - free;
    }

    /** How often a block was asked for and there was none. */
    public long refusals() {
        return (long) REFUSALS.getOpaque(this);
    }

    /** Off-heap memory held, in bytes. */
    public long slabBytes() {
        return (long) (int) SLABS.getOpaque(this) * blocksPerSlab * blockBytes;
    }

    /** A block, or null if the limit is reached. */
    Block acquire() {
        Block block = take();
        if (block == null) {
            block = grow();
        }
        if (block == null) {
            // Somebody may have given one back while we found that we cannot grow.
            block = take();
        }
        if (block == null) {
            REFUSALS.getAndAdd(this, 1L);
        }
        return block;
    }

    void release(Block block) {
        block.next = null;
        block.front = null;
        block.recent = null;
        while (true) {
            long position = (long) GIVEN.getVolatile(this);
            int slot = (int) position & mask;
            if ((long) TURN.getAcquire(turns, slot) != position) {
                // A taker of one round ago has claimed this slot and not emptied it, or we are
                // late.
                Thread.onSpinWait();
            } else if (GIVEN.compareAndSet(this, position, position + 1)) {
                BLOCK.set(ring, slot, block);
                TURN.setRelease(turns, slot, position + 1);
                return;
            }
        }
    }

    private Block take() {
        while (true) {
            long position = (long) TAKEN.getVolatile(this);
            int slot = (int) position & mask;
            if ((long) TURN.getAcquire(turns, slot) != position + 1) {
                if ((long) GIVEN.getVolatile(this) == position) {
                    return null;
                }
                Thread.onSpinWait();
            } else if (TAKEN.compareAndSet(this, position, position + 1)) {
                Block block = (Block) BLOCK.get(ring, slot);
                BLOCK.set(ring, slot, null);
                TURN.setRelease(turns, slot, position + mask + 1);
                return block;
            }
        }
    }

    /**
     * Carves another slab: one block for the caller, the others into the ring; null at the limit.
     */
    private Block grow() {
        int before;
        do {
            before = (int) SLABS.getVolatile(this);
            if (before == maxSlabs) {
                return null;
            }
        } while (!SLABS.compareAndSet(this, before, before + 1));
        MemorySegment slab = arena.allocate((long) blocksPerSlab * blockBytes, 64);
        ByteBuffer bytes = slab.asByteBuffer();
        for (int i = 1; i < blocksPerSlab; i++) {
            release(new Block(slab, bytes, i * blockBytes));
        }
        return new Block(slab, bytes, 0);
    }

    /** Frees the memory; nobody may use the pool or a stream of it any more. */
    @Override
    public void close() {
        arena.close();
    }

    /** A piece of a slab. Belongs to one stream, or to the ring. */
    static final class Block {
        final MemorySegment slab;

        /** The whole slab once more, for copies from and to buffers that are not segments. */
        final ByteBuffer bytes;

        /** Where the block begins in the slab. */
        final int base;

        /** Stream offset of the first byte. */
        long start;

        Block next;

        /**
         * Kept in the first block of a stream only: where the consumer looked farthest, and last.
         */
        Block front;

        Block recent;

        private Block(MemorySegment slab, ByteBuffer bytes, int base) {
            this.slab = slab;
            this.bytes = bytes;
            this.base = base;
        }
    }
}
