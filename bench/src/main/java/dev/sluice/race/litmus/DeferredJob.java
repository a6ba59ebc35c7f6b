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
 * L1c (B-9.3.4): a deferred job clears QUEUED before it tests for space; a completion makes space
 * and schedules the job unless it is queued. Result: whether the job found the space, whether the
 * completion scheduled it again.
 */
@Row(
        shared = "litmus L1c",
        protocol = "epilogue of the deferred job",
        parties = "job ↔ completion",
        ordering = "clear, full fence, test; make space, full fence, test")
public class DeferredJob {
    /** A job that is queued, and no space yet. */
    @State
    public static class Job {
        static final VarHandle QUEUED = Handles.of(MethodHandles.lookup(), "queued", int.class);
        static final VarHandle SPACE = Handles.of(MethodHandles.lookup(), "space", int.class);

        int queued = 1;
        int space;

        int complete() {
            SPACE.setOpaque(this, 1);
            VarHandle.fullFence();
            return (int) QUEUED.getOpaque(this) == 0 ? 1 : 0;
        }
    }

    /** As it has to be. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "space that nobody uses")
    @Outcome(expect = ACCEPTABLE, desc = "used, or the job runs again")
    public static class Fixed {
        @Actor
        public void job(Job s, II_Result r) {
            Job.QUEUED.setOpaque(s, 0);
            VarHandle.fullFence();
            r.r1 = (int) Job.SPACE.getOpaque(s);
        }

        @Actor
        public void completion(Job s, II_Result r) {
            r.r2 = s.complete();
        }
    }

    /** Without the order: tests before it clears. */
    @MustFail("the order: tests before it clears")
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "space that nobody uses")
    @Outcome(expect = ACCEPTABLE, desc = "used, or the job runs again")
    public static class TestsFirst {
        @Actor
        public void job(Job s, II_Result r) {
            r.r1 = (int) Job.SPACE.getOpaque(s);
            VarHandle.fullFence();
            Job.QUEUED.setOpaque(s, 0);
        }

        @Actor
        public void completion(Job s, II_Result r) {
            r.r2 = s.complete();
        }
    }

    /** Without the job's fence. */
    @MustFail("the job's fence")
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "space that nobody uses")
    @Outcome(expect = ACCEPTABLE, desc = "used, or the job runs again")
    public static class WithoutFence {
        @Actor
        public void job(Job s, II_Result r) {
            Job.QUEUED.setRelease(s, 0);
            r.r1 = (int) Job.SPACE.getAcquire(s);
        }

        @Actor
        public void completion(Job s, II_Result r) {
            r.r2 = s.complete();
        }
    }
}
