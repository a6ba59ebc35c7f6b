package dev.sluice.stack;

import dev.sluice.config.StackConfig;
import dev.sluice.memory.BlockPool;
import dev.sluice.memory.MemoryAccount;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.TransmitOwner;
import dev.sluice.memory.Truesize;
import dev.sluice.seed.Rng;
import dev.sluice.tcp.Endpoint;
import dev.sluice.tcp.Route;
import dev.sluice.tcp.SocketSignals;
import dev.sluice.tcp.TcpConnection;
import dev.sluice.tcp.TcpContext;
import dev.sluice.tcp.TcpListener;
import dev.sluice.tcp.TcpSettings;
import dev.sluice.tcp.TimeWaitTable;
import dev.sluice.tcp.congestion.CongestionController;
import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.IpAddress;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One host's stack: the unit that is driven (architecture section 4).
 *
 * <p>A driver's turn, live or simulated, at a time that never decreases:
 *
 * <pre>
 * stack.deliver(now, interface, packet)   // zero or more
 * stack.advance(now)                      // timers due at or before now
 * stack.signal(now)                       // sockets learn what changed; applications may call
 * stack.flush(now, sink)                  // everything that wants to be sent
 * deadline = stack.nextDeadline()         // when to come back if nothing else happens
 * </pre>
 *
 * <p>{@code signal} and {@code flush} repeat until {@code signal} tells nobody, since sending may
 * itself make a socket writable. Calls do not nest, except that an application told by {@code
 * signal} may use its sockets.
 */
public final class NetworkStack {
    /** As in Linux, bytes. */
    private static final int LOOPBACK_MTU = 65_535;

    private StackConfig config;
    private final PacketPool packets;
    private final BlockPool blocks;
    private final MemoryAccount memory;
    private final Counters counters;
    private final StackObserver observer;
    private final TcpContext tcp;
    private final Demux demux;
    private final Ports ports;
    private final Routes routes = new Routes();
    private final Udp udp;
    private final IpReassembly reassembly;
    private final IpInput input;
    private final Truesize truesize;

    private Interface[] interfaces = new Interface[2];
    private int interfaceCount;

    /** Null if the stack cannot talk to itself. */
    private Interface loopback;

    /**
     * @param config what the stack does until {@link #configure} changes it
     * @param packets where packets come from and return to
     * @param blocks where outgoing bytes of connections are kept
     * @param rng the only source of chance and of secret keys
     * @param observer sees every event; {@link StackObserver#NONE} for nobody
     */
    public NetworkStack(
            StackConfig config,
            PacketPool packets,
            BlockPool blocks,
            Rng rng,
            StackObserver observer) {
        this.config = config;
        this.packets = packets;
        this.counters = new Counters();
        this.observer = observer;
        this.blocks = blocks;
        this.memory =
                new MemoryAccount(
                        config.memMinPages,
                        config.memPressurePages,
                        config.memMaxPages,
                        config.rmemMin,
                        config.wmemMin);
        this.tcp = new TcpContext(config, packets, blocks, memory, counters, observer, rng);
        this.demux = new Demux(rng.split("demux").nextLong());
        this.ports =
                new Ports(
                        demux,
                        tcp.timeWait(),
                        config.localPortFirst,
                        config.localPortLast,
                        rng.split("ports").nextLong());
        this.truesize = Truesize.of(config.truesize);
        PacketIds ids = new PacketIds(rng.split("packet-ids").nextLong());
        Fragmenter fragmenter = new Fragmenter(tcp, packets, counters, ids);
        Icmp icmp = new Icmp(this, tcp, fragmenter);
        this.udp = new Udp(this, icmp, fragmenter, rng.split("udp"));
        icmp.udp(udp);
        this.reassembly =
                new IpReassembly(this, icmp, truesize, rng.split("reassembly").nextLong());
        TcpInput tcpInput = new TcpInput(this, tcp, demux, counters);
        this.input = new IpInput(this, tcpInput, udp, icmp, reassembly);
    }

    // ---- set-up ------------------------------------------------------------------------------

    /** Adds an interface without addresses; {@code mtu} in bytes. */
    public Interface addInterface(String name, int mtu) {
        if (interfaceCount == interfaces.length) {
            interfaces = Arrays.copyOf(interfaces, interfaceCount * 2);
        }
        Interface iface = new Interface(name, interfaceCount, mtu, config.gsoMaxBytes);
        interfaces[interfaceCount++] = iface;
        return iface;
    }

    /**
     * Adds the interface that leads back here, with 127.0.0.1 and ::1: packets to an address of
     * ours go out there, and the driver delivers them to it.
     */
    public Interface addLoopback() {
        Interface iface = addInterface("lo", LOOPBACK_MTU);
        iface.becomeLoopback();
        iface.offloads(true, true);
        iface.transmitsAtOnce(true);
        iface.addAddress(IpAddress.ipv4(0x7f00_0001), 8);
        iface.addAddress(new IpAddress(0, 1), 128);
        loopback = iface;
        return iface;
    }

    /**
     * Sends what matches the prefix by that interface; a stack with one interface needs no routes.
     */
    public void addRoute(IpAddress destination, int prefixLength, Interface via) {
        routes.add(destination, prefixLength, via);
    }

    public StackConfig config() {
        return config;
    }

    /**
     * Adds a congestion control, or replaces the one of that name. Sockets may choose it by {@code
     * TCP_CONGESTION} from now on; {@link #defaultCongestionControl} makes it everybody's.
     *
     * @param name at most 15 characters, as Linux has it
     * @param supplier makes one for each connection; asked for one here, to know what it needs
     * @throws IllegalArgumentException if the name is empty or too long, or not that of what the
     *     supplier makes
     */
    public void addCongestionControl(String name, Supplier<CongestionController> supplier) {
        tcp.addCongestionControl(name, supplier);
    }

    /**
     * The congestion control of sockets that do not choose one, in place of {@code
     * net.ipv4.tcp_congestion_control}, until {@link #configure} changes that key. Connections that
     * exist keep theirs.
     *
     * @throws IllegalArgumentException if there is none of that name; the message lists those that
     *     there are
     */
    public void defaultCongestionControl(String name) {
        tcp.defaultCongestionControl(name);
    }

    /**
     * Changes the configuration of a running stack, as {@code sysctl -w} does. Connections that
     * exist keep what they took from the old one; pools, the port range, the time of reassembly and
     * the limits of memory stay.
     */
    public void configure(StackConfig next) {
        config = next;
        tcp.configure(next);
    }

    public Counters counters() {
        return counters;
    }

    public StackObserver observer() {
        return observer;
    }

    /** For {@code socket}: what connections of this stack share. */
    public TcpContext tcp() {
        return tcp;
    }

    /** For {@code socket}: the datagram sockets of this stack. */
    public Udp udp() {
        return udp;
    }

    public PacketPool packets() {
        return packets;
    }

    /** What connections are charged for. */
    public MemoryAccount memory() {
        return memory;
    }

    /** Where outgoing bytes are kept. */
    public BlockPool blocks() {
        return blocks;
    }

    // ---- tell: packets and time --------------------------------------------------------------

    /**
     * A packet arrived. It belongs to the stack from here on: kept in a receive queue or released.
     *
     * @param packet an IP packet, no link header
     */
    public void deliver(long now, Interface iface, PacketBuffer packet) {
        for (PacketBuffer p = packet; p != null; p = p.chain()) {
            if (p.truesize() == 0) {
                int frames = p == packet && packet.chain() == null ? packet.segmentCount() : 1;
                p.truesize(truesize.received(p.wireLength(), frames, p.capacity()));
            }
        }
        if (!input.receive(now, iface, packet)) {
            packets.release(packet);
        }
        settle();
    }

    /** Runs the timers due at or before {@code now}. */
    public void advance(long now) {
        tcp.advance(now);
        reassembly.advance(now);
        settle();
    }

    /**
     * The device has finished with a packet (B-2.9): what it held of its connection is free again.
     */
    public void transmitCompleted(long now, TransmitOwner owner, int truesize) {
        owner.transmitCompleted(now, truesize);
    }

    // ---- drain -------------------------------------------------------------------------------

    /**
     * Tells sockets what changed, which may call back into them.
     *
     * @return whether anybody was told
     */
    public boolean signal(long now) {
        boolean told = tcp.signal(now) | udp.signal(now);
        settle();
        return told;
    }

    /** Builds and hands over everything that may be sent now. */
    public void flush(long now, PacketSink sink) {
        tcp.output(now);
        settle();
        for (PacketBuffer p = tcp.takePacket(); p != null; p = tcp.takePacket()) {
            Interface iface = interfaces[p.interfaceIndex()];
            if (!iface.enqueue(p)) {
                counters.increment(Counter.IP_OUT_DISCARDS);
                drop(now, p);
            }
        }
        for (int i = 0; i < interfaceCount; i++) {
            Interface iface = interfaces[i];
            while (iface.peek() != null) {
                PacketBuffer packet = iface.dequeue();
                if (!sink.transmit(now, iface, packet)) {
                    iface.putBack(packet);
                    break;
                }
            }
        }
    }

    private void drop(long now, PacketBuffer packet) {
        if (packet.owner() != null) {
            packet.owner().transmitCompleted(now, packet.truesize());
        }
        packets.release(packet);
    }

    /**
     * To be called when one of the calls above ended with an exception, which is a fault of our
     * own: the connection it was busy with is reset, and the others may go on.
     *
     * @return false if it was busy with none: then nobody knows what is broken
     */
    public boolean abandon(long now) {
        boolean contained = tcp.abandon(now);
        settle();
        return contained;
    }

    /** When the driver has to come back if nothing else happens; Long.MAX_VALUE for never. */
    public long nextDeadline() {
        return Math.min(tcp.nextDeadline(), reassembly.nextDeadline());
    }

    /** Endpoints that ended leave the table. */
    void settle() {
        for (Endpoint e = tcp.takeDeparted(); e != null; e = tcp.takeDeparted()) {
            demux.remove(e);
        }
    }

    // ---- for sockets -------------------------------------------------------------------------

    Route routeTo(long hi, long lo) {
        Interface iface = interfaceTo(hi, lo);
        return iface == null ? null : iface.route();
    }

    /** The address we would talk to a destination from; null if there is no route. */
    public IpAddress sourceFor(IpAddress destination) {
        return sourceFor(destination.hi(), destination.lo());
    }

    IpAddress sourceFor(long hi, long lo) {
        Interface iface = interfaceTo(hi, lo);
        if (iface != null && iface.isLoopback() && isLocal(hi, lo)) {
            return new IpAddress(hi, lo);
        }
        return iface == null ? null : iface.sourceFor(hi, lo);
    }

    /** The interface a destination is reached by; null if there is no route. */
    Interface interfaceTo(long hi, long lo) {
        if (loopback != null && (IpAddress.isLoopback(hi, lo) || isLocal(hi, lo))) {
            return loopback;
        }
        return routes.find(hi, lo, interfaces, interfaceCount);
    }

    /** Whether the address is one of ours. */
    public boolean isLocal(IpAddress address) {
        return isLocal(address.hi(), address.lo());
    }

    boolean isLocal(long hi, long lo) {
        for (int i = 0; i < interfaceCount; i++) {
            if (interfaces[i].hasAddress(hi, lo)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the address is the broadcast address of a link of ours. */
    boolean isBroadcast(long hi, long lo) {
        for (int i = 0; i < interfaceCount; i++) {
            if (interfaces[i].isBroadcast(hi, lo)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the destination is in the network of one of our addresses, loopback aside. */
    public boolean isOnLink(IpAddress destination) {
        for (int i = 0; i < interfaceCount; i++) {
            if (!interfaces[i].isLoopback()
                    && interfaces[i].reaches(destination.hi(), destination.lo())) {
                return true;
            }
        }
        return false;
    }

    /** Whether a listener already holds the port. */
    public boolean isListening(IpAddress address, int port) {
        return demux.hasListener(address.hi(), address.lo(), port);
    }

    /** A local port for an active open, or -1 if none is free. */
    public int choosePort(IpAddress local, IpAddress remote, int remotePort) {
        return ports.choose(local.hi(), local.lo(), remote.hi(), remote.lo(), remotePort);
    }

    /** A free port to listen on, or -1. */
    public int chooseListenPort(IpAddress local) {
        return ports.choose(local.hi(), local.lo(), 0, 0, 0);
    }

    /**
     * Active open: enters the table and sends the SYN.
     *
     * @param holdSyn the SYN waits for {@link TcpConnection#connectFastOpen}
     * @param signals who is told how it goes; may be null
     * @return the connection, in SYN_SENT; null if the 4-tuple is taken or there is no route
     */
    public TcpConnection connect(
            long now,
            TcpSettings settings,
            IpAddress local,
            int localPort,
            IpAddress remote,
            int remotePort,
            boolean holdSyn,
            SocketSignals signals) {
        Route route = routeTo(remote.hi(), remote.lo());
        if (route == null
                || demux.find(
                                local.hi(),
                                local.lo(),
                                localPort,
                                remote.hi(),
                                remote.lo(),
                                remotePort)
                        != null) {
            return null;
        }
        TimeWaitTable timeWait = tcp.timeWait();
        int row =
                timeWait.find(
                        local.hi(), local.lo(), localPort, remote.hi(), remote.lo(), remotePort);
        if (row != TimeWaitTable.NONE) {
            if (!timeWait.mayReuse(now, row, config.timeWaitReuseDelayNanos)) {
                return null;
            }
            timeWait.remove(row);
        }
        TcpConnection c =
                tcp.open(now, settings, route, local, localPort, remote, remotePort, holdSyn);
        c.signals(signals);
        demux.add(c);
        return c;
    }

    /** Passive open; {@code local} may be unspecified. */
    public TcpListener listen(TcpSettings settings, IpAddress local, int port, int backlog) {
        TcpListener listener =
                new TcpListener(tcp, settings, local.hi(), local.lo(), port, backlog);
        demux.addListener(listener);
        return listener;
    }

    /** Stops listening; what waits in the accept queue is reset. */
    public void close(long now, TcpListener listener) {
        demux.removeListener(listener);
        listener.close(now);
        settle();
    }

    /** The connection or row of a 4-tuple, for ICMP errors; null if there is none. */
    Endpoint endpoint(
            long localHi,
            long localLo,
            int localPort,
            long remoteHi,
            long remoteLo,
            int remotePort) {
        return demux.find(localHi, localLo, localPort, remoteHi, remoteLo, remotePort);
    }

    /** Connections and half-open rows in the table. */
    public int endpoints() {
        return demux.count();
    }

    /** Calls {@code visitor} for every connection, in table order. */
    public void forEachConnection(Consumer<TcpConnection> visitor) {
        demux.forEachConnection(visitor);
    }

    /** Calls {@code visitor} for every listener, oldest first. */
    public void forEachListener(Consumer<TcpListener> visitor) {
        demux.forEachListener(visitor);
    }

    /**
     * Fails with an {@link AssertionError} if any state contradicts itself; for simulations and
     * tests.
     */
    public void checkInvariants() {
        demux.forEachConnection(TcpConnection::checkInvariants);
        udp.checkInvariants();
        reassembly.checkInvariants();
    }
}
