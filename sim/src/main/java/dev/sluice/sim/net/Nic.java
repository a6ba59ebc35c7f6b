package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.sim.engine.EventHandler;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.stack.Interface;
import dev.sluice.stack.ReceiveCoalescer;

/**
 * A network card: a transmit ring in front of its link, segmentation and receive offloads,
 * interrupt moderation.
 *
 * <p>The transmit ring is the queue of the link. The card takes packets while fewer than its limit
 * wait there, so one super-segment may overshoot the limit by its own length. A packet's owner is
 * told that it is complete when it has been serialized and the card's hold time has passed (B-2.9);
 * of a super-segment, when its last packet has.
 */
public final class Nic implements EventHandler, LinkEnd {
    private static final int MAX_MERGED_SEGMENTS = 64;

    private final String name;
    private final Host host;
    private final NicSpec spec;
    private final Simulation simulation;
    private final int handler;
    private final PacketPool pool;
    private final PacketCopier copier;
    private final ReceiveCoalescer coalescer;

    private Interface iface;
    private Link out;
    private boolean completionPending;
    private boolean refused;
    private PacketBuffer received;
    private PacketBuffer lastReceived;
    private long packetsSent;
    private long packetsReceived;
    private long segmentsLacking;

    Nic(String name, Host host, NicSpec spec, Simulation simulation, PacketPool pool) {
        this.name = name;
        this.host = host;
        this.spec = spec;
        this.simulation = simulation;
        this.handler = simulation.register(this);
        this.pool = pool;
        this.copier = new PacketCopier(pool);
        this.coalescer = spec.coalescing() ? new ReceiveCoalescer(MAX_MERGED_SEGMENTS) : null;
    }

    /** Host and interface, as in {@code "client.eth0"}. */
    public String name() {
        return name;
    }

    public Host host() {
        return host;
    }

    public NicSpec spec() {
        return spec;
    }

    /** The interface of the stack that this card serves. */
    public Interface iface() {
        return iface;
    }

    void attach(Interface stackInterface) {
        iface = stackInterface;
        stackInterface.offloads(spec.segmentation(), spec.checksums());
    }

    void connect(Link link) {
        out = link;
    }

    /** The link this card sends on. */
    public Link link() {
        return out;
    }

    /** Packets put on the link. */
    public long packetsSent() {
        return packetsSent;
    }

    /** Packets that arrived. */
    public long packetsReceived() {
        return packetsReceived;
    }

    /** Segments of super-segments that were never made because the packet pool was exhausted. */
    public long segmentsLacking() {
        return segmentsLacking;
    }

    /** Takes a packet to send; false if the ring is full. */
    boolean transmit(long now, PacketBuffer packet) {
        if (out.packetsWaiting(now) >= spec.ringPackets()) {
            refused = true;
            armCompletion(now);
            return false;
        }
        if (packet.segmentCount() > 1) {
            segment(now, packet);
        } else {
            if (packet.checksum() == PacketBuffer.CHECKSUM_PARTIAL) {
                packet.checksum(PacketBuffer.CHECKSUM_VERIFIED);
            }
            send(now, packet);
        }
        armCompletion(now);
        return true;
    }

    private void segment(long now, PacketBuffer packet) {
        int headers = PacketView.headersLength(packet);
        int count = packet.segmentCount();
        PacketBuffer previous = null;
        for (int index = 0; index < count; index++) {
            PacketBuffer segment = copier.segment(packet, headers, index);
            if (segment == null) {
                segmentsLacking += count - index;
                break;
            }
            if (previous != null) {
                send(now, previous);
            }
            previous = segment;
        }
        if (previous != null) {
            previous.owner(packet.owner());
            previous.truesize(packet.truesize());
            send(now, previous);
        } else if (packet.owner() != null) {
            host.transmitCompleted(now, packet.owner(), packet.truesize());
        }
        packet.owner(null);
        pool.release(packet);
    }

    private void send(long now, PacketBuffer packet) {
        packetsSent++;
        host.tapped(now, this, true, packet);
        out.offer(now, packet);
    }

    private void armCompletion(long now) {
        if (completionPending) {
            return;
        }
        long time;
        if (!out.completions().isEmpty()) {
            time = out.completions().firstTime();
        } else if (refused || out.hasWaitingOwners()) {
            time = out.busyUntil();
        } else {
            return;
        }
        completionPending = true;
        long due = Math.max(time + spec.transmitHoldNanos(), now);
        simulation.schedule(due, Simulation.TIMER, handler, 0, 0);
    }

    @Override
    public void handle(long now, int code, long argument) {
        completionPending = false;
        out.catchUp(now);
        CompletionRing completions = out.completions();
        boolean any = refused;
        refused = false;
        while (completions.firstTime() <= now) {
            host.transmitCompleted(now, completions.firstOwner(), completions.firstTruesize());
            completions.removeFirst();
            any = true;
        }
        if (any) {
            host.turn(now);
        }
        armCompletion(now);
    }

    @Override
    public void packetArrived(long arrival, PacketBuffer packet) {
        packetsReceived++;
        host.tapped(arrival, this, false, packet);
        if (host.isDown()) {
            pool.release(packet);
            return;
        }
        packet.next(null);
        packet.timeNanos(arrival);
        packet.truesize(0); // the sender's measure; the stack that receives it takes its own
        if (coalescer != null) {
            coalescer.add(packet);
        } else if (received == null) {
            received = packet;
            lastReceived = packet;
        } else {
            lastReceived.next(packet);
            lastReceived = packet;
        }
    }

    @Override
    public void batchComplete(long now) {
        PacketBuffer batch = received;
        received = null;
        lastReceived = null;
        if (coalescer != null) {
            batch = coalescer.take();
        }
        if (batch != null) {
            host.receive(now, iface, batch);
        }
    }

    @Override
    public long holdNanos() {
        return spec.receiveHoldNanos();
    }
}
