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
 * A thread shuts an open gate and tries its operation; another makes the operation possible and
 * opens the gate. Result: whether the operation went through, whether the gate is open.
 */
@Row(
        shared = "loop/Gate",
        protocol = "shut and try against change and open",
        parties = "waiter ↔ opener",
        ordering = "shut, full fence, try; change, full fence, look whether it is shut")
public class GateShut {
    /** An open gate, and an operation that is not possible yet. */
    @State
    public static class Operation {
        static final VarHandle POSSIBLE = Handles.of(MethodHandles.lookup(), "possible", int.class);

        final Gate gate = new Gate();
        int possible;

        public Operation() {
            gate.open();
        }

        void change() {
            POSSIBLE.setRelease(this, 1);
            gate.open();
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "waits for a change that has happened")
    @Outcome(expect = ACCEPTABLE, desc = "through, or told to look again")
    public static class Fixed {
        @Actor
        public void waiter(Operation s, II_Result r) {
            s.gate.shut();
            r.r1 = (int) Operation.POSSIBLE.getAcquire(s);
        }

        @Actor
        public void opener(Operation s) {
            s.change();
        }

        @Arbiter
        public void result(Operation s, II_Result r) {
            r.r2 = s.gate.isOpen() ? 1 : 0;
        }
    }

    /** The same with numbers. */
    @State
    public static class Model {
        static final VarHandle OPEN = Handles.of(MethodHandles.lookup(), "open", int.class);
        static final VarHandle POSSIBLE = Handles.of(MethodHandles.lookup(), "possible", int.class);

        int open = 1;
        int possible;
    }

    /** Without the fence of shutting. */
    @MustFail("the fence of shutting")
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "waits in vain")
    @Outcome(expect = ACCEPTABLE, desc = "through, or told to look again")
    public static class ShutInReleaseMode {
        @Actor
        public void waiter(Model s, II_Result r) {
            Model.OPEN.setRelease(s, 0);
            r.r1 = (int) Model.POSSIBLE.getAcquire(s);
        }

        @Actor
        public void opener(Model s) {
            Model.POSSIBLE.setRelease(s, 1);
            Model.OPEN.getAndSet(s, 1);
        }

        @Arbiter
        public void result(Model s, II_Result r) {
            r.r2 = s.open;
        }
    }

    /** Without the order of trying: before shutting. */
    @MustFail("the order of trying: before shutting")
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "waits in vain")
    @Outcome(expect = ACCEPTABLE, desc = "through, or told to look again")
    public static class TriesFirst {
        @Actor
        public void waiter(Model s, II_Result r) {
            r.r1 = (int) Model.POSSIBLE.getVolatile(s);
            Model.OPEN.setVolatile(s, 0);
        }

        @Actor
        public void opener(Model s) {
            Model.POSSIBLE.setVolatile(s, 1);
            Model.OPEN.getAndSet(s, 1);
        }

        @Arbiter
        public void result(Model s, II_Result r) {
            r.r2 = s.open;
        }
    }

    /** Without the fence of opening: it looks whether the gate is shut too early. */
    @MustFail("the fence of opening")
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "waits in vain")
    @Outcome(expect = ACCEPTABLE, desc = "through, or told to look again")
    public static class OpenInReleaseMode {
        @Actor
        public void waiter(Model s, II_Result r) {
            Model.OPEN.setOpaque(s, 0);
            VarHandle.fullFence();
            r.r1 = (int) Model.POSSIBLE.getAcquire(s);
        }

        @Actor
        public void opener(Model s) {
            Model.POSSIBLE.setRelease(s, 1);
            if ((int) Model.OPEN.getAcquire(s) == 0) {
                Model.OPEN.setRelease(s, 1);
            }
        }

        @Arbiter
        public void result(Model s, II_Result r) {
            r.r2 = s.open;
        }
    }
}
