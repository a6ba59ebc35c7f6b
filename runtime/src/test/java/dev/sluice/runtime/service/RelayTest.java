package dev.sluice.runtime.service;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;

/** On channels of the JDK's provider; with ours it is what {@code sluice serve} uses. */
@Timeout(60)
class RelayTest {
    private static final InetAddress LOCALHOST = InetAddress.getLoopbackAddress();

    private static byte[] exactly(InputStream in, int bytes) throws Exception {
        return in.readNBytes(bytes);
    }

    @Test
    void bytes_cross_both_ways_and_ends_of_streams_follow_them() throws Exception {
        try (ServerSocketChannel far = ServerSocketChannel.open()) {
            far.bind(new InetSocketAddress(LOCALHOST, 0));
            Relay relay = Relay.listen(0, (InetSocketAddress) far.getLocalAddress());
            CompletableFuture<Void> running =
                    CompletableFuture.runAsync(
                            () -> {
                                try {
                                    relay.run();
                                } catch (java.io.IOException e) {
                                    throw new AssertionError(e);
                                }
                            });
            try (Socket near = new Socket(LOCALHOST, relay.port());
                    SocketChannel peer = far.accept()) {
                for (int i = 0; i < 3; i++) {
                    near.getOutputStream().write(new byte[] {1, 2, 3});
                    assertThat(exactly(peer.socket().getInputStream(), 3)).containsExactly(1, 2, 3);
                    peer.write(ByteBuffer.wrap(new byte[] {4, 5}));
                    assertThat(exactly(near.getInputStream(), 2)).containsExactly(4, 5);
                }
                near.shutdownOutput();
                assertThat(peer.socket().getInputStream().read()).isEqualTo(-1);
                peer.write(ByteBuffer.wrap(new byte[] {6}));
                peer.shutdownOutput();
                assertThat(near.getInputStream().readAllBytes()).containsExactly(6);
            }
            relay.close();
            running.join();
        }
    }
}
