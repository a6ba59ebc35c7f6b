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

/** The application hands packets back while the loop collects. Result: how many were collected. */
@Row(
        shared = "memory/PacketStream",
        protocol = "handing back against reclaiming",
        parties = "application → loop",
        ordering = "push by compare-and-set in release mode, take-all by exchange in acquire mode")
public class PacketStreamFinished {
    /** A stream with two packets. */
    @State
    public static class Stream {
        final PacketStream stream = new PacketStream();
        final PacketPool pool = new PacketPool(0);
        final byte[] read = new byte[2];

        public Stream() {
            stream.append(Packets.of((byte) 1));
            stream.append(Packets.of((byte) 2));
        }

        int reclaim() {
            return stream.reclaim(pool) / Packets.TRUESIZE;
        }
    }

    /** As the class does it. */
    @JCStressTest
    @Outcome(
            id = {"0, 2", "1, 1", "2, 0"},
            expect = ACCEPTABLE,
            desc = "two in all")
    @Outcome(expect = FORBIDDEN, desc = "a packet is lost, or was collected twice")
    public static class Fixed {
        @Actor
        public void application(Stream s) {
            s.stream.read(s.read, 0, 2);
        }

        @Actor
        public void loop(Stream s, II_Result r) {
            r.r1 = s.reclaim();
        }

        @Arbiter
        public void result(Stream s, II_Result r) {
            r.r2 = s.reclaim();
        }
    }

    /** A list of packets; one is in it. */
    @State
    public static class Model {
        /** A packet. */
        static final class Packet {
            Packet next;
        }

        volatile Packet finished = new Packet();

        int takeAll() {
            int taken = 0;
            Packet packet = finished;
            finished = null;
            while (packet != null) {
                taken++;
                packet = packet.next;
            }
            return taken;
        }
    }

    /** Without the atomicity of push and take-all. */
    @MustFail("the atomicity of push and take-all")
    @JCStressTest
    @Outcome(
            id = {"0, 2", "1, 1", "2, 0"},
            expect = ACCEPTABLE,
            desc = "two in all")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "a packet is lost, or was collected twice")
    public static class LoadAndStore {
        @Actor
        public void application(Model s) {
            Model.Packet packet = new Model.Packet();
            packet.next = s.finished;
            s.finished = packet;
        }

        @Actor
        public void loop(Model s, II_Result r) {
            r.r1 = s.takeAll();
        }

        @Arbiter
        public void result(Model s, II_Result r) {
            r.r2 = s.takeAll();
        }
    }
}
