package dev.sluice.runtime.loop;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.race.Handles;
import dev.sluice.race.MustFail;
import dev.sluice.race.Row;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A command is left while the holder lays the baton down (litmus L5): it is run once, by one of the
 * two, and nobody has the baton in the end. Result: how often it ran, and whether the baton is
 * free.
 */
@Row(
        shared = "loop/Baton",
        protocol = "command left against baton laid down",
        parties = "caller ↔ holder",
        ordering = "leave, full fence, try to take; lay down, full fence, look again")
public class BatonHandOver {
    /** Somebody has the baton. */
    @State
    public static class Stack {
        final Baton baton = new Baton();
        int runs;
        final Command command =
                new Command(
                        now -> {
                            runs++;
                            return 0;
                        });

        public Stack() {
            baton.tryTake();
        }

        void holdAndLayDown() {
            do {
                Command command = baton.takeCommands();
                while (command != null) {
                    Command next = command.next;
                    command.run(0);
                    command = next;
                }
            } while (baton.layDown());
        }

        void call() {
            baton.leave(command);
            if (baton.tryTake()) {
                holdAndLayDown();
            }
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "run once, and the baton is free")
    @Outcome(expect = FORBIDDEN, desc = "left behind, run twice, or a holder for ever")
    public static class Fixed {
        @Actor
        public void holder(Stack s) {
            s.holdAndLayDown();
        }

        @Actor
        public void caller(Stack s) {
            s.call();
        }

        @Arbiter
        public void result(Stack s, II_Result r) {
            r.r1 = s.runs;
            r.r2 = s.baton.tryTake() ? 1 : 0;
        }
    }

    /** The same for one command that is a number. */
    @State
    public static class Model {
        static final VarHandle HELD = Handles.of(MethodHandles.lookup(), "held", int.class);
        static final VarHandle LEFT = Handles.of(MethodHandles.lookup(), "left", int.class);

        int held = 1;
        int left;
        int runs;

        boolean tryTake() {
            return (int) HELD.getOpaque(this) == 0 && HELD.compareAndSet(this, 0, 1);
        }

        void run() {
            runs += (int) LEFT.getAndSetAcquire(this, 0);
        }

        void holdAndLayDown() {
            do {
                run();
                HELD.setRelease(this, 0);
                VarHandle.fullFence();
            } while ((int) LEFT.getOpaque(this) != 0 && tryTake());
        }

        void call() {
            LEFT.getAndAddRelease(this, 1);
            VarHandle.fullFence();
            if (tryTake()) {
                holdAndLayDown();
            }
        }
    }

    /** Without the holder's fence. */
    @MustFail("the holder's fence")
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "run once")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "left behind")
    public static class HolderWithoutFence {
        @Actor
        public void holder(Model s) {
            do {
                s.run();
                Model.HELD.setRelease(s, 0);
            } while ((int) Model.LEFT.getAcquire(s) != 0 && s.tryTake());
        }

        @Actor
        public void caller(Model s) {
            s.call();
        }

        @Arbiter
        public void result(Model s, I_Result r) {
            r.r1 = s.runs;
        }
    }

    /** Without the holder's second look. */
    @MustFail("the holder's second look")
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "run once")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "left behind")
    public static class HolderLooksOnce {
        @Actor
        public void holder(Model s) {
            s.run();
            Model.HELD.setVolatile(s, 0);
        }

        @Actor
        public void caller(Model s) {
            s.call();
        }

        @Arbiter
        public void result(Model s, I_Result r) {
            r.r1 = s.runs;
        }
    }

    /** Without the caller's second try. */
    @MustFail("the caller's second try")
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "run once")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "left behind")
    public static class CallerTriesOnce {
        @Actor
        public void holder(Model s) {
            s.holdAndLayDown();
        }

        @Actor
        public void caller(Model s) {
            if (s.tryTake()) {
                s.runs++;
                s.holdAndLayDown();
            } else {
                Model.LEFT.getAndAdd(s, 1);
            }
        }

        @Arbiter
        public void result(Model s, I_Result r) {
            r.r1 = s.runs;
        }
    }

    /** Without the caller's fence (push in release mode alone). */
    @MustFail(value = "the caller's fence (push in release mode alone)", onX86 = false)
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "run once")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "left behind")
    public static class CallerWithoutFence {
        @Actor
        public void holder(Model s) {
            s.holdAndLayDown();
        }

        @Actor
        public void caller(Model s) {
            Model.LEFT.getAndAddRelease(s, 1);
            if (s.tryTake()) {
                s.holdAndLayDown();
            }
        }

        @Arbiter
        public void result(Model s, I_Result r) {
            r.r1 = s.runs;
        }
    }
}
