package dev.sluice.stack;

import dev.sluice.config.StackConfig;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.TransmitOwner;
import dev.sluice.tcp.Readiness;
import dev.sluice.tcp.SocketSignals;

/**
 * One datagram socket's state: addresses, options, and the datagrams that wait to be read. What
 * happens to it is decided by {@link Udp} and {@link UdpOutput}.
 *
 * <p>Addresses are two longs each, IPv4 as v4-mapped; an unspecified local address is {@code ::},
 * which takes both families, or {@code 0.0.0.0}.
 */
public final class UdpEndpoint implements TransmitOwner {
    /** {@code IP_PMTUDISC_WANT}: fragments of our own making, and none of the routers'. */
    static final int DISCOVER_WANT = 1;

    static final int DISCOVER_DONT = 0;
    static final int DISCOVER_DO = 2;
    static final int DISCOVER_PROBE = 3;
    static final int DISCOVER_INTERFACE = 4;
    static final int DISCOVER_OMIT = 5;

    private final Udp udp;

    /** For IPv4 alone, like a socket of AF_INET. */
    final boolean ipv4Only;

    boolean bound;
    boolean closed;
    long localHi;
    long localLo;
    int localPort;

    /** What the application asked for, as opposed to what was chosen for it. */
    boolean addressAsked;

    boolean portAsked;

    boolean connected;
    long remoteHi;
    long remoteLo;
    int remotePort;

    boolean reuseAddress;
    boolean reusePort;
    boolean ipv6Only;
    boolean broadcast;
    boolean noChecksum;
    int ttl;
    int tos;
    int discover = DISCOVER_WANT;
    int receiveBuffer;
    int sendBuffer;

    /** Truesize that waits to be read, and what of the stack's memory is reserved beyond it. */
    int rmemAlloc;

    int forward;

    /** Truesize that the device has not finished with. */
    int wmemAlloc;

    /** Somebody was refused for want of room in the send buffer. */
    boolean writerWaits;

    UdpError error = UdpError.NONE;
    long drops;

    PacketBuffer queueHead;
    PacketBuffer queueTail;
    int queued;

    SocketSignals signals;
    int pendingEvents;
    boolean signalListed;
    UdpEndpoint nextSignal;

    /** Next of the same bucket in the table. */
    UdpEndpoint nextInBucket;

    UdpEndpoint(Udp udp, StackConfig config, boolean ipv4Only) {
        this.udp = udp;
        this.ipv4Only = ipv4Only;
        this.localLo = ipv4Only ? Udp.ANY4_LO : 0;
        this.receiveBuffer = config.coreRmemDefault;
        this.sendBuffer = config.coreWmemDefault;
        this.ttl = config.defaultTtl;
        this.discover = config.noPmtuDiscMode != 0 ? DISCOVER_DONT : DISCOVER_WANT;
    }

    // ---- what it is --------------------------------------------------------------------------

    public boolean isConnected() {
        return connected;
    }

    public boolean isClosed() {
        return closed;
    }

    public long localHi() {
        return localHi;
    }

    public long localLo() {
        return localLo;
    }

    /** 0 while it has none. */
    public int localPort() {
        return localPort;
    }

    /** Zeros while it is not connected. */
    public long remoteHi() {
        return remoteHi;
    }

    public long remoteLo() {
        return remoteLo;
    }

    public int remotePort() {
        return remotePort;
    }

    /** Whether the application chose address or port. */
    public boolean isBound() {
        return bound;
    }

    public boolean isIpv4Only() {
        return ipv4Only;
    }

    /** Datagrams that came and found no room: {@code SO_MEMINFO}'s drops. */
    public long drops() {
        return drops;
    }

    // ---- options -----------------------------------------------------------------------------

    public boolean reuseAddress() {
        return reuseAddress;
    }

    public void reuseAddress(boolean on) {
        reuseAddress = on;
    }

    public boolean reusePort() {
        return reusePort;
    }

    public void reusePort(boolean on) {
        reusePort = on;
    }

    public boolean ipv6Only() {
        return ipv6Only;
    }

    public void ipv6Only(boolean on) {
        ipv6Only = on;
    }

    /** Whether it may send to broadcast addresses. */
    public boolean broadcast() {
        return broadcast;
    }

    public void broadcast(boolean on) {
        broadcast = on;
    }

    /** Whether datagrams over IPv4 leave without a checksum. */
    public boolean noChecksum() {
        return noChecksum;
    }

    public void noChecksum(boolean on) {
        noChecksum = on;
    }

    /** Hops a datagram may live, 1 to 255. */
    public int ttl() {
        return ttl;
    }

    public void ttl(int hops) {
        ttl = hops;
    }

    /** DSCP and ECN together. */
    public int tos() {
        return tos;
    }

    public void tos(int value) {
        tos = value;
    }

    /** IP_MTU_DISCOVER, with Linux's numbers, 0 to 5. */
    public int discover() {
        return discover;
    }

    public void discover(int mode) {
        discover = mode;
    }

    /** Limit of the truesize that waits to be read. */
    public int receiveBuffer() {
        return receiveBuffer;
    }

    public void receiveBuffer(int bytes) {
        receiveBuffer = bytes;
    }

    /** Limit of the truesize that the device has not finished with. */
    public int sendBuffer() {
        return sendBuffer;
    }

    public void sendBuffer(int bytes) {
        sendBuffer = bytes;
    }

    // ---- readiness and errors ----------------------------------------------------------------

    /** Who is told when the ready set may have changed; null for nobody. */
    public void signals(SocketSignals target) {
        signals = target;
    }

    public SocketSignals signals() {
        return signals;
    }

    /** {@code EPOLL*} bits. Half the send buffer must be free for OUT, as in Linux. */
    public int readySet() {
        int ready = queueHead != null ? Readiness.IN : 0;
        if (isWritable()) {
            ready |= Readiness.OUT;
        } else {
            writerWaits = true;
        }
        return error != UdpError.NONE ? ready | Readiness.ERR : ready;
    }

    boolean isWritable() {
        return wmemAlloc < sendBuffer >> 1;
    }

    /** Whether an error waits to be reported. */
    public boolean hasError() {
        return error != UdpError.NONE;
    }

    /** The pending error, which is cleared. */
    public UdpError takeError() {
        UdpError taken = error;
        error = UdpError.NONE;
        return taken;
    }

    void becameReady(int events) {
        pendingEvents |= events;
        udp.listSignal(this);
    }

    @Override
    public void transmitCompleted(long now, int truesize) {
        wmemAlloc -= truesize;
        if (writerWaits && isWritable()) {
            writerWaits = false;
            becameReady(Readiness.OUT);
        }
    }

    // ---- the queue ---------------------------------------------------------------------------

    /**
     * The oldest datagram, its window the payload; null if none waits. It stays the endpoint's.
     * {@link Udp#senderHi} and its sisters say where it came from.
     */
    public PacketBuffer first() {
        return queueHead;
    }

    /** Datagrams that wait to be read. */
    public int queued() {
        return queued;
    }

    /** Truesize that waits to be read. */
    public int receiveMemory() {
        return rmemAlloc;
    }

    /** Truesize that the device has not finished with. */
    public int sendMemory() {
        return wmemAlloc;
    }

    void append(PacketBuffer packet) {
        packet.next(null);
        if (queueTail == null) {
            queueHead = packet;
        } else {
            queueTail.next(packet);
        }
        queueTail = packet;
        queued++;
    }

    PacketBuffer removeFirst() {
        PacketBuffer packet = queueHead;
        queueHead = packet.next();
        if (queueHead == null) {
            queueTail = null;
        }
        packet.next(null);
        queued--;
        return packet;
    }

    void checkInvariants() {
        int waiting = 0;
        int truesize = 0;
        for (PacketBuffer p = queueHead; p != null; p = p.next()) {
            waiting++;
            truesize += p.truesize();
        }
        if (waiting != queued || truesize != rmemAlloc || forward < 0 || wmemAlloc < 0) {
            throw new AssertionError(
                    "port %d: %d datagrams of %d bytes, but %d of %d; forward %d, sent %d"
                            .formatted(
                                    localPort, waiting, truesize, queued, rmemAlloc, forward,
                                    wmemAlloc));
        }
        if (closed) {
            throw new AssertionError("a closed socket has port " + localPort);
        }
    }
}
