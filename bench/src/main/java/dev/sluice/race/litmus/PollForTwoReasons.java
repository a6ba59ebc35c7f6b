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
import org.openjdk.jcstress.infra.results.III_Result;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * L2 with two predicates (B-9.4): a stream is writable if there is room and little of it is unsent.
 * Whoever changes one of the two wakes, so each needs its fence. Result: whether the poller sleeps,
 * whether the ACK wakes, whether sending wakes.
 */
@Row(
        shared = "litmus L2",
        protocol = "poll with two predicates",
        parties = "poller ↔ two writers",
        ordering = "store, full fence, load in all three")
public class PollForTwoReasons {
    /** Both must be 0 for the poller to go on. */
    @State
    public static class Stream {
        static final VarHandle FULL = Handles.of(MethodHandles.lookup(), "full", int.class);
        static final VarHandle UNSENT = Handles.of(MethodHandles.lookup(), "unsent", int.class);
        static final VarHandle SLEEPER = Handles.of(MethodHandles.lookup(), "sleeper", int.class);

        int full = 1;
        int unsent = 1;
        int sleeper;

        int poll() {
            SLEEPER.setOpaque(this, 1);
            VarHandle.fullFence();
            return (int) FULL.getOpaque(this) | (int) UNSENT.getOpaque(this);
        }

        int ack() {
            FULL.setOpaque(this, 0);
            VarHandle.fullFence();
            return (int) SLEEPER.getOpaque(this);
        }

        int send() {
            UNSENT.setOpaque(this, 0);
            VarHandle.fullFence();
            return (int) SLEEPER.getOpaque(this);
        }
    }

    /** As it has to be. */
    @JCStressTest
    @Outcome(id = "1, 0, 0", expect = FORBIDDEN, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or no need")
    public static class Fixed {
        @Actor
        public void poller(Stream s, III_Result r) {
            r.r1 = s.poll();
        }

        @Actor
        public void ack(Stream s, III_Result r) {
            r.r2 = s.ack();
        }

        @Actor
        public void send(Stream s, III_Result r) {
            r.r3 = s.send();
        }
    }

    /** Without the fence of one of the two writers. */
    @MustFail("the fence of one of the two writers")
    @JCStressTest
    @Outcome(id = "1, 0, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or no need")
    public static class OneWriterWithoutFence {
        @Actor
        public void poller(Stream s, III_Result r) {
            r.r1 = s.poll();
        }

        @Actor
        public void ack(Stream s, III_Result r) {
            r.r2 = s.ack();
        }

        @Actor
        public void send(Stream s, III_Result r) {
            Stream.UNSENT.setOpaque(s, 0);
            r.r3 = (int) Stream.SLEEPER.getOpaque(s);
        }
    }
}
