package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.memory.BlockPool.Block;
import dev.sluice.seed.Rng;

import org.junit.jupiter.api.Test;

import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

class BlockPoolTest {
    @Test
    void the_pool_grows_to_its_limit_and_then_refuses_and_counts() {
        try (BlockPool pool = new BlockPool(4096, 2 << 18)) {
            Set<String> places = new HashSet<>();
            List<Block> blocks = new ArrayList<>();
            for (Block block = pool.acquire(); block != null; block = pool.acquire()) {
                places.add(block.slab.address() + "+" + block.base);
                blocks.add(block);
            }
            assertThat(places).hasSize(128);
            assertThat(pool.outstanding()).isEqualTo(128);
            assertThat(pool.slabBytes()).isEqualTo(2 << 18);
            assertThat(pool.refusals()).isEqualTo(1);
            blocks.forEach(pool::release);
            assertThat(pool.outstanding()).isZero();
            for (int i = 0; i < 128; i++) {
                assertThat(pool.acquire()).isIn(blocks);
            }
            assertThat(pool.acquire()).isNull();
            assertThat(pool.refusals()).isEqualTo(2);
        }
    }

    @Test
    void a_pool_always_has_a_slab() {
        try (BlockPool pool = new BlockPool(1 << 20, 5)) {
            assertThat(pool.acquire()).isNotNull();
            assertThat(pool.acquire()).isNull();
        }
        assertThatIllegalArgumentException().isThrownBy(() -> new BlockPool(0, 1));
    }

    @Test
    void no_block_has_two_owners_and_none_is_lost() throws InterruptedException {
        try (BlockPool pool = new BlockPool(16_384, 1 << 19)) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> threads = new ArrayList<>();
            for (int id = 1; id <= 3; id++) {
                Rng rng = new Rng(77).split("thread", id);
                byte mark = (byte) id;
                Thread thread = new Thread(() -> takeMarkAndGive(pool, rng, mark));
                thread.setUncaughtExceptionHandler((dead, thrown) -> failure.set(thrown));
                threads.add(thread);
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failure.get()).isNull();
            assertThat(pool.outstanding()).isZero();
            assertThat(pool.slabBytes()).isEqualTo(1 << 19);
            assertThat(pool.refusals()).isPositive();
        }
    }

    private static void takeMarkAndGive(BlockPool pool, Rng rng, byte mark) {
        ArrayDeque<Block> mine = new ArrayDeque<>();
        for (int step = 0; step < 60_000; step++) {
            if (rng.chance(53, 100)) {
                Block block = pool.acquire();
                if (block != null) {
                    block.slab.set(ValueLayout.JAVA_BYTE, block.base, mark);
                    mine.add(block);
                }
            } else if (!mine.isEmpty()) {
                giveBack(pool, mine.poll(), mark);
            }
        }
        while (!mine.isEmpty()) {
            giveBack(pool, mine.poll(), mark);
        }
    }

    private static void giveBack(BlockPool pool, Block block, byte mark) {
        if (block.slab.get(ValueLayout.JAVA_BYTE, block.base) != mark) {
            throw new AssertionError("a block had two owners");
        }
        pool.release(block);
    }
}
