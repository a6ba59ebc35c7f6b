package dev.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.runtime.device.Cable;
import dev.sluice.runtime.device.CableSpec;
import dev.sluice.runtime.device.Device;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A stack that ends while bytes are on their way, on a cable that takes 20 ms each way. */
@Timeout(60)
class FinishTest {
    private static final int BYTES = 300_000;
    private static final long DELAY_NANOS = 20_000_000;

    private LiveStack ours;
    private LiveStack peer;
    private SocketChannel sender;
    private CompletableFuture<Object> received;

    @BeforeEach
    void connect() throws Exception {
        Cable cable = Cable.open(CableSpec.named("finish").withDelay(DELAY_NANOS));
        ours = stack(cable.first(), "10.7.0.1");
        peer = stack(cable.second(), "10.7.0.2");
        ServerSocketChannel listener = peer.provider().openServerSocketChannel();
        listener.bind(new InetSocketAddress(InetAddress.getByName("10.7.0.2"), 0));
        sender = ours.provider().openSocketChannel();
        sender.connect(listener.getLocalAddress());
        SocketChannel accepted = listener.accept();
        received = CompletableFuture.supplyAsync(() -> count(accepted));
    }

    @AfterEach
    void close() {
        ours.close();
        peer.close();
    }

    private static LiveStack stack(Device device, String address) throws Exception {
        LiveStack stack = new LiveStack(LiveStack.config().build(), device);
        stack.addAddress(IpAddress.parse(address).address(), 24);
        stack.start();
        return stack;
    }

    /** Bytes until the end of the stream, or what came instead of it. */
    private static Object count(SocketChannel from) {
        try (Socket socket = from.socket()) {
            return socket.getInputStream().readAllBytes().length;
        } catch (java.io.IOException e) {
            return e.getMessage();
        }
    }

    private void write() throws Exception {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        while (bytes.hasRemaining()) {
            sender.write(bytes);
        }
    }

    @Test
    void what_was_closed_arrives_before_the_stack_ends() throws Exception {
        write();
        sender.close();
        ours.finish(Duration.ofSeconds(30));
        assertThat(received.get()).isEqualTo(BYTES);
    }

    @Test
    void what_is_still_open_is_closed_in_order() throws Exception {
        write();
        ours.finish(Duration.ofSeconds(30));
        assertThat(received.get()).isEqualTo(BYTES);
    }

    @Test
    void closing_resets_and_does_not_wait() throws Exception {
        write();
        sender.close();
        ours.close();
        assertThat(received.get()).isEqualTo("Connection reset");
    }

    @Test
    void nobody_is_waited_for_longer_than_was_said() throws Exception {
        write();
        ours.finish(Duration.ZERO);
        assertThat(received.get()).isEqualTo("Connection reset");
    }
}
