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
 * L3 (B-9.5): a sleeper enters its name, looks at the condition again and parks; a waker makes the
 * condition true and skips the wake-up if nobody has entered. Result: whether the sleeper parks,
 * whether the waker wakes.
 */
@Row(
        shared = "litmus L3",
        protocol = "sleeper registration",
        parties = "sleeper ↔ waker",
        ordering = "store, full fence, load on both sides")
public class SleeperRegistration {
    /** One name, one condition. */
    @State
    public static class WaitList {
        static final VarHandle ENTERED = Handles.of(MethodHandles.lookup(), "entered", int.class);
        static final VarHandle TRUE = Handles.of(MethodHandles.lookup(), "condition", int.class);

        int entered;
        int condition;

        int sleep() {
            ENTERED.setOpaque(this, 1);
            VarHandle.fullFence();
            return (int) TRUE.getOpaque(this) == 0 ? 1 : 0;
        }

        int wake() {
            TRUE.setOpaque(this, 1);
            VarHandle.fullFence();
            return (int) ENTERED.getOpaque(this);
        }
    }

    /** As it has to be. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "parks, and the wake-up was skipped")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or does not park")
    public static class Fixed {
        @Actor
        public void sleeper(WaitList s, II_Result r) {
            r.r1 = s.sleep();
        }

        @Actor
        public void waker(WaitList s, II_Result r) {
            r.r2 = s.wake();
        }
    }

    /** Without the sleeper's fence. */
    @MustFail("the sleeper's fence")
    @JCStressTest
    @Outcome(
            id = "1, 0",
            expect = ACCEPTABLE_INTERESTING,
            desc = "parks, and the wake-up was skipped")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or does not park")
    public static class SleeperWithoutFence {
        @Actor
        public void sleeper(WaitList s, II_Result r) {
            WaitList.ENTERED.setRelease(s, 1);
            r.r1 = (int) WaitList.TRUE.getAcquire(s) == 0 ? 1 : 0;
        }

        @Actor
        public void waker(WaitList s, II_Result r) {
            r.r2 = s.wake();
        }
    }

    /** Without the waker's fence. */
    @MustFail("the waker's fence")
    @JCStressTest
    @Outcome(
            id = "1, 0",
            expect = ACCEPTABLE_INTERESTING,
            desc = "parks, and the wake-up was skipped")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or does not park")
    public static class WakerWithoutFence {
        @Actor
        public void sleeper(WaitList s, II_Result r) {
            r.r1 = s.sleep();
        }

        @Actor
        public void waker(WaitList s, II_Result r) {
            WaitList.TRUE.setRelease(s, 1);
            r.r2 = (int) WaitList.ENTERED.getAcquire(s);
        }
    }
}
