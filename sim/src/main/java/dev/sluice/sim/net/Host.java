package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.TransmitOwner;
import dev.sluice.sim.engine.EventHandler;
import dev.sluice.sim.engine.Simulation;
import dev.sluice.stack.Interface;
import dev.sluice.stack.NetworkStack;
import dev.sluice.stack.PacketSink;
import dev.sluice.wire.IpAddress;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A computer: one stack, its network cards and the programs that run on it.
 *
 * <p>A host acts in turns, the driver's turn of the core's contract: packets are delivered, due
 * timers run, output is flushed, and only then do the programs run whose sockets were signalled,
 * each followed by another flush, until nobody has anything left to do at that instant. Processing
 * takes no virtual time.
 */
public final class Host implements EventHandler, PacketSink {
    private static final int WAKE = 0;
    private static final int PROCESS = 1;

    /** More program runs than this at one instant are taken for a busy loop. */
    private static final int RUNS_PER_INSTANT = 1_000_000;

    private final String name;
    private final IpAddress address;
    private final IpAddress address6;
    private final Simulation simulation;
    private final PacketPool pool;
    private final Supplier<NetworkStack> factory;
    private final int handler;
    private final List<Nic> nics = new ArrayList<>();
    private final List<Process> processes = new ArrayList<>();
    private final WakeTimes wakes = new WakeTimes();

    private NetworkStack stack;
    private Nic onlyNic;
    private PacketTap[] taps = {};
    private TurnObserver[] observers = {};
    private Process firstReady;
    private Process lastReady;
    private boolean down;
    private boolean inTurn;
    private long lastInstant;
    private int runsAtInstant;

    Host(
            String name,
            IpAddress address,
            IpAddress address6,
            Simulation simulation,
            PacketPool pool,
            Supplier<NetworkStack> factory) {
        this.name = name;
        this.address = address;
        this.address6 = address6;
        this.simulation = simulation;
        this.pool = pool;
        this.factory = factory;
        this.handler = simulation.register(this);
        this.stack = factory.get();
    }

    public String name() {
        return name;
    }

    /** The host's IPv4 address. */
    public IpAddress address() {
        return address;
    }

    /** The host's IPv6 address. */
    public IpAddress address6() {
        return address6;
    }

    /** The stack; another one after {@link #reboot}. */
    public NetworkStack stack() {
        return stack;
    }

    public List<Nic> nics() {
        return List.copyOf(nics);
    }

    /** Virtual time, nanoseconds. */
    public long now() {
        return simulation.now();
    }

    /** Whether the host has crashed and not come back. */
    public boolean isDown() {
        return down;
    }

    Nic addNic(NicSpec spec) {
        Nic nic = new Nic(name + ".eth" + nics.size(), this, spec, simulation, pool);
        nics.add(nic);
        onlyNic = nics.size() == 1 ? nic : null;
        attach(nic);
        return nic;
    }

    private void attach(Nic nic) {
        Interface iface = stack.addInterface("eth" + nics.indexOf(nic), nic.spec().mtu());
        iface.addAddress(address, 8);
        iface.addAddress(address6, 64);
        nic.attach(iface);
    }

    /** Shows every packet of this host to {@code tap}. */
    public void tap(PacketTap tap) {
        taps = append(taps, tap);
    }

    /** Tells {@code observer} of the end of every turn. */
    public void observe(TurnObserver observer) {
        TurnObserver[] longer = new TurnObserver[observers.length + 1];
        System.arraycopy(observers, 0, longer, 0, observers.length);
        longer[observers.length] = observer;
        observers = longer;
    }

    private static PacketTap[] append(PacketTap[] taps, PacketTap tap) {
        PacketTap[] longer = new PacketTap[taps.length + 1];
        System.arraycopy(taps, 0, longer, 0, taps.length);
        longer[taps.length] = tap;
        return longer;
    }

    void tapped(long time, Nic nic, boolean sent, PacketBuffer packet) {
        for (PacketTap tap : taps) {
            tap.packet(time, nic, sent, packet);
        }
    }

    /** Starts a program at {@code time}, now or later. */
    public Process start(App app, long time) {
        Process process = new Process(this, app, processes.size());
        processes.add(process);
        simulation.schedule(
                time, Simulation.APPLICATION, handler, PROCESS, startArgument(process.number()));
        return process;
    }

    private static long startArgument(int number) {
        return ~(long) number;
    }

    void scheduleProcess(long time, int number) {
        simulation.schedule(time, Simulation.APPLICATION, handler, PROCESS, number);
    }

    void makeReady(Process process, int events) {
        if (process.note(events)) {
            process.next(null);
            if (firstReady == null) {
                firstReady = process;
            } else {
                lastReady.next(process);
            }
            lastReady = process;
        }
    }

    @Override
    public void handle(long now, int code, long argument) {
        if (code == WAKE) {
            wakes.fired();
            turn(now);
            return;
        }
        boolean starts = argument < 0;
        int number = (int) (starts ? ~argument : argument);
        if (number >= processes.size()) {
            return; // it died in a crash
        }
        Process process = processes.get(number);
        if (starts) {
            makeReady(process, Process.STARTED);
        } else if (process.timerDue(now)) {
            makeReady(process, Process.TIMER);
        }
        if (firstReady != null) {
            turn(now);
        }
    }

    /**
     * Hands a batch of packets, linked by {@link PacketBuffer#next}, to the stack and takes a turn.
     */
    void receive(long now, Interface iface, PacketBuffer batch) {
        PacketBuffer packet = batch;
        while (packet != null) {
            PacketBuffer next = packet.next();
            packet.next(null);
            if (down) {
                pool.release(packet);
            } else {
                stack.deliver(now, iface, packet);
            }
            packet = next;
        }
        turn(now);
    }

    void transmitCompleted(long now, TransmitOwner owner, int truesize) {
        if (!down) {
            stack.transmitCompleted(now, owner, truesize);
        }
    }

    @Override
    public boolean transmit(long now, Interface iface, PacketBuffer packet) {
        if (onlyNic != null) {
            return onlyNic.transmit(now, packet);
        }
        for (Nic nic : nics) {
            if (nic.iface() == iface) {
                return nic.transmit(now, packet);
            }
        }
        throw new IllegalStateException("no card serves " + iface);
    }

    /**
     * Does everything there is to do at {@code now}. Called by the events of this host; a test that
     * calls a socket directly calls this afterwards.
     */
    public void turn(long now) {
        if (down) {
            return;
        }
        assert !inTurn : "a turn within a turn";
        inTurn = true;
        stack.advance(now);
        stack.flush(now, this);
        stack.signal(now);
        while (firstReady != null) {
            runReady(now);
            stack.flush(now, this);
            stack.signal(now);
        }
        inTurn = false;
        for (TurnObserver observer : observers) {
            observer.turnEnded(now, this);
        }
        long deadline = stack.nextDeadline();
        if (wakes.mustSchedule(deadline)) {
            simulation.schedule(Math.max(deadline, now), Simulation.TIMER, handler, WAKE, 0);
        }
    }

    private void runReady(long now) {
        if (now != lastInstant) {
            lastInstant = now;
            runsAtInstant = 0;
        }
        while (firstReady != null) {
            Process process = firstReady;
            firstReady = process.next();
            process.next(null);
            process.run(now);
            if (++runsAtInstant > RUNS_PER_INSTANT) {
                throw new IllegalStateException(name + ": programs loop without time passing");
            }
        }
    }

    /**
     * Loses everything at once: connections, programs, packets. Neighbours notice only the silence.
     */
    public void crash() {
        down = true;
        processes.clear();
        firstReady = null;
    }

    /** Comes back after a crash with a stack that remembers nothing and without programs. */
    public void reboot() {
        stack = factory.get();
        for (Nic nic : nics) {
            attach(nic);
        }
        down = false;
    }
}
