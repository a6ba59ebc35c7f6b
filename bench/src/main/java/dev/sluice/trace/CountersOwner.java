package dev.sluice.trace;

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
import org.openjdk.jcstress.infra.results.J_Result;

/** Several stacks count each on its own, and the reader sums. Result: the sum in the end. */
@Row(
        shared = "trace/Counters",
        protocol = "one owner for each set",
        parties = "loops → anyone",
        ordering = "counts are added by the owner only; sums are formed by the reader")
public class CountersOwner {
    /** Two stacks. */
    @State
    public static class Host {
        final Counters left = new Counters();
        final Counters right = new Counters();
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "4", expect = ACCEPTABLE, desc = "every count")
    @Outcome(expect = FORBIDDEN, desc = "a count is lost")
    public static class Fixed {
        @Actor
        public void left(Host s) {
            s.left.increment(Counter.TCP_IN_SEGS);
            s.left.increment(Counter.TCP_IN_SEGS);
        }

        @Actor
        public void right(Host s) {
            s.right.increment(Counter.TCP_IN_SEGS);
            s.right.increment(Counter.TCP_IN_SEGS);
        }

        @Arbiter
        public void reader(Host s, J_Result r) {
            long[] sums = s.left.snapshot();
            s.right.addTo(sums);
            r.r1 = sums[Counter.TCP_IN_SEGS.ordinal()];
        }
    }

    /** Without the single owner. */
    @MustFail("the single owner")
    @JCStressTest
    @Outcome(id = "4", expect = ACCEPTABLE, desc = "every count")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "a count is lost")
    public static class TwoOwners {
        @Actor
        public void left(Host s) {
            s.left.increment(Counter.TCP_IN_SEGS);
            s.left.increment(Counter.TCP_IN_SEGS);
        }

        @Actor
        public void right(Host s) {
            s.left.increment(Counter.TCP_IN_SEGS);
            s.left.increment(Counter.TCP_IN_SEGS);
        }

        @Arbiter
        public void reader(Host s, J_Result r) {
            r.r1 = s.left.get(Counter.TCP_IN_SEGS);
        }
    }
}
