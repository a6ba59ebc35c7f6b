package dev.sluice.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.race.MustFail;
import dev.sluice.race.Row;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Who sees the new end of a stream sees the bytes before it and the links between their blocks. */
@Row(
        shared = "memory/ByteStream",
        protocol = "bytes and links before the end",
        parties = "application → loop",
        ordering = "end published by compare-and-set after the copy, acquired before reading")
public class ByteStreamBytes {
    private static final int NOTHING = 0;
    private static final int ALL = 1;
    private static final int OTHER = 2;

    /** A stream whose blocks hold 8 bytes. */
    @State
    public static class Stream {
        private static final BlockPool POOL = new BlockPool(8, 1 << 22);
        private static final int LENGTH = 12;
        private static int samples;

        final ByteStream stream = new ByteStream(POOL);

        /** Differs from what an earlier sample left in the same blocks. */
        final byte content = (byte) ++samples;

        final MemorySegment copy = MemorySegment.ofArray(new byte[LENGTH]);

        void put() {
            byte[] bytes = new byte[LENGTH];
            Arrays.fill(bytes, content);
            stream.put(bytes, 0, LENGTH);
        }

        int look() {
            if (stream.end() == ByteStream.FIRST) {
                return NOTHING;
            }
            stream.copyOut(ByteStream.FIRST, LENGTH, copy, 0);
            for (int i = 0; i < LENGTH; i++) {
                if (copy.get(ValueLayout.JAVA_BYTE, i) != content) {
                    return OTHER;
                }
            }
            return ALL;
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "2", expect = FORBIDDEN, desc = "bytes that were not put")
    @Outcome(expect = ACCEPTABLE, desc = "nothing yet, or all of them")
    public static class Fixed {
        @Actor
        public void application(Stream s) {
            s.put();
        }

        @Actor
        public void loop(Stream s, I_Result r) {
            r.r1 = s.look();
        }

        @Arbiter
        public void end(Stream s, I_Result r) {
            s.stream.close();
        }
    }

    /** A block and an end without any order. */
    @State
    public static class PlainStream {
        final byte[] block = new byte[1];
        long end;
    }

    /** Without release and acquire of the end. */
    @MustFail("release and acquire of the end")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "bytes that were not put")
    @Outcome(expect = ACCEPTABLE, desc = "nothing yet, or all of them")
    public static class PlainEnd {
        @Actor
        public void application(PlainStream s) {
            s.block[0] = 1;
            s.end = 1;
        }

        @Actor
        public void loop(PlainStream s, II_Result r) {
            r.r1 = (int) s.end;
            r.r2 = s.block[0];
        }
    }
}
