package dev.sluice.race.litmus;

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
import org.openjdk.jcstress.infra.results.I_Result;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * L5 (B-9.7): who finds the thing owned leaves a bit, and tries to become the owner; the owner runs
 * what was left, lets go, and looks once more. Result: how often the bit was run.
 */
@Row(
        shared = "litmus L5",
        protocol = "owner hand-off",
        parties = "owner ↔ completion",
        ordering = "leave, full fence, try to own; let go, full fence, look again")
public class OwnerHandOff {
    /** Owned by the first actor. */
    @State
    public static class Thing {
        static final VarHandle OWNED = Handles.of(MethodHandles.lookup(), "owned", int.class);
        static final VarHandle DEFERRED = Handles.of(MethodHandles.lookup(), "deferred", int.class);

        int owned = 1;
        int deferred;

        /** The owner's alone. */
        int runs;

        void runDeferred() {
            runs += (int) DEFERRED.getAndSet(this, 0);
        }

        void letGo() {
            do {
                runDeferred();
                OWNED.setRelease(this, 0);
                VarHandle.fullFence();
            } while ((int) DEFERRED.getOpaque(this) != 0 && OWNED.compareAndSet(this, 0, 1));
        }

        void defer() {
            DEFERRED.getAndBitwiseOr(this, 1);
            VarHandle.fullFence();
            if ((int) OWNED.getOpaque(this) == 0 && OWNED.compareAndSet(this, 0, 1)) {
                letGo();
            }
        }
    }

    /** As it has to be. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "run once")
    @Outcome(expect = FORBIDDEN, desc = "left behind, or run twice")
    public static class Fixed {
        @Actor
        public void owner(Thing s) {
            s.letGo();
        }

        @Actor
        public void completion(Thing s) {
            s.defer();
        }

        @Arbiter
        public void result(Thing s, I_Result r) {
            r.r1 = s.runs;
        }
    }

    /** Without the owner's fence. */
    @MustFail("the owner's fence")
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "run once")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "left behind")
    public static class OwnerWithoutFence {
        @Actor
        public void owner(Thing s) {
            do {
                s.runDeferred();
                Thing.OWNED.setRelease(s, 0);
            } while ((int) Thing.DEFERRED.getAcquire(s) != 0 && Thing.OWNED.compareAndSet(s, 0, 1));
        }

        @Actor
        public void completion(Thing s) {
            s.defer();
        }

        @Arbiter
        public void result(Thing s, I_Result r) {
            r.r1 = s.runs;
        }
    }

    /** Without the second look. */
    @MustFail("the second look")
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "run once")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "left behind")
    public static class OwnerLooksOnce {
        @Actor
        public void owner(Thing s) {
            s.runDeferred();
            Thing.OWNED.setVolatile(s, 0);
        }

        @Actor
        public void completion(Thing s) {
            s.defer();
        }

        @Arbiter
        public void result(Thing s, I_Result r) {
            r.r1 = s.runs;
        }
    }

    /** Without the completion's fence (read-modify-write in release mode). */
    @MustFail(value = "the completion's fence (read-modify-write in release mode)", onX86 = false)
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "run once")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "left behind")
    public static class CompletionInReleaseMode {
        @Actor
        public void owner(Thing s) {
            s.letGo();
        }

        @Actor
        public void completion(Thing s) {
            Thing.DEFERRED.getAndBitwiseOrRelease(s, 1);
            if ((int) Thing.OWNED.getOpaque(s) == 0 && Thing.OWNED.compareAndSet(s, 0, 1)) {
                s.letGo();
            }
        }

        @Arbiter
        public void result(Thing s, I_Result r) {
            r.r1 = s.runs;
        }
    }
}
