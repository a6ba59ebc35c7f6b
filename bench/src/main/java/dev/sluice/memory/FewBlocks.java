package dev.sluice.memory;

import dev.sluice.race.RaceWorker;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pools of two blocks, one for every sample in flight: so small that a block lost or given back
 * twice shows at once.
 */
final class FewBlocks {
    static final int BLOCK_BYTES = 1 << 17;

    private static final BlockPool[] POOLS = new BlockPool[2 * RaceWorker.SAMPLES_AT_ONCE];
    private static final AtomicInteger NEXT = new AtomicInteger();

    private FewBlocks() {}

    /** A pool whose blocks have all come back from the sample that had it before. */
    static BlockPool pool() {
        int index = Math.floorMod(NEXT.getAndIncrement(), POOLS.length);
        BlockPool pool = POOLS[index];
        if (pool == null || pool.outstanding() != 0) {
            pool = new BlockPool(BLOCK_BYTES, 2 * BLOCK_BYTES);
            POOLS[index] = pool;
        }
        return pool;
    }
}
