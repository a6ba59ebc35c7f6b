package dev.sluice.socket;

import dev.sluice.memory.ByteStream;
import dev.sluice.memory.PacketStream;
import dev.sluice.stack.NetworkStack;
import dev.sluice.tcp.DisconnectReason;
import dev.sluice.tcp.Readiness;
import dev.sluice.tcp.SocketSignals;
import dev.sluice.tcp.TcpConnection;
import dev.sluice.tcp.TcpInfo;
import dev.sluice.tcp.TcpListener;
import dev.sluice.tcp.TcpSettings;
import dev.sluice.tcp.TcpState;
import dev.sluice.tcp.UrgentData;
import dev.sluice.wire.IpAddress;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A TCP socket as an application on Linux knows it, never blocking: results are counts, 0, or a
 * negative {@code errno} ({@link SocketError}); what would block returns {@code -EAGAIN}.
 *
 * <p>Called by the owner of the stack. {@code now} is in nanoseconds and never decreases.
 */
public final class StreamSocket {
    private final NetworkStack stack;
    private TcpConnection connection;

    /** Null once there is a connection, which then knows all of it. */
    private Unopened unopened;

    /** The local port was chosen by {@link #bind}. */
    private boolean portBound;

    private boolean connectReported;
    private boolean errorTaken;
    private boolean closed;

    /** What a socket has before it has a connection. */
    private static final class Unopened {
        TcpSettings settings;
        SocketSignals signals;

        /** Set once it listens. */
        TcpListener listener;

        /** Null if not bound. */
        IpAddress address;

        /** 0 if not chosen. */
        int port;

        Unopened(TcpSettings settings) {
            this.settings = settings;
        }
    }

    /** A new, unbound socket. */
    public StreamSocket(NetworkStack stack) {
        this.stack = stack;
        this.unopened = new Unopened(stack.tcp().defaultSettings());
    }

    /** An accepted one. */
    StreamSocket(NetworkStack stack, TcpConnection connection) {
        this.stack = stack;
        this.connection = connection;
        this.connectReported = true;
    }

    // ---- opening -----------------------------------------------------------------------------

    /** Chooses the local address (unspecified for any) and port (0 for any). */
    public int bind(IpAddress address, int port) {
        if (connection != null || unopened.address != null || port < 0 || port > 65_535) {
            return SocketError.EINVAL.result();
        }
        if (!address.isUnspecified()
                && !isAny4(address)
                && !stack.isLocal(address)
                && !stack.config().nonlocalBind
                && !unopened.settings.freeBind) {
            return SocketError.EADDRNOTAVAIL.result();
        }
        if (port != 0 && stack.isListening(address, port)) {
            return SocketError.EADDRINUSE.result();
        }
        unopened.address = address;
        unopened.port = port;
        portBound = port != 0;
        return 0;
    }

    private static boolean isAny4(IpAddress address) {
        return address.equals(IpAddress.ANY4);
    }

    /**
     * Starts to listen on the bound address.
     *
     * @return the listening socket, or null if this one is connected or the port is taken
     */
    public ListenSocket listen(int backlog) {
        if (connection != null || closed) {
            return null;
        }
        IpAddress address = unopened.address == null ? IpAddress.ANY6 : unopened.address;
        int port = unopened.port == 0 ? stack.chooseListenPort(address) : unopened.port;
        if (port < 0 || stack.isListening(address, port)) {
            return null;
        }
        unopened.listener = stack.listen(unopened.settings, address, port, backlog);
        return new ListenSocket(stack, unopened.listener);
    }

    /**
     * Starts to connect: {@code -EINPROGRESS}, and later ready for OUT, or a second call says how
     * it went.
     */
    public int connect(long now, IpAddress address, int port) {
        if (closed) {
            return SocketError.EINVAL.result();
        }
        if (connection != null) {
            return connectAgain(now);
        }
        boolean fast = unopened.settings.fastOpenConnect;
        int result = open(now, address, port, fast);
        if (fast && result == SocketError.EINPROGRESS.result()) {
            if (connection.fastOpenRoom(now) >= 0) {
                return 0;
            }
            connection.connectFastOpen(now, 0);
        }
        return result;
    }

    /**
     * @param holdSyn the SYN waits for {@link #sendWithSyn}
     */
    private int open(long now, IpAddress address, int port, boolean holdSyn) {
        IpAddress local = unopened.address;
        if (local == null || local.isUnspecified() || isAny4(local)) {
            local = stack.sourceFor(address);
        }
        if (local == null) {
            return SocketError.ENETUNREACH.result();
        }
        if (local.isIpv4() != address.isIpv4()) {
            return SocketError.EAFNOSUPPORT.result();
        }
        int localPort = unopened.port == 0 ? stack.choosePort(local, address, port) : unopened.port;
        if (localPort < 0) {
            return SocketError.EADDRNOTAVAIL.result();
        }
        connection =
                stack.connect(
                        now,
                        unopened.settings,
                        local,
                        localPort,
                        address,
                        port,
                        holdSyn,
                        unopened.signals);
        if (connection == null) {
            return SocketError.EADDRNOTAVAIL.result();
        }
        unopened = null;
        return SocketError.EINPROGRESS.result();
    }

    private int connectAgain(long now) {
        if (connectReported || connection.isConnectDeferred()) {
            return SocketError.EISCONN.result();
        }
        TcpState state = connection.state();
        if (state == TcpState.SYN_SENT || state == TcpState.SYN_RECEIVED) {
            return SocketError.EALREADY.result();
        }
        if (state == TcpState.CLOSED) {
            int error = takeError();
            startOver(now);
            return error != 0 ? error : SocketError.ECONNABORTED.result();
        }
        connectReported = true;
        return 0;
    }

    /** The attempt failed and that has been reported: the socket is as good as new. */
    private void startOver(long now) {
        unopened = new Unopened(connection.settings().own());
        unopened.signals = connection.signals();
        unopened.port = portBound ? connection.localPort() : 0;
        connection.close(now);
        connection = null;
        errorTaken = false;
    }

    // ---- Fast Open ---------------------------------------------------------------------------

    /**
     * {@code sendto} with MSG_FASTOPEN: connects, and sends what fits with the SYN if a cookie of
     * the server is known (RFC 7413, B-10.3). On a connected socket it is an ordinary write.
     *
     * @return bytes sent; {@code -EINPROGRESS} if the SYN left without data; or a negative error
     */
    public int sendFastOpen(
            long now, IpAddress address, int port, byte[] bytes, int from, int length, int flags) {
        if (!stack.tcp().fastOpenAllowed()) {
            return SocketError.EOPNOTSUPP.result();
        }
        if (connection != null && !connection.isConnectDeferred()) {
            int connected = connectAgain(now);
            return connected < 0 ? connected : write(now, bytes, from, length, flags);
        }
        if (connection == null) {
            int opened = open(now, address, port, true);
            if (opened != SocketError.EINPROGRESS.result()) {
                return opened;
            }
        }
        return sendWithSyn(now, bytes, from, length);
    }

    /** {@code connect} has returned 0, and the first write will send the SYN. */
    public boolean isConnectDeferred() {
        return connection != null && connection.isConnectDeferred();
    }

    /** See {@link TcpConnection#writerWaits}. */
    public void writerWaits(boolean waits) {
        connection.writerWaits(waits);
    }

    private int sendWithSyn(long now, Object source, long from, int length) {
        int room = Math.min(length, connection.fastOpenRoom(now));
        int bytes = room <= 0 ? 0 : put(source, from, room);
        connection.connectFastOpen(now, Math.max(0, bytes));
        return bytes > 0 ? bytes : SocketError.EINPROGRESS.result();
    }

    // ---- writing -----------------------------------------------------------------------------

    /** 0 if a write may go on, or a negative error; the common part of all writes. */
    private int mayWrite() {
        if (connection == null) {
            return SocketError.EPIPE.result();
        }
        int error = reportedError();
        if (error != 0) {
            return error;
        }
        TcpState state = connection.state();
        boolean early = state == TcpState.SYN_RECEIVED && connection.isOpenEarly();
        if (state == TcpState.SYN_SENT || state == TcpState.SYN_RECEIVED && !early) {
            return SocketError.EAGAIN.result();
        }
        if (connection.isSendShutdown() || !state.canSend() && !early) {
            return SocketError.EPIPE.result();
        }
        return 0;
    }

    /**
     * Writes from an array.
     *
     * @param flags {@link SocketFlags}: MSG_MORE, MSG_EOR, MSG_OOB (the last byte is urgent)
     * @return bytes taken, {@code -EAGAIN} if there is no room for one, or another negative error
     */
    public int write(long now, byte[] bytes, int from, int length, int flags) {
        return write(now, (Object) bytes, from, length, flags);
    }

    /** Writes what remains in a buffer; see {@link #write(long, byte[], int, int, int)}. */
    public int write(long now, ByteBuffer source, int flags) {
        return write(now, source, 0, source.remaining(), flags);
    }

    /** Writes from memory; see {@link #write(long, byte[], int, int, int)}. */
    public int write(long now, MemorySegment source, long from, int length, int flags) {
        return write(now, (Object) source, from, length, flags);
    }

    /** Writes bytes that are not stored: their content follows from their place in the stream. */
    public int writeSynthetic(long now, int length, int flags) {
        return write(now, (Object) null, 0, length, flags);
    }

    private int write(long now, Object source, long from, int length, int flags) {
        if (isConnectDeferred()) {
            return sendWithSyn(now, source, from, length);
        }
        int result = mayWrite();
        if (result < 0) {
            return result;
        }
        int done = 0;
        while (done < length) {
            int room = connection.admit(now, length - done);
            int copied = room <= 0 ? 0 : put(source, from + done, room);
            if (copied <= 0) {
                break;
            }
            done += copied;
            connection.wrote(now, copied, done == copied, done < length);
        }
        return finishWrite(now, done, length, flags);
    }

    /**
     * Moves bytes into the output, without an adapter object per write.
     *
     * @param source an array, memory, a buffer (which knows its own place), or null for synthetic
     * @return bytes moved
     */
    private int put(Object source, long from, int length) {
        ByteStream out = connection.output();
        return switch (source) {
            case null -> out.putSynthetic(length);
            case byte[] bytes -> out.put(bytes, (int) from, length);
            case MemorySegment memory -> out.put(memory, from, length);
            case ByteBuffer buffer -> {
                int limit = buffer.limit();
                buffer.limit(buffer.position() + length);
                int copied = out.put(buffer);
                buffer.limit(limit);
                yield copied;
            }
            default -> throw new IllegalArgumentException("no source: " + source.getClass());
        };
    }

    private int finishWrite(long now, int done, int wanted, int flags) {
        boolean cutShort = done < wanted;
        if (cutShort) {
            // B-2.4: MSG_MORE does not hold what the caller cannot add to.
            connection.outOfSpace(now);
        }
        if (done > 0) {
            if ((flags & SocketFlags.MSG_OOB) != 0) {
                connection.wroteUrgent();
            }
            boolean more = (flags & SocketFlags.MSG_MORE) != 0 && !cutShort;
            boolean record = (flags & SocketFlags.MSG_EOR) != 0 && !cutShort;
            connection.push(now, more, record, cutShort);
            return done;
        }
        return wanted == 0 ? 0 : SocketError.EAGAIN.result();
    }

    // ---- reading -----------------------------------------------------------------------------

    /** 1 if there is something to read; 0 at the end of the stream; or a negative error. */
    private int mayRead(long now, boolean peek) {
        if (connection == null) {
            return SocketError.ENOTCONN.result();
        }
        if (connection.isAtUrgent() && !connection.settings().urgentInline) {
            passUrgent(now, peek);
        }
        if (connection.unread() > 0) {
            return 1;
        }
        if (connection.isFinReceived()) {
            return 0;
        }
        int error = reportedError();
        if (error != 0) {
            return error;
        }
        if (connection.isReceiveShutdown()) {
            return 0;
        }
        return SocketError.EAGAIN.result();
    }

    /**
     * Reads into an array.
     *
     * @param flags {@link SocketFlags}: MSG_PEEK, MSG_TRUNC (discard), MSG_OOB (the urgent byte)
     * @return bytes read, 0 at the end of the stream, {@code -EAGAIN} or another negative error
     */
    public int read(long now, byte[] bytes, int from, int length, int flags) {
        boolean peek = (flags & SocketFlags.MSG_PEEK) != 0;
        if ((flags & SocketFlags.MSG_OOB) != 0) {
            return readUrgent(bytes, from, length, peek);
        }
        if ((flags & SocketFlags.MSG_TRUNC) != 0) {
            return skip(now, length);
        }
        int may = mayRead(now, peek);
        if (may <= 0 || length == 0) {
            return length == 0 ? 0 : may;
        }
        PacketStream in = connection.input();
        int most = upToUrgent(length);
        if (peek) {
            return in.peek(bytes, from, most);
        }
        int read = in.read(bytes, from, most);
        connection.read(now, read);
        return read;
    }

    /** Reads into a buffer; see {@link #read(long, byte[], int, int, int)}. */
    public int read(long now, ByteBuffer destination) {
        int may = mayRead(now, false);
        if (may <= 0 || !destination.hasRemaining()) {
            return destination.hasRemaining() ? may : 0;
        }
        int limit = destination.limit();
        destination.limit(destination.position() + upToUrgent(destination.remaining()));
        int read = connection.input().read(destination);
        destination.limit(limit);
        connection.read(now, read);
        return read;
    }

    /** Takes up to {@code length} bytes without copying them; see {@link #read}. */
    public int skip(long now, int length) {
        int may = mayRead(now, false);
        if (may <= 0 || length == 0) {
            return length == 0 ? 0 : may;
        }
        int read = connection.input().skip(upToUrgent(length));
        connection.read(now, read);
        return read;
    }

    /** The same for synthetic streams, whose place in the stream is checked as they are taken. */
    public int readSynthetic(long now, int max) {
        return skip(now, max);
    }

    /**
     * Bytes an ordinary read may get, up to the urgent one if that is not read in line (SIOCINQ).
     */
    public int unread() {
        if (connection == null) {
            return 0;
        }
        int unread = connection.unread();
        boolean apart = unread > 0 && !connection.settings().urgentInline;
        return apart ? connection.unreadBeforeUrgent(unread) : unread;
    }

    /**
     * What a read with TCP_INQ says is left: bytes, or 1 if nothing but the end of the stream is.
     */
    public int unreadHint() {
        int unread = unread();
        return unread == 0 && connection != null && connection.isFinReceived() ? 1 : unread;
    }

    /** The next byte is the urgent one (SIOCATMARK, {@code sockatmark}). */
    public boolean isAtMark() {
        return connection != null && connection.isAtUrgent();
    }

    /** MSG_OOB: the urgent byte, once, and never if it is read in line. */
    private int readUrgent(byte[] bytes, int from, int length, boolean peek) {
        if (connection == null) {
            return SocketError.ENOTCONN.result();
        }
        UrgentData urgent = connection.urgent();
        boolean none = urgent == null || !urgent.exists() || urgent.isTaken();
        if (none || connection.settings().urgentInline) {
            return SocketError.EINVAL.result();
        }
        if (!urgent.isHere()) {
            return connection.isReceiveShutdown() ? 0 : SocketError.EAGAIN.result();
        }
        byte octet = urgent.take(peek);
        if (length > 0) {
            bytes[from] = octet;
        }
        return Math.min(length, 1);
    }

    /**
     * An ordinary read goes on behind the urgent byte. Once it is passed, MSG_OOB finds it no more;
     * a peek passes it too and leaves it there.
     */
    private void passUrgent(long now, boolean peek) {
        UrgentData urgent = connection.urgent();
        boolean kept = peek && urgent.isHere();
        if (connection.unread() > 0) {
            connection.input().skip(1);
            connection.read(now, 1);
        }
        if (kept) {
            urgent.keep();
        }
    }

    /** How much one read may take: it stops in front of the urgent byte, in line or not. */
    private int upToUrgent(int length) {
        int before = connection.unreadBeforeUrgent(length);
        return before > 0 ? before : length;
    }

    // ---- closing -----------------------------------------------------------------------------

    /** Half-close. @param how {@link SocketFlags}: SHUT_RD, SHUT_WR, SHUT_RDWR */
    public int shutdown(long now, int how) {
        if (how < SocketFlags.SHUT_RD || how > SocketFlags.SHUT_RDWR) {
            return SocketError.EINVAL.result();
        }
        if (connection == null || connection.state() == TcpState.CLOSED) {
            return SocketError.ENOTCONN.result();
        }
        if (how != SocketFlags.SHUT_WR) {
            connection.shutdownInput(now);
        }
        if (how != SocketFlags.SHUT_RD) {
            connection.shutdownOutput(now);
        }
        return 0;
    }

    /** The application is done: in order if nothing is lost by it, else with a reset (B-10.7). */
    public int close(long now) {
        if (!closed) {
            closed = true;
            if (connection != null) {
                connection.close(now);
            }
        }
        return 0;
    }

    /** Resets, whatever is queued. */
    public void abort(long now) {
        closed = true;
        if (connection != null) {
            connection.abort(now);
        }
    }

    // ---- readiness and errors ----------------------------------------------------------------

    /** Who is told when the ready set may have changed; null for nobody. */
    public void signals(SocketSignals target) {
        if (connection == null) {
            unopened.signals = target;
        } else {
            connection.signals(target);
        }
    }

    /**
     * EPOLL* bits, what {@code poll} would report now (B-8.1); declares interest in write space.
     */
    public int readySet() {
        if (connection == null) {
            return Readiness.OUT | Readiness.HUP;
        }
        int ready = connection.readySet();
        boolean error = pendingError() != 0 || connection.hasErrorToReport();
        return error ? ready | Readiness.ERR : ready & ~Readiness.ERR;
    }

    /** The error that a call returns and thereby clears; 0 for none. */
    private int reportedError() {
        int error = pendingError();
        if (error != 0) {
            errorTaken = true;
        } else if (connection.hasErrorToReport()) {
            error = errorOf(connection.takeSoftError());
        }
        return error;
    }

    private int pendingError() {
        if (errorTaken || connection == null) {
            return 0;
        }
        return errorOf(connection.reason());
    }

    /** SO_ERROR: the pending error as a negative number, and clears it; 0 for none. */
    public int takeError() {
        int error = pendingError();
        errorTaken |= error != 0;
        if (error == 0 && connection != null) {
            error = errorOf(connection.takeSoftError());
        }
        return error;
    }

    static int errorOf(DisconnectReason reason) {
        return switch (reason) {
            case NONE, CLOSED, ABORTED -> 0;
            case REFUSED, PORT_UNREACHABLE -> SocketError.ECONNREFUSED.result();
            case RESET -> SocketError.ECONNRESET.result();
            case BROKEN_PIPE -> SocketError.EPIPE.result();
            case TIMED_OUT -> SocketError.ETIMEDOUT.result();
            case HOST_UNREACHABLE -> SocketError.EHOSTUNREACH.result();
            case NETWORK_UNREACHABLE -> SocketError.ENETUNREACH.result();
            case PROTOCOL_UNREACHABLE -> SocketError.ENOPROTOOPT.result();
            case NO_MEMORY -> SocketError.ENOMEM.result();
        };
    }

    // ---- what it is --------------------------------------------------------------------------

    public TcpState state() {
        return connection == null ? TcpState.CLOSED : connection.state();
    }

    /** A snapshot in a new object; zeros but for the state before there is a connection. */
    public TcpInfo info(long now) {
        TcpInfo info = new TcpInfo();
        boolean listens = connection == null && unopened.listener != null;
        info.state = (listens ? TcpState.LISTEN : state()).linuxNumber();
        if (connection != null) {
            connection.info(now, info);
        }
        return info;
    }

    /** The connection beneath; null before {@link #connect}. */
    public TcpConnection connection() {
        return connection;
    }

    public int localPort() {
        return connection == null ? unopened.port : connection.localPort();
    }

    // ---- options -----------------------------------------------------------------------------

    TcpSettings settings() {
        return connection == null ? unopened.settings : connection.settings();
    }

    /** A copy of the settings that belongs to this socket alone. */
    TcpSettings ownSettings() {
        if (connection == null) {
            unopened.settings = unopened.settings.own();
            if (unopened.listener != null) {
                unopened.listener.settings(unopened.settings);
            }
            return unopened.settings;
        }
        return connection.ownSettings();
    }

    /** Sets an option; values as in Linux, see {@link SocketOptions}. */
    public int setOption(long now, SocketOption option, long value) {
        return SocketOptions.set(now, this, option, value);
    }

    /**
     * The value of an option, or a negative error; SO_ERROR clears the error and returns it
     * positive.
     */
    public long getOption(SocketOption option) {
        return SocketOptions.get(this, option);
    }

    /** TCP_CONGESTION: the name. */
    public String congestionControl() {
        return settings().congestionControl;
    }

    /** TCP_CONGESTION. */
    public int setCongestionControl(String name) {
        if (connection != null) {
            return connection.congestionControl(name) ? 0 : SocketError.ENOENT.result();
        }
        if (!stack.tcp().knowsCongestionControl(name)) {
            return SocketError.ENOENT.result();
        }
        ownSettings().congestionControl = name;
        return 0;
    }

    /** TCP_FASTOPEN_KEY: 16 bytes, or 32 with the previous key; else {@code -EINVAL}. */
    public int setFastOpenKey(byte[] keys) {
        boolean open = connection != null && connection.state() != TcpState.CLOSED;
        return !open && ownSettings().fastOpenKey(keys) ? 0 : SocketError.EINVAL.result();
    }

    /** TCP_FASTOPEN: how many connections may be open early; 0 for none. */
    int setFastOpenQueue(long length) {
        if (length < 0 || connection != null && connection.state() != TcpState.CLOSED) {
            return SocketError.EINVAL.result();
        }
        ownSettings().fastOpenQueue = (int) length;
        if (connection == null && unopened.listener != null) {
            unopened.listener.settings(unopened.settings);
            if (length == 0) {
                unopened.listener.withoutFastOpen();
            }
        }
        return 0;
    }

    boolean isListening() {
        return connection == null && unopened.listener != null && !unopened.listener.isClosed();
    }

    /** Of the family of its address; IPv6 if it has none, since such a socket takes both. */
    boolean isIpv4() {
        if (connection != null) {
            return IpAddress.isIpv4(connection.remoteHi(), connection.remoteLo());
        }
        return unopened.address != null && unopened.address.isIpv4();
    }

    NetworkStack stack() {
        return stack;
    }
}
