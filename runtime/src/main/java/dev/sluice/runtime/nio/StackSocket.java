package dev.sluice.runtime.nio;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The socket of a {@link StackSocketChannel}, which answers as that of a channel of the JDK does.
 * Its state is the channel's: each call is one of the channel, and a thread that is interrupted in
 * one closes both.
 */
final class StackSocket extends Socket {
    private final StackSocketChannel channel;

    /** SO_TIMEOUT, milliseconds; 0 for none. */
    private volatile int timeout;

    /**
     * @param unused takes the place of what the superclass would do, and is never asked
     */
    StackSocket(StackSocketChannel channel, StackStreamSocket unused) throws SocketException {
        super(unused);
        this.channel = channel;
    }

    private interface Call<T> {
        T run() throws IOException;
    }

    /** For methods that may only throw a {@code SocketException}. */
    private static <T> T option(Call<T> call) throws SocketException {
        try {
            return call.run();
        } catch (IOException e) {
            throw SocketExceptions.ofChannelOption(e);
        }
    }

    private static <T> T translated(Call<T> call) throws IOException {
        try {
            return call.run();
        } catch (IOException | RuntimeException e) {
            throw SocketExceptions.ofChannel(e);
        }
    }

    private void ensureOpen() throws SocketException {
        if (!channel.isOpen()) {
            throw new SocketException("Socket is closed");
        }
    }

    // ---- opening and closing -----------------------------------------------------------------

    @Override
    public void connect(SocketAddress remote) throws IOException {
        connect(remote, 0);
    }

    @Override
    public void connect(SocketAddress remote, int timeout) throws IOException {
        if (remote == null) {
            throw new IllegalArgumentException("connect: The address can't be null");
        }
        if (remote instanceof InetSocketAddress internet && internet.isUnresolved()) {
            ensureOpen();
            if (channel.isConnected()) {
                throw new SocketException("Already connected");
            }
            close();
            throw new UnknownHostException(remote.toString());
        }
        if (timeout < 0) {
            throw new IllegalArgumentException("connect: timeout can't be negative");
        }
        translated(
                () -> {
                    channel.blockingConnect(remote, TimeUnit.MILLISECONDS.toNanos(timeout));
                    return null;
                });
    }

    @Override
    public void bind(SocketAddress local) throws IOException {
        translated(() -> channel.bind(local));
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public void shutdownInput() throws IOException {
        translated(channel::shutdownInput);
    }

    @Override
    public void shutdownOutput() throws IOException {
        translated(channel::shutdownOutput);
    }

    // ---- what it is --------------------------------------------------------------------------

    @Override
    public SocketChannel getChannel() {
        return channel;
    }

    @Override
    public InetAddress getInetAddress() {
        InetSocketAddress remote = channel.remoteAddress();
        return remote == null ? null : remote.getAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        InetSocketAddress local = channel.localAddress();
        return local == null || !channel.isOpen()
                ? new InetSocketAddress(0).getAddress()
                : local.getAddress();
    }

    @Override
    public int getPort() {
        InetSocketAddress remote = channel.remoteAddress();
        return remote == null ? 0 : remote.getPort();
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress local = channel.localAddress();
        return local == null ? -1 : local.getPort();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return channel.remoteAddress();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return channel.localAddress();
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public boolean isBound() {
        return channel.localAddress() != null;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public boolean isInputShutdown() {
        return channel.isInputShut();
    }

    @Override
    public boolean isOutputShutdown() {
        return channel.isOutputShut();
    }

    @Override
    public String toString() {
        return isConnected()
                ? "Socket[addr=%s,port=%d,localport=%d]"
                        .formatted(getInetAddress(), getPort(), getLocalPort())
                : "Socket[unconnected]";
    }

    // ---- streams -----------------------------------------------------------------------------

    private void ensureStream(boolean shut, String direction) throws SocketException {
        ensureOpen();
        if (!channel.isConnected()) {
            throw new SocketException("Socket is not connected");
        }
        if (shut) {
            throw new SocketException("Socket " + direction + " is shutdown");
        }
    }

    @Override
    public InputStream getInputStream() throws IOException {
        ensureStream(channel.isInputShut(), "input");
        return new ChannelInput(channel, () -> timeout);
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        ensureStream(channel.isOutputShut(), "output");
        return new ChannelOutput(channel);
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        if (!channel.sendUrgent((byte) data)) {
            throw new IOException("Socket buffer full");
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

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        option(() -> channel.setOption(StandardSocketOptions.TCP_NODELAY, on));
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return option(() -> channel.getOption(StandardSocketOptions.TCP_NODELAY));
    }

    @Override
    public void setSoLinger(boolean on, int seconds) throws SocketException {
        option(() -> channel.setOption(StandardSocketOptions.SO_LINGER, on ? seconds : -1));
    }

    @Override
    public int getSoLinger() throws SocketException {
        return option(() -> channel.getOption(StandardSocketOptions.SO_LINGER));
    }

    @Override
    public void setOOBInline(boolean on) throws SocketException {
        option(() -> channel.setOption(StackSocketOptions.SO_OOBINLINE, on));
    }

    @Override
    public boolean getOOBInline() throws SocketException {
        return option(() -> channel.getOption(StackSocketOptions.SO_OOBINLINE));
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        if (size <= 0) {
            throw new IllegalArgumentException("Invalid send size");
        }
        option(() -> channel.setOption(StandardSocketOptions.SO_SNDBUF, size));
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return option(() -> channel.getOption(StandardSocketOptions.SO_SNDBUF));
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        if (size <= 0) {
            throw new IllegalArgumentException("Invalid receive size");
        }
        option(() -> channel.setOption(StandardSocketOptions.SO_RCVBUF, size));
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return option(() -> channel.getOption(StandardSocketOptions.SO_RCVBUF));
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        option(() -> channel.setOption(StandardSocketOptions.SO_KEEPALIVE, on));
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return option(() -> channel.getOption(StandardSocketOptions.SO_KEEPALIVE));
    }

    @Override
    public void setTrafficClass(int tc) throws SocketException {
        option(() -> channel.setOption(StandardSocketOptions.IP_TOS, tc));
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return option(() -> channel.getOption(StandardSocketOptions.IP_TOS));
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        option(() -> channel.setOption(StandardSocketOptions.SO_REUSEADDR, on));
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return option(() -> channel.getOption(StandardSocketOptions.SO_REUSEADDR));
    }

    @Override
    public <T> Socket setOption(SocketOption<T> name, T value) throws IOException {
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
}
