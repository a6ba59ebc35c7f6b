package dev.sluice.runtime.loop;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.TransmitOwner;
import dev.sluice.runtime.device.Device;
import dev.sluice.runtime.device.DeviceException;
import dev.sluice.runtime.ffi.EventFd;
import dev.sluice.runtime.ffi.NativeException;
import dev.sluice.runtime.ffi.Poller;
import dev.sluice.runtime.ffi.TimerSlack;
import dev.sluice.stack.Interface;
import dev.sluice.stack.NetworkStack;
import dev.sluice.stack.PacketSink;
import dev.sluice.tcp.TcpConnection;

import java.util.ArrayList;
import java.util.List;

/**
 * Drives one stack and its device on one platform thread.
 *
 * <p>A turn reads the clock once, takes up to {@value #BATCH} packets that wait, runs due timers,
 * lets sockets answer, and sends what came of it. While turns find something, another one follows
 * at once; then the thread sleeps in {@code ppoll} until a packet, the next deadline or {@link
 * #close}. Reading until the device has nothing is cheaper than asking before every read.
 *
 * <p>Sockets are set up before {@link #start} and afterwards touched on the thread of the loop
 * alone, from {@code SocketSignals}. Nothing else is shared: a request to stop comes through the
 * event file, and what the loop leaves behind is read after its thread has ended.
 */
public final class EventLoop implements PacketSink, AutoCloseable {
    /** Packets taken in one turn. */
    public static final int BATCH = 64;

    /** Turns without sleep after which the event file is looked at all the same. */
    private static final int TURNS_BETWEEN_LOOKS = 64;

    private final Clock clock;
    private final NetworkStack stack;
    private final Interface iface;
    private final Device device;
    private final EventFd wakeUp;
    private final Poller poller;
    private final Thread thread;
    private final PacketBuffer[] batch = new PacketBuffer[BATCH];

    private boolean started;
    private int transmitted;
    private boolean deviceFull;
    private Throwable failure;

    /**
     * @param iface the interface of {@code stack} that {@code device} serves
     * @throws DeviceException if the system refuses an event file
     */
    public EventLoop(Clock clock, NetworkStack stack, Interface iface, Device device)
            throws DeviceException {
        this.clock = clock;
        this.stack = stack;
        this.iface = iface;
        this.device = device;
        try {
            wakeUp = new EventFd();
        } catch (NativeException e) {
            throw new DeviceException("the loop cannot be woken: " + e.getMessage());
        }
        poller = new Poller(device.fd(), wakeUp.number());
        thread = Thread.ofPlatform().name("sluice-" + device.name()).unstarted(this::run);
    }

    public void start() {
        started = true;
        thread.start();
    }

    /** The thread, for those who measure it. */
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
     * Resets all connections, ends the thread even if it sleeps, and closes the device. Called
     * once, by any thread but the loop's own.
     */
    @Override
    public void close() {
        if (started) {
            try {
                wakeUp.signal();
            } catch (NativeException e) {
                throw new IllegalStateException("the loop cannot be woken", e);
            }
            awaitEnd();
        }
        device.releaseBuffers(stack.packets());
        device.close();
        wakeUp.close();
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

    // ---- on the thread of the loop -----------------------------------------------------------

    private void run() {
        try {
            TimerSlack.set(1);
            drive();
            abortConnections();
        } catch (Throwable e) {
            failure = e;
        }
    }

    /** Returns when somebody asked the loop to stop. */
    private void drive() throws NativeException, DeviceException {
        int turns = 0;
        while (true) {
            boolean busy = turn();
            if (busy && ++turns % TURNS_BETWEEN_LOOKS != 0) {
                continue;
            }
            if (sleep(busy) && wakeUp.drain()) {
                return;
            }
        }
    }

    /** Returns whether anything arrived or left. */
    private boolean turn() throws DeviceException {
        PacketPool packets = stack.packets();
        long now = clock.now();
        int received = device.receive(now, packets, batch);
        for (int i = 0; i < received; i++) {
            PacketBuffer packet = batch[i];
            batch[i] = null;
            packet.timeNanos(now);
            stack.deliver(now, iface, packet);
        }
        stack.advance(now);
        transmitted = 0;
        deviceFull = false;
        boolean told;
        do {
            told = stack.signal(now);
            stack.flush(now, this);
        } while (told);
        return received + transmitted > 0;
    }

    /** Returns whether the event file is worth a look. */
    private boolean sleep(boolean busy) throws NativeException {
        long nanos = -1;
        long now = clock.now();
        long deadline = Math.min(stack.nextDeadline(), device.nextArrival(now));
        if (busy) {
            nanos = 0;
        } else if (deadline != Long.MAX_VALUE) {
            nanos = Math.max(0, deadline - now);
        }
        boolean polls = deviceFull && device.pollsForRoom();
        int events = polls ? Poller.POLLIN | Poller.POLLOUT : Poller.POLLIN;
        return poller.await(events, nanos) && poller.secondReady();
    }

    @Override
    public boolean transmit(long now, Interface by, PacketBuffer packet) {
        if (!device.transmit(now, packet)) {
            deviceFull = true;
            return false;
        }
        transmitted++;
        TransmitOwner owner = packet.owner();
        if (owner != null) {
            stack.transmitCompleted(now, owner, packet.truesize());
        }
        stack.packets().release(packet);
        return true;
    }

    /** Peers learn that nobody is there any more. */
    private void abortConnections() {
        long now = clock.now();
        List<TcpConnection> open = new ArrayList<>();
        stack.forEachConnection(open::add);
        for (TcpConnection connection : open) {
            connection.abort(now);
        }
        stack.flush(now, this);
    }
}
