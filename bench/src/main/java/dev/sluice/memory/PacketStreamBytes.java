package dev.sluice.memory;

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
import org.openjdk.jcstress.infra.results.I_Result;

/** Who sees the new end of the stream sees the packets before it, their windows and links. */
@Row(
        shared = "memory/PacketStream",
        protocol = "packets and links before the end",
        parties = "loop → application",
        ordering = "end stored volatile after the links, acquired before reading")
public class PacketStreamBytes {
    /** An empty stream and two packets. */
    @State
    public static class Stream {
        final PacketStream stream = new PacketStream();
        final PacketBuffer packet = Packets.of((byte) 1);
        final byte[] read = new byte[2];

        public Stream() {
            packet.chain(Packets.of((byte) 2));
        }

        int read() {
            int n = stream.read(read, 0, 2);
            return n == 0 ? 0 : 10 * read[0] + read[1];
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "nothing yet")
    @Outcome(id = "12", expect = ACCEPTABLE, desc = "all that came")
    @Outcome(expect = FORBIDDEN, desc = "something else")
    public static class Fixed {
        @Actor
        public void loop(Stream s) {
            s.stream.append(s.packet);
        }

        @Actor
        public void application(Stream s, I_Result r) {
            r.r1 = s.read();
        }
    }

    /** Packets that are numbers, without any order. */
    @State
    public static class PlainStream {
        Integer first;
        long end;
    }

    /** Without release and acquire of the end. */
    @MustFail("release and acquire of the end")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "a byte without a packet")
    @Outcome(expect = ACCEPTABLE, desc = "nothing yet, or all that came")
    public static class PlainEnd {
        @Actor
        public void loop(PlainStream s) {
            s.first = 1;
            s.end = 1;
        }

        @Actor
        public void application(PlainStream s, II_Result r) {
            r.r1 = (int) s.end;
            r.r2 = s.first == null ? 0 : 1;
        }
    }
}
