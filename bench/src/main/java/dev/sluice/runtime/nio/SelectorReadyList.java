package dev.sluice.runtime.nio;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.race.MustFail;
import dev.sluice.race.Row;
import dev.sluice.tcp.Readiness;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;

/** Two loops hint at two keys at once while the selecting thread takes the list. */
@Row(
        shared = "nio/StackSelector",
        protocol = "ready list",
        parties = "loops → selecting thread",
        ordering = "push by compare-and-set in release mode, take-all by exchange")
public class SelectorReadyList {
    /** Two keys of ready channels that were not hinted at. */
    @State
    public static class Selection {
        final StackSelector selector = new StackSelector(null);
        final StackSelectionKey left = key();
        final StackSelectionKey right = key();

        private StackSelectionKey key() {
            SelectorHints.Channel channel = new SelectorHints.Channel();
            channel.ready = Readiness.IN;
            StackSelectionKey key = new StackSelectionKey(selector, null, channel);
            SelectorHints.INTEREST.setVolatile(key, SelectionKey.OP_READ);
            return key;
        }

        int select() {
            try {
                selector.selectNow();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return selector.selectedKeys().size();
        }
    }

    /** The selector itself: hints are taken. */
    @JCStressTest
    @Outcome(id = "[01], 2", expect = ACCEPTABLE, desc = "both, now or the next time")
    @Outcome(expect = FORBIDDEN, desc = "a hint is lost")
    public static class FixedTake {
        @Actor
        public void loop(Selection s) {
            s.left.hint();
        }

        @Actor
        public void selecting(Selection s, II_Result r) {
            r.r1 = s.select();
        }

        @Arbiter
        public void result(Selection s, II_Result r) {
            s.right.hint();
            r.r2 = s.select();
        }
    }

    /** The selector itself: two push. */
    @JCStressTest
    @Outcome(id = "0, 2", expect = ACCEPTABLE, desc = "both")
    @Outcome(expect = FORBIDDEN, desc = "a hint is lost")
    public static class FixedPush {
        @Actor
        public void left(Selection s) {
            s.left.hint();
        }

        @Actor
        public void right(Selection s) {
            s.right.hint();
        }

        @Arbiter
        public void result(Selection s, II_Result r) {
            r.r2 = s.select();
        }
    }

    /** A list of hints. */
    @State
    public static class Model {
        /** A key. */
        static final class Key {
            Key next;
        }

        volatile Key hints;

        void push() {
            Key key = new Key();
            key.next = hints;
            hints = key;
        }
    }

    /** With a load and a store in place of the compare-and-set. */
    @MustFail("the compare-and-set")
    @JCStressTest
    @Outcome(id = "0, 2", expect = ACCEPTABLE, desc = "both")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "a hint is lost")
    public static class LoadAndStore {
        @Actor
        public void left(Model s) {
            s.push();
        }

        @Actor
        public void right(Model s) {
            s.push();
        }

        @Arbiter
        public void result(Model s, II_Result r) {
            for (Model.Key key = s.hints; key != null; key = key.next) {
                r.r2++;
            }
        }
    }
}
