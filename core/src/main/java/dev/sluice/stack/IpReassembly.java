package dev.sluice.stack;

import dev.sluice.config.StackConfig;
import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.memory.Truesize;
import dev.sluice.trace.Counter;
import dev.sluice.trace.Counters;
import dev.sluice.wire.EcnCodepoint;
import dev.sluice.wire.Ipv4Header;
import dev.sluice.wire.Ipv6Header;

import java.lang.foreign.MemorySegment;

/**
 * Packets from their fragments (RFC 791 section 3.2, RFC 8200 section 4.5), within bounds of time
 * and memory for each family. Packets whose fragments overlap are dropped as a whole (RFC 5722);
 * Linux does that for IPv4 as well.
 */
final class IpReassembly {
    private static final int BUCKETS = 1024;
    private static final int SOURCES = 256;
    private static final int LONGEST_PACKET = 65_535;

    private final NetworkStack stack;
    private final Icmp icmp;
    private final PacketPool packets;
    private final Counters counters;
    private final Truesize model;
    private final long key;

    // They stay as they were when the stack was made, so that the oldest always ends first.
    private final long ipv4Nanos;
    private final long ipv6Nanos;

    /** Made with the first fragment. */
    private FragmentQueue[] buckets;

    /** Fragments seen, by hash of the source: {@code ipfrag_max_dist}. */
    private int[] seen;

    private FragmentQueue free;

    // By family, IPv4 first.
    private final FragmentQueue[] oldest = new FragmentQueue[2];
    private final FragmentQueue[] newest = new FragmentQueue[2];
    private final long[] memory = new long[2];

    private final ReceivedPacket report = new ReceivedPacket();

    IpReassembly(NetworkStack stack, Icmp icmp, Truesize model, long key) {
        this.stack = stack;
        this.icmp = icmp;
        this.packets = stack.packets();
        this.counters = stack.counters();
        this.model = model;
        this.key = key;
        this.ipv4Nanos = stack.config().ip4ReassemblyNanos;
        this.ipv6Nanos = stack.config().ip6ReassemblyNanos;
    }

    /**
     * A fragment came; it belongs to us from here on.
     *
     * @param p its addresses; its buffer is the fragment
     * @return the whole packet, which the caller owns, if this was what it lacked; else null
     */
    PacketBuffer ipv4(long now, Ipv4Header header, ReceivedPacket p) {
        counters.increment(Counter.IP_REASM_REQDS);
        int start = header.fragmentOffset();
        int length = header.payloadLength();
        boolean last = !header.moreFragments();
        // What is beyond a whole number of words cannot be continued and is not looked at.
        int taken = last ? length : length & ~7;
        FragmentQueue q = find(now, p, header.id(), header.protocol());
        if (q == null) {
            return dropped(p);
        }
        if (isTooFar(now, q)) {
            counters.increment(Counter.IP_REASM_FAILS);
            restart(now, q);
        }
        if (start == 0) {
            q.ttl = header.ttl();
        }
        return add(now, q, p, start, taken, last, header.headerLength());
    }

    /** See {@link #ipv4}. */
    PacketBuffer ipv6(long now, Ipv6Header header, ReceivedPacket p) {
        counters.increment(Counter.IP6_REASM_REQDS);
        FragmentQueue q = find(now, p, header.fragmentId(), 0);
        if (q == null) {
            return dropped(p);
        }
        if (header.fragmentOffset() == 0) {
            q.ttl = header.hopLimit();
            q.protocol = header.protocol();
        }
        return add(
                now,
                q,
                p,
                header.fragmentOffset(),
                header.payloadLength(),
                !header.moreFragments(),
                header.headerLength());
    }

    private PacketBuffer dropped(ReceivedPacket p) {
        countFailure(p.ipv6);
        packets.release(p.buffer);
        return null;
    }

    private void countFailure(boolean ipv6) {
        counters.increment(ipv6 ? Counter.IP6_REASM_FAILS : Counter.IP_REASM_FAILS);
    }

    private PacketBuffer add(
            long now,
            FragmentQueue q,
            ReceivedPacket p,
            int start,
            int length,
            boolean last,
            int headerLength) {
        PacketBuffer fragment = p.buffer;
        boolean stored = fragment.chain() == null && p.stored == p.length;
        if (length == 0 || !stored || q.contradicts(start + length, last)) {
            remove(q);
            return dropped(p);
        }
        fragment.window((int) (p.transport - fragment.base()), length);
        switch (q.insert(fragment, start, start + length)) {
            case DUPLICATE -> {
                packets.release(fragment);
                return null;
            }
            case OVERLAP -> {
                if (!p.ipv6) {
                    counters.increment(Counter.IP_REASM_OVERLAPS);
                }
                remove(q);
                return dropped(p);
            }
            case NEW -> memory[family(q)] += fragment.truesize();
        }
        q.ecnSeen |= 1 << p.ecn();
        if (start == 0) {
            q.tos = p.tos;
            q.headerLength = headerLength;
        }
        return q.isComplete() ? assemble(q) : null;
    }

    // ---- the whole ---------------------------------------------------------------------------

    private PacketBuffer assemble(FragmentQueue q) {
        int ecn = ecn(q.ecnSeen, q.tos & 3);
        int header = q.ipv6 ? Ipv6Header.LENGTH : Ipv4Header.LENGTH;
        boolean fits = q.length() + (q.ipv6 ? 0 : header) <= LONGEST_PACKET;
        PacketBuffer whole =
                ecn < 0 || !fits
                        ? null
                        : packets.acquire(Fragmenter.HEADROOM + header + q.length());
        if (whole == null) {
            countFailure(q.ipv6);
            remove(q);
            return null;
        }
        whole.window(Fragmenter.HEADROOM, header + q.length());
        writeHeader(q, whole, q.tos & ~3 | ecn);
        for (int i = 0; i < q.count(); i++) {
            PacketBuffer f = q.buffer(i);
            MemorySegment.copy(
                    f.segment(),
                    f.start(),
                    whole.segment(),
                    whole.start() + header + q.start(i),
                    f.length());
        }
        whole.truesize(model.received(whole.length(), q.count(), whole.capacity()));
        counters.increment(q.ipv6 ? Counter.IP6_REASM_OKS : Counter.IP_REASM_OKS);
        remove(q);
        return whole;
    }

    /** Options and extension headers have been looked at and are left out. */
    private static void writeHeader(FragmentQueue q, PacketBuffer whole, int tos) {
        if (q.ipv6) {
            Ipv6Header.write(
                    whole.segment(),
                    whole.start(),
                    tos,
                    0,
                    q.length(),
                    q.protocol,
                    q.ttl,
                    q.sourceHi,
                    q.sourceLo,
                    q.destinationHi,
                    q.destinationLo);
        } else {
            Ipv4Header.write(
                    whole.segment(),
                    whole.start(),
                    tos,
                    Ipv4Header.LENGTH + q.length(),
                    q.id,
                    false,
                    q.ttl,
                    q.protocol,
                    q.sourceLo,
                    q.destinationLo);
        }
    }

    /**
     * One mark of congestion marks the whole; a mixture of capable fragments and others is an error
     * (RFC 3168 section 5.3).
     *
     * @return the codepoint, or -1
     */
    private static int ecn(int seen, int ofFirst) {
        int notEct = 1 << EcnCodepoint.NOT_ECT;
        int ce = 1 << EcnCodepoint.CE;
        if ((seen & notEct) != 0 && seen != notEct) {
            return -1;
        }
        return (seen & ce) != 0 ? EcnCodepoint.CE : ofFirst;
    }

    // ---- queues ------------------------------------------------------------------------------

    private static int family(FragmentQueue q) {
        return q.ipv6 ? 1 : 0;
    }

    private int bucket(boolean ipv6, long sourceHi, long sourceLo, long destinationLo, int id) {
        long h = (key ^ sourceLo ^ (long) id << 32) * 0x9e37_79b9_7f4a_7c15L;
        h = (h ^ h >>> 32 ^ sourceHi ^ (ipv6 ? 1 : 0)) * 0xbf58_476d_1ce4_e5b9L;
        h = (h ^ h >>> 32 ^ destinationLo) * 0x94d0_49bb_1331_11ebL;
        return (int) (h >>> 40) & BUCKETS - 1;
    }

    private int bucket(FragmentQueue q) {
        return bucket(q.ipv6, q.sourceHi, q.sourceLo, q.destinationLo, q.id);
    }

    /**
     * The queue of a fragment, made if need be; null if memory is used up.
     *
     * @param protocol part of the identity of an IPv4 packet; 0 for IPv6
     */
    private FragmentQueue find(long now, ReceivedPacket p, int id, int protocol) {
        StackConfig config = stack.config();
        int limit = p.ipv6 ? config.ip6ReassemblyBytes : config.ip4ReassemblyBytes;
        if (limit == 0 || memory[p.ipv6 ? 1 : 0] > limit) {
            return null;
        }
        if (buckets == null) {
            buckets = new FragmentQueue[BUCKETS];
            seen = new int[SOURCES];
        }
        int bucket = bucket(p.ipv6, p.sourceHi, p.sourceLo, p.destinationLo, id);
        for (FragmentQueue q = buckets[bucket]; q != null; q = q.nextInBucket) {
            if (q.id == id
                    && q.sourceLo == p.sourceLo
                    && q.sourceHi == p.sourceHi
                    && q.destinationLo == p.destinationLo
                    && q.destinationHi == p.destinationHi
                    && q.ipv6 == p.ipv6
                    && (p.ipv6 || q.protocol == protocol)) {
                return q;
            }
        }
        FragmentQueue q = free;
        if (q == null) {
            q = new FragmentQueue();
        } else {
            free = q.nextInBucket;
        }
        q.ipv6 = p.ipv6;
        q.id = id;
        q.protocol = protocol;
        q.sourceHi = p.sourceHi;
        q.sourceLo = p.sourceLo;
        q.destinationHi = p.destinationHi;
        q.destinationLo = p.destinationLo;
        q.broadcast = p.broadcast;
        q.seen = seen[source(q)];
        q.nextInBucket = buckets[bucket];
        buckets[bucket] = q;
        append(now, q);
        return q;
    }

    private int source(FragmentQueue q) {
        long h = (key ^ q.sourceLo) * 0x9e37_79b9_7f4a_7c15L;
        return (int) (h >>> 40) & SOURCES - 1;
    }

    /**
     * Whether so many other fragments of the source came since the last of this packet that its
     * identification may have come round again.
     */
    private boolean isTooFar(long now, FragmentQueue q) {
        int before = q.seen;
        q.seen = ++seen[source(q)];
        int most = stack.config().ip4ReassemblyMaxDistance;
        return most > 0 && q.count() > 0 && q.seen - before > most;
    }

    private void restart(long now, FragmentQueue q) {
        memory[family(q)] -= q.truesize;
        q.clear(packets);
        unlink(q);
        append(now, q);
    }

    private void append(long now, FragmentQueue q) {
        int family = family(q);
        q.deadline = now + (q.ipv6 ? ipv6Nanos : ipv4Nanos);
        q.newer = null;
        q.older = newest[family];
        if (q.older == null) {
            oldest[family] = q;
        } else {
            q.older.newer = q;
        }
        newest[family] = q;
    }

    private void unlink(FragmentQueue q) {
        int family = family(q);
        if (q.older == null) {
            oldest[family] = q.newer;
        } else {
            q.older.newer = q.newer;
        }
        if (q.newer == null) {
            newest[family] = q.older;
        } else {
            q.newer.older = q.older;
        }
        q.older = null;
        q.newer = null;
    }

    private void remove(FragmentQueue q) {
        int bucket = bucket(q);
        if (buckets[bucket] == q) {
            buckets[bucket] = q.nextInBucket;
        } else {
            FragmentQueue previous = buckets[bucket];
            while (previous.nextInBucket != q) {
                previous = previous.nextInBucket;
            }
            previous.nextInBucket = q.nextInBucket;
        }
        unlink(q);
        memory[family(q)] -= q.truesize;
        q.clear(packets);
        q.nextInBucket = free;
        free = q;
    }

    // ---- time --------------------------------------------------------------------------------

    /** When the next packet is given up; Long.MAX_VALUE if none waits. */
    long nextDeadline() {
        long ipv4 = oldest[0] == null ? Long.MAX_VALUE : oldest[0].deadline;
        return oldest[1] == null ? ipv4 : Math.min(ipv4, oldest[1].deadline);
    }

    /** Gives up what has waited too long. */
    void advance(long now) {
        for (int family = 0; family < 2; family++) {
            FragmentQueue q = oldest[family];
            while (q != null && q.deadline <= now) {
                countFailure(q.ipv6);
                counters.increment(q.ipv6 ? Counter.IP6_REASM_TIMEOUT : Counter.IP_REASM_TIMEOUT);
                reportTimeout(now, q);
                remove(q);
                q = oldest[family];
            }
        }
    }

    /** Only if the first fragment is here: it says what the packet was. */
    private void reportTimeout(long now, FragmentQueue q) {
        PacketBuffer first = q.first();
        if (first == null) {
            return;
        }
        first.window(first.offset() - q.headerLength, first.length() + q.headerLength);
        report.buffer = first;
        report.ipv6 = q.ipv6;
        report.sourceHi = q.sourceHi;
        report.sourceLo = q.sourceLo;
        report.destinationHi = q.destinationHi;
        report.destinationLo = q.destinationLo;
        report.broadcast = q.broadcast;
        icmp.reassemblyTimeExceeded(now, report);
        report.buffer = null;
    }

    void checkInvariants() {
        for (int family = 0; family < 2; family++) {
            long truesize = 0;
            long last = Long.MIN_VALUE;
            for (FragmentQueue q = oldest[family]; q != null; q = q.newer) {
                if (q.isComplete() || q.deadline < last || q.newer == null && q != newest[family]) {
                    throw new AssertionError("a queue of fragments that should not be there");
                }
                last = q.deadline;
                truesize += q.truesize;
            }
            if (truesize != memory[family]) {
                throw new AssertionError(
                        "fragments of %d bytes, counted %d".formatted(truesize, memory[family]));
            }
        }
    }
}
