package dev.sluice.race.litmus;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.race.Handles;
import dev.sluice.race.MustFail;
import dev.sluice.race.Row;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * L4 (B-9.6): the error is written before the state that says there is one. Message passing, where
 * release and acquire are enough; beside L2 and L3, where they are not. Result: state, error.
 */
@Row(
        shared = "litmus L4",
        protocol = "error before state",
        parties = "loop → poller",
        ordering = "release of the state, acquire of it")
public class ErrorBeforeState {
    /** Open, without an error. */
    @State
    public static class Status {
        static final VarHandle STATE = Handles.of(MethodHandles.lookup(), "state", int.class);

        int error;
        int state;
    }

    /** As it has to be. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "closed, and no reason")
    @Outcome(expect = ACCEPTABLE, desc = "closed for a reason, or still open")
    public static class Fixed {
        @Actor
        public void loop(Status s) {
            s.error = 104;
            Status.STATE.setRelease(s, 1);
        }

        @Actor
        public void poller(Status s, II_Result r) {
            r.r1 = (int) Status.STATE.getAcquire(s);
            r.r2 = s.error;
        }
    }

    /** Without release and acquire. */
    @MustFail("release and acquire")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "closed, and no reason")
    @Outcome(expect = ACCEPTABLE, desc = "closed for a reason, or still open")
    public static class Plain {
        @Actor
        public void loop(Status s) {
            s.error = 104;
            s.state = 1;
        }

        @Actor
        public void poller(Status s, II_Result r) {
            r.r1 = s.state;
            r.r2 = s.error;
        }
    }
}
