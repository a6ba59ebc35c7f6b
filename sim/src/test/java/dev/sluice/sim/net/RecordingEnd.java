package dev.sluice.sim.net;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;

import java.util.ArrayList;
import java.util.List;

/** The end of a link under test: notes when which packet came. */
final class RecordingEnd implements LinkEnd {
    final List<Long> times = new ArrayList<>();
    final List<Integer> sequences = new ArrayList<>();
    final List<Integer> batches = new ArrayList<>();
    final List<Byte> checksums = new ArrayList<>();
    private final PacketPool pool;
    private final long hold;
    private int inBatch;

    RecordingEnd(PacketPool pool, long hold) {
        this.pool = pool;
        this.hold = hold;
    }

    @Override
    public void packetArrived(long arrival, PacketBuffer packet) {
        times.add(arrival);
        sequences.add(PacketView.sequence(packet));
        checksums.add(packet.checksum());
        inBatch++;
        pool.release(packet);
    }

    @Override
    public void batchComplete(long now) {
        if (inBatch > 0) {
            batches.add(inBatch);
        }
        inBatch = 0;
    }

    @Override
    public long holdNanos() {
        return hold;
    }
}
