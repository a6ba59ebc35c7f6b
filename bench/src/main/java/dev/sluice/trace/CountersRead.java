package dev.sluice.trace;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.race.MustFail;
import dev.sluice.race.Row;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Any thread reads a counter at any time: it never goes back. Result: two reads. */
@Row(
        shared = "trace/Counters",
        protocol = "reading while counting",
        parties = "loop → anyone",
        ordering = "opaque store by the owner, opaque load")
public class CountersRead {
    /** Two names for one set of counters, as a compiler cannot tell. */
    @State
    public static class Stack {
        final Counters counters = new Counters();
        final Counters same = counters;
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "2, 0", "2, 1"},
            expect = FORBIDDEN,
            desc = "goes back")
    @Outcome(id = "[012], [012]", expect = ACCEPTABLE, desc = "some of the counts")
    @Outcome(expect = FORBIDDEN, desc = "a number that never was")
    public static class Fixed {
        @Actor
        public void loop(Stack s) {
            s.counters.increment(Counter.TCP_IN_SEGS);
            s.counters.increment(Counter.TCP_IN_SEGS);
        }

        @Actor
        public void reader(Stack s, II_Result r) {
            r.r1 = (int) s.counters.get(Counter.TCP_IN_SEGS);
            r.r2 = (int) s.same.get(Counter.TCP_IN_SEGS);
        }
    }

    /** One counter under two names. */
    @State
    public static class Plain {
        /** A counter; {@code touched} only proves early that the cell is not null. */
        static final class Cell {
            long value;
            int touched;
        }

        final Cell cell = new Cell();
        final Cell same = cell;
    }

    /** Without opaque mode. */
    @MustFail("opaque mode")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "goes back")
    @Outcome(expect = ACCEPTABLE, desc = "some of the counts")
    public static class PlainReads {
        @Actor
        public void loop(Plain s) {
            s.cell.value = 1;
        }

        @Actor
        public void reader(Plain s, II_Result r) {
            Plain.Cell one = s.cell;
            Plain.Cell two = s.same;
            one.touched = 0;
            two.touched = 0;
            r.r1 = (int) one.value;
            r.r2 = (int) two.value;
        }
    }
}
