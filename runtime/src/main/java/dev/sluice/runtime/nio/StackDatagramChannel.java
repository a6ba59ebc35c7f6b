package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.tcp.Readiness;
import dev.sluice.wire.IpAddress;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.MembershipKey;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A UDP socket of a stack as a {@code DatagramChannel}. Stacks take part in no multicast groups.
 *
 * <p><b>Ordering</b> (architecture section 8). As in {@link StackSocketChannel}: {@code readLock}
 * and {@code writeLock} for the whole of a call that receives or sends, {@code stateLock} for
 * moments after them.
 */
final class StackDatagramChannel extends DatagramChannel implements Watched {
    private static final int AGAIN = StreamPort.AGAIN;
    private static final long NO_DEADLINE = Long.MAX_VALUE;

    private final ReentrantLock readLock = new ReentrantLock();
    private final ReentrantLock writeLock = new ReentrantLock();
    private final ReentrantLock stateLock = new ReentrantLock();
    private final Hosts hosts;
    private final KeyList keys = new KeyList();
    private final boolean ipv4Only;

    /** Set before the channel was bound; it may still move to another stack, and these with it. */
    private final Map<SocketOption<?>, Object> options = new LinkedHashMap<>();

    private volatile DatagramPort port;
    private InetSocketAddress local;
    private volatile InetSocketAddress remote;

    /** The local address that a disconnected one goes back to; null for any. */
    private InetSocketAddress beforeConnect;

    /** Null until it is asked for. */
    private StackDatagramSocket socket;

    // The last destination, of the sender.
    private SocketAddress lastTarget;
    private IpAddress lastAddress;

    StackDatagramChannel(StackSelectorProvider provider, Hosts hosts, boolean ipv4Only)
            throws IOException {
        super(provider);
        this.hosts = hosts;
        this.ipv4Only = ipv4Only;
        port = open(hosts.first());
    }

    private DatagramPort open(Host host) throws IOException {
        DatagramPort opened = DatagramPort.open(host, ipv4Only, keys);
        if (opened == null) {
            throw SocketExceptions.of(StreamPort.GONE);
        }
        return opened;
    }

    private void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    // ---- options and addresses ---------------------------------------------------------------

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return OptionTable.DATAGRAM;
    }

    @Override
    public <T> DatagramChannel setOption(SocketOption<T> name, T value) throws IOException {
        OptionTable.check(name, supportedOptions());
        OptionTable.checkType(name, value);
        stateLock.lock();
        try {
            ensureOpen();
            set(port, name, value);
            if (local == null && !hosts.isSingle()) {
                options.put(name, value);
            }
        } finally {
            stateLock.unlock();
        }
        return this;
    }

    private static void set(DatagramPort port, SocketOption<?> name, Object value)
            throws IOException {
        OptionTable.checkValue(name, value);
        OptionTable.done((int) port.call(now -> OptionTable.set(now, port.socket(), name, value)));
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        OptionTable.check(name, supportedOptions());
        stateLock.lock();
        try {
            ensureOpen();
            DatagramPort present = port;
            Object[] value = new Object[1];
            OptionTable.done(
                    (int)
                            present.call(
                                    now -> {
                                        value[0] = OptionTable.get(now, present.socket(), name);
                                        return 0;
                                    }));
            return OptionTable.found(name, value[0]);
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        stateLock.lock();
        try {
            ensureOpen();
            return local;
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        ensureOpen();
        return remote;
    }

    @Override
    public DatagramSocket socket() {
        stateLock.lock();
        try {
            if (socket == null) {
                socket = new StackDatagramSocket(this);
            }
            return socket;
        } finally {
            stateLock.unlock();
        }
    }

    /** The addresses last known, of a closed channel too; null if there are none. */
    InetSocketAddress localAddress() {
        return local;
    }

    InetSocketAddress remoteAddress() {
        return remote;
    }

    /**
     * Not to be had.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public MembershipKey join(InetAddress group, NetworkInterface on) {
        throw new UnsupportedOperationException("a stack takes part in no multicast groups");
    }

    /**
     * Not to be had.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public MembershipKey join(InetAddress group, NetworkInterface on, InetAddress source) {
        return join(group, on);
    }

    // ---- bind, connect -----------------------------------------------------------------------

    @Override
    public DatagramChannel bind(SocketAddress address) throws IOException {
        readLock.lock();
        writeLock.lock();
        stateLock.lock();
        try {
            ensureOpen();
            if (local != null) {
                throw new AlreadyBoundException();
            }
            InetSocketAddress wanted = Addresses.checkLocal(address, ipv4Only);
            moveTo(hosts.toBind(Addresses.ip(wanted.getAddress())));
            bind(wanted);
        } finally {
            stateLock.unlock();
            writeLock.unlock();
            readLock.unlock();
        }
        return this;
    }

    private void bind(InetSocketAddress wanted) throws IOException {
        IpAddress address = Addresses.local(wanted.getAddress(), ipv4Only);
        int result = port.bind(address, wanted.getPort());
        if (result < 0) {
            throw SocketExceptions.of(result);
        }
        local = port.localAddress();
    }

    private void moveTo(Host host) throws IOException {
        if (port.host() == host) {
            return;
        }
        DatagramPort moved = open(host);
        for (Map.Entry<SocketOption<?>, Object> option : options.entrySet()) {
            set(moved, option.getKey(), option.getValue());
        }
        port.close();
        port = moved;
        keys.examine();
    }

    /** What is not bound yet gets a port of its own. @param target where to; null if unknown */
    private void bindIfUnbound(InetSocketAddress target) throws IOException {
        stateLock.lock();
        try {
            ensureOpen();
            if (local == null) {
                if (target != null) {
                    moveTo(hosts.toConnect(Addresses.ip(target.getAddress())));
                }
                bind(Addresses.checkLocal(null, ipv4Only));
            }
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    public boolean isConnected() {
        return remote != null && isOpen();
    }

    @Override
    public DatagramChannel connect(SocketAddress address) throws IOException {
        InetSocketAddress target = Addresses.remote(Addresses.check(address, ipv4Only));
        readLock.lock();
        writeLock.lock();
        stateLock.lock();
        try {
            ensureOpen();
            if (remote != null) {
                throw new AlreadyConnectedException();
            }
            if (local == null) {
                moveTo(hosts.toConnect(Addresses.ip(target.getAddress())));
            }
            int result = port.connect(Addresses.ip(target.getAddress()), target.getPort());
            if (result < 0) {
                throw SocketExceptions.of(result);
            }
            remote = target;
            beforeConnect = local;
            local = port.localAddress();
        } finally {
            stateLock.unlock();
            writeLock.unlock();
            readLock.unlock();
        }
        return this;
    }

    @Override
    public DatagramChannel disconnect() throws IOException {
        readLock.lock();
        writeLock.lock();
        stateLock.lock();
        try {
            if (remote != null && isOpen()) {
                int result = port.disconnect();
                if (result < 0) {
                    throw SocketExceptions.of(result);
                }
                remote = null;
                goBack();
            }
        } finally {
            stateLock.unlock();
            writeLock.unlock();
            readLock.unlock();
        }
        return this;
    }

    /** A port that nobody asked for is lost with the peer (Linux); the JDK takes it again. */
    private void goBack() throws IOException {
        InetSocketAddress connected = local;
        local = port.localAddress();
        if (local == null) {
            InetSocketAddress before =
                    beforeConnect == null ? Addresses.checkLocal(null, ipv4Only) : beforeConnect;
            bind(new InetSocketAddress(before.getAddress(), connected.getPort()));
        }
    }

    // ---- receiving ---------------------------------------------------------------------------

    @Override
    public SocketAddress receive(ByteBuffer destination) throws IOException {
        return receive(destination, false, NO_DEADLINE);
    }

    /**
     * Receives a datagram, for sockets.
     *
     * @param nanos how long to wait; 0 for no limit
     * @throws SocketTimeoutException after that time
     * @throws IllegalBlockingModeException if the channel is not in blocking mode
     */
    SocketAddress blockingReceive(ByteBuffer destination, long nanos) throws IOException {
        long now = port.loop().now();
        boolean unlimited = nanos <= 0 || nanos > NO_DEADLINE - Math.max(0, now);
        return receive(destination, true, unlimited ? NO_DEADLINE : now + nanos);
    }

    private SocketAddress receive(ByteBuffer destination, boolean block, long deadline)
            throws IOException {
        if (destination.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        readLock.lock();
        try {
            ensureOpen();
            if (block && !isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            bindIfUnbound(null);
            int result = receiveOne(destination, deadline);
            if (result == AGAIN) {
                return null;
            }
            if (result < 0) {
                throw SocketExceptions.ofDatagram(result);
            }
            return port.sender();
        } finally {
            readLock.unlock();
        }
    }

    private int receiveOne(ByteBuffer destination, long deadline) throws IOException {
        boolean blocking = isBlocking();
        int result = AGAIN;
        try {
            if (blocking) {
                begin();
                ensureOpen();
            }
            result = port.receive(destination);
            if (blocking && result == AGAIN) {
                result = awaitReceive(destination, deadline);
            }
        } finally {
            if (blocking) {
                end(result >= 0);
            }
        }
        return result;
    }

    private int awaitReceive(ByteBuffer destination, long deadline) throws IOException {
        boolean expired = false;
        while (true) {
            port.willReceive();
            int result = port.receive(destination);
            if (result != AGAIN || mayNotWait()) {
                return result;
            }
            if (expired) {
                throw SocketExceptions.receiveTimedOut();
            }
            expired = !port.awaitReadable(deadline) && port.loop().now() >= deadline;
        }
    }

    /** Looked at after the gate was shut. */
    private boolean mayNotWait() {
        if (Thread.currentThread().isInterrupted()) {
            // Whoever interrupts may not have come to closing the channel yet: this does.
            begin();
            return true;
        }
        return !isOpen();
    }

    private void ensureConnected() throws ClosedChannelException {
        ensureOpen();
        if (remote == null) {
            throw new NotYetConnectedException();
        }
    }

    @Override
    public int read(ByteBuffer destination) throws IOException {
        if (destination.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        readLock.lock();
        try {
            ensureConnected();
            int result = receiveOne(destination, NO_DEADLINE);
            if (result < 0 && result != AGAIN) {
                throw SocketExceptions.ofDatagram(result);
            }
            return Math.max(0, result);
        } finally {
            readLock.unlock();
        }
    }

    @Override
    public long read(ByteBuffer[] destinations, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, destinations.length);
        long room = 0;
        for (int i = offset; i < offset + length; i++) {
            if (destinations[i].isReadOnly()) {
                throw new IllegalArgumentException("Read-only buffer");
            }
            room += destinations[i].remaining();
        }
        // A datagram is at most 64 KiB, and has to be taken in one piece.
        ByteBuffer whole = ByteBuffer.allocate((int) Math.min(room, 65_535));
        int read = read(whole);
        whole.flip();
        for (int i = offset; i < offset + length && whole.hasRemaining(); i++) {
            int chunk = Math.min(whole.remaining(), destinations[i].remaining());
            destinations[i].put(whole.slice(whole.position(), chunk));
            whole.position(whole.position() + chunk);
        }
        return read;
    }

    // ---- sending -----------------------------------------------------------------------------

    @Override
    public int send(ByteBuffer source, SocketAddress target) throws IOException {
        Objects.requireNonNull(source);
        InetSocketAddress checked = Addresses.check(target, ipv4Only);
        writeLock.lock();
        try {
            ensureOpen();
            InetSocketAddress peer = remote;
            if (peer != null) {
                if (!peer.equals(Addresses.remote(checked))) {
                    throw new AlreadyConnectedException();
                }
                return sendOne(source, null, 0, 0, null, 0);
            }
            bindIfUnbound(checked);
            return sendOne(source, null, 0, 0, addressOf(checked), checked.getPort());
        } finally {
            writeLock.unlock();
        }
    }

    private IpAddress addressOf(InetSocketAddress target) {
        if (target != lastTarget) {
            lastAddress = Addresses.ip(Addresses.remote(target).getAddress());
            lastTarget = target;
        }
        return lastAddress;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        Objects.requireNonNull(source);
        writeLock.lock();
        try {
            ensureConnected();
            return sendOne(source, null, 0, 0, null, 0);
        } finally {
            writeLock.unlock();
        }
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        writeLock.lock();
        try {
            ensureConnected();
            return sendOne(null, sources, offset, length, null, 0);
        } finally {
            writeLock.unlock();
        }
    }

    private int sendOne(
            ByteBuffer one, ByteBuffer[] many, int from, int count, IpAddress to, int toPort)
            throws IOException {
        boolean blocking = isBlocking();
        int result = AGAIN;
        try {
            if (blocking) {
                begin();
                ensureOpen();
            }
            while (true) {
                if (blocking) {
                    port.willSend();
                }
                result = one == null ? port.send(many, from, count) : port.send(one, to, toPort);
                if (!blocking || result != AGAIN || mayNotWait()) {
                    break;
                }
                port.awaitWritable();
            }
        } finally {
            if (blocking) {
                end(result >= 0);
            }
        }
        if (result < 0 && result != AGAIN) {
            throw to == null
                    ? SocketExceptions.ofDatagram(result)
                    : SocketExceptions.ofSendTo(result);
        }
        return Math.max(0, result);
    }

    // ---- blocking mode, closing --------------------------------------------------------------

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        readLock.lock();
        writeLock.lock();
        try {
            // Nothing to be done: both modes share the code. Calls that block are over.
            ensureOpen();
        } finally {
            writeLock.unlock();
            readLock.unlock();
        }
    }

    @Override
    protected void implCloseSelectableChannel() {
        if (isBlocking()) {
            closePort();
            return;
        }
        // Calls that do not block are soon over.
        readLock.lock();
        writeLock.lock();
        try {
            closePort();
        } finally {
            writeLock.unlock();
            readLock.unlock();
        }
    }

    private void closePort() {
        stateLock.lock();
        try {
            port.close();
            port.wake();
        } finally {
            stateLock.unlock();
        }
    }

    // ---- selecting ---------------------------------------------------------------------------

    @Override
    public KeyList keys() {
        return keys;
    }

    @Override
    public EventLoop loop() {
        return port.loop();
    }

    @Override
    public int readySet() {
        return port.readySet();
    }

    @Override
    public int readyOps(int events, int interest) {
        if ((events & (Readiness.ERR | Readiness.HUP)) != 0) {
            return interest;
        }
        return ((events & Readiness.IN) != 0 ? SelectionKey.OP_READ : 0)
                | ((events & Readiness.OUT) != 0 ? SelectionKey.OP_WRITE : 0);
    }
}
