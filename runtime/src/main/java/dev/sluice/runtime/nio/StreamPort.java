package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.Command;
import dev.sluice.runtime.loop.EventLoop;
import dev.sluice.runtime.loop.Gate;
import dev.sluice.runtime.loop.StackCall;
import dev.sluice.runtime.loop.StackClosedException;
import dev.sluice.socket.ListenSocket;
import dev.sluice.socket.SocketError;
import dev.sluice.socket.SocketFlags;
import dev.sluice.socket.StreamSocket;
import dev.sluice.tcp.Readiness;
import dev.sluice.tcp.SocketSignals;
import dev.sluice.tcp.TcpConnection;
import dev.sluice.wire.IpAddress;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A channel's way to its socket on a stack: every call of a channel goes through here, so that the
 * rest of the channel knows nothing of batons. One thread may read while another writes. Results
 * are those of {@link StreamSocket}, and {@link #END} and {@link #GONE}.
 */
final class StreamPort implements SocketSignals {
    static final int AGAIN = SocketError.EAGAIN.result();

    private static final int IN_PROGRESS = SocketError.EINPROGRESS.result();

    /** Of reading: the end of the stream. */
    static final int END = Integer.MIN_VALUE;

    /** The stack has been closed. */
    static final int GONE = SocketExceptions.STACK_CLOSED;

    private final Host host;
    private final StreamSocket socket;
    private final KeyList keys;
    private final Gate reader = new Gate();
    private final Gate writer = new Gate();

    private final Command readCall = new Command(this::readNow);
    private final Command writeCall = new Command(this::writeNow);

    // What is read into: one buffer, or some of several.
    private ByteBuffer destination;
    private ByteBuffer[] destinations;
    private int destinationFrom;
    private int destinationTo;

    // What is read into, or written, for streams.
    private byte[] readArray;
    private int readFrom;
    private int readLength;
    private byte[] writeArray;
    private int writeFrom;
    private int writeLength;

    // What is written.
    private ByteBuffer source;
    private ByteBuffer[] sources;
    private int sourceFrom;
    private int sourceTo;

    /**
     * On the stack.
     *
     * @param keys who is told of readiness besides those who wait here
     */
    StreamPort(Host host, StreamSocket socket, KeyList keys) {
        this.host = host;
        this.socket = socket;
        this.keys = keys;
        socket.signals(this);
    }

    /** A new socket on that stack; null if the stack is closed. */
    static StreamPort open(Host host, KeyList keys) {
        StreamPort[] made = new StreamPort[1];
        try {
            host.loop()
                    .call(
                            now -> {
                                StreamSocket socket = new StreamSocket(host.stack());
                                made[0] = new StreamPort(host, socket, keys);
                                return 0;
                            });
        } catch (StackClosedException e) {
            return null;
        }
        return made[0];
    }

    Host host() {
        return host;
    }

    KeyList keys() {
        return keys;
    }

    EventLoop loop() {
        return host.loop();
    }

    /** To be touched on the stack. */
    StreamSocket socket() {
        return socket;
    }

    /** A control call: whatever the body does with {@link #socket}. */
    long call(StackCall body) {
        try {
            return host.loop().call(body);
        } catch (StackClosedException e) {
            return GONE;
        }
    }

    // ---- opening -----------------------------------------------------------------------------

    /** Binds, and chooses the port now if it is 0. */
    int bind(IpAddress address, int port) {
        return (int)
                call(
                        now -> {
                            int chosen = port == 0 ? host.stack().chooseListenPort(address) : port;
                            return chosen < 0
                                    ? SocketError.EADDRINUSE.result()
                                    : socket.bind(address, chosen);
                        });
    }

    int connect(IpAddress address, int port) {
        return (int) call(now -> socket.connect(now, address, port));
    }

    /** How {@link #connect} went: 0, {@code -EALREADY} while it is under way, or its error. */
    int connectResult() {
        return (int)
                call(
                        now ->
                                socket.connection() == null
                                        ? SocketError.ECONNABORTED.result()
                                        : socket.connect(now, IpAddress.ANY4, 0));
    }

    int shutdown(int how) {
        return (int) call(now -> socket.shutdown(now, how));
    }

    void close() {
        call(now -> socket.close(now));
    }

    int localPort() {
        return (int) call(now -> socket.localPort());
    }

    /** Of a socket that is connected or connects; they do not change. */
    InetSocketAddress localAddress() {
        TcpConnection c = socket.connection();
        return Addresses.socketAddress(c.localHi(), c.localLo(), c.localPort());
    }

    InetSocketAddress remoteAddress() {
        TcpConnection c = socket.connection();
        return Addresses.socketAddress(c.remoteHi(), c.remoteLo(), c.remotePort());
    }

    /** Starts to listen; null if the port is taken. */
    ListenPort listen(int backlog) {
        ListenPort[] made = new ListenPort[1];
        call(
                now -> {
                    ListenSocket listening = socket.listen(backlog);
                    made[0] = listening == null ? null : new ListenPort(host, listening, keys);
                    return 0;
                });
        return made[0];
    }

    // ---- waiting -----------------------------------------------------------------------------

    /** Before trying to read: what comes afterwards ends {@link #awaitReadable}. */
    void willRead() {
        reader.shut();
    }

    /** Before trying to write, or to connect. */
    void willWrite() {
        writer.shut();
    }

    /** See {@link EventLoop#await}. */
    boolean awaitReadable(long deadline) {
        return await(reader, deadline);
    }

    boolean awaitWritable(long deadline) {
        return await(writer, deadline);
    }

    private boolean await(Gate gate, long deadline) {
        try {
            return host.loop().await(gate, deadline);
        } catch (StackClosedException e) {
            return true; // the next try says so
        }
    }

    /** Whoever waits has to look again. */
    void wake() {
        reader.open();
        writer.open();
    }

    void wakeReader() {
        reader.open();
    }

    void wakeWriter() {
        writer.open();
    }

    @Override
    public void ready(long now, int events) {
        if ((events & ~Readiness.OUT) != 0) {
            reader.open();
        }
        if ((events & ~(Readiness.IN | Readiness.RDHUP)) != 0) {
            writer.open();
        }
        keys.signal(events);
    }

    /** On the stack; 0 of a socket that is not connected and does not connect. */
    int readySet() {
        return socket.connection() == null ? 0 : socket.readySet();
    }

    // ---- data --------------------------------------------------------------------------------

    /** Reads into a buffer that has room. */
    int read(ByteBuffer into) {
        destination = into;
        int result = (int) run(readCall);
        destination = null;
        return result;
    }

    /** Reads into buffers that have room together. */
    long read(ByteBuffer[] into, int from, int count) {
        destinations = into;
        destinationFrom = from;
        destinationTo = from + count;
        long result = run(readCall);
        destinations = null;
        return result;
    }

    /** Reads into part of an array that is not empty. */
    int read(byte[] into, int from, int length) {
        readArray = into;
        readFrom = from;
        readLength = length;
        int result = (int) run(readCall);
        readArray = null;
        return result;
    }

    /** Writes part of an array. @return as {@link #write(ByteBuffer)} */
    int write(byte[] bytes, int from, int length) {
        writeArray = bytes;
        writeFrom = from;
        writeLength = length;
        int result = (int) run(writeCall);
        writeArray = null;
        return result;
    }

    /** Bytes that can be read at once. */
    int unread() {
        return Math.max(0, (int) call(now -> socket.unread()));
    }

    /** Writes a byte that is urgent. @return 1 or a negative error */
    int sendUrgent(byte value) {
        byte[] one = {value};
        return (int) call(now -> socket.write(now, one, 0, 1, SocketFlags.MSG_OOB));
    }

    /** Writes from a buffer. @return bytes taken, or a negative error if there were none */
    int write(ByteBuffer from) {
        source = from;
        int result = (int) run(writeCall);
        source = null;
        return result;
    }

    /** Writes from buffers, as if they were one. */
    long write(ByteBuffer[] all, int from, int count) {
        sources = all;
        sourceFrom = from;
        sourceTo = from + count;
        long result = run(writeCall);
        sources = null;
        return result;
    }

    private long run(Command command) {
        try {
            return host.loop().call(command);
        } catch (StackClosedException e) {
            return GONE;
        }
    }

    private long readNow(long now) {
        if (readArray != null) {
            int read = socket.read(now, readArray, readFrom, readLength, 0);
            return read == 0 ? END : read;
        }
        if (destination != null) {
            int read = socket.read(now, destination);
            return read == 0 ? END : read;
        }
        long total = 0;
        for (int i = destinationFrom; i < destinationTo; i++) {
            ByteBuffer into = destinations[i];
            if (!into.hasRemaining()) {
                continue;
            }
            int read = socket.read(now, into);
            if (read <= 0) {
                return total > 0 ? total : read == 0 ? END : read;
            }
            total += read;
            if (into.hasRemaining()) {
                break;
            }
        }
        return total;
    }

    private long writeNow(long now) {
        long result = tryWrite(now);
        // The first write with TCP_FASTOPEN_CONNECT and without a cookie: the SYN left alone.
        return result == IN_PROGRESS ? AGAIN : result;
    }

    private long tryWrite(long now) {
        if (writeArray != null) {
            return socket.write(now, writeArray, writeFrom, writeLength, 0);
        }
        if (source != null) {
            return socket.write(now, source, 0);
        }
        int last = sourceTo - 1;
        while (last > sourceFrom && !sources[last].hasRemaining()) {
            last--;
        }
        long total = 0;
        for (int i = sourceFrom; i <= last; i++) {
            ByteBuffer from = sources[i];
            if (!from.hasRemaining()) {
                continue;
            }
            int written = socket.write(now, from, i < last ? SocketFlags.MSG_MORE : 0);
            if (written < 0) {
                return total > 0 ? total : written;
            }
            total += written;
            if (from.hasRemaining()) {
                break;
            }
        }
        return total;
    }
}
