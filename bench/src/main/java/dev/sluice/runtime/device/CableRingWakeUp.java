package dev.sluice.runtime.device;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.memory.Buffers;
import dev.sluice.race.MustFail;
import dev.sluice.race.Row;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A consumer that said it would sleep wakes by itself while a packet is published. Result: whether
 * it expects a ring of its bell, whether the producer owes one.
 */
@Row(
        shared = "device/CableRing",
        protocol = "one wake-up for each sleep",
        parties = "receiving loop ↔ sending loop",
        ordering = "flag taken back by compare-and-set")
public class CableRingWakeUp {
    /** A ring with a buffer posted, whose consumer sleeps. */
    @State
    public static class Asleep {
        final CableRing ring = new CableRing(2);

        public Asleep() {
            ring.post(Buffers.empty());
            ring.doze();
        }
    }

    /** The ring itself. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "1, 1"},
            expect = ACCEPTABLE,
            desc = "as many rings as are expected")
    @Outcome(expect = FORBIDDEN, desc = "a ring too many, or too few")
    public static class Fixed {
        @Actor
        public void receiver(Asleep s, II_Result r) {
            r.r1 = s.ring.stopDozing() ? 1 : 0;
        }

        @Actor
        public void sender(Asleep s, II_Result r) {
            Buffers.write(s.ring.claim(), 1);
            r.r2 = s.ring.publish() ? 1 : 0;
        }
    }

    /** The same with a flag that is looked at and then taken back. */
    @State
    public static class Model {
        volatile boolean awaits = true;

        boolean takeWait() {
            if (!awaits) {
                return false;
            }
            awaits = false;
            return true;
        }
    }

    /** With a load and a store in place of the compare-and-set. */
    @MustFail("the compare-and-set")
    @JCStressTest
    @Outcome(
            id = {"0, 0", "1, 1"},
            expect = ACCEPTABLE,
            desc = "as many rings as are expected")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "a ring too many")
    public static class LoadAndStore {
        @Actor
        public void receiver(Model s, II_Result r) {
            r.r1 = s.takeWait() ? 0 : 1;
        }

        @Actor
        public void sender(Model s, II_Result r) {
            r.r2 = s.takeWait() ? 1 : 0;
        }
    }
}
