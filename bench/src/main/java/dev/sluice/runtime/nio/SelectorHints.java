package dev.sluice.runtime.nio;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.race.Handles;
import dev.sluice.race.MustFail;
import dev.sluice.race.Row;
import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.tcp.Readiness;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.SelectionKey;

/**
 * A channel becomes ready while its key, for which there is a hint already, is examined. Result:
 * how many keys are selected in the end.
 */
@Row(
        shared = "nio/StackSelectionKey",
        protocol = "signal against examination",
        parties = "loop → selecting thread",
        ordering = "hint taken away, then readiness read; readiness, then hint: volatile")
public class SelectorHints {
    static final VarHandle INTEREST =
            Handles.of(MethodHandles.lookup(), StackSelectionKey.class, "interest", int.class);

    /** A channel on no stack that is ready when somebody says so. */
    static final class Channel implements Watched {
        private final KeyList keys = new KeyList();
        volatile int ready;

        @Override
        public KeyList keys() {
            return keys;
        }

        @Override
        public EventLoop loop() {
            return null;
        }

        @Override
        public int readySet() {
            return ready;
        }

        @Override
        public int readyOps(int events, int interest) {
            return (events & Readiness.IN) != 0 ? SelectionKey.OP_READ : 0;
        }
    }

    /** A key that waits to be examined. */
    @State
    public static class Selection {
        final StackSelector selector = new StackSelector(null);
        final Channel channel = new Channel();
        final StackSelectionKey key = new StackSelectionKey(selector, null, channel);

        public Selection() {
            INTEREST.setVolatile(key, SelectionKey.OP_READ);
            key.hint();
        }

        int select() {
            try {
                return selector.selectNow();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The key itself. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "selected, now or the next time")
    @Outcome(expect = FORBIDDEN, desc = "ready, and never looked at again")
    public static class Fixed {
        @Actor
        public void loop(Selection s) {
            s.channel.ready = Readiness.IN;
            s.key.signal(Readiness.IN);
        }

        @Actor
        public void selecting(Selection s) {
            s.select();
        }

        @Arbiter
        public void result(Selection s, I_Result r) {
            s.select();
            r.r1 = s.selector.selectedKeys().size();
        }
    }

    /** A hint and a readiness. Result: whether it was seen to be ready, whether a hint is left. */
    @State
    public static class Model {
        static final VarHandle HINTED = Handles.of(MethodHandles.lookup(), "hinted", int.class);
        static final VarHandle READY = Handles.of(MethodHandles.lookup(), "ready", int.class);

        int hinted = 1;
        int ready;

        void signal() {
            READY.setVolatile(this, 1);
            HINTED.compareAndSet(this, 0, 1);
        }
    }

    /** Reads what is ready before it clears the hint. */
    @MustFail("the order: readiness is read before the hint is taken away")
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "never looked at again")
    @Outcome(expect = ACCEPTABLE, desc = "seen, or hinted at")
    public static class ReadsFirst {
        @Actor
        public void loop(Model s) {
            s.signal();
        }

        @Actor
        public void selecting(Model s, II_Result r) {
            r.r1 = (int) Model.READY.getVolatile(s);
            Model.HINTED.setVolatile(s, 0);
        }

        @Arbiter
        public void result(Model s, II_Result r) {
            r.r2 = s.hinted;
        }
    }

    /** With release and acquire where volatile is needed. */
    @MustFail("volatile of taking the hint away (release and acquire instead)")
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE_INTERESTING, desc = "never looked at again")
    @Outcome(expect = ACCEPTABLE, desc = "seen, or hinted at")
    public static class ReleaseAcquire {
        @Actor
        public void loop(Model s) {
            s.signal();
        }

        @Actor
        public void selecting(Model s, II_Result r) {
            Model.HINTED.setRelease(s, 0);
            r.r1 = (int) Model.READY.getAcquire(s);
        }

        @Arbiter
        public void result(Model s, II_Result r) {
            r.r2 = s.hinted;
        }
    }
}
