package dev.sluice.runtime.loop;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.TransmitOwner;
import dev.sluice.runtime.device.Device;
import dev.sluice.runtime.device.DeviceException;
import dev.sluice.runtime.ffi.NativeException;
import dev.sluice.runtime.ffi.TimerSlack;
import dev.sluice.stack.Interface;
import dev.sluice.stack.NetworkStack;
import dev.sluice.stack.PacketSink;
import dev.sluice.stack.ReceiveCoalescer;
import dev.sluice.tcp.TcpConnection;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Drives one stack and its device in real time.
 *
 * <p>Whoever holds the {@link Baton} has the stack. Threads of applications take it for the time of
 * one {@link #call}, run what they want, send what came of it, and lay it down: there is no
 * hand-over to another thread. If it is taken, the holder runs the command before letting go.
 *
 * <p>Somebody has to sleep in the device. As a rule that is the thread of the loop: a turn takes up
 * to {@value #BATCH} packets that wait, runs due timers, lets sockets answer and sends; while turns
 * find something another one follows, then the thread sleeps until a packet, the next deadline or a
 * {@linkplain Seat#wake wake-up}. A turn is a command like any other. A thread that waits for
 * something of its own and was the only one woken for a while becomes the <em>guest</em>: it turns
 * and sleeps in the device itself, so that a server of one thread runs to completion on it, while
 * the thread of the loop keeps watch and takes over if the guest stays away for {@value
 * #GRACE_NANOS} ns.
 *
 * <p>All fields are the holder's, except what {@link GuestBook} and {@link Baton} share.
 */
public final class EventLoop implements PacketSink, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.sluice.runtime");

    /** Packets taken in one turn. */
    public static final int BATCH = 64;

    /** Packets after which a thread that wants something is not kept waiting. */
    private static final int PACKETS_BETWEEN_LOOKS = 8;

    /** Rounds of telling and sending in one turn; what is left is for the next. */
    private static final int ROUNDS_PER_TURN = 64;

    private static final int FEWEST_GATES = 64;

    /** How long a device may be without anybody who watches it. */
    private static final long GRACE_NANOS = 500_000;

    /** Of a turn: another one should follow at once. */
    private static final long BUSY = Long.MIN_VALUE;

    /** Lowest bit of the time a turn returns: wait for room in the device too. */
    private static final long ROOM_TOO = 1;

    private final Clock clock;
    private final NetworkStack stack;
    private final Interface iface;
    private final Device device;
    private final Loopback loopback;

    /** Where the device hands up single packets; null where it hands up super-packets. */
    private final ReceiveCoalescer coalescer;

    private final Baton baton = new Baton();
    private final GuestBook guests = new GuestBook();
    private final Seat own;
    private final Seat visitor;
    private final Thread thread;
    private final PacketBuffer[] batch = new PacketBuffer[BATCH];

    /** Where somebody may wait, to be opened when the stack ends. */
    private final List<WeakReference<Gate>> gates = new ArrayList<>();

    /** So many, and those that are gone are removed. */
    private int sweepAt = FEWEST_GATES;

    private final Command turn;
    private final Command visit;
    private final Command end = new Command(this::end);

    private long now;
    private int transmitted;
    private boolean deviceFull;
    private boolean ended;
    private Throwable failure;

    /** When who sleeps will be up; {@link #BUSY} if nobody sleeps or is about to. */
    private long sleepUntil = BUSY;

    /** Who sleeps waits for room in the device too. */
    private boolean sleepsForRoom;

    /** A turn is under way, perhaps between two of its packets. */
    private boolean turning;

    /**
     * @param iface the interface of {@code stack} that {@code device} serves
     * @param loopback the interface that leads back to the stack itself
     * @throws DeviceException if the system refuses an event file
     */
    public EventLoop(
            Clock clock, NetworkStack stack, Interface iface, Device device, Interface loopback)
            throws DeviceException {
        this.clock = clock;
        this.stack = stack;
        this.iface = iface;
        this.device = device;
        this.loopback = new Loopback(loopback);
        coalescer = device.segmentation() ? null : ReceiveCoalescer.verifying(BATCH);
        own = new Seat(device.fd());
        visitor = new Seat(device.fd());
        turn = new Command(this::turn);
        visit = new Command(this::turn);
        thread = Thread.ofPlatform().name("sluice-" + device.name()).unstarted(this::run);
        thread.setDaemon(true);
    }

    // ---- for any thread ------------------------------------------------------------------------

    /** Nanoseconds of the stack's clock. */
    public long now() {
        return clock.now();
    }

    public void start() {
        guests.started();
        thread.start();
    }

    /** The thread of the loop, for those who measure it. */
    public Thread thread() {
        return thread;
    }

    /** Waits until the loop has ended, by {@link #close} or by a failure. */
    public void join() throws InterruptedException {
        thread.join();
    }

    /** What ended the loop, to be asked after {@link #join}; null if it was {@link #close}. */
    public Throwable failure() {
        return failure;
    }

    /**
     * Does something on the stack at once, and sends what comes of it.
     *
     * @return what the body returned
     * @throws StackClosedException if the stack has ended
     */
    public long call(StackCall body) {
        return call(new Command(body));
    }

    /** The same with a command that is used again and again. */
    public long call(Command command) {
        command.prepare();
        if (baton.tryTake()) {
            hold(command);
        } else {
            baton.leave(command);
            if (baton.tryTake()) {
                hold(null);
            }
            command.await();
        }
        return command.result();
    }

    /**
     * Waits until a gate is open, driving the stack meanwhile if that is worth it.
     *
     * @param deadline nanoseconds of {@link #now}; Long.MAX_VALUE for none
     * @return whether it is open; false after the deadline, and at once if the thread is
     *     interrupted. A thread that may be interrupted while it waits has the gate opened by
     *     whoever does it
     */
    public boolean await(Gate gate, long deadline) {
        if (gate.registered != this) {
            gate.registered = this;
            call(at -> register(gate));
        }
        if (gate.isOpen()) {
            return true;
        }
        boolean known = guests.isGuest(gate);
        if (guests.enter(gate)) {
            if (!known) {
                // From its sleep in the device to keeping watch, before the guest gets up again.
                own.wake();
            }
            return drive(gate, deadline);
        }
        boolean opened = gate.park(clock, deadline);
        if (opened && guests.woken(gate)) {
            own.wake();
        }
        return opened;
    }

    /** See {@link #shutDown}. */
    @Override
    public void close() {
        shutDown();
    }

    /**
     * Resets all connections, ends the thread even if it sleeps, and closes the device. Who waits
     * is woken and finds the stack closed. By any thread but the loop's own.
     *
     * @return false if somebody has closed it before
     */
    public boolean shutDown() {
        if (!guests.stop()) {
            return false;
        }
        if (thread.getState() == Thread.State.NEW) {
            call(end);
        } else {
            own.wake();
            visitor.wake();
            awaitEnd();
        }
        device.close();
        own.close();
        visitor.close();
        return true;
    }

    /** The files must outlive the thread that polls them, so an interrupt has to wait. */
    private void awaitEnd() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- threads that sleep in the device ----------------------------------------------------

    /** The thread of the loop. */
    private void run() {
        try {
            TimerSlack.set(1);
            while (!guests.isStopping()) {
                if (guests.hasGuest()) {
                    // What this thread slept for is the guest's business now.
                    visitor.wake();
                    keepWatch();
                    continue;
                }
                long until = call(turn);
                if (until != BUSY) {
                    own.sleepOnDevice(roomToo(until), nanosUntil(until, Long.MAX_VALUE));
                }
            }
            call(end);
        } catch (StackClosedException e) {
            // The failure is noted where it happened.
        } catch (Throwable e) {
            end(e);
        }
    }

    /** While a guest drives: looks after the device if it stays away. */
    private void keepWatch() throws NativeException {
        boolean quiet = false;
        while (guests.hasGuest() && !guests.isStopping()) {
            long seen = guests.visits();
            if (quiet && guests.rest()) {
                own.sleep(-1);
                guests.rested();
                quiet = false;
                continue;
            }
            own.sleep(GRACE_NANOS);
            quiet = guests.isSeated() && guests.visits() == seen;
            if (!quiet && guests.visits() == seen && !guests.isSeated()) {
                guests.dismiss();
            }
        }
    }

    /** The guest, until its gate is open. */
    private boolean drive(Gate gate, long deadline) {
        gate.driving(visitor);
        try {
            while (!gate.isOpen() && guests.isGuest(gate)) {
                if (Thread.currentThread().isInterrupted() || clock.now() >= deadline) {
                    return gate.isOpen();
                }
                long until = call(visit);
                if (until != BUSY && !gate.isOpen()) {
                    visitor.sleepOnDevice(roomToo(until), nanosUntil(until, deadline));
                }
            }
        } catch (StackClosedException e) {
            return true;
        } catch (NativeException | RuntimeException | Error e) {
            end(e);
            return true;
        } finally {
            gate.driving(null);
            if (guests.leave()) {
                own.wake();
            }
        }
        return gate.isOpen() || gate.park(clock, deadline);
    }

    private static boolean roomToo(long until) {
        return (until & ROOM_TOO) != 0;
    }

    /** For {@code ppoll}: negative for no limit. */
    private long nanosUntil(long until, long deadline) {
        long end = Math.min(until | ROOM_TOO, deadline);
        return end == Long.MAX_VALUE ? -1 : Math.max(0, end - clock.now());
    }

    // ---- with the baton ----------------------------------------------------------------------

    /**
     * The caller has just taken the baton.
     *
     * @param mine to be run; null for none of its own
     */
    private void hold(Command mine) {
        boolean mineWaits = mine != null;
        do {
            now = Math.max(now, clock.now());
            try {
                if (mineWaits) {
                    mineWaits = false;
                    serve(mine);
                }
                serveWaiting();
                if (!ended) {
                    afterCommands();
                }
            } catch (RuntimeException | Error e) {
                endBy(e);
            }
        } while (baton.layDown());
    }

    /** Runs what others have left, so that nobody waits longer than a few packets take. */
    private void serveWaiting() {
        Command command = baton.takeCommands();
        while (command != null) {
            Command next = command.next;
            serve(command);
            command.complete();
            command = next;
        }
    }

    private void serve(Command command) {
        if (ended) {
            command.fail(new StackClosedException(failure));
        } else {
            command.run(now);
        }
    }

    /** What commands did is sent; who sleeps learns that it has to be up earlier. */
    private void afterCommands() {
        if (stack.nextDeadline() <= now) {
            advance(now);
        }
        boolean more = settle(now);
        if (sleepUntil == BUSY) {
            return;
        }
        long deadline = stack.nextDeadline();
        if (more || deadline < sleepUntil || deviceFull && !sleepsForRoom) {
            sleepUntil = Math.min(sleepUntil, deadline);
            sleepsForRoom |= deviceFull;
            wakeSleepers();
        }
    }

    /**
     * Whoever sleeps turns once more. At a change of guests two threads may sleep for a moment, and
     * the one that asked last need not be the one that stays.
     */
    private void wakeSleepers() {
        own.wake();
        if (guests.hasGuest()) {
            visitor.wake();
        }
    }

    /**
     * Takes a batch from the device and does what is due.
     *
     * @return {@link #BUSY} if another turn should follow at once; otherwise until when to sleep,
     *     with {@link #ROOM_TOO}
     */
    private long turn(long at) {
        if (turning) {
            // Served between two packets of the other driver's turn, whose batch is not finished.
            return BUSY;
        }
        turning = true;
        try {
            return turnAlone(at);
        } finally {
            turning = false;
        }
    }

    private long turnAlone(long at) {
        sleepUntil = BUSY;
        transmitted = 0;
        deviceFull = false;
        int received = receive(at);
        advance(at);
        boolean more = settle(at);
        if (more || received + transmitted > 0) {
            return BUSY;
        }
        sleepsForRoom = deviceFull;
        sleepUntil = Math.min(stack.nextDeadline(), device.nextArrival(at));
        return sleepsForRoom ? sleepUntil | ROOM_TOO : sleepUntil & ~ROOM_TOO;
    }

    private int receive(long at) {
        PacketPool packets = stack.packets();
        int received;
        try {
            received = device.receive(at, packets, batch);
        } catch (DeviceException e) {
            throw new DeviceGone(e);
        }
        for (int i = 0; i < received; i++) {
            PacketBuffer packet = batch[i];
            batch[i] = null;
            packet.timeNanos(at);
            if (coalescer != null) {
                coalescer.add(packet);
            } else {
                deliver(at, iface, packet);
                looks(i);
            }
        }
        if (coalescer != null && received > 0) {
            deliverCoalesced(at);
        }
        return received;
    }

    private void deliverCoalesced(long at) {
        PacketBuffer packet = coalescer.take();
        for (int i = 0; packet != null; i++) {
            PacketBuffer next = packet.next();
            packet.next(null);
            deliver(at, iface, packet);
            packet = next;
            looks(i);
        }
    }

    private void looks(int packets) {
        if (packets % PACKETS_BETWEEN_LOOKS == PACKETS_BETWEEN_LOOKS - 1) {
            serveWaiting();
        }
    }

    private void deliver(long at, Interface from, PacketBuffer packet) {
        try {
            stack.deliver(at, from, packet);
        } catch (RuntimeException | AssertionError e) {
            if (!contained(at, e)) {
                throw e;
            }
        }
    }

    private void advance(long at) {
        try {
            stack.advance(at);
        } catch (RuntimeException | AssertionError e) {
            if (!contained(at, e)) {
                throw e;
            }
        }
    }

    /** Tells and sends until nobody is told anything. @return whether something is left to do */
    private boolean settle(long at) {
        for (int round = 0; round < ROUNDS_PER_TURN; round++) {
            boolean told = true;
            try {
                told = stack.signal(at);
                stack.flush(at, this);
            } catch (RuntimeException | AssertionError e) {
                if (!contained(at, e)) {
                    throw e;
                }
            }
            if (!deliverLooped(at) && !told) {
                return false;
            }
        }
        return true;
    }

    /** A fault of ours costs the connection it came from, not the stack. */
    private boolean contained(long at, Throwable fault) {
        LOG.log(System.Logger.Level.WARNING, "a fault in the stack of " + device.name(), fault);
        return stack.abandon(at);
    }

    private boolean deliverLooped(long at) {
        if (loopback.isEmpty()) {
            return false;
        }
        for (int i = 0; i < BATCH && !loopback.isEmpty(); i++) {
            deliver(at, loopback.iface(), loopback.take());
        }
        return true;
    }

    @Override
    public boolean transmit(long at, Interface by, PacketBuffer packet) {
        boolean looped = by == loopback.iface();
        if (!looped && !device.transmit(at, packet)) {
            deviceFull = device.pollsForRoom();
            return false;
        }
        transmitted++;
        TransmitOwner owner = packet.owner();
        if (owner != null) {
            stack.transmitCompleted(at, owner, packet.truesize());
        }
        if (looped) {
            loopback.add(packet);
        } else {
            stack.packets().release(packet);
        }
        return true;
    }

    private long register(Gate gate) {
        if (gates.size() >= sweepAt) {
            gates.removeIf(reference -> reference.refersTo(null));
            sweepAt = Math.max(FEWEST_GATES, 2 * gates.size());
        }
        gates.add(new WeakReference<>(gate));
        return 0;
    }

    // ---- the end -----------------------------------------------------------------------------

    private void end(Throwable reason) {
        try {
            call(at -> endBy(reason));
        } catch (StackClosedException e) {
            // Somebody else was first.
        }
    }

    private long endBy(Throwable reason) {
        if (!ended) {
            failure = reason instanceof DeviceGone gone ? gone.getCause() : reason;
            ended = true;
            LOG.log(System.Logger.Level.ERROR, "the stack of " + device.name() + " ends", failure);
            openGates();
        }
        return 0;
    }

    /** Peers learn that nobody is there any more, and so does who waits. */
    private long end(long at) {
        List<TcpConnection> open = new ArrayList<>();
        stack.forEachConnection(open::add);
        for (TcpConnection connection : open) {
            connection.abort(at);
        }
        settle(at);
        ended = true;
        loopback.release(stack.packets());
        device.releaseBuffers(stack.packets());
        openGates();
        return 0;
    }

    private void openGates() {
        for (WeakReference<Gate> reference : gates) {
            Gate gate = reference.get();
            if (gate != null) {
                gate.open();
            }
        }
        gates.clear();
    }
}
