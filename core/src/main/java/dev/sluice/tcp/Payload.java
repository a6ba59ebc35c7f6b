package dev.sluice.tcp;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.Truesize;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The payload of received packets: trimming, and the copies that keep small payloads out of large
 * buffers (architecture section 10, B-7.13).
 *
 * <p>The payload of a packet is one run of bytes: stored bytes, then synthetic ones, then those of
 * the buffers chained to it (see {@link PacketBuffer}). Each buffer of a chain carries its own
 * truesize.
 */
final class Payload {
    private Payload() {}

    /** Bytes of payload of the whole chain. */
    static int length(PacketBuffer packet) {
        int bytes = 0;
        for (PacketBuffer b = packet; b != null; b = b.chain()) {
            bytes += b.wireLength();
        }
        return bytes;
    }

    /** Truesize of the whole chain. */
    static int truesize(PacketBuffer packet) {
        int bytes = 0;
        for (PacketBuffer b = packet; b != null; b = b.chain()) {
            bytes += b.truesize();
        }
        return bytes;
    }

    /** The byte at {@code index}; of synthetic payload, zero. */
    static byte octet(PacketBuffer packet, int index) {
        PacketBuffer b = packet;
        int left = index;
        while (left >= b.wireLength()) {
            left -= b.wireLength();
            b = b.chain();
        }
        return left < b.length() ? b.segment().get(ValueLayout.JAVA_BYTE, b.start() + left) : 0;
    }

    // ---- trimming ----------------------------------------------------------------------------

    /**
     * Removes the first {@code bytes} bytes; buffers that become empty go back to the pool.
     *
     * @return the packet that holds the rest, or null if nothing is left
     */
    static PacketBuffer dropFirst(PacketPool pool, PacketBuffer packet, int bytes) {
        PacketBuffer first = packet;
        int left = bytes;
        while (first != null && left > 0 && left >= first.wireLength()) {
            left -= first.wireLength();
            PacketBuffer rest = first.chain();
            first.chain(null);
            pool.release(first);
            first = rest;
        }
        if (first != null && left > 0) {
            int stored = Math.min(left, first.length());
            first.window(first.offset() + stored, first.length() - stored);
            int synthetic = left - stored;
            if (synthetic > 0) {
                first.synthetic(
                        first.syntheticOffset() + synthetic, first.syntheticLength() - synthetic);
            }
        }
        return first;
    }

    /**
     * Keeps the first {@code bytes} bytes, at least one; buffers that become empty go back to the
     * pool.
     */
    static void keepFirst(PacketPool pool, PacketBuffer packet, int bytes) {
        PacketBuffer last = packet;
        int left = bytes;
        while (left > last.wireLength()) {
            left -= last.wireLength();
            last = last.chain();
        }
        PacketBuffer rest = last.chain();
        if (rest != null) {
            last.chain(null);
            pool.release(rest);
        }
        if (left < last.wireLength()) {
            int stored = Math.min(left, last.length());
            last.window(last.offset(), stored);
            last.synthetic(last.syntheticOffset(), left - stored);
        }
    }

    // ---- copies ------------------------------------------------------------------------------

    /**
     * Copybreak: a small payload moves out of a larger buffer, which returns to the pool.
     *
     * @return the packet to keep
     */
    static PacketBuffer fit(PacketPool pool, PacketBuffer packet) {
        if (packet.length() > PacketPool.SMALL
                || packet.capacity() <= PacketPool.SMALL
                || packet.syntheticLength() > 0
                || packet.chain() != null) {
            return packet;
        }
        PacketBuffer small = pool.acquire(packet.length());
        if (small == null) {
            return packet;
        }
        small.window(0, 0);
        append(small, packet);
        small.segments(packet.segmentSize(), packet.segmentCount());
        small.checksum(packet.checksum());
        small.timeNanos(packet.timeNanos());
        small.truesize(Math.min(packet.truesize(), pooledTruesize(small.capacity())));
        pool.release(packet);
        return small;
    }

    /**
     * Copies a small payload behind another, if there is room, and gives its buffer back.
     *
     * @param before the packet whose payload ends where that of {@code packet} begins; may be null
     */
    static boolean coalesce(PacketPool pool, PacketBuffer before, PacketBuffer packet) {
        if (before == null
                || packet.length() > PacketPool.SMALL
                || !isPlain(before)
                || !isPlain(packet)
                || before.capacity() - before.offset() - before.length() < packet.length()) {
            return false;
        }
        append(before, packet);
        pool.release(packet);
        return true;
    }

    /** The last of the packets from {@code first} on that {@link #merge} could make one of. */
    static PacketBuffer endOfRun(PacketBuffer first) {
        PacketBuffer last = first;
        if (first.chain() != null || (first.syntheticLength() > 0 && first.length() > 0)) {
            return last;
        }
        int bytes = first.wireLength();
        PacketBuffer candidate = first.next();
        while (candidate != null
                && bytes + candidate.wireLength() <= PacketPool.LARGE
                && continues(last, candidate)) {
            bytes += candidate.wireLength();
            last = candidate;
            candidate = candidate.next();
        }
        return last;
    }

    private static boolean continues(PacketBuffer last, PacketBuffer candidate) {
        if (candidate.chain() != null) {
            return false;
        }
        if (last.syntheticLength() == 0) {
            return candidate.syntheticLength() == 0;
        }
        return candidate.length() == 0
                && candidate.syntheticOffset() == last.syntheticOffset() + last.syntheticLength();
    }

    static int runTruesize(PacketBuffer first, PacketBuffer last) {
        int bytes = last.truesize();
        for (PacketBuffer b = first; b != last; b = b.next()) {
            bytes += b.truesize();
        }
        return bytes;
    }

    /**
     * One packet with the payload of a run; the run stays as it is.
     *
     * @return null if that saves nothing or the pool is exhausted; {@code first} itself, changed,
     *     if the payload is synthetic
     */
    static PacketBuffer merge(PacketPool pool, PacketBuffer first, PacketBuffer last) {
        int bytes = last.wireLength();
        for (PacketBuffer b = first; b != last; b = b.next()) {
            bytes += b.wireLength();
        }
        int truesize = pooledTruesize(PacketPool.sizeFor(bytes));
        if (truesize >= runTruesize(first, last)) {
            return null;
        }
        PacketBuffer merged = first;
        if (first.syntheticLength() > 0) {
            first.synthetic(first.syntheticOffset(), bytes);
        } else {
            merged = pool.acquire(bytes);
            if (merged == null) {
                return null;
            }
            merged.window(0, 0);
            for (PacketBuffer b = first; b != last; b = b.next()) {
                append(merged, b);
            }
            append(merged, last);
            merged.timeNanos(last.timeNanos());
            merged.checksum(first.checksum());
        }
        merged.truesize(truesize);
        return merged;
    }

    /**
     * Gives a run back to the pool, but for the packet that stays; returns how many packets it had.
     */
    static int releaseRun(
            PacketPool pool, PacketBuffer first, PacketBuffer last, PacketBuffer except) {
        int packets = 1;
        PacketBuffer packet = first;
        while (packet != last) {
            PacketBuffer following = packet.next();
            if (packet != except) {
                pool.release(packet);
            }
            packets++;
            packet = following;
        }
        if (last != except) {
            pool.release(last);
        }
        return packets;
    }

    private static boolean isPlain(PacketBuffer packet) {
        return packet.syntheticLength() == 0 && packet.chain() == null;
    }

    private static void append(PacketBuffer to, PacketBuffer from) {
        MemorySegment.copy(
                from.segment(),
                from.start(),
                to.segment(),
                to.start() + to.length(),
                from.length());
        to.window(to.offset(), to.length() + from.length());
    }

    /**
     * A payload that we copied lies in our own memory, whatever the model says of received frames.
     */
    private static int pooledTruesize(int capacity) {
        return Truesize.SLAB.received(0, 1, capacity);
    }
}
