package dev.sluice.runtime.loop;

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
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two threads take the baton: never both at once, and the second sees what the first did. Result:
 * who had it, and what both did to the stack together.
 */
@Row(
        shared = "loop/Baton",
        protocol = "two takers",
        parties = "holder → next holder",
        ordering = "compare-and-set to take, release to lay down")
public class BatonTakers {
    /** Nobody has the baton; the holder's work is a plain number. */
    @State
    public static class Stack {
        final Baton baton = new Baton();
        int work;

        int tryToWork() {
            if (!baton.tryTake()) {
                return 0;
            }
            work++;
            baton.layDown();
            return 1;
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(
            id = {"1, 1, 2", "1, 0, 1", "0, 1, 1"},
            expect = ACCEPTABLE,
            desc = "all work counts")
    @Outcome(expect = FORBIDDEN, desc = "two at once, or work that the other does not see")
    public static class Fixed {
        @Actor
        public void left(Stack s, III_Result r) {
            r.r1 = s.tryToWork();
        }

        @Actor
        public void right(Stack s, III_Result r) {
            r.r2 = s.tryToWork();
        }

        @Arbiter
        public void result(Stack s, III_Result r) {
            r.r3 = s.work;
        }
    }

    /** The same with a baton that is not taken atomically. */
    @State
    public static class Model {
        volatile boolean held;
        int work;

        int tryToWork() {
            if (held) {
                return 0;
            }
            held = true;
            work++;
            held = false;
            return 1;
        }
    }

    /** Without the compare-and-set. */
    @MustFail("the compare-and-set")
    @JCStressTest
    @Outcome(
            id = {"1, 1, 2", "1, 0, 1", "0, 1, 1"},
            expect = ACCEPTABLE,
            desc = "all work counts")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "two at once")
    public static class LoadAndStore {
        @Actor
        public void left(Model s, III_Result r) {
            r.r1 = s.tryToWork();
        }

        @Actor
        public void right(Model s, III_Result r) {
            r.r2 = s.tryToWork();
        }

        @Arbiter
        public void result(Model s, III_Result r) {
            r.r3 = s.work;
        }
    }
}
