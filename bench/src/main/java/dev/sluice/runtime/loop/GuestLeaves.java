package dev.sluice.runtime.loop;

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
 * The guest leaves its seat in the device while the thread of the loop goes to rest. Result:
 * whether the guest wakes that thread, whether that thread rests.
 */
@Row(
        shared = "loop/GuestBook",
        protocol = "guest leaves against the loop rests",
        parties = "guest ↔ loop",
        ordering = "leave, then look for the rester; rest, then look for the guest: volatile")
public class GuestLeaves {
    /** A guest in its seat. */
    @State
    public static class Device {
        final GuestBook guests = new GuestBook();

        public Device() {
            Gate gate = new Gate();
            guests.started();
            do {
                guests.woken(gate);
            } while (!guests.enter(gate));
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = FORBIDDEN, desc = "nobody attends to the device")
    @Outcome(expect = ACCEPTABLE, desc = "the loop is awake, or woken")
    public static class Fixed {
        @Actor
        public void guest(Device s, II_Result r) {
            r.r1 = s.guests.leave() ? 1 : 0;
        }

        @Actor
        public void loop(Device s, II_Result r) {
            r.r2 = s.guests.rest() ? 1 : 0;
        }
    }

    /** The same with numbers. */
    @State
    public static class Model {
        static final VarHandle SEATED = Handles.of(MethodHandles.lookup(), "seated", int.class);
        static final VarHandle RESTING = Handles.of(MethodHandles.lookup(), "resting", int.class);

        int seated = 1;
        int resting;
    }

    /** Without volatile of the guest (release and acquire instead). */
    @MustFail("volatile of the guest (release and acquire instead)")
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE_INTERESTING, desc = "nobody attends to the device")
    @Outcome(expect = ACCEPTABLE, desc = "the loop is awake, or woken")
    public static class GuestInReleaseMode {
        @Actor
        public void guest(Model s, II_Result r) {
            Model.SEATED.setRelease(s, 0);
            r.r1 = (int) Model.RESTING.getAcquire(s);
        }

        @Actor
        public void loop(Model s, II_Result r) {
            Model.RESTING.setVolatile(s, 1);
            r.r2 = (int) Model.SEATED.getVolatile(s);
        }
    }

    /** Without volatile of the loop (release and acquire instead). */
    @MustFail("volatile of the loop (release and acquire instead)")
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE_INTERESTING, desc = "nobody attends to the device")
    @Outcome(expect = ACCEPTABLE, desc = "the loop is awake, or woken")
    public static class LoopInReleaseMode {
        @Actor
        public void guest(Model s, II_Result r) {
            Model.SEATED.setVolatile(s, 0);
            r.r1 = (int) Model.RESTING.getVolatile(s);
        }

        @Actor
        public void loop(Model s, II_Result r) {
            Model.RESTING.setRelease(s, 1);
            r.r2 = (int) Model.SEATED.getAcquire(s);
        }
    }
}
