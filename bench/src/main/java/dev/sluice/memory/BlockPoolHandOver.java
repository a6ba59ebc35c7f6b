package dev.sluice.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.race.MustFail;
import dev.sluice.race.Row;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Who gets a block from the pool sees what its former holder did to it. */
@Row(
        shared = "memory/BlockPool",
        protocol = "hand-over of a block",
        parties = "giver → taker",
        ordering = "turn of the slot released after the block is in it, acquired before")
public class BlockPoolHandOver {
    /** A pool whose blocks are all out. */
    @State
    public static class Pool {
        final BlockPool pool = FewBlocks.pool();
        final BlockPool.Block kept = pool.acquire();
        final BlockPool.Block given = pool.acquire();
        BlockPool.Block taken;

        public Pool() {
            given.start = 1;
            given.next = kept;
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "not there yet")
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "the block as it was given")
    @Outcome(expect = FORBIDDEN, desc = "another block, or an older state of it")
    public static class Fixed {
        @Actor
        public void giver(Pool s) {
            s.given.start = 2;
            s.pool.release(s.given);
        }

        @Actor
        public void taker(Pool s, I_Result r) {
            BlockPool.Block block = s.pool.acquire();
            s.taken = block;
            if (block != null) {
                boolean asGiven = block == s.given && block.start == 2 && block.next == null;
                r.r1 = asGiven ? 1 : 2;
            }
        }

        @Arbiter
        public void giveBack(Pool s) {
            if (s.taken != null) {
                s.pool.release(s.taken);
            }
            s.pool.release(s.kept);
        }
    }

    /** One slot without any order. */
    @State
    public static class Slot {
        Object block;
        long turn;
    }

    /** Without release and acquire of the turn. */
    @MustFail("release and acquire of the turn")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "a turn without a block")
    @Outcome(expect = ACCEPTABLE, desc = "not there yet, or the block")
    public static class PlainTurn {
        @Actor
        public void giver(Slot s) {
            s.block = s;
            s.turn = 1;
        }

        @Actor
        public void taker(Slot s, II_Result r) {
            r.r1 = (int) s.turn;
            r.r2 = s.block == null ? 0 : 1;
        }
    }
}
