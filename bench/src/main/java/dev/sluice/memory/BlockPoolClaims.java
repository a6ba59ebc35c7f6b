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

/** Two threads at the same end of the ring: no block goes to both, none is lost. */
@Row(
        shared = "memory/BlockPool",
        protocol = "two takers, two givers",
        parties = "any ↔ any",
        ordering = "ends of the ring moved by compare-and-set")
public class BlockPoolClaims {
    /** A pool with one block that is free. */
    @State
    public static class OneFree {
        final BlockPool pool = FewBlocks.pool();
        final BlockPool.Block kept = pool.acquire();
        BlockPool.Block left;
        BlockPool.Block right;

        public OneFree() {
            // The pool has carved its slab by now, and does not grow.
            BlockPool.Block other = pool.acquire();
            pool.release(other);
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "one has it")
    @Outcome(expect = FORBIDDEN, desc = "both have it, or nobody")
    public static class FixedTakers {
        @Actor
        public void left(OneFree s) {
            s.left = s.pool.acquire();
        }

        @Actor
        public void right(OneFree s) {
            s.right = s.pool.acquire();
        }

        @Arbiter
        public void result(OneFree s, II_Result r) {
            r.r1 = s.left == null ? 0 : 1;
            r.r2 = s.right == null ? 0 : 1;
            s.pool.release(s.kept);
            if (s.left != null) {
                s.pool.release(s.left);
            }
            if (s.right != null && s.right != s.left) {
                s.pool.release(s.right);
            }
        }
    }

    /** A pool whose blocks are all out. */
    @State
    public static class AllOut {
        final BlockPool pool = FewBlocks.pool();
        final BlockPool.Block left = pool.acquire();
        final BlockPool.Block right = pool.acquire();
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "both are back")
    @Outcome(expect = FORBIDDEN, desc = "one is lost")
    public static class FixedGivers {
        @Actor
        public void left(AllOut s) {
            s.pool.release(s.left);
        }

        @Actor
        public void right(AllOut s) {
            s.pool.release(s.right);
        }

        @Arbiter
        public void result(AllOut s, II_Result r) {
            BlockPool.Block one = s.pool.acquire();
            BlockPool.Block two = s.pool.acquire();
            boolean both = one == s.left && two == s.right || one == s.right && two == s.left;
            r.r1 = both ? 1 : 0;
            if (one != null) {
                s.pool.release(one);
            }
            if (two != null) {
                s.pool.release(two);
            }
            r.r2 = (int) s.pool.outstanding();
        }
    }

    /** A ring with one block. */
    @State
    public static class Ring {
        volatile long taken;

        /** Takes the block if nobody has. */
        int take() {
            long position = taken;
            if (position == 1) {
                return 0;
            }
            taken = position + 1;
            return 1;
        }
    }

    /** Without the compare-and-set. */
    @MustFail("the compare-and-set")
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE_INTERESTING, desc = "both have it")
    @Outcome(expect = ACCEPTABLE, desc = "one has it")
    public static class LoadAndStore {
        @Actor
        public void left(Ring s, II_Result r) {
            r.r1 = s.take();
        }

        @Actor
        public void right(Ring s, II_Result r) {
            r.r2 = s.take();
        }
    }
}
