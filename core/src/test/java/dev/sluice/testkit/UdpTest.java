package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.BlockPool;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.Truesize;
import dev.sluice.seed.Rng;
import dev.sluice.socket.DatagramSocket;
import dev.sluice.stack.Interface;
import dev.sluice.stack.NetworkStack;
import dev.sluice.trace.Counter;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.Checksum;
import dev.sluice.wire.IcmpHeader;
import dev.sluice.wire.IpAddress;
import dev.sluice.wire.IpProtocol;
import dev.sluice.wire.Ipv4Header;
import dev.sluice.wire.Ipv6Header;
import dev.sluice.wire.UdpHeader;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A test of datagrams: a real stack at {@link #local}, and the test plays everybody else, mostly
 * {@link #remote}. Packets go in with {@link #deliver} and come out of {@link #take}, in bytes.
 * {@link #close} checks that nothing is left in use.
 */
public final class UdpTest implements AutoCloseable {
    private static final long MILLI = 1_000_000L;
    private static final long FRAGMENTS_LIVE = 60_000 * MILLI;

    /** Where the packets of the test say that they come from. */
    public final IpAddress remote;

    public final IpAddress local;
    public final NetworkStack stack;
    public final Interface iface;

    private final PacketPool packets;
    private final BlockPool blocks;
    private final Truesize model;
    private final List<PacketBuffer> inDevice = new ArrayList<>();
    private final List<DatagramSocket> sockets = new ArrayList<>();
    private boolean deviceKeeps;
    private long now = 7_000_000_000_000L;

    /**
     * One packet of ours.
     *
     * @param payload what follows the IP header
     */
    public record Packet(
            IpAddress from,
            IpAddress to,
            int protocol,
            int tos,
            int ttl,
            int id,
            boolean dontFragment,
            int offset,
            boolean more,
            byte[] payload,
            byte[] bytes) {
        public int sourcePort() {
            return u16(payload, 0);
        }

        public int destinationPort() {
            return u16(payload, 2);
        }

        /** What a datagram carries. */
        public String text() {
            return new String(payload, 8, payload.length - 8);
        }

        public int icmpType() {
            return payload[0] & 0xff;
        }

        public int icmpCode() {
            return payload[1] & 0xff;
        }
    }

    private UdpTest(Setup... setups) {
        Setup.Choices choices = new Setup.Choices(setups);
        local = IpAddress.parse(choices.ipv6 ? "2001:db8::1" : "192.0.2.1").address();
        remote = IpAddress.parse(choices.ipv6 ? "2001:db8::2" : "192.0.2.2").address();
        var config = choices.config.build();
        packets = new PacketPool(64L << 20);
        blocks = new BlockPool(config.blockBytes, 1L << 20);
        model = Truesize.of(config.truesize);
        stack = new NetworkStack(config, packets, blocks, new Rng(1), StackObserver.NONE);
        iface = stack.addInterface("test0", choices.mtu);
        iface.addAddress(local, local.isIpv4() ? 24 : 64);
        iface.offloads(choices.tso, choices.tso);
    }

    public static UdpTest start(Setup... setups) {
        return new UdpTest(setups);
    }

    // ---- sockets -----------------------------------------------------------------------------

    public DatagramSocket socket() {
        return adopt(new DatagramSocket(stack));
    }

    /** One that speaks IPv4 alone. */
    public DatagramSocket ipv4Socket() {
        return adopt(new DatagramSocket(stack, true));
    }

    private DatagramSocket adopt(DatagramSocket socket) {
        sockets.add(socket);
        return socket;
    }

    /** One that is bound to the port at any address. */
    public DatagramSocket bound(int port) {
        DatagramSocket socket = socket();
        assertThat(socket.bind(IpAddress.ANY6, port)).isZero();
        return socket;
    }

    /** One that is bound to the port and connected to one of the remote host. */
    public DatagramSocket connected(int port, int remotePort) {
        DatagramSocket socket = bound(port);
        assertThat(socket.connect(now, remote, remotePort)).isZero();
        return socket;
    }

    /** Sends a text to the remote host. */
    public int send(DatagramSocket socket, int port, String text) {
        byte[] bytes = text.getBytes();
        return socket.send(now, bytes, 0, bytes.length, remote, port, 0);
    }

    /** The text of the next datagram; null if there is none. */
    public String read(DatagramSocket socket) {
        byte[] bytes = new byte[65_536];
        int length = socket.receive(now, bytes, 0, bytes.length, 0);
        return length < 0 ? null : new String(bytes, 0, length);
    }

    // ---- time --------------------------------------------------------------------------------

    public long now() {
        return now;
    }

    /** Time passes, and the stack gets its turn. */
    public UdpTest after(long millis) {
        now += millis * MILLI;
        turn();
        return this;
    }

    private void turn() {
        stack.advance(now);
        while (stack.signal(now)) {
            stack.flush(now, this::transmit);
        }
        stack.flush(now, this::transmit);
        stack.checkInvariants();
    }

    private boolean transmit(long when, Interface via, PacketBuffer packet) {
        inDevice.add(packet);
        return true;
    }

    // ---- packets in --------------------------------------------------------------------------

    /** Gives one IP packet to the stack, followed by a turn. */
    public UdpTest deliver(byte[] bytes) {
        return deliver(bytes, PacketBuffer.CHECKSUM_UNVERIFIED);
    }

    /** The same by another interface. */
    public UdpTest deliver(Interface by, byte[] bytes) {
        return deliver(by, bytes, PacketBuffer.CHECKSUM_UNVERIFIED);
    }

    /** The same from a device that says something about its checksum. */
    public UdpTest deliver(byte[] bytes, byte checksum) {
        return deliver(iface, bytes, checksum);
    }

    private UdpTest deliver(Interface by, byte[] bytes, byte checksum) {
        PacketBuffer buffer = packets.acquire(bytes.length);
        buffer.window(0, bytes.length);
        MemorySegment.copy(
                bytes, 0, buffer.segment(), ValueLayout.JAVA_BYTE, buffer.start(), bytes.length);
        buffer.checksum(checksum);
        stack.deliver(now, by, buffer);
        turn();
        return this;
    }

    /** A datagram from the remote host arrives. */
    public UdpTest receive(int fromPort, int toPort, String text) {
        return deliver(datagram(remote, fromPort, local, toPort, text.getBytes()));
    }

    /** The charge for a received packet of that many bytes. */
    public int truesize(int packetLength) {
        return model.received(packetLength, 1, PacketPool.sizeFor(packetLength));
    }

    /** A whole packet with a datagram in it. */
    public static byte[] datagram(
            IpAddress from, int fromPort, IpAddress to, int toPort, byte[] payload) {
        int length = UdpHeader.LENGTH + payload.length;
        byte[] udp = new byte[length];
        System.arraycopy(payload, 0, udp, UdpHeader.LENGTH, payload.length);
        MemorySegment segment = MemorySegment.ofArray(udp);
        UdpHeader.write(segment, 0, fromPort, toPort, length);
        int pseudo =
                Checksum.pseudoHeader(
                        from.hi(), from.lo(), to.hi(), to.lo(), IpProtocol.UDP, length);
        UdpHeader.writeChecksum(segment, 0, length, pseudo);
        return packet(from, to, IpProtocol.UDP, udp);
    }

    /** A whole packet of any protocol. */
    public static byte[] packet(IpAddress from, IpAddress to, int protocol, byte[] payload) {
        int header = from.isIpv4() ? Ipv4Header.LENGTH : Ipv6Header.LENGTH;
        byte[] bytes = new byte[header + payload.length];
        System.arraycopy(payload, 0, bytes, header, payload.length);
        MemorySegment segment = MemorySegment.ofArray(bytes);
        if (from.isIpv4()) {
            Ipv4Header.write(
                    segment, 0, 0, bytes.length, 1, false, 64, protocol, from.lo(), to.lo());
        } else {
            Ipv6Header.write(
                    segment,
                    0,
                    0,
                    0,
                    payload.length,
                    protocol,
                    64,
                    from.hi(),
                    from.lo(),
                    to.hi(),
                    to.lo());
        }
        return bytes;
    }

    /**
     * The fragment of a packet without options that carries its payload from {@code start} to
     * {@code end}.
     */
    public static byte[] fragment(byte[] packet, int id, int start, int end, boolean more) {
        boolean ipv4 = packet[0] >>> 4 == 4;
        int header = ipv4 ? Ipv4Header.LENGTH : Ipv6Header.LENGTH;
        int extra = ipv4 ? 0 : Ipv6Header.FRAGMENT_LENGTH;
        byte[] bytes = new byte[header + extra + end - start];
        System.arraycopy(packet, 0, bytes, 0, header);
        System.arraycopy(packet, header + start, bytes, header + extra, end - start);
        MemorySegment segment = MemorySegment.ofArray(bytes);
        if (ipv4) {
            put16(bytes, 2, bytes.length);
            put16(bytes, 4, id);
            put16(bytes, 6, start >>> 3 | (more ? 0x2000 : 0));
            sealIpv4(bytes);
        } else {
            Ipv6Header.updatePayloadLength(segment, 0, bytes.length - header);
            Ipv6Header.writeFragmentHeader(segment, header, packet[6], start, more, id);
            bytes[6] = IpProtocol.FRAGMENT;
        }
        return bytes;
    }

    /** All fragments of a packet, cut at these places, multiples of 8, of its payload. */
    public static List<byte[]> fragments(byte[] packet, int id, int... cuts) {
        int header = packet[0] >>> 4 == 4 ? Ipv4Header.LENGTH : Ipv6Header.LENGTH;
        List<byte[]> list = new ArrayList<>();
        int start = 0;
        for (int cut : cuts) {
            list.add(fragment(packet, id, start, cut, true));
            start = cut;
        }
        list.add(fragment(packet, id, start, packet.length - header, false));
        return list;
    }

    /** An ICMP error of the remote host about a packet of ours. */
    public byte[] error(int type, int code, int rest, byte[] about) {
        boolean ipv4 = local.isIpv4();
        byte[] message = new byte[IcmpHeader.LENGTH + about.length];
        MemorySegment segment = MemorySegment.ofArray(message);
        message[0] = (byte) type;
        message[1] = (byte) code;
        put16(message, 4, rest >>> 16);
        put16(message, 6, rest);
        System.arraycopy(about, 0, message, IcmpHeader.LENGTH, about.length);
        if (ipv4) {
            IcmpHeader.writeChecksumV4(segment, 0, message.length);
            return packet(remote, local, IpProtocol.ICMP, message);
        }
        int pseudo =
                Checksum.pseudoHeader(
                        remote.hi(),
                        remote.lo(),
                        local.hi(),
                        local.lo(),
                        IpProtocol.ICMPV6,
                        message.length);
        IcmpHeader.writeChecksumV6(segment, 0, message.length, pseudo);
        return packet(remote, local, IpProtocol.ICMPV6, message);
    }

    /** Makes the header checksum of an IPv4 packet right again. */
    public static void sealIpv4(byte[] packet) {
        put16(packet, 10, 0);
        int header = (packet[0] & 0xf) * 4;
        put16(packet, 10, Checksum.finish(Checksum.sum(MemorySegment.ofArray(packet), 0, header)));
    }

    private static int u16(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
    }

    public static void put16(byte[] bytes, int at, int value) {
        bytes[at] = (byte) (value >>> 8);
        bytes[at + 1] = (byte) value;
    }

    // ---- packets out -------------------------------------------------------------------------

    /** From now on the device takes packets and does not finish with them. */
    public void stallDevice() {
        deviceKeeps = true;
    }

    /** The device finishes with everything. */
    public void releaseDevice() {
        deviceKeeps = false;
        complete();
        turn();
    }

    /** What was sent since the last time, checked and parsed. */
    public List<Packet> take() {
        turn();
        List<Packet> list = new ArrayList<>();
        for (PacketBuffer buffer : inDevice) {
            list.add(parse(buffer));
        }
        if (!deviceKeeps) {
            complete();
            turn();
        }
        return list;
    }

    /** The one packet that was sent. */
    public Packet takeOne() {
        List<Packet> list = take();
        assertThat(list).hasSize(1);
        return list.getFirst();
    }

    private void complete() {
        for (PacketBuffer buffer : inDevice) {
            if (buffer.owner() != null) {
                stack.transmitCompleted(now, buffer.owner(), buffer.truesize());
            }
            packets.release(buffer);
        }
        inDevice.clear();
    }

    private Packet parse(PacketBuffer buffer) {
        byte[] bytes = new byte[buffer.length()];
        MemorySegment.copy(
                buffer.segment(), ValueLayout.JAVA_BYTE, buffer.start(), bytes, 0, bytes.length);
        assertThat(bytes.length)
                .isLessThanOrEqualTo(buffer.interfaceIndex() == 0 ? iface.mtu() : 65_535);
        MemorySegment segment = MemorySegment.ofArray(bytes);
        Packet packet = bytes[0] >>> 4 == 4 ? parseIpv4(bytes) : parseIpv6(bytes);
        boolean whole = packet.offset == 0 && !packet.more;
        if (whole && packet.protocol == IpProtocol.UDP) {
            int start = bytes.length - packet.payload.length;
            if (buffer.checksum() == PacketBuffer.CHECKSUM_PARTIAL) {
                Checksum.completePartial(
                        segment, start, packet.payload.length, UdpHeader.CHECKSUM_FIELD);
            }
            assertThat(
                            Checksum.verifyTransport(
                                    segment,
                                    start,
                                    packet.payload.length,
                                    IpProtocol.UDP,
                                    packet.from.hi(),
                                    packet.from.lo(),
                                    packet.to.hi(),
                                    packet.to.lo()))
                    .as("UDP checksum")
                    .isTrue();
        }
        return packet;
    }

    private static Packet parseIpv4(byte[] bytes) {
        Ipv4Header h = new Ipv4Header();
        assertThat(h.wrap(MemorySegment.ofArray(bytes), 0, bytes.length)).isNull();
        return new Packet(
                new IpAddress(0, h.sourceLo()),
                new IpAddress(0, h.destinationLo()),
                h.protocol(),
                h.tos(),
                h.ttl(),
                h.id(),
                h.dontFragment(),
                h.fragmentOffset(),
                h.moreFragments(),
                Arrays.copyOfRange(bytes, h.headerLength(), bytes.length),
                bytes);
    }

    private static Packet parseIpv6(byte[] bytes) {
        Ipv6Header h = new Ipv6Header();
        assertThat(h.wrap(MemorySegment.ofArray(bytes), 0, bytes.length)).isNull();
        return new Packet(
                new IpAddress(h.sourceHi(), h.sourceLo()),
                new IpAddress(h.destinationHi(), h.destinationLo()),
                h.protocol(),
                h.trafficClass(),
                h.hopLimit(),
                h.fragmentId(),
                true,
                h.fragmentOffset(),
                h.moreFragments(),
                Arrays.copyOfRange(bytes, h.headerLength(), bytes.length),
                bytes);
    }

    // ---- counters and the end ----------------------------------------------------------------

    public long counted(Counter counter) {
        return stack.counters().get(counter);
    }

    /** Buffers that somebody holds. */
    public long outstanding() {
        return packets.outstanding();
    }

    @Override
    public void close() {
        for (DatagramSocket socket : sockets) {
            socket.close(now);
        }
        now += FRAGMENTS_LIVE;
        turn();
        complete();
        long left = packets.outstanding();
        long pages = stack.udp().memory().pages();
        packets.close();
        blocks.close();
        assertThat(left).as("packets that are not given back").isZero();
        assertThat(pages).as("pages that are not given back").isZero();
    }
}
