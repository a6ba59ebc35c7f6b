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
 * L2 (B-9.4): who finds no room says so, looks again and sleeps; an ACK makes room, and wakes
 * whoever said so. Result: whether the poller sleeps, whether the ACK wakes.
 */
@Row(
        shared = "litmus L2",
        protocol = "poll against ACK",
        parties = "poller ↔ loop",
        ordering = "store, full fence, load on both sides")
public class PollAgainstAck {
    /** Room of a send buffer. */
    @State
    public static class Room {
        static final VarHandle QUEUED = Handles.of(MethodHandles.lookup(), "queued", int.class);
        static final VarHandle NOSPACE = Handles.of(MethodHandles.lookup(), "nospace", int.class);
        static final int LIMIT = 1000;

        int queued = 900;
        int nospace;

        boolean isFree() {
            return (int) QUEUED.getOpaque(this) <= 2 * LIMIT / 3;
        }

        int poll() {
            if (isFree()) {
                return 0;
            }
            NOSPACE.setOpaque(this, 1);
            VarHandle.fullFence();
            return isFree() ? 0 : 1;
        }

        int ack() {
            QUEUED.setOpaque(this, 0);
            VarHandle.fullFence();
            return (int) NOSPACE.getOpaque(this);
        }
    }

    /** As it has to be. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or no need")
    public static class Fixed {
        @Actor
        public void poller(Room s, II_Result r) {
            r.r1 = s.poll();
        }

        @Actor
        public void loop(Room s, II_Result r) {
            r.r2 = s.ack();
        }
    }

    /** Without both fences (release and acquire instead). */
    @MustFail("both fences (release and acquire instead)")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or no need")
    public static class ReleaseAcquire {
        @Actor
        public void poller(Room s, II_Result r) {
            if (!s.isFree()) {
                Room.NOSPACE.setRelease(s, 1);
                r.r1 = (int) Room.QUEUED.getAcquire(s) <= 2 * Room.LIMIT / 3 ? 0 : 1;
            }
        }

        @Actor
        public void loop(Room s, II_Result r) {
            Room.QUEUED.setRelease(s, 0);
            r.r2 = (int) Room.NOSPACE.getAcquire(s);
        }
    }

    /** Without both fences (store-store and load-load instead). */
    @MustFail("both fences (store-store and load-load instead)")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or no need")
    public static class HalfFences {
        @Actor
        public void poller(Room s, II_Result r) {
            if (!s.isFree()) {
                Room.NOSPACE.setOpaque(s, 1);
                VarHandle.loadLoadFence();
                r.r1 = s.isFree() ? 0 : 1;
            }
        }

        @Actor
        public void loop(Room s, II_Result r) {
            Room.QUEUED.setOpaque(s, 0);
            VarHandle.storeStoreFence();
            r.r2 = (int) Room.NOSPACE.getOpaque(s);
        }
    }

    /** Without the fence of the ACK. */
    @MustFail("the fence of the ACK")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or no need")
    public static class FenceOfPollerOnly {
        @Actor
        public void poller(Room s, II_Result r) {
            r.r1 = s.poll();
        }

        @Actor
        public void loop(Room s, II_Result r) {
            Room.QUEUED.setOpaque(s, 0);
            r.r2 = (int) Room.NOSPACE.getOpaque(s);
        }
    }

    /** Without the fence of the poller. */
    @MustFail("the fence of the poller")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or no need")
    public static class FenceOfAckOnly {
        @Actor
        public void poller(Room s, II_Result r) {
            if (!s.isFree()) {
                Room.NOSPACE.setOpaque(s, 1);
                r.r1 = s.isFree() ? 0 : 1;
            }
        }

        @Actor
        public void loop(Room s, II_Result r) {
            r.r2 = s.ack();
        }
    }
}
