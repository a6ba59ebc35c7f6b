package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.seed.Rng;
import dev.sluice.sim.engine.EventHandler;
import dev.sluice.sim.engine.Simulation;

/**
 * One direction of a wire: a queue, a serialization rate, a propagation delay and what may go
 * wrong.
 *
 * <p>Departures cost no events. A packet's serialization begins when the one before it ends, which
 * is known in advance, so the link takes packets from its queue <em>late</em>: whenever it is
 * touched at {@code now} it first catches up with every departure that began by then, each at its
 * own time. The queue cannot tell the difference, and the arrival of a packet, which is the only
 * event it costs, is always early enough to take the next one.
 *
 * <p>Serialization times are exact: the remainder of a nanosecond that one packet leaves is carried
 * to the next, so a busy link never drifts from its rate.
 */
public final class Link implements EventHandler {
    private static final int ARRIVAL = 0;
    private static final int STRAGGLER = 1;
    private static final int RELEASE = 2;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final String name;
    private final Simulation simulation;
    private final int handler;
    private final PacketPool pool;
    private final PacketCopier copier;
    private final long bitsPerSecond;
    private final long delayNanos;
    private final int overheadBytes;
    private final Qdisc queue;
    private final Impairment[] impairments;
    private final PacketFate fate = new PacketFate();
    private final PacketRing pipe = new PacketRing();
    private final PacketSlots stragglers = new PacketSlots();
    private final CompletionRing completions = new CompletionRing();
    private final LinkCounts counts = new LinkCounts();
    private final WakeTimes wakes = new WakeTimes();

    private LinkEnd end;
    private long busyUntil;
    private long remainder; // of busyUntil, in units of 1/bitsPerSecond nanoseconds
    private long lastArrival;
    private int waitingOwners;

    private PacketBuffer held;
    private int heldFor;
    private long heldSerial;

    private long downFrom = Long.MAX_VALUE;
    private long downUntil = Long.MAX_VALUE;
    private int largestPassing = Integer.MAX_VALUE;

    /** A link that {@link #connect} must give an end before it is used. */
    public Link(String name, Simulation simulation, PacketPool pool, LinkSpec spec) {
        this.name = name;
        this.simulation = simulation;
        this.pool = pool;
        this.copier = new PacketCopier(pool);
        this.handler = simulation.register(this);
        this.bitsPerSecond = spec.bitsPerSecond();
        this.delayNanos = spec.delayNanos();
        this.overheadBytes = spec.overheadBytes();
        Rng rng = simulation.rng("link " + name);
        this.queue = spec.queue().apply(rng.split("queue"));
        this.impairments = new Impairment[spec.impairments().size()];
        for (int i = 0; i < impairments.length; i++) {
            impairments[i] = spec.impairments().get(i).apply(rng.split("impairment", i));
        }
    }

    public String name() {
        return name;
    }

    /** Where packets go. */
    public void connect(LinkEnd linkEnd) {
        end = linkEnd;
    }

    /** Packets by what became of them. */
    public LinkCounts counts() {
        return counts;
    }

    /** Takes a packet to be queued and sent, or dropped if the queue refuses it. */
    public void offer(long now, PacketBuffer packet) {
        catchUp(now);
        counts.entered++;
        if (packet.owner() != null) {
            waitingOwners++;
        }
        if (!queue.enqueue(now, packet)) {
            counts.refused++;
            complete(now, packet);
            pool.release(packet);
            return;
        }
        if (busyUntil <= now) {
            busyUntil = now;
            remainder = 0;
            send(queue.dequeue(now));
        }
        arm(now);
    }

    /** Packets that wait in the queue at {@code now}. */
    public int packetsWaiting(long now) {
        catchUp(now);
        return queue.packets();
    }

    /** Bytes that wait in the queue at {@code now}, as on the wire. */
    public long bytesWaiting(long now) {
        catchUp(now);
        return queue.bytes();
    }

    /** Packets that the link holds in any place: queue, wire, delayed. */
    public long packetsInside() {
        return queue.packets() + pipe.size() + stragglers.size() + (held == null ? 0 : 1);
    }

    /** When the packet in serialization, and with it all that left the queue so far, is out. */
    long busyUntil() {
        return busyUntil;
    }

    /** Whether packets in the queue have an owner who wants to know when they are out. */
    boolean hasWaitingOwners() {
        return waitingOwners > 0;
    }

    /** Owners of packets whose serialization has begun. */
    CompletionRing completions() {
        return completions;
    }

    /**
     * Loses every packet that would arrive from {@code from} on and before {@code until}; replaces
     * an earlier interval.
     */
    public void interrupt(long from, long until) {
        downFrom = from;
        downUntil = until;
    }

    /** Silently loses IP packets of more than so many bytes; {@code Integer.MAX_VALUE} for none. */
    public void loseLargerThan(int bytes) {
        largestPassing = bytes;
    }

    @Override
    public void handle(long now, int code, long argument) {
        catchUp(now);
        if (code == ARRIVAL) {
            wakes.fired();
        }
        while (pipe.firstTime() <= now) {
            long arrival = pipe.firstTime();
            arrive(arrival, pipe.removeFirst());
        }
        if (code == STRAGGLER) {
            arrive(now, stragglers.remove((int) argument));
        } else if (code == RELEASE && held != null && argument == heldSerial) {
            PacketBuffer packet = held;
            held = null;
            arrive(now, packet);
        }
        end.batchComplete(now);
        arm(now);
    }

    /** Lets every serialization begin that began by {@code now}. */
    void catchUp(long now) {
        while (busyUntil <= now) {
            PacketBuffer packet = queue.dequeue(busyUntil);
            if (packet == null) {
                return;
            }
            send(packet);
        }
    }

    /** Serialization of a packet begins at busyUntil and moves it. */
    private void send(PacketBuffer packet) {
        long begin = busyUntil;
        long scaled = (packet.wireLength() + overheadBytes) * 8L * NANOS_PER_SECOND + remainder;
        long nanos = scaled / bitsPerSecond;
        remainder = scaled - nanos * bitsPerSecond;
        busyUntil = begin + nanos;
        complete(busyUntil, packet);
        if (packet.wireLength() > largestPassing) {
            counts.blackholed++;
            pool.release(packet);
        } else if (impairments.length == 0) {
            travel(busyUntil + delayNanos, packet);
        } else {
            impair(begin, packet);
        }
    }

    private void complete(long time, PacketBuffer packet) {
        if (packet.owner() != null) {
            waitingOwners--;
            completions.add(time, packet.owner(), packet.truesize());
            packet.owner(null);
        }
    }

    private void impair(long begin, PacketBuffer packet) {
        fate.reset();
        for (Impairment impairment : impairments) {
            impairment.apply(begin, packet, fate);
            if (fate.isLost()) {
                counts.lost++;
                pool.release(packet);
                return;
            }
        }
        long arrival = busyUntil + delayNanos + fate.delayNanos();
        int copies = fate.copies();
        PacketBuffer copy = copies > 0 ? copier.copy(packet) : null;
        if (fate.heldFor() > 0 && held == null) {
            held = packet;
            heldFor = fate.heldFor();
            heldSerial++;
            long latest = Math.max(arrival, lastArrival) + fate.heldAtMostNanos();
            simulation.schedule(latest, Simulation.ARRIVAL, handler, RELEASE, heldSerial);
        } else if (fate.isOvertakable()) {
            straggle(arrival, packet);
        } else {
            travel(arrival, packet);
        }
        while (copy != null) {
            counts.duplicated++;
            PacketBuffer another = --copies > 0 ? copier.copy(copy) : null;
            if (fate.isOvertakable()) {
                straggle(arrival, copy);
            } else {
                travel(arrival, copy);
            }
            copy = another;
        }
    }

    private void straggle(long arrival, PacketBuffer packet) {
        int slot = stragglers.add(packet);
        simulation.schedule(arrival, Simulation.ARRIVAL, handler, STRAGGLER, slot);
    }

    /** Along the wire, behind everything that went before. */
    private void travel(long arrival, PacketBuffer packet) {
        lastArrival = Math.max(arrival, lastArrival);
        pipe.add(lastArrival, packet);
        if (held != null && --heldFor == 0) {
            pipe.add(lastArrival, held);
            held = null;
        }
    }

    private void arrive(long arrival, PacketBuffer packet) {
        if (arrival >= downFrom && arrival < downUntil) {
            counts.interrupted++;
            pool.release(packet);
            return;
        }
        counts.delivered++;
        end.packetArrived(arrival, packet);
    }

    /**
     * Makes sure that an event comes when the next packet has arrived, or may turn out to have:
     * what is in the queue cannot arrive before its predecessor is out and the delay has passed,
     * but where impairments lose or delay packets it may well arrive before them.
     */
    private void arm(long now) {
        long time = Long.MAX_VALUE;
        if (pipe.size() > 0) {
            time = pipe.firstTime() + end.holdNanos();
        }
        boolean early = pipe.size() == 0 || impairments.length > 0;
        if (early && queue.packets() > 0) {
            time = Math.min(time, busyUntil + delayNanos);
        }
        if (time == Long.MAX_VALUE) {
            return;
        }
        long due = Math.max(time, now);
        if (wakes.mustSchedule(due)) {
            simulation.schedule(due, Simulation.ARRIVAL, handler, ARRIVAL, 0);
        }
    }
}
