package dev.sluice.runtime.device;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.memory.Buffers;
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
 * The consumer goes to sleep while a packet is published; the producer waits for room while a
 * buffer is posted. Result: who sleeps, who wakes.
 */
@Row(
        shared = "device/CableRing",
        protocol = "sleep against publish, wait against post",
        parties = "receiving loop ↔ sending loop",
        ordering = "flag, full fence, position; position, full fence, flag")
public class CableRingSleep {
    /** A ring with a buffer posted. */
    @State
    public static class Posted {
        final CableRing ring = new CableRing(2);

        public Posted() {
            ring.post(Buffers.empty());
        }
    }

    /** The ring itself: the receiver sleeps. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or awake")
    public static class FixedConsumer {
        @Actor
        public void receiver(Posted s, II_Result r) {
            r.r1 = s.ring.doze() ? 1 : 0;
        }

        @Actor
        public void sender(Posted s, II_Result r) {
            Buffers.write(s.ring.claim(), 1);
            r.r2 = s.ring.publish() ? 1 : 0;
        }
    }

    /** A ring without a buffer. */
    @State
    public static class Bare {
        final CableRing ring = new CableRing(2);
    }

    /** The ring itself: the sender waits for room. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "waits for room that is there")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or awake")
    public static class FixedProducer {
        @Actor
        public void sender(Bare s, II_Result r) {
            r.r1 = s.ring.awaitRoom() ? 1 : 0;
        }

        @Actor
        public void receiver(Bare s, II_Result r) {
            s.ring.post(Buffers.empty());
            r.r2 = s.ring.wakesProducer() ? 1 : 0;
        }
    }

    /** The same with numbers: both protocols have this form. */
    @State
    public static class Model {
        static final VarHandle FLAG = Handles.of(MethodHandles.lookup(), "flag", int.class);
        static final VarHandle POSITION = Handles.of(MethodHandles.lookup(), "position", int.class);

        int flag;
        int position;
    }

    /** Without the fence of the side that sleeps. */
    @MustFail("the fence of who sleeps")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or awake")
    public static class SleeperWithoutFence {
        @Actor
        public void sleeper(Model s, II_Result r) {
            Model.FLAG.setOpaque(s, 1);
            r.r1 = (int) Model.POSITION.getAcquire(s) == 0 ? 1 : 0;
        }

        @Actor
        public void mover(Model s, II_Result r) {
            Model.POSITION.setRelease(s, 1);
            VarHandle.fullFence();
            r.r2 = (int) Model.FLAG.getOpaque(s);
        }
    }

    /** Without the fence of the side that moves its position. */
    @MustFail("the fence of who moves the position")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "sleeps, and nobody wakes it")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or awake")
    public static class MoverWithoutFence {
        @Actor
        public void sleeper(Model s, II_Result r) {
            Model.FLAG.setOpaque(s, 1);
            VarHandle.fullFence();
            r.r1 = (int) Model.POSITION.getAcquire(s) == 0 ? 1 : 0;
        }

        @Actor
        public void mover(Model s, II_Result r) {
            Model.POSITION.setRelease(s, 1);
            r.r2 = (int) Model.FLAG.getOpaque(s);
        }
    }
}
