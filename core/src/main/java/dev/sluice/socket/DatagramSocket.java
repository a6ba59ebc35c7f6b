package dev.sluice.socket;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.SyntheticContent;
import dev.sluice.stack.NetworkStack;
import dev.sluice.stack.UdpEndpoint;
import dev.sluice.stack.UdpError;
import dev.sluice.stack.UdpOutput;
import dev.sluice.tcp.SocketSignals;
import dev.sluice.wire.IpAddress;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A UDP socket as an application on Linux knows it, never blocking: results are counts, 0, or a
 * negative {@code errno} ({@link SocketError}); what would block returns {@code -EAGAIN}. An ICMP
 * error about a connected socket's datagram is the result of its next send or receive, once.
 *
 * <p>Called by the owner of the stack. {@code now} is in nanoseconds and never decreases. Neither
 * sending nor receiving allocates.
 */
public final class DatagramSocket {
    private final NetworkStack stack;
    private final UdpEndpoint endpoint;

    // The datagram received last.
    private long senderHi;
    private long senderLo;
    private int senderPort;
    private int datagramLength;
    private boolean truncated;

    /**
     * A new, unbound socket.
     *
     * @param ipv4Only it speaks IPv4 alone, as one of AF_INET does; else both, until IPV6_V6ONLY
     */
    public DatagramSocket(NetworkStack stack, boolean ipv4Only) {
        this.stack = stack;
        this.endpoint = stack.udp().open(ipv4Only);
    }

    /** A new, unbound socket for both families. */
    public DatagramSocket(NetworkStack stack) {
        this(stack, false);
    }

    // ---- addresses ---------------------------------------------------------------------------

    /**
     * Chooses the local address (unspecified for any) and port (0 for a free one).
     *
     * @return 0, {@code -EADDRINUSE}, {@code -EADDRNOTAVAIL}, or {@code -EINVAL} if it is bound
     */
    public int bind(IpAddress address, int port) {
        if (port < 0 || port > 65_535) {
            return SocketError.EINVAL.result();
        }
        return result(stack.udp().bind(endpoint, address.hi(), address.lo(), port));
    }

    /**
     * Talks to this peer alone from now on: sends to it by default, and receives from nobody else.
     * Binds if need be, and may be called again.
     */
    public int connect(long now, IpAddress address, int port) {
        if (port < 0 || port > 65_535) {
            return SocketError.EINVAL.result();
        }
        return result(stack.udp().connect(endpoint, address.hi(), address.lo(), port));
    }

    /**
     * Dissolves the association, as {@code connect} to AF_UNSPEC does: an address or a port that
     * {@link #bind} did not ask for is given up with it.
     */
    public int disconnect(long now) {
        if (endpoint.isClosed()) {
            return SocketError.EBADF.result();
        }
        stack.udp().disconnect(endpoint);
        return 0;
    }

    public boolean isConnected() {
        return endpoint.isConnected();
    }

    /** Unspecified while the socket is bound to none. */
    public IpAddress localAddress() {
        return new IpAddress(endpoint.localHi(), endpoint.localLo());
    }

    /** 0 while the socket has none. */
    public int localPort() {
        return endpoint.localPort();
    }

    /** Null while the socket is not connected. */
    public IpAddress remoteAddress() {
        return isConnected() ? new IpAddress(endpoint.remoteHi(), endpoint.remoteLo()) : null;
    }

    /** 0 while the socket is not connected. */
    public int remotePort() {
        return endpoint.remotePort();
    }

    // ---- sending -----------------------------------------------------------------------------

    /**
     * Sends what remains in a buffer as one datagram, and moves the buffer's position to its end if
     * it was sent.
     *
     * @param to the destination; null for the peer it is connected to ({@code -EDESTADDRREQ} if it
     *     is not)
     * @param port the destination's port; ignored without {@code to}
     * @param flags {@link SocketFlags}; MSG_MORE is refused
     * @return bytes sent; {@code -EAGAIN} if the send buffer is full; {@code -EMSGSIZE}; or another
     *     negative error
     */
    public int send(long now, ByteBuffer source, IpAddress to, int port, int flags) {
        int length = source.remaining();
        int failed = prepare(now, to, port, length, flags);
        if (failed < 0) {
            return failed;
        }
        UdpOutput output = stack.udp().output();
        output.payload()
                .bytes()
                .put((int) output.payloadStart(), source, source.position(), length);
        int result = finish(now, length);
        if (result >= 0) {
            source.position(source.limit());
        }
        return result;
    }

    /** Sends part of an array; see {@link #send(long, ByteBuffer, IpAddress, int, int)}. */
    public int send(
            long now, byte[] bytes, int from, int length, IpAddress to, int port, int flags) {
        int failed = prepare(now, to, port, length, flags);
        if (failed < 0) {
            return failed;
        }
        UdpOutput output = stack.udp().output();
        output.payload().bytes().put((int) output.payloadStart(), bytes, from, length);
        return finish(now, length);
    }

    /** Sends from memory; see {@link #send(long, ByteBuffer, IpAddress, int, int)}. */
    public int send(
            long now,
            MemorySegment source,
            long from,
            int length,
            IpAddress to,
            int port,
            int flags) {
        int failed = prepare(now, to, port, length, flags);
        if (failed < 0) {
            return failed;
        }
        UdpOutput output = stack.udp().output();
        MemorySegment.copy(source, from, output.payload().segment(), output.payloadStart(), length);
        return finish(now, length);
    }

    /** Sends what remains in several buffers, one after the other, as one datagram. */
    public int send(
            long now,
            ByteBuffer[] sources,
            int from,
            int count,
            IpAddress to,
            int port,
            int flags) {
        long length = 0;
        for (int i = from; i < from + count; i++) {
            length += sources[i].remaining();
        }
        int bounded = (int) Math.min(length, Integer.MAX_VALUE);
        int failed = prepare(now, to, port, bounded, flags);
        if (failed < 0) {
            return failed;
        }
        UdpOutput output = stack.udp().output();
        int at = (int) output.payloadStart();
        for (int i = from; i < from + count; i++) {
            ByteBuffer source = sources[i];
            output.payload().bytes().put(at, source, source.position(), source.remaining());
            at += source.remaining();
        }
        int result = finish(now, bounded);
        for (int i = from; result >= 0 && i < from + count; i++) {
            sources[i].position(sources[i].limit());
        }
        return result;
    }

    private int prepare(long now, IpAddress to, int port, int length, int flags) {
        if ((flags & SocketFlags.MSG_MORE) != 0) {
            return SocketError.EOPNOTSUPP.result();
        }
        UdpError error;
        if (to != null) {
            error =
                    port <= 0 || port > 65_535
                            ? UdpError.INVALID
                            : prepare(now, to.hi(), to.lo(), port, length);
        } else if (endpoint.isConnected()) {
            error =
                    prepare(
                            now,
                            endpoint.remoteHi(),
                            endpoint.remoteLo(),
                            endpoint.remotePort(),
                            length);
        } else {
            error = UdpError.NO_DESTINATION;
        }
        return result(error);
    }

    private UdpError prepare(long now, long hi, long lo, int port, int length) {
        return stack.udp().output().prepare(now, endpoint, hi, lo, port, length);
    }

    private int finish(long now, int length) {
        UdpError error = stack.udp().output().send(now);
        return error == UdpError.NONE ? length : result(error);
    }

    // ---- receiving ---------------------------------------------------------------------------

    /**
     * Receives one datagram into a buffer; what has no room there is lost ({@link #isTruncated}).
     * Afterwards {@link #senderHi}, {@link #senderPort} and their sisters tell of it.
     *
     * @param flags {@link SocketFlags}: MSG_PEEK leaves it in the queue, MSG_TRUNC returns its real
     *     length
     * @return bytes received, 0 for an empty datagram, {@code -EAGAIN} if there is none, or another
     *     negative error
     */
    public int receive(long now, ByteBuffer destination, int flags) {
        PacketBuffer packet = next();
        if (packet == null) {
            return nothing();
        }
        int length = Math.min(destination.remaining(), packet.wireLength());
        int stored = Math.min(length, packet.length());
        int position = destination.position();
        destination.put(position, packet.bytes(), (int) packet.start(), stored);
        SyntheticContent.fill(
                destination, position + stored, packet.syntheticOffset(), length - stored);
        destination.position(position + length);
        return received(now, packet, length, flags);
    }

    /** Receives into part of an array; see {@link #receive(long, ByteBuffer, int)}. */
    public int receive(long now, byte[] bytes, int from, int room, int flags) {
        PacketBuffer packet = next();
        if (packet == null) {
            return nothing();
        }
        int length = Math.min(room, packet.wireLength());
        int stored = Math.min(length, packet.length());
        packet.bytes().get((int) packet.start(), bytes, from, stored);
        SyntheticContent.fill(bytes, from + stored, packet.syntheticOffset(), length - stored);
        return received(now, packet, length, flags);
    }

    /** Receives into memory; see {@link #receive(long, ByteBuffer, int)}. */
    public int receive(long now, MemorySegment memory, long from, int room, int flags) {
        PacketBuffer packet = next();
        if (packet == null) {
            return nothing();
        }
        int length = Math.min(room, packet.wireLength());
        int stored = Math.min(length, packet.length());
        MemorySegment.copy(packet.segment(), packet.start(), memory, from, stored);
        SyntheticContent.fill(memory, from + stored, packet.syntheticOffset(), length - stored);
        return received(now, packet, length, flags);
    }

    /** The oldest datagram if no error has to be reported first. */
    private PacketBuffer next() {
        return endpoint.isClosed() || endpoint.hasError() ? null : endpoint.first();
    }

    private int nothing() {
        if (endpoint.isClosed()) {
            return SocketError.EBADF.result();
        }
        int error = takeError();
        return error != 0 ? error : SocketError.EAGAIN.result();
    }

    private int received(long now, PacketBuffer packet, int length, int flags) {
        senderHi = stack.udp().senderHi(endpoint);
        senderLo = stack.udp().senderLo(endpoint);
        senderPort = stack.udp().senderPort(endpoint);
        datagramLength = packet.wireLength();
        truncated = length < datagramLength;
        if ((flags & SocketFlags.MSG_PEEK) == 0) {
            stack.udp().consumed(now, endpoint);
        }
        return (flags & SocketFlags.MSG_TRUNC) != 0 ? datagramLength : length;
    }

    /** Where the datagram received last came from: the upper half of the address. */
    public long senderHi() {
        return senderHi;
    }

    /** The lower half of the address; IPv4 as v4-mapped. */
    public long senderLo() {
        return senderLo;
    }

    /** The same address as a new object. */
    public IpAddress sender() {
        return new IpAddress(senderHi, senderLo);
    }

    public int senderPort() {
        return senderPort;
    }

    /** Bytes the datagram received last had, those included that found no room. */
    public int datagramLength() {
        return datagramLength;
    }

    /** Whether the datagram received last was longer than the room for it (MSG_TRUNC). */
    public boolean isTruncated() {
        return truncated;
    }

    /** Bytes of the datagram that would be received next (FIONREAD); 0 if there is none. */
    public int nextLength() {
        return endpoint.first() == null ? 0 : endpoint.first().wireLength();
    }

    // ---- readiness, errors, options ----------------------------------------------------------

    /** Who is told when the ready set may have changed; null for nobody. */
    public void signals(SocketSignals target) {
        endpoint.signals(target);
    }

    /** EPOLL* bits, what {@code poll} would report now. */
    public int readySet() {
        return endpoint.readySet();
    }

    /** SO_ERROR: the pending error as a negative number, and clears it; 0 for none. */
    public int takeError() {
        return result(endpoint.takeError());
    }

    /** Sets an option; values as in Linux, see {@link DatagramOptions}. */
    public int setOption(long now, SocketOption option, long value) {
        return DatagramOptions.set(stack, endpoint, option, value);
    }

    /**
     * The value of an option, or a negative error; SO_ERROR clears the error and returns it
     * positive.
     */
    public long getOption(long now, SocketOption option) {
        return DatagramOptions.get(now, stack, endpoint, option);
    }

    /** What this socket is to the stack. */
    public UdpEndpoint endpoint() {
        return endpoint;
    }

    /** Frees address and port; what waits to be read is lost. */
    public int close(long now) {
        stack.udp().close(now, endpoint);
        return 0;
    }

    static int result(UdpError error) {
        return switch (error) {
            case NONE -> 0;
            case WOULD_BLOCK -> SocketError.EAGAIN.result();
            case ADDRESS_IN_USE, NO_FREE_PORT -> SocketError.EADDRINUSE.result();
            case ADDRESS_NOT_AVAILABLE -> SocketError.EADDRNOTAVAIL.result();
            case INVALID -> SocketError.EINVAL.result();
            case NO_DESTINATION -> SocketError.EDESTADDRREQ.result();
            case WRONG_FAMILY -> SocketError.EAFNOSUPPORT.result();
            case NO_ROUTE -> SocketError.ENETUNREACH.result();
            case NOT_SUPPORTED -> SocketError.EOPNOTSUPP.result();
            case FORBIDDEN -> SocketError.EACCES.result();
            case TOO_LONG -> SocketError.EMSGSIZE.result();
            case NO_BUFFERS -> SocketError.ENOBUFS.result();
            case REFUSED -> SocketError.ECONNREFUSED.result();
            case HOST_UNREACHABLE -> SocketError.EHOSTUNREACH.result();
            case HOST_DOWN -> SocketError.EHOSTDOWN.result();
            case OFF_THE_NETWORK -> SocketError.ENONET.result();
            case PROTOCOL_UNREACHABLE -> SocketError.ENOPROTOOPT.result();
            case PROTOCOL_ERROR -> SocketError.EPROTO.result();
            case CLOSED -> SocketError.EBADF.result();
        };
    }
}
