package dev.sluice.runtime.device;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.memory.Buffers;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.race.MustFail;
import dev.sluice.race.Row;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The consumer leaves and takes its buffers back while the producer copies into one of them.
 * Result: what is in the buffer when both are done; 9 is what its owner wrote.
 */
@Row(
        shared = "device/CableRing",
        protocol = "leaving against copying",
        parties = "receiving loop ↔ sending loop",
        ordering = "claim: compare-and-set to copy and to leave, release after the copy")
public class CableRingLeave {
    /** A ring with a buffer posted. */
    @State
    public static class Ring {
        final CableRing ring = new CableRing(2);
        PacketBuffer back;

        public Ring() {
            ring.post(Buffers.empty());
        }
    }

    /** The ring itself. */
    @JCStressTest
    @Outcome(id = "9", expect = ACCEPTABLE, desc = "its owner's content")
    @Outcome(expect = FORBIDDEN, desc = "written by the sender afterwards")
    public static class Fixed {
        @Actor
        public void sender(Ring s) {
            PacketBuffer buffer = s.ring.claim();
            if (buffer != null) {
                Buffers.write(buffer, 1);
                s.ring.publish();
            }
        }

        @Actor
        public void receiver(Ring s) {
            s.ring.leave();
            s.back = s.ring.takeBack();
            Buffers.write(s.back, 9);
        }

        @Arbiter
        public void result(Ring s, I_Result r) {
            r.r1 = Buffers.read(s.back);
        }
    }

    /** The same with a sender that only asks whether the receiver has left. */
    @State
    public static class Model {
        volatile boolean left;
        volatile int content;
    }

    /** Without the sender's claim: what it copies into may be taken away. */
    @MustFail("the claim of the sender")
    @JCStressTest
    @Outcome(id = "9", expect = ACCEPTABLE, desc = "its owner's content")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "written by the sender afterwards")
    public static class Unclaimed {
        @Actor
        public void sender(Model s) {
            if (!s.left) {
                s.content = 1;
            }
        }

        @Actor
        public void receiver(Model s) {
            s.left = true;
            s.content = 9;
        }

        @Arbiter
        public void result(Model s, I_Result r) {
            r.r1 = s.content;
        }
    }
}
