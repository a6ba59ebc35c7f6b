package dev.sluice.memory;

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
import org.openjdk.jcstress.infra.results.II_Result;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The connection ends while the application appends: who leaves last gives the blocks back. */
@Row(
        shared = "memory/ByteStream",
        protocol = "close against put",
        parties = "loop ↔ application",
        ordering = "ENDED and WRITING in one word, both set by read-modify-write")
public class ByteStreamClose {
    /** A stream with one byte. */
    @State
    public static class Stream {
        final BlockPool pool = FewBlocks.pool();
        final ByteStream stream = new ByteStream(pool);

        public Stream() {
            stream.put(new byte[] {1}, 0, 1);
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "(1|-1), 0", expect = ACCEPTABLE, desc = "put or refused; no block is lost")
    @Outcome(expect = FORBIDDEN, desc = "a block is lost, or was given back twice")
    public static class Fixed {
        @Actor
        public void application(Stream s, II_Result r) {
            r.r1 = s.stream.put(new byte[] {2}, 0, 1);
        }

        @Actor
        public void loop(Stream s) {
            s.stream.close();
        }

        @Arbiter
        public void result(Stream s, II_Result r) {
            r.r2 = (int) s.pool.outstanding();
        }
    }

    /** An empty stream: its first block is on the way. */
    @State
    public static class EmptyStream {
        final BlockPool pool = FewBlocks.pool();
        final ByteStream stream = new ByteStream(pool);
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "(1|-1), 0", expect = ACCEPTABLE, desc = "put or refused; no block is lost")
    @Outcome(expect = FORBIDDEN, desc = "a block is lost, or was given back twice")
    public static class FixedWhenEmpty {
        @Actor
        public void application(EmptyStream s, II_Result r) {
            r.r1 = s.stream.put(new byte[] {2}, 0, 1);
        }

        @Actor
        public void loop(EmptyStream s) {
            s.stream.close();
        }

        @Arbiter
        public void result(EmptyStream s, II_Result r) {
            r.r2 = (int) s.pool.outstanding();
        }
    }

    /** The same with one possible block. */
    @State
    public static class Model {
        static final VarHandle ENDED = Handles.of(MethodHandles.lookup(), "ended", boolean.class);
        static final VarHandle BLOCK = Handles.of(MethodHandles.lookup(), "block", Object.class);

        boolean ended;
        Object block;
    }

    /** Without WRITING: the loop does not ask who is inside. */
    @MustFail("WRITING: the loop does not ask who is inside")
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE_INTERESTING, desc = "a block in a closed stream")
    @Outcome(expect = ACCEPTABLE, desc = "refused, or given back")
    public static class Unannounced {
        @Actor
        public void application(Model s) {
            if (!(boolean) Model.ENDED.getVolatile(s)) {
                Model.BLOCK.setVolatile(s, new Object());
            }
        }

        @Actor
        public void loop(Model s, II_Result r) {
            Model.ENDED.setVolatile(s, true);
            r.r1 = 1;
            Model.BLOCK.setVolatile(s, (Object) null);
        }

        @Arbiter
        public void result(Model s, II_Result r) {
            r.r2 = s.block != null ? 1 : 0;
        }
    }
}
