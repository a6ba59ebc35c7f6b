package dev.sluice.stack;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.tcp.TcpContext;
import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;
import dev.sluice.wire.IpProtocol;
import dev.sluice.wire.Ipv4Header;
import dev.sluice.wire.Ipv6Header;

import java.lang.foreign.MemorySegment;

/**
 * The way out of packets that are not TCP's: whole if the path takes them, else in fragments (RFC
 * 791 section 3.2, RFC 8200 section 4.5).
 */
final class Fragmenter {
    /** Room in front of the IP header for whatever the device puts there, in bytes. */
    static final int HEADROOM = 32;

    private final TcpContext out;
    private final PacketPool packets;
    private final Counters counters;
    private final PacketIds ids;
    private final Ipv4Header ipv4 = new Ipv4Header();
    private final Ipv6Header ipv6 = new Ipv6Header();

    Fragmenter(TcpContext out, PacketPool packets, Counters counters, PacketIds ids) {
        this.out = out;
        this.packets = packets;
        this.counters = counters;
        this.ids = ids;
    }

    /** An identification for a packet that routers may fragment. */
    int nextId(long sourceLo, long destinationHi, long destinationLo, int protocol) {
        return ids.next(sourceLo, destinationHi, destinationLo, protocol);
    }

    /**
     * Sends a finished packet without IPv4 options or IPv6 extension headers. It is gone in any
     * case.
     *
     * @param isIpv4 which kind of packet it is
     * @param mtu largest packet of the path, bytes
     * @return false if there were no buffers for its fragments, or the MTU leaves no room for any
     */
    boolean send(PacketBuffer packet, boolean isIpv4, int mtu) {
        counters.increment(isIpv4 ? Counter.IP_OUT_REQUESTS : Counter.IP6_OUT_REQUESTS);
        if (packet.wireLength() > mtu) {
            return fragment(packet, isIpv4, mtu);
        }
        counters.add(isIpv4 ? Counter.IP_OUT_OCTETS : Counter.IP6_OUT_OCTETS, packet.wireLength());
        out.emitPacket(packet);
        return true;
    }

    private boolean fragment(PacketBuffer packet, boolean isIpv4, int mtu) {
        int headers = isIpv4 ? Ipv4Header.LENGTH : Ipv6Header.LENGTH + Ipv6Header.FRAGMENT_LENGTH;
        int payload = packet.length() - (isIpv4 ? Ipv4Header.LENGTH : Ipv6Header.LENGTH);
        int most = mtu - headers & ~7;
        int count = most > 0 ? (payload + most - 1) / most : 0;
        PacketBuffer list = count > 0 ? acquire(count, HEADROOM + headers + most) : null;
        if (list == null) {
            counters.increment(isIpv4 ? Counter.IP_FRAG_FAILS : Counter.IP6_FRAG_FAILS);
            packets.release(packet);
            return false;
        }
        int id = wrap(packet, isIpv4);
        int share = packet.truesize() / count;
        for (int at = 0; at < payload; at += most) {
            PacketBuffer f = list;
            list = f.next();
            int part = Math.min(most, payload - at);
            boolean more = at + part < payload;
            f.window(HEADROOM, headers + part);
            if (isIpv4) {
                writeIpv4(f, id, at, part, more);
            } else {
                writeIpv6(f, id, at, part, more);
            }
            MemorySegment.copy(
                    packet.segment(),
                    packet.start() + packet.length() - payload + at,
                    f.segment(),
                    f.start() + headers,
                    part);
            f.interfaceIndex(packet.interfaceIndex());
            f.owner(packet.owner());
            f.truesize(more ? share : packet.truesize() - share * (count - 1));
            counters.increment(isIpv4 ? Counter.IP_FRAG_CREATES : Counter.IP6_FRAG_CREATES);
            counters.add(isIpv4 ? Counter.IP_OUT_OCTETS : Counter.IP6_OUT_OCTETS, f.length());
            out.emitPacket(f);
        }
        counters.increment(isIpv4 ? Counter.IP_FRAG_OKS : Counter.IP6_FRAG_OKS);
        packets.release(packet);
        return true;
    }

    /** Reads the header that the fragments share; returns their identification. */
    private int wrap(PacketBuffer packet, boolean isIpv4) {
        if (isIpv4) {
            ipv4.wrap(packet.segment(), packet.start(), packet.length());
            return ids.next(ipv4.sourceLo(), 0, ipv4.destinationLo(), ipv4.protocol());
        }
        ipv6.wrap(packet.segment(), packet.start(), packet.length());
        return ids.next(
                ipv6.sourceLo(), ipv6.destinationHi(), ipv6.destinationLo(), ipv6.protocol());
    }

    private void writeIpv4(PacketBuffer f, int id, int at, int part, boolean more) {
        Ipv4Header.writeFragment(
                f.segment(),
                f.start(),
                ipv4.tos(),
                Ipv4Header.LENGTH + part,
                id,
                at,
                more,
                ipv4.ttl(),
                ipv4.protocol(),
                ipv4.sourceLo(),
                ipv4.destinationLo());
    }

    private void writeIpv6(PacketBuffer f, int id, int at, int part, boolean more) {
        Ipv6Header.write(
                f.segment(),
                f.start(),
                ipv6.trafficClass(),
                ipv6.flowLabel(),
                Ipv6Header.FRAGMENT_LENGTH + part,
                IpProtocol.FRAGMENT,
                ipv6.hopLimit(),
                ipv6.sourceHi(),
                ipv6.sourceLo(),
                ipv6.destinationHi(),
                ipv6.destinationLo());
        Ipv6Header.writeFragmentHeader(
                f.segment(), f.start() + Ipv6Header.LENGTH, ipv6.protocol(), at, more, id);
    }

    /** A list of so many buffers, or null and none is taken. */
    private PacketBuffer acquire(int count, int bytes) {
        PacketBuffer list = null;
        for (int i = 0; i < count; i++) {
            PacketBuffer buffer = packets.acquire(bytes);
            if (buffer == null) {
                counters.increment(Counter.PACKET_POOL_EMPTY);
                while (list != null) {
                    PacketBuffer next = list.next();
                    packets.release(list);
                    list = next;
                }
                return null;
            }
            buffer.next(list);
            list = buffer;
        }
        return list;
    }
}
