package dev.sluice.runtime.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The socket of a {@link StackDatagramChannel}, which answers as that of a channel of the JDK does,
 * except that it takes part in no multicast groups.
 */
final class StackDatagramSocket extends DatagramSocket {
    private final StackDatagramChannel channel;

    /** SO_TIMEOUT, milliseconds; 0 for none. */
    private volatile int timeout;

    /**
     * Room of packets that were received into, which have forgotten it themselves: their length is
     * that of the datagram since. Guarded by itself.
     */
    private final Map<DatagramPacket, Room> rooms = new WeakHashMap<>();

    private record Room(int room, int lengthSince) {}

    StackDatagramSocket(StackDatagramChannel channel) {
        super(new NoDatagrams());
        this.channel = channel;
    }

    private void ensureOpen() throws SocketException {
        if (!channel.isOpen()) {
            throw new SocketException("Socket is closed");
        }
    }

    // ---- addresses ---------------------------------------------------------------------------

    private static InetSocketAddress internet(SocketAddress address) {
        if (address instanceof InetSocketAddress internet) {
            return internet;
        }
        throw new UnsupportedAddressTypeException();
    }

    @Override
    public void bind(SocketAddress address) throws SocketException {
        InetSocketAddress wanted = address == null ? new InetSocketAddress(0) : internet(address);
        try {
            channel.bind(wanted);
        } catch (IOException | RuntimeException e) {
            throw SocketExceptions.ofChannelOption(e);
        }
    }

    @Override
    public void connect(InetAddress address, int port) {
        if (address == null) {
            throw new IllegalArgumentException("Address can't be null");
        }
        try {
            reconnect(new InetSocketAddress(address, port));
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void connect(SocketAddress address) throws SocketException {
        if (address == null) {
            throw new IllegalArgumentException("Address can't be null");
        }
        reconnect(internet(address));
    }

    /** Unlike a channel, a socket may be connected again, and nothing happens to a closed one. */
    private void reconnect(InetSocketAddress remote) throws SocketException {
        try {
            if (channel.isConnected()) {
                channel.disconnect();
            }
            channel.connect(remote);
        } catch (ClosedChannelException e) {
            return;
        } catch (IOException | RuntimeException e) {
            throw SocketExceptions.ofChannelOption(e);
        }
    }

    @Override
    public void disconnect() {
        try {
            channel.disconnect();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isBound() {
        return channel.localAddress() != null;
    }

    @Override
    public boolean isConnected() {
        return channel.remoteAddress() != null;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public InetAddress getInetAddress() {
        InetSocketAddress remote = channel.remoteAddress();
        return remote == null ? null : remote.getAddress();
    }

    @Override
    public int getPort() {
        InetSocketAddress remote = channel.remoteAddress();
        return remote == null ? -1 : remote.getPort();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return channel.remoteAddress();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return isClosed() ? null : channel.localAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        if (isClosed()) {
            return null;
        }
        InetSocketAddress local = channel.localAddress();
        return (local == null ? new InetSocketAddress(0) : local).getAddress();
    }

    @Override
    public int getLocalPort() {
        if (isClosed()) {
            return -1;
        }
        InetSocketAddress local = channel.localAddress();
        return local == null ? 0 : local.getPort();
    }

    @Override
    public DatagramChannel getChannel() {
        return channel;
    }

    // ---- datagrams ---------------------------------------------------------------------------

    @Override
    public void send(DatagramPacket packet) throws IOException {
        synchronized (packet) {
            try {
                sendBlocking(packet);
            } catch (AlreadyConnectedException e) {
                throw new IllegalArgumentException("Connected and packet address differ", e);
            } catch (ClosedChannelException e) {
                throw new SocketException("Socket closed", e);
            }
        }
    }

    private void sendBlocking(DatagramPacket packet) throws IOException {
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
        if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        if (packet.getAddress() == null) {
            InetSocketAddress remote = channel.remoteAddress();
            if (remote == null) {
                throw new IllegalArgumentException("Address not set");
            }
            packet.setSocketAddress(remote);
        }
        channel.send(
                ByteBuffer.wrap(packet.getData(), packet.getOffset(), packet.getLength()),
                packet.getSocketAddress());
    }

    @Override
    public void receive(DatagramPacket packet) throws IOException {
        synchronized (packet) {
            try {
                int room = room(packet);
                ByteBuffer into = ByteBuffer.wrap(packet.getData(), packet.getOffset(), room);
                SocketAddress sender =
                        channel.blockingReceive(into, TimeUnit.MILLISECONDS.toNanos(timeout));
                int length = into.position() - packet.getOffset();
                packet.setLength(length);
                packet.setSocketAddress(sender);
                remember(packet, new Room(room, length));
            } catch (ClosedByInterruptException e) {
                throw e;
            } catch (ClosedChannelException e) {
                throw new SocketException("Socket closed", e);
            }
        }
    }

    private int room(DatagramPacket packet) {
        Room known;
        synchronized (rooms) {
            known = rooms.get(packet);
        }
        int length = packet.getLength();
        boolean fits =
                known != null
                        && known.lengthSince() == length
                        && packet.getOffset() + known.room() <= packet.getData().length;
        return fits ? known.room() : length;
    }

    private void remember(DatagramPacket packet, Room room) {
        synchronized (rooms) {
            rooms.put(packet, room);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- options -----------------------------------------------------------------------------

    @Override
    public void setSoTimeout(int timeout) throws SocketException {
        ensureOpen();
        if (timeout < 0) {
            throw new IllegalArgumentException("timeout < 0");
        }
        this.timeout = timeout;
    }

    @Override
    public int getSoTimeout() throws SocketException {
        ensureOpen();
        return timeout;
    }

    private <T> void set(SocketOption<T> name, T value) throws SocketException {
        try {
            channel.setOption(name, value);
        } catch (IOException e) {
            throw SocketExceptions.ofChannelOption(e);
        }
    }

    private <T> T get(SocketOption<T> name) throws SocketException {
        try {
            return channel.getOption(name);
        } catch (IOException e) {
            throw SocketExceptions.ofChannelOption(e);
        }
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        if (size <= 0) {
            throw new IllegalArgumentException("Invalid send size");
        }
        set(StandardSocketOptions.SO_SNDBUF, size);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        if (size <= 0) {
            throw new IllegalArgumentException("Invalid receive size");
        }
        set(StandardSocketOptions.SO_RCVBUF, size);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        set(StandardSocketOptions.SO_REUSEADDR, on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return get(StandardSocketOptions.SO_REUSEADDR);
    }

    @Override
    public void setBroadcast(boolean on) throws SocketException {
        set(StandardSocketOptions.SO_BROADCAST, on);
    }

    @Override
    public boolean getBroadcast() throws SocketException {
        return get(StandardSocketOptions.SO_BROADCAST);
    }

    @Override
    public void setTrafficClass(int tc) throws SocketException {
        set(StandardSocketOptions.IP_TOS, tc);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return get(StandardSocketOptions.IP_TOS);
    }

    @Override
    public <T> DatagramSocket setOption(SocketOption<T> name, T value) throws IOException {
        channel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }

    // ---- groups ------------------------------------------------------------------------------

    /**
     * Not to be had.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public void joinGroup(SocketAddress group, NetworkInterface on) {
        throw new UnsupportedOperationException("a stack takes part in no multicast groups");
    }

    /**
     * Not to be had.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public void leaveGroup(SocketAddress group, NetworkInterface on) {
        joinGroup(group, on);
    }
}
