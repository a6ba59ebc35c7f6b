package dev.sluice.stack;

import dev.sluice.config.StackConfig;
import dev.sluice.memory.MemoryAccount;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.seed.Rng;
import dev.sluice.tcp.Readiness;
import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.DropReason;
import dev.sluice.wire.IcmpHeader;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.QuotedPacket;
import dev.sluice.wire.UdpHeader;

/**
 * UDP (RFC 768, RFC 8085; RFC 1122 section 4.1): which socket a datagram or an ICMP error is for,
 * and the addresses of sockets. Sending is {@link UdpOutput}'s.
 */
public final class Udp {
    static final long ANY4_LO = IpAddress.ANY4.lo();

    private final NetworkStack stack;
    private final Icmp icmp;
    private final PacketPool packets;
    private final Counters counters;
    private final StackObserver observer;
    private final MemoryAccount memory;
    private final UdpTable table;
    private final UdpOutput output;
    private final PathMtuCache pathMtu;
    private final UdpHeader header = new UdpHeader();
    private final int portFirst;
    private final int ports;
    private final Rng portRng;

    // Sockets to be told about readiness, in first-come order.
    private UdpEndpoint signalHead;
    private UdpEndpoint signalTail;

    Udp(NetworkStack stack, Icmp icmp, Fragmenter fragmenter, Rng rng) {
        StackConfig config = stack.config();
        this.stack = stack;
        this.icmp = icmp;
        this.packets = stack.packets();
        this.counters = stack.counters();
        this.observer = stack.observer();
        this.memory =
                new MemoryAccount(
                        config.udpMemMinPages,
                        config.udpMemPressurePages,
                        config.udpMemMaxPages,
                        config.udpRmemMin,
                        config.udpWmemMin);
        this.table = new UdpTable(rng.split("table").nextLong());
        this.pathMtu = new PathMtuCache(rng.split("path-mtu").nextLong());
        this.output = new UdpOutput(stack, this, fragmenter, pathMtu);
        this.portFirst = config.localPortFirst;
        this.ports = config.localPortLast - config.localPortFirst + 1;
        this.portRng = rng.split("ports");
    }

    // ---- calls of applications ---------------------------------------------------------------

    /**
     * A new socket, bound to nothing.
     *
     * @param ipv4Only it speaks IPv4 alone, as a socket of AF_INET does
     */
    public UdpEndpoint open(boolean ipv4Only) {
        memory.socketOpened();
        return new UdpEndpoint(this, stack.config(), ipv4Only);
    }

    /** Where datagrams are made. */
    public UdpOutput output() {
        return output;
    }

    /**
     * Gives a socket its local address, unspecified for any, and port, 0 for one that nobody has.
     * Broadcast addresses are allowed, multicast ones are not.
     */
    public UdpError bind(UdpEndpoint e, long hi, long lo, int port) {
        if (e.closed || e.bound || e.localPort != 0) {
            return UdpError.INVALID;
        }
        boolean ipv4 = IpAddress.isIpv4(hi, lo);
        if (e.ipv4Only && !ipv4) {
            return UdpError.WRONG_FAMILY;
        }
        if (e.ipv6Only && ipv4) {
            return UdpError.INVALID;
        }
        boolean any = IpAddress.isUnspecified(hi, lo);
        if (!any
                && !stack.isLocal(hi, lo)
                && !stack.isBroadcast(hi, lo)
                && (IpAddress.isMulticast(hi, lo) || !stack.config().nonlocalBind)) {
            return UdpError.ADDRESS_NOT_AVAILABLE;
        }
        UdpError failed = takePort(e, hi, lo, port);
        if (failed == UdpError.NONE) {
            e.bound = true;
            e.addressAsked = !any;
            e.portAsked = port != 0;
        }
        return failed;
    }

    private UdpError takePort(UdpEndpoint e, long hi, long lo, int port) {
        int chosen = port;
        if (port == 0) {
            chosen = freePort();
            if (chosen < 0) {
                return UdpError.NO_FREE_PORT;
            }
        } else if (table.conflicts(e, hi, lo, port)) {
            return UdpError.ADDRESS_IN_USE;
        }
        e.localHi = hi;
        e.localLo = lo;
        e.localPort = chosen;
        table.add(e);
        return UdpError.NONE;
    }

    /** A port that nobody has, hard to guess (RFC 6056 section 3.3.1); -1 if there is none. */
    private int freePort() {
        int start = portRng.nextInt(ports);
        for (int i = 0; i < ports; i++) {
            int port = portFirst + (start + i) % ports;
            if (!table.isUsed(port)) {
                return port;
            }
        }
        return -1;
    }

    /** Chooses a port for a socket that has none and sends. */
    UdpError autobind(UdpEndpoint e) {
        if (e.localPort != 0) {
            return UdpError.NONE;
        }
        return takePort(e, e.localHi, e.localLo, 0) == UdpError.NONE
                ? UdpError.NONE
                : UdpError.WOULD_BLOCK;
    }

    /**
     * From now on the socket talks to this peer alone. It may have been connected before; a local
     * address is chosen if it has none.
     */
    public UdpError connect(UdpEndpoint e, long hi, long lo, int port) {
        if (e.closed) {
            return UdpError.CLOSED;
        }
        UdpError failed = output.resolve(e, hi, lo);
        if (failed == UdpError.NONE) {
            failed = autobind(e);
        }
        if (failed != UdpError.NONE) {
            return failed;
        }
        if (!e.addressAsked) {
            e.localHi = output.sourceHi();
            e.localLo = output.sourceLo();
        }
        e.remoteHi = output.destinationHi();
        e.remoteLo = output.destinationLo();
        e.remotePort = port;
        e.connected = true;
        return UdpError.NONE;
    }

    /**
     * The socket talks to everybody again. What was chosen for it, address and port, is given up;
     * what it asked for stays.
     */
    public void disconnect(UdpEndpoint e) {
        e.connected = false;
        e.remoteHi = 0;
        e.remoteLo = 0;
        e.remotePort = 0;
        if (!e.addressAsked) {
            e.localHi = 0;
            e.localLo = e.ipv4Only ? ANY4_LO : 0;
        }
        if (!e.portAsked && e.localPort != 0) {
            table.remove(e);
            e.localPort = 0;
            e.bound = false;
        }
    }

    /** The socket is gone; what waits to be read is dropped. */
    public void close(long now, UdpEndpoint e) {
        if (e.closed) {
            return;
        }
        e.closed = true;
        if (e.localPort != 0) {
            table.remove(e);
        }
        while (e.queueHead != null) {
            discardFirst(now, e);
        }
        memory.close(now, e.forward);
        e.forward = 0;
        memory.socketClosed();
    }

    /** The application has read the oldest datagram. */
    public void consumed(long now, UdpEndpoint e) {
        boolean ipv6 = !IpAddress.isIpv4(senderHi(e), senderLo(e));
        counters.increment(ipv6 ? Counter.UDP6_IN_DATAGRAMS : Counter.UDP_IN_DATAGRAMS);
        discardFirst(now, e);
    }

    private void discardFirst(long now, UdpEndpoint e) {
        PacketBuffer packet = e.removeFirst();
        e.rmemAlloc -= packet.truesize();
        e.forward = memory.uncharge(now, e.forward, packet.truesize());
        packets.release(packet);
    }

    /** Where the oldest datagram came from. */
    public long senderHi(UdpEndpoint e) {
        return UdpHeader.senderHi(e.queueHead.segment(), e.queueHead.start());
    }

    public long senderLo(UdpEndpoint e) {
        return UdpHeader.senderLo(e.queueHead.segment(), e.queueHead.start());
    }

    public int senderPort(UdpEndpoint e) {
        return UdpHeader.senderPort(e.queueHead.segment(), e.queueHead.start());
    }

    /** Sockets with a port. */
    public int endpoints() {
        return table.count();
    }

    /** What all datagram sockets share: {@code udp_mem}. */
    public MemoryAccount memory() {
        return memory;
    }

    // ---- receive -----------------------------------------------------------------------------

    /** Returns whether somebody kept the packet. */
    boolean receive(long now, ReceivedPacket p) {
        PacketBuffer packet = p.buffer;
        DropReason bad = header.wrap(packet.segment(), p.transport, p.stored, p.length);
        if (bad != null) {
            return refuse(now, p, bad);
        }
        if (!p.checksumOk(header.length())) {
            counters.increment(p.ipv6 ? Counter.UDP6_IN_CSUM_ERRORS : Counter.UDP_IN_CSUM_ERRORS);
            return refuse(now, p, DropReason.UDP_CHECKSUM);
        }
        if (p.broadcast) {
            return receiveBroadcast(now, p);
        }
        UdpEndpoint e =
                table.find(
                        p.destinationHi,
                        p.destinationLo,
                        header.destinationPort(),
                        p.sourceHi,
                        p.sourceLo,
                        header.sourcePort());
        if (e == null) {
            counters.increment(p.ipv6 ? Counter.UDP6_NO_PORTS : Counter.UDP_NO_PORTS);
            icmp.portUnreachable(now, p);
            return false;
        }
        return enqueue(now, e, p, packet);
    }

    private boolean refuse(long now, ReceivedPacket p, DropReason reason) {
        counters.increment(p.ipv6 ? Counter.UDP6_IN_ERRORS : Counter.UDP_IN_ERRORS);
        observer.dropped(now, StackObserver.NO_CONNECTION, reason.ordinal(), p.buffer.wireLength());
        return false;
    }

    /** Everybody it is for gets it: copies, and the last the packet itself. */
    private boolean receiveBroadcast(long now, ReceivedPacket p) {
        UdpEndpoint e = nextForBroadcast(null, p);
        while (e != null) {
            UdpEndpoint next = nextForBroadcast(e, p);
            if (next == null) {
                return enqueue(now, e, p, p.buffer);
            }
            PacketBuffer copy = copy(p.buffer);
            if (copy != null && !enqueue(now, e, p, copy)) {
                packets.release(copy);
            }
            e = next;
        }
        return false;
    }

    private UdpEndpoint nextForBroadcast(UdpEndpoint previous, ReceivedPacket p) {
        return table.nextForBroadcast(
                previous,
                p.destinationHi,
                p.destinationLo,
                header.destinationPort(),
                p.sourceHi,
                p.sourceLo,
                header.sourcePort());
    }

    private PacketBuffer copy(PacketBuffer from) {
        PacketBuffer to = packets.acquire(from.offset() + from.length());
        if (to == null) {
            counters.increment(Counter.PACKET_POOL_EMPTY);
            return null;
        }
        to.window(from.offset(), from.length());
        to.bytes().put((int) to.start(), from.bytes(), (int) from.start(), from.length());
        to.synthetic(from.syntheticOffset(), from.syntheticLength());
        to.truesize(from.truesize());
        return to;
    }

    /** One datagram has room in an empty queue, however small the limit, as in Linux. */
    private boolean enqueue(long now, UdpEndpoint e, ReceivedPacket p, PacketBuffer packet) {
        int truesize = packet.truesize();
        if (e.rmemAlloc > 0 && truesize > e.receiveBuffer - e.rmemAlloc) {
            counters.increment(p.ipv6 ? Counter.UDP6_RCVBUF_ERRORS : Counter.UDP_RCVBUF_ERRORS);
            return dropped(p, e);
        }
        int admitted = memory.admitReceive(now, e.forward, truesize, e.rmemAlloc, e.wmemAlloc);
        if (admitted == MemoryAccount.REFUSED) {
            counters.increment(p.ipv6 ? Counter.UDP6_MEM_ERRORS : Counter.UDP_MEM_ERRORS);
            return dropped(p, e);
        }
        e.forward = admitted - truesize;
        e.rmemAlloc += truesize;
        int offset = (int) (header.payloadOffset() - p.buffer.base());
        int stored = header.storedPayloadLength();
        packet.window(offset, stored);
        packet.synthetic(packet.syntheticOffset(), header.payloadLength() - stored);
        packet.timeNanos(now);
        UdpHeader.keepSender(packet.segment(), packet.start(), p.sourceHi, p.sourceLo);
        e.append(packet);
        e.becameReady(Readiness.IN);
        return true;
    }

    private boolean dropped(ReceivedPacket p, UdpEndpoint e) {
        counters.increment(p.ipv6 ? Counter.UDP6_IN_ERRORS : Counter.UDP_IN_ERRORS);
        e.drops++;
        return false;
    }

    // ---- ICMP errors -------------------------------------------------------------------------

    /** An error about a datagram of ours; Linux tells connected sockets alone, and of hard ones. */
    void onIcmpError(long now, IcmpHeader icmpHeader, QuotedPacket quoted) {
        boolean ipv6 = icmpHeader.isIpv6();
        UdpEndpoint e =
                table.find(
                        quoted.sourceHi(),
                        quoted.sourceLo(),
                        quoted.sourcePort(),
                        quoted.destinationHi(),
                        quoted.destinationLo(),
                        quoted.destinationPort());
        if (e == null) {
            counters.increment(ipv6 ? Counter.ICMP6_IN_ERRORS : Counter.ICMP_IN_ERRORS);
            return;
        }
        if (icmpHeader.kind() == IcmpHeader.Kind.PACKET_TOO_BIG) {
            learnPathMtu(now, icmpHeader.mtu(), quoted);
        }
        UdpError error = UdpError.hard(icmpHeader, e.discover != UdpEndpoint.DISCOVER_DONT);
        if (e.connected && error != UdpError.NONE) {
            e.error = error;
            e.becameReady(Readiness.ERR);
        }
    }

    private void learnPathMtu(long now, int mtu, QuotedPacket quoted) {
        Interface iface = stack.interfaceTo(quoted.destinationHi(), quoted.destinationLo());
        if (iface != null) {
            pathMtu.learn(
                    now,
                    stack.config(),
                    quoted.destinationHi(),
                    quoted.destinationLo(),
                    mtu,
                    iface.mtu());
        }
    }

    void checkInvariants() {
        table.checkInvariants();
    }

    // ---- signals -----------------------------------------------------------------------------

    void listSignal(UdpEndpoint e) {
        if (e.signalListed) {
            return;
        }
        e.signalListed = true;
        e.nextSignal = null;
        if (signalTail == null) {
            signalHead = e;
        } else {
            signalTail.nextSignal = e;
        }
        signalTail = e;
    }

    /** Tells every socket whose readiness changed; whether anybody was told. */
    boolean signal(long now) {
        boolean told = false;
        while (signalHead != null) {
            UdpEndpoint e = signalHead;
            signalHead = e.nextSignal;
            if (signalHead == null) {
                signalTail = null;
            }
            e.nextSignal = null;
            e.signalListed = false;
            int events = e.pendingEvents;
            e.pendingEvents = 0;
            if (e.signals != null && events != 0 && !e.closed) {
                told = true;
                e.signals.ready(now, events);
            }
        }
        return told;
    }
}
