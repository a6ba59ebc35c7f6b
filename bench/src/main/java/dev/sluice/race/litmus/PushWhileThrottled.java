package dev.sluice.race.litmus;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.race.Row;
import dev.sluice.race.litmus.PushAgainstCompletion.Device;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * L1b (B-9.3.3): the flag was set before, so the completion sees it whatever happens, and a sender
 * that reads a stale number of bytes does no harm without a fence. Results as in L1.
 */
@Row(
        shared = "litmus L1b",
        protocol = "push while throttled already",
        parties = "sender ↔ completion",
        ordering = "none needed: the flag was set before")
public class PushWhileThrottled {
    /** The sender looks once more after it has said that it waits. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "parked, and nobody will send")
    @Outcome(expect = ACCEPTABLE, desc = "scheduled, or sent at once")
    @State
    public static class Fixed {
        private final Device device = new Device();

        public Fixed() {
            device.flags = Device.THROTTLED;
        }

        @Actor
        public void sender(II_Result r) {
            r.r1 = device.full();
        }

        @Actor
        public void completion(II_Result r) {
            r.r2 = device.complete();
        }
    }
}
