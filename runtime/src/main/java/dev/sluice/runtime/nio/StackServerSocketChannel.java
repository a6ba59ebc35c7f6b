package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.socket.SocketError;
import dev.sluice.tcp.Readiness;
import dev.sluice.wire.IpAddress;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A listening socket of a stack as a {@code ServerSocketChannel}.
 *
 * <p><b>Ordering</b> (architecture section 8). {@code acceptLock} is held for the whole of an
 * accept, blocked or not; {@code stateLock} for moments only, after it. A thread that blocks shuts
 * its gate, tries, and looks whether the channel is still open; whoever closes the channel marks it
 * closed first and then opens the gate.
 */
final class StackServerSocketChannel extends ServerSocketChannel implements Watched {
    private static final int DEFAULT_BACKLOG = 50;
    private static final long NO_DEADLINE = Long.MAX_VALUE;

    private final ReentrantLock acceptLock = new ReentrantLock();
    private final ReentrantLock stateLock = new ReentrantLock();
    private final StackSelectorProvider provider;
    private final KeyList keys = new KeyList();
    private final boolean ipv4Only;
    private final PortChoice choice;

    /** Null until it is bound. */
    private volatile ListenPort listening;

    /** Of the options, before and after binding. */
    private volatile StreamPort port;

    private InetSocketAddress local;

    /** Null until it is asked for. */
    private StackServerSocket socket;

    StackServerSocketChannel(StackSelectorProvider provider, Hosts hosts, boolean ipv4Only)
            throws IOException {
        super(provider);
        this.provider = provider;
        this.ipv4Only = ipv4Only;
        choice = new PortChoice(hosts, keys);
        // A server may come back to its port while old connections are in TIME_WAIT, as in Java.
        choice.set(StandardSocketOptions.SO_REUSEADDR, true);
        port = choice.port();
    }

    private void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    // ---- options and addresses ---------------------------------------------------------------

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return OptionTable.LISTEN;
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        OptionTable.check(name, supportedOptions());
        OptionTable.checkType(name, value);
        stateLock.lock();
        try {
            ensureOpen();
            if (local == null) {
                choice.set(name, value);
            } else {
                ChannelOptions.set(port, name, value);
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

    /** The address last known, of a closed channel too; null if it is not bound. */
    InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public ServerSocket socket() {
        stateLock.lock();
        try {
            if (socket == null) {
                socket = new StackServerSocket(this, new StackStreamSocket(provider, true));
            }
            return socket;
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    public ServerSocketChannel bind(SocketAddress address, int backlog) throws IOException {
        stateLock.lock();
        try {
            ensureOpen();
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
            ListenPort started = port.listen(backlog < 1 ? DEFAULT_BACKLOG : backlog);
            if (started == null) {
                throw SocketExceptions.of(SocketError.EADDRINUSE.result());
            }
            local = Addresses.socketAddress(ip.hi(), ip.lo(), port.localPort());
            listening = started;
            keys.examine();
        } finally {
            stateLock.unlock();
        }
        return this;
    }

    // ---- accepting ---------------------------------------------------------------------------

    @Override
    public SocketChannel accept() throws IOException {
        return accept(false, NO_DEADLINE);
    }

    /**
     * Accepts a connection, for server sockets.
     *
     * @param nanos how long to wait; 0 for no limit
     * @throws SocketTimeoutException after that time
     * @throws IllegalBlockingModeException if the channel is not in blocking mode
     */
    SocketChannel blockingAccept(long nanos) throws IOException {
        long now = port.loop().now();
        boolean unlimited = nanos <= 0 || nanos > NO_DEADLINE - Math.max(0, now);
        return accept(true, unlimited ? NO_DEADLINE : now + nanos);
    }

    private SocketChannel accept(boolean block, long deadline) throws IOException {
        acceptLock.lock();
        try {
            boolean blocking = isBlocking();
            if (block && !blocking) {
                throw new IllegalBlockingModeException();
            }
            int result = StreamPort.AGAIN;
            try {
                if (blocking) {
                    begin();
                }
                ensureOpen();
                if (listening == null) {
                    throw new NotYetBoundException();
                }
                result = blocking ? awaitAccept(deadline) : listening.accept();
            } finally {
                if (blocking) {
                    endAccept(result == 0);
                }
            }
            if (result == StreamPort.AGAIN) {
                return null;
            }
            if (result < 0) {
                throw SocketExceptions.of(result);
            }
            return new StackSocketChannel(provider, listening.accepted());
        } finally {
            acceptLock.unlock();
        }
    }

    private void endAccept(boolean accepted) throws AsynchronousCloseException {
        try {
            end(accepted);
        } catch (AsynchronousCloseException e) {
            if (accepted) {
                // Interrupted just now: nobody will ever have this connection.
                listening.accepted().close();
            }
            throw e;
        }
    }

    private int awaitAccept(long deadline) throws IOException {
        boolean expired = false;
        while (true) {
            listening.willAccept();
            int result = listening.accept();
            if (result != StreamPort.AGAIN || !isOpen()) {
                return result;
            }
            if (Thread.currentThread().isInterrupted()) {
                // An interrupt from before our begin() that was set after it: this one closes.
                begin();
                return result;
            }
            if (expired) {
                throw SocketExceptions.acceptTimedOut();
            }
            expired = !listening.await(deadline) && listening.loop().now() >= deadline;
        }
    }

    // ---- blocking mode, closing --------------------------------------------------------------

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        acceptLock.lock();
        try {
            // Nothing to be done: both modes share the code. An accept that blocks is over.
            ensureOpen();
        } finally {
            acceptLock.unlock();
        }
    }

    @Override
    protected void implCloseSelectableChannel() {
        stateLock.lock();
        try {
            ListenPort last = listening;
            if (last != null) {
                last.close();
                last.wake();
            }
            port.close();
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
        ListenPort present = listening;
        return present == null ? 0 : present.readySet();
    }

    @Override
    public int readyOps(int events, int interest) {
        boolean ready = (events & (Readiness.IN | Readiness.ERR | Readiness.HUP)) != 0;
        return ready ? SelectionKey.OP_ACCEPT : 0;
    }
}
