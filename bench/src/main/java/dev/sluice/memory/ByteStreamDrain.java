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
import org.openjdk.jcstress.infra.results.I_Result;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The loop releases the last byte and with it the last block, while the application appends to that
 * block.
 */
@Row(
        shared = "memory/ByteStream",
        protocol = "drain against append",
        parties = "application ↔ loop",
        ordering = "WRITING set by compare-and-set before the tail is looked at")
public class ByteStreamDrain {
    /** A stream with one byte. */
    @State
    public static class Stream {
        final BlockPool pool = FewBlocks.pool();
        final ByteStream stream = new ByteStream(pool);
        final MemorySegment copy = MemorySegment.ofArray(new byte[1]);

        public Stream() {
            stream.put(new byte[] {1}, 0, 1);
        }

        /** 1 if the second byte is there and every block has come back, otherwise what is wrong. */
        int verdict() {
            if (stream.size() != 1) {
                return 10;
            }
            stream.copyOut(2, 1, copy, 0);
            if (copy.get(ValueLayout.JAVA_BYTE, 0) != 2) {
                return 20;
            }
            stream.release(3);
            return pool.outstanding() == 0 ? 1 : 30;
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "the byte is there, no block is lost")
    @Outcome(expect = FORBIDDEN, desc = "the byte is gone, or a block is lost")
    public static class Fixed {
        @Actor
        public void application(Stream s) {
            s.stream.put(new byte[] {2}, 0, 1);
        }

        @Actor
        public void loop(Stream s) {
            s.stream.release(2);
        }

        @Arbiter
        public void result(Stream s, I_Result r) {
            r.r1 = s.verdict();
        }
    }

    /** The same with a word of which the highest bit says that there is no block. */
    @State
    public static class Model {
        static final VarHandle WORD = Handles.of(MethodHandles.lookup(), "word", int.class);
        static final int CHAINLESS = 1 << 31;

        int word = 1;
        boolean[] last = new boolean[1];

        /** Whether the block that the application wrote to is the free one. */
        boolean[] written;

        boolean[] freed;
    }

    /** Without WRITING. */
    @MustFail("WRITING")
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE_INTERESTING, desc = "bytes in a block that is free")
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "bytes in a block of the stream")
    public static class Unannounced {
        @Actor
        public void application(Model s) {
            int seen = (int) Model.WORD.getVolatile(s);
            if ((seen & Model.CHAINLESS) != 0) {
                s.last = new boolean[1];
            }
            s.written = s.last;
            s.written[0] = true;
            Model.WORD.setVolatile(s, 2);
        }

        @Actor
        public void loop(Model s) {
            boolean[] drained = s.last;
            if (Model.WORD.compareAndSet(s, 1, 1 | Model.CHAINLESS)) {
                s.freed = drained;
            }
        }

        @Arbiter
        public void result(Model s, I_Result r) {
            r.r1 = s.written == s.freed ? 1 : 0;
        }
    }
}
