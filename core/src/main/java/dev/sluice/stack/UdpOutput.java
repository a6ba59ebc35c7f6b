package dev.sluice.stack;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.Truesize;
import dev.sluice.tcp.Route;
import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;
import dev.sluice.wire.Checksum;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.IpProtocol;
import dev.sluice.wire.Ipv4Header;
import dev.sluice.wire.Ipv6Header;
import dev.sluice.wire.UdpHeader;

/**
 * Makes datagrams. A flyweight: {@link #prepare} says whether one may be sent and has a buffer for
 * its payload, which the caller fills; {@link #send} sends it.
 */
public final class UdpOutput {
    private static final int HEADROOM = Fragmenter.HEADROOM;
    private static final int LONGEST_PACKET = 65_535;
    private static final long LOOPBACK4_LO = IpAddress.ipv4Lo(0x7f00_0001);
    private static final long LOOPBACK6_LO = 1;

    private final NetworkStack stack;
    private final Udp udp;
    private final Fragmenter fragmenter;
    private final PathMtuCache pathMtu;
    private final PacketPool packets;
    private final Counters counters;

    // The datagram at hand.
    private UdpEndpoint endpoint;
    private PacketBuffer packet;
    private Route route;
    private boolean ipv4;
    private long sourceHi;
    private long sourceLo;
    private long destinationHi;
    private long destinationLo;
    private int destinationPort;
    private int payloadLength;
    private int mtu;

    UdpOutput(NetworkStack stack, Udp udp, Fragmenter fragmenter, PathMtuCache pathMtu) {
        this.stack = stack;
        this.udp = udp;
        this.fragmenter = fragmenter;
        this.pathMtu = pathMtu;
        this.packets = stack.packets();
        this.counters = stack.counters();
    }

    long sourceHi() {
        return sourceHi;
    }

    long sourceLo() {
        return sourceLo;
    }

    long destinationHi() {
        return destinationHi;
    }

    long destinationLo() {
        return destinationLo;
    }

    /** Route and source address for a destination of this socket; nowhere is the loopback. */
    UdpError resolve(UdpEndpoint e, long hi, long lo) {
        ipv4 = IpAddress.isIpv4(hi, lo);
        boolean localIsAny = IpAddress.isUnspecified(e.localHi, e.localLo);
        boolean localIsIpv4 = IpAddress.isIpv4(e.localHi, e.localLo);
        if (!ipv4 && localIsIpv4) {
            return UdpError.WRONG_FAMILY;
        }
        if (ipv4 && !localIsIpv4 && (!localIsAny || e.ipv6Only)) {
            return UdpError.NO_ROUTE;
        }
        if (IpAddress.isMulticast(hi, lo)) {
            return UdpError.NOT_SUPPORTED;
        }
        boolean nowhere = IpAddress.isUnspecified(hi, lo);
        destinationHi = hi;
        destinationLo = nowhere ? (ipv4 ? LOOPBACK4_LO : LOOPBACK6_LO) : lo;
        return route(e, localIsAny);
    }

    private UdpError route(UdpEndpoint e, boolean localIsAny) {
        long hi = destinationHi;
        long lo = destinationLo;
        Interface iface = stack.interfaceTo(hi, lo);
        if (iface == null || IpAddress.isLoopback(hi, lo) && !iface.isLoopback()) {
            counters.increment(ipv4 ? Counter.IP_OUT_NO_ROUTES : Counter.IP6_OUT_NO_ROUTES);
            return UdpError.NO_ROUTE;
        }
        if (!e.broadcast && iface.isBroadcast(hi, lo)) {
            return UdpError.FORBIDDEN;
        }
        if (!localIsAny && !iface.isBroadcast(e.localHi, e.localLo)) {
            sourceHi = e.localHi;
            sourceLo = e.localLo;
        } else if (!chooseSource(iface, hi, lo)) {
            return UdpError.NO_ROUTE;
        }
        route = iface.route();
        return UdpError.NONE;
    }

    private boolean chooseSource(Interface iface, long hi, long lo) {
        if (iface.isLoopback() && stack.isLocal(hi, lo)) {
            sourceHi = hi;
            sourceLo = lo;
            return true;
        }
        int i = iface.sourceIndex(hi, lo);
        if (i < 0) {
            return false;
        }
        sourceHi = iface.addressHi(i);
        sourceLo = iface.addressLo(i);
        return true;
    }

    /** Largest packet to the peer of a connected socket, in bytes, as far as is known. */
    public int pathMtu(long now, UdpEndpoint e) {
        Interface iface = stack.interfaceTo(e.remoteHi, e.remoteLo);
        return iface == null ? 0 : pathMtu.find(now, e.remoteHi, e.remoteLo, iface.mtu());
    }

    /**
     * Whether a datagram of {@code length} bytes of payload may leave now; if so, {@link #payload}
     * has room for it and {@link #send} must follow. A pending error of the socket is reported, and
     * cleared, here.
     */
    public UdpError prepare(long now, UdpEndpoint e, long hi, long lo, int port, int length) {
        if (e.closed) {
            return UdpError.CLOSED;
        }
        if (port == 0 && !e.connected) {
            return UdpError.INVALID;
        }
        UdpError failed = udp.autobind(e);
        if (failed == UdpError.NONE) {
            failed = resolve(e, hi, lo);
        }
        if (failed == UdpError.NONE) {
            failed = fits(now, e, length);
        }
        if (failed == UdpError.NONE) {
            failed = e.takeError();
        }
        if (failed != UdpError.NONE) {
            return failed;
        }
        if (e.wmemAlloc >= e.sendBuffer) {
            e.writerWaits = true;
            counters.increment(ipv4 ? Counter.UDP_SNDBUF_ERRORS : Counter.UDP6_SNDBUF_ERRORS);
            return UdpError.WOULD_BLOCK;
        }
        packet = packets.acquire(HEADROOM + networkHeader() + UdpHeader.LENGTH + length);
        if (packet == null) {
            counters.increment(Counter.PACKET_POOL_EMPTY);
            counters.increment(ipv4 ? Counter.UDP_SNDBUF_ERRORS : Counter.UDP6_SNDBUF_ERRORS);
            return UdpError.NO_BUFFERS;
        }
        endpoint = e;
        destinationPort = port;
        payloadLength = length;
        return UdpError.NONE;
    }

    private int networkHeader() {
        return ipv4 ? Ipv4Header.LENGTH : Ipv6Header.LENGTH;
    }

    /** Modes that look at the interface alone neither ask nor believe the path. */
    private UdpError fits(long now, UdpEndpoint e, int length) {
        boolean believes = e.discover < UdpEndpoint.DISCOVER_PROBE;
        mtu = believes ? pathMtu.find(now, destinationHi, destinationLo, route.mtu()) : route.mtu();
        boolean fragments =
                e.discover < UdpEndpoint.DISCOVER_DO || e.discover == UdpEndpoint.DISCOVER_OMIT;
        int longest = ipv4 ? LONGEST_PACKET : Ipv6Header.LENGTH + LONGEST_PACKET;
        int most = (fragments ? longest : mtu) - networkHeader() - UdpHeader.LENGTH;
        return length <= most ? UdpError.NONE : UdpError.TOO_LONG;
    }

    /** The buffer of the datagram at hand; its payload begins at {@link #payloadStart}. */
    public PacketBuffer payload() {
        return packet;
    }

    /** Where the payload begins in the slab of {@link #payload}. */
    public long payloadStart() {
        return packet.base() + HEADROOM + networkHeader() + UdpHeader.LENGTH;
    }

    /** Sends the datagram whose payload is now in place. */
    public UdpError send(long now) {
        PacketBuffer p = packet;
        UdpEndpoint e = endpoint;
        packet = null;
        endpoint = null;
        int udpLength = UdpHeader.LENGTH + payloadLength;
        long ip = p.base() + HEADROOM;
        long header = ip + networkHeader();
        p.window(HEADROOM, networkHeader() + udpLength);
        UdpHeader.write(p.segment(), header, e.localPort, destinationPort, udpLength);
        boolean whole = p.length() <= mtu;
        if (!(ipv4 && e.noChecksum)) {
            checksum(p, header, udpLength, whole);
        }
        if (ipv4) {
            writeIpv4(now, p, ip, e, whole);
        } else {
            Ipv6Header.write(
                    p.segment(),
                    ip,
                    e.tos,
                    0,
                    udpLength,
                    IpProtocol.UDP,
                    e.ttl,
                    sourceHi,
                    sourceLo,
                    destinationHi,
                    destinationLo);
        }
        p.interfaceIndex(route.interfaceIndex());
        int truesize = Truesize.sent(payloadLength);
        p.truesize(truesize);
        p.owner(e);
        if (!fragmenter.send(p, ipv4, mtu)) {
            counters.increment(ipv4 ? Counter.UDP_SNDBUF_ERRORS : Counter.UDP6_SNDBUF_ERRORS);
            return UdpError.NO_BUFFERS;
        }
        e.wmemAlloc += truesize;
        counters.increment(ipv4 ? Counter.UDP_OUT_DATAGRAMS : Counter.UDP6_OUT_DATAGRAMS);
        return UdpError.NONE;
    }

    private void checksum(PacketBuffer p, long header, int udpLength, boolean whole) {
        int pseudo =
                Checksum.pseudoHeader(
                        sourceHi,
                        sourceLo,
                        destinationHi,
                        destinationLo,
                        IpProtocol.UDP,
                        udpLength);
        if (whole && route.checksumOffload()) {
            UdpHeader.writePartialChecksum(p.segment(), header, pseudo);
            p.checksum(PacketBuffer.CHECKSUM_PARTIAL);
        } else {
            UdpHeader.writeChecksum(p.segment(), header, udpLength, pseudo);
        }
    }

    /** A packet that no router may fragment needs no identification (RFC 6864 section 4.1). */
    private void writeIpv4(long now, PacketBuffer p, long ip, UdpEndpoint e, boolean whole) {
        boolean dontFragment =
                e.discover == UdpEndpoint.DISCOVER_DO
                        || e.discover == UdpEndpoint.DISCOVER_PROBE
                        || e.discover == UdpEndpoint.DISCOVER_WANT
                                && !pathMtu.mustAllowFragments(now, destinationHi, destinationLo);
        int id =
                dontFragment || !whole
                        ? 0
                        : fragmenter.nextId(sourceLo, destinationHi, destinationLo, IpProtocol.UDP);
        Ipv4Header.write(
                p.segment(),
                ip,
                e.tos,
                p.length(),
                id,
                dontFragment,
                e.ttl,
                IpProtocol.UDP,
                sourceLo,
                destinationLo);
    }
}
