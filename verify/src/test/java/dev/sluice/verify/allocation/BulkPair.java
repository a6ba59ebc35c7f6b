package dev.sluice.verify.allocation;

import dev.sluice.config.StackConfig;
import dev.sluice.config.Sysctl;
import dev.sluice.memory.BlockPool;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.TransmitOwner;
import dev.sluice.memory.Truesize;
import dev.sluice.seed.Rng;
import dev.sluice.socket.ListenSocket;
import dev.sluice.socket.SocketError;
import dev.sluice.socket.StreamSocket;
import dev.sluice.stack.Interface;
import dev.sluice.stack.NetworkStack;
import dev.sluice.stack.PacketSink;
import dev.sluice.trace.Counter;
import dev.sluice.trace.StackObserver;
import dev.sluice.wire.IpAddress;

/**
 * Two stacks driven by hand, one connection, bulk in both directions: a wire of fixed delay, and a
 * packet in so many lost. Nothing here allocates once it runs.
 */
final class BulkPair implements AutoCloseable {
    private static final long DELAY_NANOS = 200_000L;
    private static final int PORT = 7000;
    private static final int CHUNK = 32_768;

    private final PacketPool packets = new PacketPool(256L << 20);
    private final BlockPool blocks;
    private final Truesize truesize;
    private final boolean synthetic;
    private final int loseOneIn;
    private final Rng losses = new Rng(99);
    private final byte[] data = new byte[CHUNK];
    private final Side[] sides = new Side[2];
    private final PacketSink[] sinks = {(n, i, p) -> send(0, p), (n, i, p) -> send(1, p)};
    private long now = 1_000_000_000_000L;
    private long lost;

    /** One end with what is on its way to it. */
    private static final class Side {
        NetworkStack stack;
        Interface iface;
        StreamSocket socket;
        final PacketBuffer[] inbound = new PacketBuffer[1 << 14];
        final long[] due = new long[1 << 14];
        int head;
        int tail;
    }

    /**
     * @param synthetic payload that is not stored
     * @param loseOneIn one data packet in so many is lost; 0 for none
     * @param congestion congestion control of both sides
     */
    BulkPair(boolean synthetic, int loseOneIn, String congestion) {
        this.synthetic = synthetic;
        this.loseOneIn = loseOneIn;
        StackConfig config =
                StackConfig.builder().set(Sysctl.TCP_CONGESTION_CONTROL, congestion).build();
        blocks = new BlockPool(config.blockBytes, 64L << 20);
        truesize = Truesize.of(config.truesize);
        for (int i = 0; i < 2; i++) {
            Side side = new Side();
            side.stack = new NetworkStack(config, packets, blocks, new Rng(i), StackObserver.NONE);
            side.iface = side.stack.addInterface("wire", 1500);
            side.iface.addAddress(address(i), 24);
            side.iface.offloads(false, true);
            sides[i] = side;
        }
        StreamSocket listening = new StreamSocket(sides[1].stack);
        listening.bind(address(1), PORT);
        ListenSocket listener = listening.listen(1);
        sides[0].socket = new StreamSocket(sides[0].stack);
        sides[0].socket.connect(now, address(1), PORT);
        while (sides[1].socket == null) {
            turn();
            sides[1].socket = listener.accept(now);
        }
    }

    private static IpAddress address(int i) {
        return IpAddress.parse("198.51.100." + (i + 1)).address();
    }

    boolean loses() {
        return loseOneIn > 0;
    }

    long lost() {
        return lost;
    }

    long retransmitted() {
        return counted(Counter.TCP_RETRANS_SEGS);
    }

    /** Data segments that both sides have sent for the first time. */
    long segments() {
        return counted(Counter.TCP_ORIG_DATA_SENT);
    }

    private long counted(Counter counter) {
        return sides[0].stack.counters().get(counter) + sides[1].stack.counters().get(counter);
    }

    /** Until so many more data segments have been sent. */
    void run(long wanted) {
        long until = segments() + wanted;
        while (segments() < until) {
            for (Side side : sides) {
                write(side);
                read(side);
            }
            turn();
        }
    }

    private void write(Side side) {
        int taken;
        do {
            taken =
                    synthetic
                            ? side.socket.writeSynthetic(now, CHUNK, 0)
                            : side.socket.write(now, data, 0, CHUNK, 0);
        } while (taken == CHUNK);
        if (taken < 0 && taken != SocketError.EAGAIN.result()) {
            throw new IllegalStateException("write = " + taken);
        }
    }

    private void read(Side side) {
        int taken;
        do {
            taken =
                    synthetic
                            ? side.socket.readSynthetic(now, CHUNK)
                            : side.socket.read(now, data, 0, CHUNK, 0);
        } while (taken > 0);
        if (taken == 0 || taken != SocketError.EAGAIN.result()) {
            throw new IllegalStateException("read = " + taken);
        }
    }

    /** To the next event, and through it. */
    private void turn() {
        long next = Long.MAX_VALUE;
        for (Side side : sides) {
            next = Math.min(next, side.stack.nextDeadline());
            if (side.head != side.tail) {
                next = Math.min(next, side.due[side.head]);
            }
        }
        now = Math.max(now, next == Long.MAX_VALUE ? now : next);
        for (int i = 0; i < 2; i++) {
            Side side = sides[i];
            while (side.head != side.tail && side.due[side.head] <= now) {
                PacketBuffer packet = side.inbound[side.head];
                side.inbound[side.head] = null;
                side.head = side.head + 1 & side.due.length - 1;
                packet.timeNanos(now);
                side.stack.deliver(now, side.iface, packet);
            }
            side.stack.advance(now);
            do {
                side.stack.flush(now, sinks[i]);
            } while (side.stack.signal(now));
        }
    }

    private boolean send(int from, PacketBuffer packet) {
        Side to = sides[1 - from];
        int next = to.tail + 1 & to.due.length - 1;
        if (next == to.head) {
            return false;
        }
        TransmitOwner owner = packet.owner();
        if (owner != null) {
            sides[from].stack.transmitCompleted(now, owner, packet.truesize());
            packet.owner(null);
        }
        if (loseOneIn > 0 && packet.wireLength() > 1000 && losses.chance(1, loseOneIn)) {
            lost++;
            packets.release(packet);
            return true;
        }
        packet.truesize(truesize.received(packet.wireLength(), 1, packet.capacity()));
        to.inbound[to.tail] = packet;
        to.due[to.tail] = now + DELAY_NANOS;
        to.tail = next;
        return true;
    }

    @Override
    public void close() {
        packets.close();
        blocks.close();
    }
}
