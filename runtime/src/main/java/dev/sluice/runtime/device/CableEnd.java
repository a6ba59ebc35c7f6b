package dev.sluice.runtime.device;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.runtime.ffi.EventFd;
import dev.sluice.runtime.ffi.NativeException;

import java.lang.foreign.MemorySegment;

/**
 * One end of a {@link Cable}, driven by the owner of its stack.
 *
 * <p>The bell of an end is an event file. The other end rings it, once, when it has published a
 * packet or posted a buffer that this end said it was going to sleep for; while both are busy there
 * are no system calls.
 *
 * <p>Where packets take time, those taken off the ring wait here in order of arrival, in buffers of
 * about their size, so that the ring need not be as deep as the delay is long.
 */
final class CableEnd implements Device {
    /** Buffers posted from the start; more as soon as all of them were full. */
    private static final int FIRST_POSTED = 8;

    /** Most memory of packets that are still on their way, bytes. */
    private static final long WAITING_LIMIT = 256L << 20;

    private final String name;
    private final CableSpec spec;
    private final CableLine line;
    private final CableRing out;
    private final CableRing in;
    private final EventFd bell;
    private final EventFd otherBell;
    private final boolean delays;
    private final int postedBytes;

    private int wantedPosted = FIRST_POSTED;
    private boolean dozes;
    private boolean awaitsRoom;

    /** Rings of the bell that are owed to us and have not been heard. */
    private long owedRings;

    private PacketBuffer firstWaiting;
    private PacketBuffer lastWaiting;
    private long waitingBytes;
    private long dropped;

    CableEnd(
            String name,
            CableSpec spec,
            CableLine line,
            CableRing out,
            CableRing in,
            EventFd bell,
            EventFd otherBell) {
        this.name = name;
        this.spec = spec;
        this.line = line;
        this.out = out;
        this.in = in;
        this.bell = bell;
        this.otherBell = otherBell;
        delays = CableLine.delays(spec);
        postedBytes = spec.offload() ? PacketPool.LARGE : spec.mtu();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int fd() {
        return bell.number();
    }

    /** The bell rings for room too. */
    @Override
    public boolean pollsForRoom() {
        return false;
    }

    @Override
    public int mtu() {
        return spec.mtu();
    }

    @Override
    public boolean segmentation() {
        return spec.offload();
    }

    @Override
    public boolean checksumOffload() {
        return spec.offload();
    }

    /** Lost at random, for want of memory or of room in front of the line, or sent to nobody. */
    @Override
    public long dropped() {
        return dropped;
    }

    // ---- receiving ---------------------------------------------------------------------------

    @Override
    public int receive(long now, PacketPool pool, PacketBuffer[] batch) throws DeviceException {
        hearBell();
        if (in.occupied() >= wantedPosted && in.isFull()) {
            wantedPosted *= 2;
        }
        int count = 0;
        if (delays) {
            for (int i = 0; i < batch.length; i++) {
                if (!takeIn(pool)) {
                    break;
                }
            }
            count = due(now, batch);
        } else {
            PacketBuffer packet = in.take();
            while (packet != null) {
                packet = fit(pool, packet);
                if (packet != null) {
                    batch[count++] = packet;
                }
                packet = count == batch.length ? null : in.take();
            }
        }
        post(pool);
        return count;
    }

    /** Moves a packet from the ring to those that wait. @return false if there is none */
    private boolean takeIn(PacketPool pool) {
        PacketBuffer published = in.take();
        if (published == null) {
            return false;
        }
        if (waitingBytes + published.length() > WAITING_LIMIT) {
            in.post(published);
            dropped++;
            return true;
        }
        PacketBuffer packet = fit(pool, published);
        if (packet != null) {
            if (lastWaiting == null) {
                firstWaiting = packet;
            } else {
                lastWaiting.next(packet);
            }
            lastWaiting = packet;
            waitingBytes += packet.capacity();
        }
        return true;
    }

    /** Those whose time has come. */
    private int due(long now, PacketBuffer[] batch) {
        int count = 0;
        while (count < batch.length && firstWaiting != null && firstWaiting.timeNanos() <= now) {
            PacketBuffer packet = firstWaiting;
            firstWaiting = packet.next();
            if (firstWaiting == null) {
                lastWaiting = null;
            }
            packet.next(null);
            waitingBytes -= packet.capacity();
            batch[count++] = packet;
        }
        return count;
    }

    /**
     * The packet in a buffer of about its size. A small one is copied and its buffer posted again;
     * a large one keeps its buffer, and another one is posted in its place.
     *
     * @return null if there is no memory: the packet is lost
     */
    private PacketBuffer fit(PacketPool pool, PacketBuffer published) {
        int length = published.length();
        boolean copy = PacketPool.sizeFor(length) < published.capacity();
        PacketBuffer other = pool.acquire(copy ? length : postedBytes);
        if (other == null) {
            in.post(published);
            dropped++;
            return null;
        }
        if (!copy) {
            in.post(other);
            return published;
        }
        copy(published, other);
        in.post(published);
        return other;
    }

    /** Keeps the ring supplied, and tells a sender that waited for it. */
    private void post(PacketPool pool) {
        while (in.occupied() < wantedPosted && in.canPost()) {
            PacketBuffer empty = pool.acquire(postedBytes);
            if (empty == null) {
                break;
            }
            in.post(empty);
        }
        if (in.wakesProducer()) {
            otherBell.signal();
        }
    }

    @Override
    public long nextArrival(long now) {
        stopDozing();
        dozes = true;
        if (!in.doze()) {
            return now;
        }
        return firstWaiting == null ? Long.MAX_VALUE : firstWaiting.timeNanos();
    }

    /** Awake again: every ring that was owed is heard, or the bell would stay readable. */
    private void hearBell() throws DeviceException {
        stopDozing();
        stopAwaitingRoom();
        if (owedRings > 0) {
            try {
                owedRings -= bell.take();
            } catch (NativeException e) {
                throw new DeviceException(name + " cannot be read: " + e.getMessage(), e);
            }
        }
    }

    private void stopDozing() {
        if (dozes && in.stopDozing()) {
            owedRings++;
        }
        dozes = false;
    }

    private void stopAwaitingRoom() {
        if (awaitsRoom && out.stopAwaitingRoom()) {
            owedRings++;
        }
        awaitsRoom = false;
    }

    // ---- sending -----------------------------------------------------------------------------

    @Override
    public boolean transmit(long now, PacketBuffer packet) {
        PacketBuffer slot = out.claim();
        while (slot == null) {
            if (out.isDeserted()) {
                dropped++;
                return true;
            }
            stopAwaitingRoom();
            awaitsRoom = true;
            if (out.awaitRoom()) {
                return false;
            }
            slot = out.claim();
        }
        long arrival = line.arrival(now, packet);
        if (arrival == CableLine.LOST || packet.length() > slot.capacity()) {
            out.abandon();
            dropped++;
            return true;
        }
        copy(packet, slot);
        slot.timeNanos(arrival);
        if (out.publish()) {
            otherBell.signal();
        }
        return true;
    }

    private static void copy(PacketBuffer from, PacketBuffer to) {
        MemorySegment.copy(from.segment(), from.start(), to.segment(), to.base(), from.length());
        to.window(0, from.length());
        to.checksum(from.checksum());
        to.segments(from.segmentSize(), from.segmentCount());
        to.timeNanos(from.timeNanos());
    }

    // ---- the end -----------------------------------------------------------------------------

    @Override
    public void releaseBuffers(PacketPool pool) {
        leave();
        for (PacketBuffer b = in.takeBack(); b != null; b = in.takeBack()) {
            pool.release(b);
        }
        while (firstWaiting != null) {
            PacketBuffer packet = firstWaiting;
            firstWaiting = packet.next();
            pool.release(packet);
        }
        lastWaiting = null;
        waitingBytes = 0;
    }

    @Override
    public void close() {
        leave();
        bell.close();
    }

    /** From here on nothing is written to our buffers. */
    private void leave() {
        if (in.leave()) {
            otherBell.signal();
        }
    }
}
