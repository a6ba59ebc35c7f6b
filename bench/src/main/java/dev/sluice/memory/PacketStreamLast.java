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
import org.openjdk.jcstress.infra.results.I_Result;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The application reads the last packet while the loop links another one behind it. Result: what
 * was read by both reads together, and how many packets were handed back.
 */
@Row(
        shared = "memory/PacketStream",
        protocol = "append against reading the last packet",
        parties = "loop ↔ application",
        ordering = "APPENDING set by compare-and-set before the tail is looked at")
public class PacketStreamLast {
    /** A stream with one packet, and another one on its way. */
    @State
    public static class Stream {
        final PacketStream stream = new PacketStream();
        final PacketBuffer second = Packets.of((byte) 2);
        final byte[] read = new byte[2];
        int length;

        public Stream() {
            stream.append(Packets.of((byte) 1));
        }

        void read() {
            length += stream.read(read, length, 2 - length);
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "12, 2", expect = ACCEPTABLE, desc = "both read, both handed back")
    @Outcome(expect = FORBIDDEN, desc = "a packet is lost, or is handed back twice")
    public static class Fixed {
        @Actor
        public void loop(Stream s) {
            s.stream.append(s.second);
        }

        @Actor
        public void application(Stream s) {
            s.read();
        }

        @Arbiter
        public void result(Stream s, II_Result r) {
            s.read();
            r.r1 = 10 * s.read[0] + s.read[1];
            r.r2 = s.stream.reclaim(new PacketPool(0)) / Packets.TRUESIZE;
        }
    }

    /** The same with packets that know only what follows them. */
    @State
    public static class Model {
        static final VarHandle WORD = Handles.of(MethodHandles.lookup(), "word", int.class);
        static final int CHAINLESS = 1 << 31;

        /** A packet. */
        static final class Packet {
            Packet next;
        }

        final Packet one = new Packet();
        Packet first = one;
        Packet last = one;
        int word = 1;

        /** The application has handed {@code one} back. */
        boolean taken;
    }

    /** Without APPENDING. */
    @MustFail("APPENDING")
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE_INTERESTING, desc = "linked behind a packet that left")
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "in the stream")
    public static class Unannounced {
        @Actor
        public void loop(Model s) {
            Model.Packet packet = new Model.Packet();
            if (((int) Model.WORD.getVolatile(s) & Model.CHAINLESS) != 0) {
                s.first = packet;
            } else {
                s.last.next = packet;
            }
            s.last = packet;
            Model.WORD.setVolatile(s, 2);
        }

        @Actor
        public void application(Model s) {
            s.taken = Model.WORD.compareAndSet(s, 1, 1 | Model.CHAINLESS);
        }

        /** The second packet must be first, if the first one was taken away. */
        @Arbiter
        public void result(Model s, I_Result r) {
            r.r1 = s.first == s.one && s.taken ? 1 : 0;
        }
    }
}
