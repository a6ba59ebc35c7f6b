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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The loop decides that it may sleep while a caller brings work. As in {@link EventLoop} both hold
 * the baton for it, and a wake-up is kept until the sleep that it ends. Result: whether the loop
 * sleeps with work waiting, whether its wake-up is on the way.
 */
@Row(
        shared = "loop/EventLoop",
        protocol = "going to sleep against new work",
        parties = "loop ↔ caller",
        ordering = "sleep announced and work brought under the baton; the wake-up is kept")
public class SleepAgainstWork {
    /** Nothing to do. */
    @State
    public static class Loop {
        final Baton baton = new Baton();
        boolean work;
        boolean asleep;

        /** Stands for the event file of the seat; written with the baton. */
        int signalled;

        final Command turn =
                new Command(
                        now -> {
                            asleep = !work;
                            return 0;
                        });
        final Command bring =
                new Command(
                        now -> {
                            work = true;
                            if (asleep) {
                                signalled = 1;
                            }
                            return 0;
                        });

        void call(Command command) {
            baton.leave(command);
            if (baton.tryTake()) {
                do {
                    Command next = baton.takeCommands();
                    while (next != null) {
                        Command after = next.next;
                        next.run(0);
                        next = after;
                    }
                } while (baton.layDown());
            }
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "works, or its wake-up is on the way")
    public static class Fixed {
        @Actor
        public void loop(Loop s) {
            s.call(s.turn);
        }

        @Actor
        public void caller(Loop s) {
            s.call(s.bring);
        }

        @Arbiter
        public void result(Loop s, II_Result r) {
            r.r1 = s.work && s.asleep ? 1 : 0;
            r.r2 = s.signalled;
        }
    }

    /** The same without a baton. */
    @State
    public static class Model {
        static final VarHandle WORK = Handles.of(MethodHandles.lookup(), "work", int.class);
        static final VarHandle ASLEEP = Handles.of(MethodHandles.lookup(), "asleep", int.class);

        int work;
        int asleep;
    }

    /** Without the baton (release and acquire instead). */
    @MustFail("the baton (release and acquire instead)")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "works, or is woken")
    public static class WithoutBaton {
        @Actor
        public void loop(Model s, II_Result r) {
            Model.ASLEEP.setRelease(s, 1);
            r.r1 = (int) Model.WORK.getAcquire(s) == 0 ? 1 : 0;
        }

        @Actor
        public void caller(Model s, II_Result r) {
            Model.WORK.setRelease(s, 1);
            r.r2 = (int) Model.ASLEEP.getAcquire(s);
        }
    }

    /** Without the memory of the wake-up: it is dropped on the way to the sleep. */
    @MustFail("the memory of the wake-up: it is dropped on the way to the sleep")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "works, or is woken")
    public static class WakeUpDropped {
        @Actor
        public void loop(Loop s) {
            s.call(s.turn);
            s.signalled = 0;
        }

        @Actor
        public void caller(Loop s) {
            s.call(s.bring);
        }

        @Arbiter
        public void result(Loop s, II_Result r) {
            r.r1 = s.work && s.asleep ? 1 : 0;
            r.r2 = s.signalled;
        }
    }
}
