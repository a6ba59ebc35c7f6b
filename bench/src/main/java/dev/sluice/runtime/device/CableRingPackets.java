package dev.sluice.runtime.device;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.sluice.memory.Buffers;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.race.MustFail;
import dev.sluice.race.Row;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Buffers are posted, filled, published and taken. Result: what the consumer finds. */
@Row(
        shared = "device/CableRing",
        protocol = "packets and posted buffers",
        parties = "sending loop ↔ receiving loop",
        ordering = "tail released after the packet is filled; posted released after the slot")
public class CableRingPackets {
    /** A ring with one buffer posted, and one more to post. */
    @State
    public static class Ring {
        final CableRing ring = new CableRing(2);
        final PacketBuffer more = Buffers.empty();

        public Ring() {
            ring.post(Buffers.empty());
        }

        /** Fills what is posted with 1, 2, ... @return how many there were */
        int send() {
            int sent = 0;
            PacketBuffer buffer = ring.claim();
            while (buffer != null) {
                Buffers.write(buffer, ++sent);
                ring.publish();
                buffer = ring.claim();
            }
            return sent;
        }

        /** The packets as digits. */
        int receive() {
            int received = 0;
            PacketBuffer packet = ring.take();
            while (packet != null) {
                received = 10 * received + Buffers.read(packet);
                packet = ring.take();
            }
            return received;
        }
    }

    /** The ring itself. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "1, 1", "2, 0", "2, 1", "2, 12"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(expect = FORBIDDEN, desc = "a packet that was not sent, or not so")
    public static class Fixed {
        @Actor
        public void sender(Ring s, II_Result r) {
            r.r1 = s.send();
        }

        @Actor
        public void receiver(Ring s, II_Result r) {
            s.ring.post(s.more);
            r.r2 = s.receive();
        }
    }

    /** One slot without any order. */
    @State
    public static class Slot {
        int packet;
        long tail;
    }

    /** Without release and acquire of the tail. */
    @MustFail("release and acquire of the tail")
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE_INTERESTING, desc = "a packet that was not sent so")
    @Outcome(expect = ACCEPTABLE, desc = "nothing yet, or the packet")
    public static class PlainTail {
        @Actor
        public void sender(Slot s) {
            s.packet = 1;
            s.tail = 1;
        }

        @Actor
        public void receiver(Slot s, II_Result r) {
            r.r1 = (int) s.tail;
            r.r2 = s.packet;
        }
    }
}
