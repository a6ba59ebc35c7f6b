package dev.sluice.runtime.nio;

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
import java.util.ArrayList;
import java.util.List;

/** A channel is registered with two selectors at once. Result: how many keys it knows. */
@Row(
        shared = "nio/KeyList",
        protocol = "two registrations",
        parties = "registering threads → loop",
        ordering = "replaced as a whole under a monitor, read volatile")
public class KeyListAdd {
    /** An empty list. */
    @State
    public static class Keys {
        static final VarHandle LIST =
                Handles.of(MethodHandles.lookup(), KeyList.class, "keys", List.class);

        final KeyList list = new KeyList();

        void add() {
            list.add(new StackSelectionKey(null, null, null));
        }

        int size() {
            return ((List<?>) LIST.getVolatile(list)).size();
        }
    }

    /** The list itself. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "both")
    @Outcome(expect = FORBIDDEN, desc = "one is forgotten")
    public static class Fixed {
        @Actor
        public void left(Keys s) {
            s.add();
        }

        @Actor
        public void right(Keys s) {
            s.add();
        }

        @Arbiter
        public void result(Keys s, I_Result r) {
            r.r1 = s.size();
        }
    }

    /** The same list without a monitor. */
    @State
    public static class Model {
        private volatile List<Object> keys = List.of();

        void add() {
            List<Object> next = new ArrayList<>(keys);
            next.add("key");
            keys = List.copyOf(next);
        }
    }

    /** Without the lock of those who add. */
    @MustFail("the monitor")
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "both")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "one is forgotten")
    public static class Unlocked {
        @Actor
        public void left(Model s) {
            s.add();
        }

        @Actor
        public void right(Model s) {
            s.add();
        }

        @Arbiter
        public void result(Model s, I_Result r) {
            r.r1 = s.keys.size();
        }
    }
}
