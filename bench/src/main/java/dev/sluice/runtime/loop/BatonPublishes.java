package dev.sluice.runtime.loop;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.race.MustFail;
import dev.sluice.race.Row;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** What a holder did is visible to the next one. Result: whether it has the baton, what it sees. */
@Row(
        shared = "loop/Baton",
        protocol = "work before laying down",
        parties = "holder → next holder",
        ordering = "release to lay down, acquire to take")
public class BatonPublishes {
    /** The first actor has the baton. */
    @State
    public static class Stack {
        final Baton baton = new Baton();
        int work;

        public Stack() {
            baton.tryTake();
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "has the baton, and sees an older stack")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "has not the baton")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "sees the work")
    public static class Fixed {
        @Actor
        public void holder(Stack s) {
            s.work = 1;
            s.baton.layDown();
        }

        @Actor
        public void next(Stack s, II_Result r) {
            if (s.baton.tryTake()) {
                r.r1 = 1;
                r.r2 = s.work;
            }
        }
    }

    /** A baton that is a plain number. */
    @State
    public static class Model {
        int laidDown;
        int work;
    }

    /** Without release and acquire. */
    @MustFail("release and acquire")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sees an older stack")
    @Outcome(expect = ACCEPTABLE, desc = "sees the work, or has not the baton")
    public static class PlainWord {
        @Actor
        public void holder(Model s) {
            s.work = 1;
            s.laidDown = 1;
        }

        @Actor
        public void next(Model s, II_Result r) {
            r.r1 = s.laidDown;
            r.r2 = s.work;
        }
    }
}
