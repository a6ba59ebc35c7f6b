package dev.sluice.runtime.nio;

import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketFlags;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What is behind a {@code java.net.Socket} or {@code ServerSocket} on a stack: for {@code new
 * Socket(new StackStreamSocket(provider)) {}}, for those that {@link StackSocketFactory} and {@link
 * StackServerSocketFactory} make, and for the factories that a JVM may have for all its sockets.
 *
 * <p>It behaves as the JDK's own does. Unlike a channel, it takes no notice when a platform thread
 * is interrupted; a virtual thread that is interrupted while it waits closes the socket.
 *
 * <p><b>Ordering</b> (architecture section 8): as in {@link StackSocketChannel}. {@code readLock}
 * and {@code writeLock} are held for the whole of a call that may wait, {@code stateLock} for
 * moments only and after them. A thread that waits shuts its gate, tries, and looks whether the
 * socket is still open; whoever closes it marks it closed first and then opens the gates.
 */
public final class StackStreamSocket extends SocketImpl {
    private static final int AGAIN = StreamPort.AGAIN;
    private static final int DEFAULT_BACKLOG = 50;

    private enum State {
        NEW,
        UNCONNECTED,
        CONNECTING,
        CONNECTED,
        CLOSED
    }

    private final ReentrantLock readLock = new ReentrantLock();
    private final ReentrantLock writeLock = new ReentrantLock();
    private final ReentrantLock stateLock = new ReentrantLock();
    private final StackSelectorProvider provider;
    private final boolean server;

    /** Null before it is created, and once the port is chosen. */
    private PortChoice choice;

    private volatile StreamPort stream;

    /** Null unless it listens. */
    private volatile ListenPort listening;

    private volatile State state = State.NEW;
    private volatile boolean inputShut;
    private volatile boolean outputShut;

    /** SO_TIMEOUT, milliseconds; 0 for none. */
    private volatile int timeout;

    // Of the reader: what it was told it is told again.
    private boolean isReset;
    private boolean atEnd;

    /** For a {@code Socket}. */
    public StackStreamSocket(StackSelectorProvider provider) {
        this(provider, false);
    }

    /**
     * @param server for a {@code ServerSocket}
     */
    public StackStreamSocket(StackSelectorProvider provider, boolean server) {
        this.provider = Objects.requireNonNull(provider);
        this.server = server;
    }

    private void ensureOpen() throws SocketException {
        if (state == State.NEW) {
            throw new SocketException("Socket not created");
        }
        if (state == State.CLOSED) {
            throw SocketExceptions.socketClosed();
        }
    }

    private void ensureConnected() throws SocketException {
        if (state == State.CLOSED) {
            throw SocketExceptions.socketClosed();
        }
        if (state != State.CONNECTED) {
            throw new SocketException("Not connected");
        }
    }

    // ---- opening -----------------------------------------------------------------------------

    @Override
    protected void create(boolean isStream) throws IOException {
        if (!isStream) {
            throw new IOException("Datagram socket creation not supported");
        }
        stateLock.lock();
        try {
            if (state != State.NEW) {
                throw new IOException("Already created");
            }
            choice = new PortChoice(provider.hosts(), new KeyList());
            if (server) {
                // It may come back to its port while old connections are in TIME_WAIT.
                choice.set(StandardSocketOptions.SO_REUSEADDR, true);
            }
            stream = choice.port();
            state = State.UNCONNECTED;
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    protected void bind(InetAddress host, int wanted) throws IOException {
        stateLock.lock();
        try {
            ensureOpen();
            if (localport != 0) {
                throw new SocketException("Already bound");
            }
            stream = choice.toBind(new InetSocketAddress(host, wanted));
            int result = stream.bind(Addresses.local(host, false), wanted);
            if (result < 0) {
                throw SocketExceptions.of(result);
            }
            address = host;
            localport = stream.localPort();
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    protected void listen(int backlog) throws IOException {
        stateLock.lock();
        try {
            ensureOpen();
            if (localport == 0) {
                throw new SocketException("Not bound");
            }
            ListenPort started = stream.listen(backlog < 1 ? DEFAULT_BACKLOG : backlog);
            if (started == null) {
                throw SocketExceptions.of(SocketError.EADDRINUSE.result());
            }
            listening = started;
            choice = null;
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    protected void connect(String host, int number) throws IOException {
        connect(new InetSocketAddress(host, number), 0);
    }

    @Override
    protected void connect(InetAddress host, int number) throws IOException {
        connect(new InetSocketAddress(host, number), 0);
    }

    @Override
    protected void connect(SocketAddress remote, int millis) throws IOException {
        if (!(remote instanceof InetSocketAddress internet)) {
            throw new IOException("Unsupported address type");
        }
        if (internet.isUnresolved()) {
            throw new UnknownHostException(internet.getHostName());
        }
        readLock.lock();
        try {
            finishConnect(awaitConnect(startConnect(Addresses.remote(internet)), millis));
        } catch (IOException e) {
            close();
            throw e;
        } finally {
            readLock.unlock();
        }
    }

    private static boolean isUnderWay(int result) {
        return result == SocketError.EINPROGRESS.result()
                || result == SocketError.EALREADY.result();
    }

    private int startConnect(InetSocketAddress target) throws IOException {
        stateLock.lock();
        try {
            switch (state) {
                case NEW -> throw new SocketException("Not created");
                case CONNECTING -> throw new SocketException("Connection in progress");
                case CONNECTED -> throw new SocketException("Already connected");
                case CLOSED -> throw SocketExceptions.socketClosed();
                case UNCONNECTED -> state = State.CONNECTING;
            }
            address = target.getAddress();
            port = target.getPort();
            if (localport == 0) {
                stream = choice.toConnect(target);
            }
            choice = null;
            return stream.connect(Addresses.ip(address), port);
        } finally {
            stateLock.unlock();
        }
    }

    /** Returns when the handshake is over, or somebody has closed the socket. */
    private int awaitConnect(int first, int millis) throws IOException {
        Patience patience = new Patience(stream.loop(), millis, SocketExceptions::connectTimedOut);
        try {
            int result = first;
            while (isUnderWay(result)) {
                stream.willWrite();
                result = stream.connectResult();
                if (!isUnderWay(result) || state == State.CLOSED) {
                    break;
                }
                patience.await(stream::awaitWritable);
            }
            return result;
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (InterruptedIOException e) {
            throw SocketExceptions.closedByInterrupt();
        } finally {
            patience.end();
        }
    }

    private void finishConnect(int result) throws IOException {
        stateLock.lock();
        try {
            if (state == State.CLOSED) {
                throw SocketExceptions.socketClosed();
            }
            if (result < 0) {
                throw SocketExceptions.of(result);
            }
            state = State.CONNECTED;
            localport = stream.localPort();
        } finally {
            stateLock.unlock();
        }
    }

    /** Accepts into another one that is new; both are of this class. */
    @Override
    protected void accept(SocketImpl other) throws IOException {
        StackStreamSocket accepted = (StackStreamSocket) other;
        if (accepted.state != State.NEW) {
            throw new SocketException("Not a newly created SocketImpl");
        }
        ensureOpen();
        Patience patience = new Patience(stream.loop(), timeout, SocketExceptions::acceptTimedOut);
        StreamPort connection;
        try {
            patience.lock(readLock);
            try {
                connection = awaitAccept(patience);
            } finally {
                readLock.unlock();
            }
        } finally {
            patience.end();
        }
        accepted.become(connection);
    }

    private StreamPort awaitAccept(Patience patience) throws IOException {
        ListenPort listener = listening;
        if (listener == null) {
            throw new SocketException("Not bound");
        }
        while (true) {
            listener.willAccept();
            int result = state == State.CLOSED ? AGAIN : listener.accept();
            if (result == 0) {
                return listener.accepted();
            }
            ensureOpen();
            if (result != AGAIN) {
                throw SocketExceptions.of(result);
            }
            patience.await(listener::await);
        }
    }

    private void become(StreamPort connection) {
        stateLock.lock();
        try {
            InetSocketAddress remote = connection.remoteAddress();
            stream = connection;
            localport = connection.localAddress().getPort();
            address = remote.getAddress();
            port = remote.getPort();
            state = State.CONNECTED;
        } finally {
            stateLock.unlock();
        }
    }

    // ---- data --------------------------------------------------------------------------------

    @Override
    protected InputStream getInputStream() {
        return new SocketInput(this);
    }

    @Override
    protected OutputStream getOutputStream() {
        return new SocketOutput(this);
    }

    @Override
    protected int available() throws IOException {
        ensureConnected();
        return inputShut ? 0 : stream.unread();
    }

    /**
     * Reads at least a byte.
     *
     * @return bytes read, or -1 at the end of the stream, also when the socket has been closed
     *     since
     */
    int read(byte[] bytes, int from, int length) throws IOException {
        Objects.checkFromIndexSize(from, length, bytes.length);
        if (length == 0) {
            return 0;
        }
        StreamPort source = stream;
        Patience patience = new Patience(source.loop(), timeout, SocketExceptions::readTimedOut);
        try {
            patience.lock(readLock);
            try {
                if (atEnd) {
                    return -1;
                }
                int read = awaitRead(source, bytes, from, length, patience);
                atEnd = read < 0;
                return read;
            } finally {
                readLock.unlock();
            }
        } finally {
            patience.end();
        }
    }

    private int awaitRead(StreamPort source, byte[] bytes, int from, int length, Patience patience)
            throws IOException {
        while (true) {
            ensureConnected();
            if (isReset) {
                throw SocketExceptions.reset();
            }
            if (inputShut) {
                return -1;
            }
            source.willRead();
            int result = source.read(bytes, from, length);
            if (result > 0) {
                return result;
            }
            ensureConnected();
            if (result == StreamPort.END || inputShut) {
                return -1;
            }
            if (result == SocketError.ECONNRESET.result()) {
                isReset = true;
                throw SocketExceptions.reset();
            }
            if (result != AGAIN) {
                throw SocketExceptions.ofStream(result);
            }
            patience.await(source::awaitReadable);
        }
    }

    /** Writes all of it. */
    void write(byte[] bytes, int from, int length) throws IOException {
        Objects.checkFromIndexSize(from, length, bytes.length);
        if (length == 0) {
            return;
        }
        StreamPort sink = stream;
        Patience patience = new Patience(sink.loop(), 0, SocketExceptions::readTimedOut);
        writeLock.lock();
        try {
            int done = 0;
            while (done < length) {
                done += awaitWrite(sink, bytes, from + done, length - done, patience);
            }
        } finally {
            writeLock.unlock();
            patience.end();
        }
    }

    /** Writes at least a byte. @return bytes written */
    private int awaitWrite(StreamPort sink, byte[] bytes, int from, int length, Patience patience)
            throws IOException {
        while (true) {
            ensureConnected();
            sink.willWrite();
            int result = sink.write(bytes, from, length);
            if (result > 0) {
                return result;
            }
            ensureConnected();
            if (result != AGAIN) {
                throw SocketExceptions.ofStream(result);
            }
            patience.await(sink::awaitWritable);
        }
    }

    @Override
    protected boolean supportsUrgentData() {
        return true;
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
        writeLock.lock();
        try {
            ensureConnected();
            int result = stream.sendUrgent((byte) data);
            if (result == AGAIN) {
                throw new SocketException("No buffer space available");
            }
            if (result < 0) {
                throw SocketExceptions.ofTransfer(result);
            }
        } finally {
            writeLock.unlock();
        }
    }

    // ---- closing -----------------------------------------------------------------------------

    @Override
    protected void shutdownInput() throws IOException {
        stateLock.lock();
        try {
            ensureConnected();
            if (!inputShut) {
                shutdown(SocketFlags.SHUT_RD);
                inputShut = true;
                stream.wakeReader();
            }
        } finally {
            stateLock.unlock();
        }
    }

    @Override
    protected void shutdownOutput() throws IOException {
        stateLock.lock();
        try {
            ensureConnected();
            if (!outputShut) {
                shutdown(SocketFlags.SHUT_WR);
                outputShut = true;
                stream.wakeWriter();
            }
        } finally {
            stateLock.unlock();
        }
    }

    private void shutdown(int how) throws IOException {
        int result = stream.shutdown(how);
        if (result < 0) {
            throw new SocketException(SocketExceptions.of(result).getMessage());
        }
    }

    @Override
    protected void close() throws IOException {
        StreamPort last;
        ListenPort lastListening;
        stateLock.lock();
        try {
            if (state == State.CLOSED) {
                return;
            }
            state = State.CLOSED;
            last = stream;
            lastListening = listening;
        } finally {
            stateLock.unlock();
        }
        if (lastListening != null) {
            lastListening.close();
            lastListening.wake();
        }
        if (last != null) {
            last.close();
            last.wake();
        }
    }

    // ---- options -----------------------------------------------------------------------------

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        return server ? OptionTable.SERVER_SOCKET : OptionTable.STREAM;
    }

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        OptionTable.check(name, supportedOptions());
        stateLock.lock();
        try {
            OptionTable.checkType(name, value);
            ensureOpen();
            set(name, value);
        } finally {
            stateLock.unlock();
        }
    }

    private <T> void set(SocketOption<T> name, T value) throws IOException {
        if (choice == null) {
            ChannelOptions.set(stream, name, value);
        } else {
            choice.set(name, value);
        }
    }

    @Override
    protected <T> T getOption(SocketOption<T> name) throws IOException {
        OptionTable.check(name, supportedOptions());
        stateLock.lock();
        try {
            ensureOpen();
            return ChannelOptions.get(stream, name);
        } finally {
            stateLock.unlock();
        }
    }

    /** Sets an option of {@link java.net.SocketOptions}, by which {@code Socket} calls it. */
    @Override
    public void setOption(int number, Object value) throws SocketException {
        stateLock.lock();
        try {
            ensureOpen();
            switch (number) {
                case SO_TIMEOUT -> timeout = number(value);
                case SO_OOBINLINE -> set(StackSocketOptions.SO_OOBINLINE, flag(value));
                // "false" switches it off.
                case SO_LINGER ->
                        set(
                                StandardSocketOptions.SO_LINGER,
                                value instanceof Boolean ? -1 : number(value));
                case IP_TOS -> set(StandardSocketOptions.IP_TOS, number(value));
                case TCP_NODELAY -> set(StandardSocketOptions.TCP_NODELAY, flag(value));
                case SO_SNDBUF -> set(StandardSocketOptions.SO_SNDBUF, number(value));
                case SO_RCVBUF -> set(StandardSocketOptions.SO_RCVBUF, number(value));
                case SO_KEEPALIVE -> set(StandardSocketOptions.SO_KEEPALIVE, flag(value));
                case SO_REUSEADDR -> set(StandardSocketOptions.SO_REUSEADDR, flag(value));
                case SO_REUSEPORT -> set(StandardSocketOptions.SO_REUSEPORT, flag(value));
                default -> throw new SocketException("Unknown option " + number);
            }
        } catch (IOException | IllegalArgumentException e) {
            throw asSocketException(e);
        } finally {
            stateLock.unlock();
        }
    }

    private static boolean flag(Object value) {
        if (value instanceof Boolean on) {
            return on;
        }
        throw new IllegalArgumentException("Bad value '" + value + "'");
    }

    private static int number(Object value) {
        if (value instanceof Integer number) {
            return number;
        }
        throw new IllegalArgumentException("Bad value '" + value + "'");
    }

    private static SocketException asSocketException(Exception e) {
        return e instanceof SocketException same ? same : new SocketException(e.getMessage(), e);
    }

    @Override
    public Object getOption(int number) throws SocketException {
        stateLock.lock();
        try {
            ensureOpen();
            return switch (number) {
                case SO_TIMEOUT -> timeout;
                case SO_OOBINLINE -> ChannelOptions.get(stream, StackSocketOptions.SO_OOBINLINE);
                case SO_BINDADDR -> localAddress();
                case SO_LINGER -> {
                    int seconds = ChannelOptions.get(stream, StandardSocketOptions.SO_LINGER);
                    yield seconds < 0 ? (Object) false : (Object) seconds;
                }
                case IP_TOS -> ChannelOptions.get(stream, StandardSocketOptions.IP_TOS);
                case TCP_NODELAY -> ChannelOptions.get(stream, StandardSocketOptions.TCP_NODELAY);
                case SO_SNDBUF -> ChannelOptions.get(stream, StandardSocketOptions.SO_SNDBUF);
                case SO_RCVBUF -> ChannelOptions.get(stream, StandardSocketOptions.SO_RCVBUF);
                case SO_KEEPALIVE -> ChannelOptions.get(stream, StandardSocketOptions.SO_KEEPALIVE);
                case SO_REUSEADDR -> ChannelOptions.get(stream, StandardSocketOptions.SO_REUSEADDR);
                case SO_REUSEPORT -> ChannelOptions.get(stream, StandardSocketOptions.SO_REUSEPORT);
                default -> throw new SocketException("Unknown option " + number);
            };
        } catch (IOException e) {
            throw asSocketException(e);
        } finally {
            stateLock.unlock();
        }
    }

    private InetAddress localAddress() {
        if (state == State.CONNECTED) {
            return stream.localAddress().getAddress();
        }
        boolean bound = localport != 0 && state == State.UNCONNECTED;
        return bound ? address : new InetSocketAddress(0).getAddress();
    }
}
