package dev.sluice.runtime.loop;

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
import org.openjdk.jcstress.infra.results.J_Result;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A caller waits for its command, which the holder completes. */
@Row(
        shared = "loop/Command",
        protocol = "waiting against completing",
        parties = "caller ↔ holder",
        ordering = "result before done; done and waiter volatile on both sides")
public class CommandDone {
    /** A command that waits to be run. */
    @State
    public static class Call {
        final Command command = new Command(now -> now);

        public Call() {
            command.prepare();
        }
    }

    /** A lost wake-up shows as a test that does not end. */
    @JCStressTest
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "the result")
    @Outcome(expect = FORBIDDEN, desc = "another result")
    public static class Fixed {
        @Actor
        public void caller(Call s, J_Result r) {
            s.command.await();
            r.r1 = s.command.result();
        }

        @Actor
        public void holder(Call s) {
            s.command.run(7);
            s.command.complete();
        }
    }

    /** The same, where parking is the answer. Result: parks, is woken. */
    @State
    public static class Model {
        static final VarHandle DONE = Handles.of(MethodHandles.lookup(), "done", int.class);
        static final VarHandle WAITER = Handles.of(MethodHandles.lookup(), "waiter", int.class);

        int done;
        int waiter;
    }

    /** Without volatile of the caller (release and acquire instead). */
    @MustFail("volatile of the caller (release and acquire instead)")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on")
    @Outcome(expect = ACCEPTABLE, desc = "does not park, or is woken")
    public static class CallerInReleaseMode {
        @Actor
        public void caller(Model s, II_Result r) {
            Model.WAITER.setRelease(s, 1);
            r.r1 = (int) Model.DONE.getAcquire(s) == 0 ? 1 : 0;
        }

        @Actor
        public void holder(Model s, II_Result r) {
            Model.DONE.setVolatile(s, 1);
            r.r2 = (int) Model.WAITER.getVolatile(s);
        }
    }

    /** Without volatile of the holder (release and acquire instead). */
    @MustFail("volatile of the holder (release and acquire instead)")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on")
    @Outcome(expect = ACCEPTABLE, desc = "does not park, or is woken")
    public static class HolderInReleaseMode {
        @Actor
        public void caller(Model s, II_Result r) {
            Model.WAITER.setVolatile(s, 1);
            r.r1 = (int) Model.DONE.getVolatile(s) == 0 ? 1 : 0;
        }

        @Actor
        public void holder(Model s, II_Result r) {
            Model.DONE.setRelease(s, 1);
            r.r2 = (int) Model.WAITER.getAcquire(s);
        }
    }
}
