package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketFlags;
import dev.sluice.tcp.Readiness;
import dev.sluice.wire.IpAddress;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP connection of a stack as a {@code SocketChannel}.
 *
 * <p><b>Ordering</b> (architecture section 8). {@code readLock} and {@code writeLock} are held for
 * the whole of a call that reads or writes, blocked or not; opening takes both. {@code stateLock}
 * is held for moments only, after the others. Whoever drives the stack takes none of them. A thread
 * that blocks shuts its gate, tries, and looks whether the channel is still open; whoever closes
 * the channel marks it closed first and then opens the gates.
 */
final class StackSocketChannel extends SocketChannel implements Watched {
    static final long NO_DEADLINE = Long.MAX_VALUE;

    private static final int AGAIN = StreamPort.AGAIN;

    private enum State {
        UNCONNECTED,
        PENDING,
        CONNECTED
    }

    private final ReentrantLock readLock = new ReentrantLock();
    private final ReentrantLock writeLock = new ReentrantLock();
    private final ReentrantLock stateLock = new ReentrantLock();
    private final KeyList keys;
    private final boolean ipv4Only;
    private final StackSelectorProvider provider;

    /** Null once the port is chosen. */
    private PortChoice choice;

    private volatile StreamPort port;
    private volatile State state = State.UNCONNECTED;
    private volatile boolean inputShut;
    private volatile boolean outputShut;

    /** The reader has been told that the peer reset the connection. */
    private boolean isReset;

    private InetSocketAddress local;
    private InetSocketAddress remote;

    /** Null until it is asked for. */
    private StackSocket socket;

    StackSocketChannel(StackSelectorProvider provider, Hosts hosts, boolean ipv4Only)
            throws IOException {
        super(provider);
        this.provider = provider;
        this.ipv4Only = ipv4Only;
        keys = new KeyList();
        choice = new PortChoice(hosts, keys);
        port = choice.port();
    }

    /** An accepted one. */
    StackSocketChannel(StackSelectorProvider provider, StreamPort accepted) {
        super(provider);
        this.provider = provider;
        ipv4Only = false;
        keys = accepted.keys();
        port = accepted;
        local = accepted.localAddress();
        remote = accepted.remoteAddress();
        state = State.CONNECTED;
    }

    // ---- options and addresses ---------------------------------------------------------------

    private void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private void ensureConnected() throws ClosedChannelException {
        ensureOpen();
        if (state != State.CONNECTED) {
            throw new NotYetConnectedException();
        }
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return OptionTable.STREAM;
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        OptionTable.check(name, supportedOptions());
        OptionTable.checkType(name, value);
        stateLock.lock();
        try {
            ensureOpen();
            if (choice == null) {
                ChannelOptions.set(port, name, value);
            } else {
                choice.set(name, value);
            }
        } finally {
            stateLock.unlock();
        }
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        OptionTable.check(name, supportedOptions());
        stateLock.lock();
        try {
            ensureOpen();
            return ChannelOptions.get(port, name);
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
        stateLock.lock();
        try {
            ensureOpen();
            return remote;
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

    /** The way to the stack, for what channels have no call for. */
    StreamPort port() {
        return port;
    }

    @Override
    public Socket socket() {
        stateLock.lock();
        try {
            if (socket == null) {
                socket = new StackSocket(this, new StackStreamSocket(provider));
            }
            return socket;
        } catch (SocketException e) {
            throw new IllegalStateException(e); // no implementation is asked for anything
        } finally {
            stateLock.unlock();
        }
    }

    // ---- opening -----------------------------------------------------------------------------

    @Override
    public SocketChannel bind(SocketAddress address) throws IOException {
        readLock.lock();
        writeLock.lock();
        stateLock.lock();
        try {
            ensureOpen();
            if (state == State.PENDING) {
                throw new ConnectionPendingException();
            }
            if (local != null) {
                throw new AlreadyBoundException();
            }
            InetSocketAddress wanted = Addresses.checkLocal(address, ipv4Only);
            port = choice.toBind(wanted);
            IpAddress ip = Addresses.local(wanted.getAddress(), ipv4Only);
            int result = port.bind(ip, wanted.getPort());
            if (result < 0) {
                throw SocketExceptions.of(result);
            }
            local = Addresses.socketAddress(ip.hi(), ip.lo(), port.localPort());
        } finally {
            stateLock.unlock();
            writeLock.unlock();
            readLock.unlock();
        }
        return this;
    }

    @Override
    public boolean isConnected() {
        return state == State.CONNECTED && isOpen();
    }

    @Override
    public boolean isConnectionPending() {
        return state == State.PENDING && isOpen();
    }

    @Override
    public boolean connect(SocketAddress address) throws IOException {
        InetSocketAddress target = Addresses.remote(Addresses.check(address, ipv4Only));
        return connect(target, isBlocking(), NO_DEADLINE);
    }

    /**
     * Connects by a deadline, in nanoseconds of the loop's clock.
     *
     * @throws SocketTimeoutException after the deadline; the channel is closed
     */
    void blockingConnect(SocketAddress address, long nanos) throws IOException {
        InetSocketAddress target = Addresses.remote(Addresses.check(address, ipv4Only));
        readLock.lock();
        try {
            if (!isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            connect(target, true, deadline(nanos));
        } finally {
            readLock.unlock();
        }
    }

    /** {@code nanos} from now; 0 for no limit. */
    private long deadline(long nanos) {
        if (nanos <= 0) {
            return NO_DEADLINE;
        }
        long now = port.loop().now();
        return nanos > NO_DEADLINE - Math.max(0, now) ? NO_DEADLINE : now + nanos;
    }

    private boolean connect(InetSocketAddress target, boolean blocking, long deadline)
            throws IOException {
        readLock.lock();
        writeLock.lock();
        try {
            int result = AGAIN;
            try {
                if (blocking) {
                    begin();
                }
                result = startConnect(target);
                if (blocking) {
                    result = awaitConnect(result, deadline);
                }
            } finally {
                endConnect(blocking, result == 0);
            }
            return connected(result);
        } catch (IOException e) {
            close();
            throw e;
        } finally {
            writeLock.unlock();
            readLock.unlock();
        }
    }

    private int startConnect(InetSocketAddress target) throws IOException {
        stateLock.lock();
        try {
            ensureOpen();
            switch (state) {
                case CONNECTED -> throw new AlreadyConnectedException();
                case PENDING -> throw new ConnectionPendingException();
                case UNCONNECTED -> state = State.PENDING;
            }
            if (local == null) {
                port = choice.toConnect(target);
            }
            remote = target;
            int result = port.connect(Addresses.ip(target.getAddress()), target.getPort());
            if (isUnderWay(result) || result == 0) {
                choice = null;
            }
            keys.examine();
            return result;
        } finally {
            stateLock.unlock();
        }
    }

    private static boolean isUnderWay(int result) {
        return result == SocketError.EINPROGRESS.result()
                || result == SocketError.EALREADY.result();
    }

    /** Returns when the handshake is over, or with the result so far if it cannot go on waiting. */
    private int awaitConnect(int first, long deadline) throws IOException {
        int result = first;
        boolean expired = false;
        while (isUnderWay(result)) {
            port.willWrite();
            result = port.connectResult();
            if (!isUnderWay(result) || mayNotWait()) {
                break;
            }
            if (expired) {
                throw SocketExceptions.connectTimedOut();
            }
            expired = !port.awaitWritable(deadline) && port.loop().now() >= deadline;
        }
        return result;
    }

    /** Looked at after the gate was shut. */
    private boolean mayNotWait() {
        if (Thread.currentThread().isInterrupted()) {
            // An interrupt from before our begin() that was set after it: this one closes.
            begin();
            return true;
        }
        return !isOpen();
    }

    private void endConnect(boolean blocking, boolean completed) throws IOException {
        if (blocking) {
            end(completed);
        }
    }

    /** Completes a connection. @return whether it is complete */
    private boolean connected(int result) throws IOException {
        if (isUnderWay(result)) {
            return false;
        }
        if (result < 0) {
            throw SocketExceptions.of(result);
        }
        stateLock.lock();
        try {
            if (isOpen()) {
                state = State.CONNECTED;
                local = port.localAddress();
                keys.examine();
            }
        } finally {
            stateLock.unlock();
        }
        return true;
    }

    @Override
    public boolean finishConnect() throws IOException {
        readLock.lock();
        writeLock.lock();
        try {
            if (isConnected()) {
                ensureOpen();
                return true;
            }
            boolean blocking = isBlocking();
            int result = AGAIN;
            try {
                if (blocking) {
                    begin();
                }
                ensureOpen();
                if (state != State.PENDING) {
                    throw new NoConnectionPendingException();
                }
                result = port.connectResult();
                if (blocking) {
                    result = awaitConnect(result, NO_DEADLINE);
                }
            } finally {
                endConnect(blocking, result == 0);
            }
            return connected(result);
        } catch (IOException e) {
            close();
            throw e;
        } finally {
            writeLock.unlock();
            readLock.unlock();
        }
    }

    // ---- reading -----------------------------------------------------------------------------

    @Override
    public int read(ByteBuffer destination) throws IOException {
        if (destination.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        return (int) read(destination, null, 0, 0, false, NO_DEADLINE);
    }

    @Override
    public long read(ByteBuffer[] destinations, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, destinations.length);
        for (int i = offset; i < offset + length; i++) {
            if (destinations[i].isReadOnly()) {
                throw new IllegalArgumentException("Read-only buffer");
            }
        }
        return read(null, destinations, offset, length, false, NO_DEADLINE);
    }

    /**
     * Reads at least a byte, for streams of sockets.
     *
     * @param nanos how long to wait; 0 for no limit
     * @return bytes read, or -1 at the end of the stream
     * @throws SocketTimeoutException after that time
     * @throws IllegalBlockingModeException if the channel is not in blocking mode
     */
    int blockingRead(ByteBuffer destination, long nanos) throws IOException {
        return (int) read(destination, null, 0, 0, true, deadline(nanos));
    }

    private long read(
            ByteBuffer one, ByteBuffer[] many, int from, int count, boolean block, long deadline)
            throws IOException {
        readLock.lock();
        try {
            ensureConnected();
            boolean blocking = isBlocking();
            if (block && !blocking) {
                throw new IllegalBlockingModeException();
            }
            long result = AGAIN;
            try {
                if (blocking) {
                    begin();
                    ensureConnected();
                }
                if (isReset) {
                    throw SocketExceptions.reset();
                }
                if (inputShut) {
                    return -1;
                }
                result =
                        remaining(one, many, from, count) == 0
                                ? 0
                                : tryRead(one, many, from, count);
                if (blocking && result == AGAIN) {
                    result = awaitRead(one, many, from, count, deadline);
                }
            } finally {
                if (blocking) {
                    end(result > 0);
                }
            }
            return readOutcome(result);
        } finally {
            readLock.unlock();
        }
    }

    private static long remaining(ByteBuffer one, ByteBuffer[] many, int from, int count) {
        if (one != null) {
            return one.remaining();
        }
        long total = 0;
        for (int i = from; i < from + count; i++) {
            total += many[i].remaining();
        }
        return total;
    }

    private long tryRead(ByteBuffer one, ByteBuffer[] many, int from, int count) {
        return one == null ? port.read(many, from, count) : port.read(one);
    }

    private long awaitRead(ByteBuffer one, ByteBuffer[] many, int from, int count, long deadline)
            throws IOException {
        boolean expired = false;
        while (true) {
            port.willRead();
            long result = tryRead(one, many, from, count);
            if (result != AGAIN || inputShut || mayNotWait()) {
                return result;
            }
            if (expired) {
                throw SocketExceptions.readTimedOut();
            }
            expired = !port.awaitReadable(deadline) && port.loop().now() >= deadline;
        }
    }

    private long readOutcome(long result) throws IOException {
        if (result >= 0) {
            return result;
        }
        if (result == StreamPort.END || inputShut) {
            return -1;
        }
        if (result == AGAIN) {
            return 0;
        }
        if (result == SocketError.ECONNRESET.result()) {
            isReset = true;
            throw SocketExceptions.reset();
        }
        throw SocketExceptions.ofTransfer((int) result);
    }

    @Override
    public SocketChannel shutdownInput() throws IOException {
        stateLock.lock();
        try {
            ensureConnected();
            if (!inputShut) {
                inputShut = true;
                shutdown(SocketFlags.SHUT_RD);
                port.wakeReader();
            }
        } finally {
            stateLock.unlock();
        }
        return this;
    }

    private void shutdown(int how) throws IOException {
        int result = port.shutdown(how);
        // A connection that has ended on its own has nothing left to shut down.
        if (result < 0 && result != SocketError.ENOTCONN.result()) {
            throw SocketExceptions.of(result);
        }
    }

    /** Bytes that can be read at once. */
    int available() throws IOException {
        ensureConnected();
        return inputShut ? 0 : port.unread();
    }

    boolean isInputShut() {
        return inputShut;
    }

    // ---- writing -----------------------------------------------------------------------------

    @Override
    public int write(ByteBuffer source) throws IOException {
        Objects.requireNonNull(source);
        return (int) write(source, null, 0, 0, false);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        return write(null, sources, offset, length, false);
    }

    /**
     * Writes all of a buffer, for streams of sockets.
     *
     * @throws IllegalBlockingModeException if the channel is not in blocking mode
     */
    void blockingWrite(ByteBuffer source) throws IOException {
        while (source.hasRemaining()) {
            write(source, null, 0, 0, true);
        }
    }

    private long write(ByteBuffer one, ByteBuffer[] many, int from, int count, boolean block)
            throws IOException {
        writeLock.lock();
        try {
            ensureConnected();
            boolean blocking = isBlocking();
            if (block && !blocking) {
                throw new IllegalBlockingModeException();
            }
            long result = AGAIN;
            try {
                if (blocking) {
                    begin();
                    ensureConnected();
                }
                if (outputShut) {
                    throw new ClosedChannelException();
                }
                long wanted = remaining(one, many, from, count);
                result = wanted == 0 ? 0 : tryWrite(one, many, from, count);
                if (blocking && result < wanted && (result >= 0 || result == AGAIN)) {
                    result = awaitWrite(one, many, from, count, Math.max(0, result), wanted);
                }
            } finally {
                if (blocking) {
                    end(result > 0);
                }
            }
            return writeOutcome(blocking, result);
        } finally {
            writeLock.unlock();
        }
    }

    private long tryWrite(ByteBuffer one, ByteBuffer[] many, int from, int count) {
        return one == null ? port.write(many, from, count) : port.write(one);
    }

    /** A blocking write takes everything, unless something ends it. */
    private long awaitWrite(
            ByteBuffer one, ByteBuffer[] many, int from, int count, long before, long wanted) {
        long done = before;
        while (true) {
            port.willWrite();
            long result = tryWrite(one, many, from, count);
            if (result > 0) {
                done += result;
            } else if (result != AGAIN) {
                return done > 0 ? done : result;
            }
            if (done == wanted || outputShut || mayNotWait()) {
                return done > 0 ? done : AGAIN;
            }
            if (result == AGAIN) {
                port.awaitWritable(NO_DEADLINE);
            }
        }
    }

    private long writeOutcome(boolean blocking, long result) throws IOException {
        if (result >= 0) {
            return result;
        }
        if (outputShut && blocking) {
            throw new AsynchronousCloseException();
        }
        if (result == AGAIN) {
            return 0;
        }
        throw SocketExceptions.ofTransfer((int) result);
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        stateLock.lock();
        try {
            ensureConnected();
            if (!outputShut) {
                outputShut = true;
                shutdown(SocketFlags.SHUT_WR);
                port.wakeWriter();
            }
        } finally {
            stateLock.unlock();
        }
        return this;
    }

    /** Sends a byte as urgent data. @return whether there was room for it */
    boolean sendUrgent(byte value) throws IOException {
        writeLock.lock();
        try {
            ensureConnected();
            if (outputShut) {
                throw new AsynchronousCloseException();
            }
            int result = port.sendUrgent(value);
            if (result < 0 && result != AGAIN) {
                throw SocketExceptions.ofTransfer(result);
            }
            return result > 0;
        } finally {
            writeLock.unlock();
        }
    }

    boolean isOutputShut() {
        return outputShut;
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

    /** At once, also while keys are registered: none of them needs the connection. */
    private void closePort() {
        StreamPort last;
        stateLock.lock();
        try {
            last = port;
        } finally {
            stateLock.unlock();
        }
        last.close();
        last.wake();
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
        boolean failed = (events & (Readiness.ERR | Readiness.HUP)) != 0;
        State present = state;
        if (present == State.UNCONNECTED) {
            return 0;
        }
        if (failed) {
            return interest;
        }
        boolean writable = (events & Readiness.OUT) != 0;
        if (present == State.PENDING) {
            return writable ? SelectionKey.OP_CONNECT : 0;
        }
        boolean readable = (events & (Readiness.IN | Readiness.RDHUP)) != 0;
        return (readable ? SelectionKey.OP_READ : 0) | (writable ? SelectionKey.OP_WRITE : 0);
    }
}
