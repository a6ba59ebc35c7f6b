package dev.sluice.verify.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import dev.sluice.config.StackConfig;
import dev.sluice.memory.BlockPool;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.seed.Rng;
import dev.sluice.socket.DatagramSocket;
import dev.sluice.stack.Interface;
import dev.sluice.stack.NetworkStack;
import dev.sluice.stack.PacketSink;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.IpAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;

/** In steady state neither sending nor receiving a datagram allocates. */
@Timeout(300)
class DatagramAllocationTest {
    private static final int ROUND = 50_000;
    private static final int MOST_ROUNDS = 8;
    private static final int PORT = 5000;

    /** A stack that talks to itself: everything sent is received. */
    private static final class Echo implements PacketSink, AutoCloseable {
        private final PacketPool packets = new PacketPool(8 << 20);
        private final BlockPool blocks = new BlockPool(4096, 1 << 20);
        private final NetworkStack stack =
                new NetworkStack(
                        StackConfig.defaults(), packets, blocks, new Rng(1), StackObserver.NONE);
        private final Interface lo = stack.addLoopback();
        private final IpAddress here;
        private final DatagramSocket server = new DatagramSocket(stack);
        private final DatagramSocket client = new DatagramSocket(stack);
        private final ByteBuffer out = ByteBuffer.allocateDirect(2000);
        private final ByteBuffer in = ByteBuffer.allocate(2000);
        private PacketBuffer looped;
        private long now;

        Echo(String address) {
            here = IpAddress.parse(address).address();
            lo.mtu(1500);
            assertThat(server.bind(IpAddress.ANY6, PORT)).isZero();
        }

        @Override
        public boolean transmit(long when, Interface by, PacketBuffer packet) {
            stack.transmitCompleted(when, packet.owner(), packet.truesize());
            packet.owner(null);
            packet.truesize(0);
            packet.next(looped);
            looped = packet;
            return true;
        }

        /** Returns how many of them arrived. */
        int run(int datagrams, int length) {
            int arrived = 0;
            for (int i = 0; i < datagrams; i++) {
                now += 1000;
                out.clear().limit(length);
                client.send(now, out, here, PORT, 0);
                stack.flush(now, this);
                while (looped != null) {
                    PacketBuffer packet = looped;
                    looped = packet.next();
                    packet.next(null);
                    stack.deliver(now, lo, packet);
                }
                stack.signal(now);
                in.clear();
                arrived += server.receive(now, in, 0) == length ? 1 : 0;
            }
            return arrived;
        }

        @Override
        public void close() {
            packets.close();
            blocks.close();
        }
    }

    @Test
    void whole_datagrams_of_ipv4() {
        assertNothingAllocated("127.0.0.1", 1000);
    }

    @Test
    void whole_datagrams_of_ipv6() {
        assertNothingAllocated("::1", 1000);
    }

    @Test
    void datagrams_in_fragments() {
        assertNothingAllocated("127.0.0.1", 2000);
    }

    private static void assertNothingAllocated(String address, int length) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertThat(threads.isThreadAllocatedMemorySupported()).isTrue();
        try (var echo = new Echo(address)) {
            long thread = Thread.currentThread().threadId();
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < MOST_ROUNDS && allocated > 0; round++) {
                long before = threads.getThreadAllocatedBytes(thread);
                int arrived = echo.run(ROUND, length);
                allocated = threads.getThreadAllocatedBytes(thread) - before;
                assertThat(arrived).isEqualTo(ROUND);
            }
            assertThat(allocated).as("bytes in the last round").isZero();
        }
    }
}
