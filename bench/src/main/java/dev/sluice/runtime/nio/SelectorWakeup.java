package dev.sluice.runtime.nio;

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
import org.openjdk.jcstress.infra.results.I_Result;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A selection is woken, before it waits or while it does: a wake-up is kept (litmus L3). */
@Row(
        shared = "nio/StackSelector",
        protocol = "select against wakeup",
        parties = "any → selecting thread",
        ordering = "wakeup set, then gate opened; gate shut, then wakeup looked at")
public class SelectorWakeup {
    /** A selection that lasts so long was not ended by anybody. */
    private static final long LOST_MILLIS = 10_000;

    /** A selector without keys. */
    @State
    public static class Selection {
        final StackSelector selector = new StackSelector(null);

        /** 1 if it lasted to its end. */
        int select() {
            long from = System.nanoTime();
            try {
                selector.select(LOST_MILLIS);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return System.nanoTime() - from < LOST_MILLIS * 1_000_000 ? 0 : 1;
        }
    }

    /** The selector itself. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "woken")
    @Outcome(expect = FORBIDDEN, desc = "slept on")
    public static class Fixed {
        @Actor
        public void selecting(Selection s, I_Result r) {
            r.r1 = s.select();
        }

        @Actor
        public void waking(Selection s) {
            s.selector.wakeup();
        }
    }

    /** A flag that says somebody selects, and a wake-up. Result: sleeps, is woken. */
    @State
    public static class Model {
        static final VarHandle WAITS = Handles.of(MethodHandles.lookup(), "waits", int.class);
        static final VarHandle WAKEUP = Handles.of(MethodHandles.lookup(), "wakeup", int.class);

        int waits;
        int wakeup;
    }

    /** With release and acquire where volatile is needed. */
    @MustFail("the fences (release and acquire instead)")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "woken")
    public static class ReleaseAcquire {
        @Actor
        public void selecting(Model s, II_Result r) {
            Model.WAITS.setRelease(s, 1);
            r.r1 = (int) Model.WAKEUP.getAcquire(s) == 0 ? 1 : 0;
        }

        @Actor
        public void waking(Model s, II_Result r) {
            Model.WAKEUP.setRelease(s, 1);
            r.r2 = (int) Model.WAITS.getAcquire(s);
        }
    }

    /** A wake-up that comes before the selection is forgotten. */
    @MustFail("the memory: a wake-up counts only if somebody waits")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "woken")
    public static class NotKept {
        @Actor
        public void selecting(Model s, II_Result r) {
            if ((int) Model.WAKEUP.getVolatile(s) == 0) {
                Model.WAITS.setVolatile(s, 1);
                r.r1 = 1;
            }
        }

        @Actor
        public void waking(Model s, II_Result r) {
            if ((int) Model.WAITS.getVolatile(s) == 1) {
                Model.WAKEUP.setVolatile(s, 1);
                r.r2 = 1;
            }
        }
    }
}
