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
 * L1 (B-9.3): a sender that has too much in the device parks; the completion schedules whoever
 * parked. Result: whether the sender parked, whether the completion scheduled it.
 */
@Row(
        shared = "litmus L1",
        protocol = "push against transmit completion",
        parties = "sender ↔ completion",
        ordering = "read-modify-write, full fence, load on both sides")
public class PushAgainstCompletion {
    /** What sender and completion share. */
    @State
    public static class Device {
        static final VarHandle BYTES = Handles.of(MethodHandles.lookup(), "bytes", int.class);
        static final VarHandle FLAGS = Handles.of(MethodHandles.lookup(), "flags", int.class);
        static final int LIMIT = 1024;
        static final int THROTTLED = 1;
        static final int QUEUED = 2;

        /** In the device. */
        int bytes = 4096;

        int flags;

        int full() {
            return (int) BYTES.getOpaque(this) > LIMIT ? 1 : 0;
        }

        int send() {
            if (full() == 0) {
                return 0;
            }
            FLAGS.getAndBitwiseOr(this, THROTTLED);
            VarHandle.fullFence();
            return full();
        }

        int complete() {
            BYTES.getAndAdd(this, -4096);
            VarHandle.fullFence();
            return schedule();
        }

        int schedule() {
            while (true) {
                int seen = (int) FLAGS.getOpaque(this);
                if ((seen & THROTTLED) == 0 || (seen & QUEUED) != 0) {
                    return 0;
                }
                if (FLAGS.compareAndSet(this, seen, seen & ~THROTTLED | QUEUED)) {
                    return 1;
                }
            }
        }
    }

    /** As it has to be. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "parked, and nobody will send")
    @Outcome(expect = ACCEPTABLE, desc = "scheduled, or sent at once")
    public static class Fixed {
        @Actor
        public void sender(Device s, II_Result r) {
            r.r1 = s.send();
        }

        @Actor
        public void completion(Device s, II_Result r) {
            r.r2 = s.complete();
        }
    }

    /** Without the sender's read-modify-write and fence (release store instead). */
    @MustFail("the sender's read-modify-write and fence (release store instead)")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "parked, and nobody will send")
    @Outcome(expect = ACCEPTABLE, desc = "scheduled, or sent at once")
    public static class ReleaseStore {
        @Actor
        public void sender(Device s, II_Result r) {
            if (s.full() == 1) {
                Device.FLAGS.setRelease(s, Device.THROTTLED);
                r.r1 = s.full();
            }
        }

        @Actor
        public void completion(Device s, II_Result r) {
            r.r2 = s.complete();
        }
    }

    /** Without the sender's fence (read-modify-write in release mode). */
    @MustFail(value = "the sender's fence (read-modify-write in release mode)", onX86 = false)
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "parked, and nobody will send")
    @Outcome(expect = ACCEPTABLE, desc = "scheduled, or sent at once")
    public static class SenderInReleaseMode {
        @Actor
        public void sender(Device s, II_Result r) {
            if (s.full() == 1) {
                Device.FLAGS.getAndBitwiseOrRelease(s, Device.THROTTLED);
                r.r1 = s.full();
            }
        }

        @Actor
        public void completion(Device s, II_Result r) {
            r.r2 = s.complete();
        }
    }

    /** Without the completion's fence (read-modify-write in release mode). */
    @MustFail(value = "the completion's fence (read-modify-write in release mode)", onX86 = false)
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "parked, and nobody will send")
    @Outcome(expect = ACCEPTABLE, desc = "scheduled, or sent at once")
    public static class CompletionInReleaseMode {
        @Actor
        public void sender(Device s, II_Result r) {
            r.r1 = s.send();
        }

        @Actor
        public void completion(Device s, II_Result r) {
            Device.BYTES.getAndAddRelease(s, -4096);
            r.r2 = s.schedule();
        }
    }
}
