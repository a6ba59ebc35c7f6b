package dev.sluice.runtime.nio;

import dev.sluice.runtime.LiveStack;
import dev.sluice.runtime.device.DeviceException;
import dev.sluice.runtime.device.NoDevice;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/** A stack that talks to itself, and channels on it. */
final class Channels {
    static final int CLOSED_MEANWHILE = 1;
    static final int CLOSED_BEFORE = 2;
    static final int OTHER = 3;

    private static final SelectorProvider PROVIDER = provider();
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    private static ServerSocketChannel listener;

    private Channels() {}

    /** What a thread blocks in. */
    interface Blocking {
        void run() throws IOException;
    }

    private static SelectorProvider provider() {
        try {
            LiveStack stack = new LiveStack(LiveStack.config().build(), new NoDevice());
            stack.start();
            return stack.provider();
        } catch (DeviceException e) {
            throw new IllegalStateException(e);
        }
    }

    static ServerSocketChannel listening() throws IOException {
        return PROVIDER.openServerSocketChannel().bind(new InetSocketAddress(LOOPBACK, 0));
    }

    static DatagramChannel bound() throws IOException {
        return PROVIDER.openDatagramChannel().bind(new InetSocketAddress(LOOPBACK, 0));
    }

    /** Both ends of a connection; closing the first one leaves nothing behind. */
    static synchronized SocketChannel[] connected() throws IOException {
        if (listener == null) {
            listener = listening();
        }
        SocketChannel channel = PROVIDER.openSocketChannel();
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.connect(listener.getLocalAddress());
        return new SocketChannel[] {channel, listener.accept()};
    }

    /** How a blocking call ended. */
    static int end(Blocking call) {
        try {
            call.run();
            return OTHER;
        } catch (AsynchronousCloseException e) {
            return CLOSED_MEANWHILE;
        } catch (ClosedChannelException e) {
            return CLOSED_BEFORE;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
