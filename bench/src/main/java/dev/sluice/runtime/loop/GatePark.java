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
import org.openjdk.jcstress.infra.results.I_Result;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A thread parks at a gate while another opens it (litmus L3). */
@Row(
        shared = "loop/Gate",
        protocol = "waiter parks against opener",
        parties = "waiter ↔ opener",
        ordering = "waiter named, then open looked at; open set, then waiter looked at: volatile")
public class GatePark {
    /** A wait that lasts so long was not ended by anybody. */
    private static final long LOST_NANOS = 10_000_000_000L;

    /** A shut gate. */
    @State
    public static class Shut {
        final Gate gate = new Gate();
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "did not park, or was woken")
    @Outcome(expect = FORBIDDEN, desc = "slept on")
    public static class Fixed {
        @Actor
        public void waiter(Shut s, I_Result r) {
            long from = System.nanoTime();
            s.gate.park(Clock.system(), from + LOST_NANOS);
            r.r1 = System.nanoTime() - from < LOST_NANOS ? 0 : 1;
        }

        @Actor
        public void opener(Shut s) {
            s.gate.open();
        }
    }

    /** The same, where parking is the answer. Result: parks, is woken. */
    @State
    public static class Model {
        static final VarHandle OPEN = Handles.of(MethodHandles.lookup(), "open", int.class);
        static final VarHandle WAITER = Handles.of(MethodHandles.lookup(), "waiter", int.class);

        int open;
        int waiter;
    }

    /** Without volatile of the waiter (release and acquire instead). */
    @MustFail("volatile of the waiter (release and acquire instead)")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on")
    @Outcome(expect = ACCEPTABLE, desc = "does not park, or is woken")
    public static class WaiterInReleaseMode {
        @Actor
        public void waiter(Model s, II_Result r) {
            Model.WAITER.setRelease(s, 1);
            r.r1 = (int) Model.OPEN.getAcquire(s) == 0 ? 1 : 0;
        }

        @Actor
        public void opener(Model s, II_Result r) {
            Model.OPEN.getAndSet(s, 1);
            r.r2 = (int) Model.WAITER.getVolatile(s);
        }
    }

    /** Without volatile of the opener (release store and acquire instead). */
    @MustFail("volatile of the opener (release store and acquire instead)")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on")
    @Outcome(expect = ACCEPTABLE, desc = "does not park, or is woken")
    public static class OpenerInReleaseMode {
        @Actor
        public void waiter(Model s, II_Result r) {
            Model.WAITER.setVolatile(s, 1);
            r.r1 = (int) Model.OPEN.getVolatile(s) == 0 ? 1 : 0;
        }

        @Actor
        public void opener(Model s, II_Result r) {
            Model.OPEN.setRelease(s, 1);
            r.r2 = (int) Model.WAITER.getAcquire(s);
        }
    }

    /** Without volatile of the opener (exchange in release mode). */
    @MustFail(value = "volatile of the opener (exchange in release mode)", onX86 = false)
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps on")
    @Outcome(expect = ACCEPTABLE, desc = "does not park, or is woken")
    public static class OpenerExchangesInReleaseMode {
        @Actor
        public void waiter(Model s, II_Result r) {
            Model.WAITER.setVolatile(s, 1);
            r.r1 = (int) Model.OPEN.getVolatile(s) == 0 ? 1 : 0;
        }

        @Actor
        public void opener(Model s, II_Result r) {
            Model.OPEN.getAndSetRelease(s, 1);
            r.r2 = (int) Model.WAITER.getOpaque(s);
        }
    }
}
