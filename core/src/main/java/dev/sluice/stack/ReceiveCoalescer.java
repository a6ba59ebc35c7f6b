package dev.sluice.stack;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.wire.Checksum;
import dev.sluice.wire.IpAddress;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Generic receive offload: turns consecutive segments of one flow, received in one batch, into
 * super-segments (B-12.4).
 *
 * <p>A segment joins the one before it if it continues its payload and its IP and TCP headers are
 * equal in everything but length, identification, sequence number, PSH and checksum: so the
 * timestamps, the acknowledgment, the window and the ECN codepoint agree, and CE never joins what
 * is not CE. Only segments with payload and ACK and without SYN, FIN, RST, URG and CWR take part,
 * and only those whose checksum somebody has {@linkplain PacketBuffer#CHECKSUM_VERIFIED vouched
 * for}, for the merged packet can no longer be checked. A super-segment ends with a PSH segment,
 * which leaves its flag in the head, with one shorter than the first, when it holds the most
 * segments or bytes allowed, and with the batch.
 *
 * <p>Nothing is copied or allocated. The first packet becomes the head: its headers stay as they
 * were, its IP length included, {@link PacketBuffer#segments} tells size and number, and the others
 * hang from {@link PacketBuffer#chain} with their windows narrowed to payload. Every buffer keeps
 * its own truesize. Packets leave in order of arrival, a super-segment at the place of its head;
 * the segments of one flow are never reordered.
 */
public final class ReceiveCoalescer {
    /** The most bytes in a super-segment, IP header included: what an IPv4 length can say. */
    public static final int MAX_BYTES = 65_535;

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int TCP = 6;
    private static final int PSH = 0x08;
    private static final int ACK = 0x10;
    private static final int FLAGS_THAT_JOIN = ACK | PSH | 0x40; // and ECE, which must then agree
    private static final int FLOWS = 8;

    private final int maxSegments;
    private final boolean verifies;

    /** Flows with a super-segment that may still grow. */
    private final PacketBuffer[] heads = new PacketBuffer[FLOWS];

    private final PacketBuffer[] tails = new PacketBuffer[FLOWS];
    private final int[] nextSequence = new int[FLOWS];
    private final int[] totalBytes = new int[FLOWS];
    private int open;

    private PacketBuffer first;
    private PacketBuffer last;

    // What the packet at hand says about itself; filled by parse().
    private int ipLength;
    private int headerLength;
    private int payloadLength;
    private int tcpFlags;

    /**
     * @param maxSegments the most segments in one super-segment, at least 1
     */
    public ReceiveCoalescer(int maxSegments) {
        this(maxSegments, false);
    }

    private ReceiveCoalescer(int maxSegments, boolean verifies) {
        if (maxSegments < 1) {
            throw new IllegalArgumentException("maxSegments must be at least 1");
        }
        this.maxSegments = maxSegments;
        this.verifies = verifies;
    }

    /**
     * For a device that vouches for nothing: verifies the checksums of the IPv4 header and of TCP
     * of what could join, as Linux does in software, and marks the packets. Those that are wrong
     * stay alone, to be refused and counted where all others are.
     */
    public static ReceiveCoalescer verifying(int maxSegments) {
        return new ReceiveCoalescer(maxSegments, true);
    }

    /** Takes a received IP packet into the batch. */
    public void add(PacketBuffer packet) {
        if (!parse(packet)) {
            append(packet);
            return;
        }
        int flow = find(packet);
        if (!mayJoin(packet)) {
            if (flow >= 0) {
                close(flow);
            }
            append(packet);
            return;
        }
        if (flow >= 0) {
            if (continues(packet, flow)) {
                join(packet, flow);
                return;
            }
            close(flow);
        }
        append(packet);
        if ((tcpFlags & PSH) == 0) {
            openFlow(packet);
        }
    }

    /**
     * Ends the batch.
     *
     * @return its packets, linked by {@link PacketBuffer#next}, or null if there were none
     */
    public PacketBuffer take() {
        PacketBuffer batch = first;
        first = null;
        last = null;
        while (open > 0) {
            close(open - 1);
        }
        return batch;
    }

    /** Reads the packet's own fields; false if it is no whole TCP packet without IP options. */
    private boolean parse(PacketBuffer packet) {
        int length = packet.length();
        if (length < 40) {
            return false;
        }
        MemorySegment segment = packet.segment();
        long at = packet.start();
        int versionAndLength = segment.get(BYTE, at) & 0xff;
        if (versionAndLength == 0x45) {
            ipLength = 20;
            boolean whole = (segment.get(SHORT, at + 6) & 0xbfff) == 0;
            if (!whole
                    || segment.get(BYTE, at + 9) != TCP
                    || (segment.get(SHORT, at + 2) & 0xffff) != packet.wireLength()) {
                return false;
            }
        } else if (versionAndLength >>> 4 == 6 && length >= 60) {
            ipLength = 40;
            if (segment.get(BYTE, at + 6) != TCP
                    || (segment.get(SHORT, at + 4) & 0xffff) + 40 != packet.wireLength()) {
                return false;
            }
        } else {
            return false;
        }
        int tcpLength = (segment.get(BYTE, at + ipLength + 12) & 0xf0) >>> 2;
        headerLength = ipLength + tcpLength;
        payloadLength = packet.wireLength() - headerLength;
        tcpFlags = segment.get(BYTE, at + ipLength + 13) & 0xff;
        return tcpLength >= 20 && headerLength <= length;
    }

    private boolean mayJoin(PacketBuffer packet) {
        return payloadLength > 0
                && (tcpFlags & ACK) != 0
                && (tcpFlags & ~FLAGS_THAT_JOIN) == 0
                && packet.segmentCount() == 1
                && packet.chain() == null
                && (packet.checksum() == PacketBuffer.CHECKSUM_VERIFIED
                        || verifies && isCorrect(packet));
    }

    private boolean isCorrect(PacketBuffer packet) {
        if (packet.checksum() != PacketBuffer.CHECKSUM_UNVERIFIED || packet.syntheticLength() > 0) {
            return false;
        }
        MemorySegment segment = packet.segment();
        long at = packet.start();
        boolean correct;
        if (ipLength == 20) {
            correct =
                    Checksum.fold(Checksum.sum(segment, at, 20)) == 0xffff
                            && verifyTcp(
                                    packet,
                                    0,
                                    IpAddress.ipv4Lo(segment.get(INT, at + 12)),
                                    0,
                                    IpAddress.ipv4Lo(segment.get(INT, at + 16)));
        } else {
            correct =
                    verifyTcp(
                            packet,
                            segment.get(LONG, at + 8),
                            segment.get(LONG, at + 16),
                            segment.get(LONG, at + 24),
                            segment.get(LONG, at + 32));
        }
        if (correct) {
            packet.checksum(PacketBuffer.CHECKSUM_VERIFIED);
        }
        return correct;
    }

    private boolean verifyTcp(
            PacketBuffer packet,
            long sourceHi,
            long sourceLo,
            long destinationHi,
            long destinationLo) {
        return Checksum.verifyTransport(
                packet.segment(),
                packet.start() + ipLength,
                packet.length() - ipLength,
                TCP,
                sourceHi,
                sourceLo,
                destinationHi,
                destinationLo);
    }

    private int find(PacketBuffer packet) {
        for (int i = 0; i < open; i++) {
            if (isSameFlow(packet, heads[i])) {
                return i;
            }
        }
        return -1;
    }

    private boolean isSameFlow(PacketBuffer packet, PacketBuffer head) {
        MemorySegment a = packet.segment();
        MemorySegment b = head.segment();
        long p = packet.start();
        long q = head.start();
        if (a.get(INT, p + ipLength) != b.get(INT, q + ipLength)
                || a.get(BYTE, p) >>> 4 != b.get(BYTE, q) >>> 4) {
            return false;
        }
        if (ipLength == 20) {
            return a.get(LONG, p + 12) == b.get(LONG, q + 12);
        }
        return a.get(LONG, p + 8) == b.get(LONG, q + 8)
                && a.get(LONG, p + 16) == b.get(LONG, q + 16)
                && a.get(LONG, p + 24) == b.get(LONG, q + 24)
                && a.get(LONG, p + 32) == b.get(LONG, q + 32);
    }

    private boolean continues(PacketBuffer packet, int flow) {
        PacketBuffer head = heads[flow];
        MemorySegment a = packet.segment();
        MemorySegment b = head.segment();
        long p = packet.start();
        long q = head.start();
        return a.get(INT, p + ipLength + 4) == nextSequence[flow]
                && payloadLength <= head.segmentSize()
                && totalBytes[flow] + payloadLength <= MAX_BYTES
                && head.segmentCount() < maxSegments
                && hasSameIpFields(a, p, b, q)
                && hasSameTcpFields(a, p + ipLength, b, q + ipLength);
    }

    /**
     * Traffic class with its ECN codepoint, time to live, and what else may tell two paths apart.
     */
    private boolean hasSameIpFields(MemorySegment a, long p, MemorySegment b, long q) {
        if (ipLength == 20) {
            return a.get(SHORT, p) == b.get(SHORT, q)
                    && a.get(SHORT, p + 6) == b.get(SHORT, q + 6)
                    && a.get(SHORT, p + 8) == b.get(SHORT, q + 8);
        }
        return a.get(INT, p) == b.get(INT, q) && a.get(BYTE, p + 7) == b.get(BYTE, q + 7);
    }

    /** Acknowledgment, header length, flags but PSH, window and options. */
    private boolean hasSameTcpFields(MemorySegment a, long p, MemorySegment b, long q) {
        int different = a.get(INT, p + 12) ^ b.get(INT, q + 12);
        if ((different & ~(PSH << 16)) != 0 || a.get(INT, p + 8) != b.get(INT, q + 8)) {
            return false;
        }
        int end = headerLength - ipLength;
        for (int at = 20; at < end; at += 4) {
            if (a.get(INT, p + at) != b.get(INT, q + at)) {
                return false;
            }
        }
        return true;
    }

    private void join(PacketBuffer packet, int flow) {
        PacketBuffer head = heads[flow];
        packet.window(packet.offset() + headerLength, packet.length() - headerLength);
        tails[flow].chain(packet);
        tails[flow] = packet;
        nextSequence[flow] += payloadLength;
        totalBytes[flow] += payloadLength;
        int count = head.segmentCount() + 1;
        head.segments(head.segmentSize(), count);
        boolean push = (tcpFlags & PSH) != 0;
        if (push) {
            long at = head.start() + ipLength + 13;
            MemorySegment segment = head.segment();
            segment.set(BYTE, at, (byte) (segment.get(BYTE, at) | PSH));
        }
        if (push || payloadLength < head.segmentSize() || count == maxSegments) {
            close(flow);
        }
    }

    private void openFlow(PacketBuffer packet) {
        if (open == FLOWS) {
            close(0);
        }
        packet.segments(payloadLength, 1);
        heads[open] = packet;
        tails[open] = packet;
        int sequence = packet.segment().get(INT, packet.start() + ipLength + 4);
        nextSequence[open] = sequence + payloadLength;
        totalBytes[open] = packet.wireLength();
        open++;
    }

    private void close(int flow) {
        if (heads[flow].segmentCount() == 1) {
            heads[flow].segments(0, 1);
        }
        open--;
        for (int i = flow; i < open; i++) {
            heads[i] = heads[i + 1];
            tails[i] = tails[i + 1];
            nextSequence[i] = nextSequence[i + 1];
            totalBytes[i] = totalBytes[i + 1];
        }
        heads[open] = null;
        tails[open] = null;
    }

    private void append(PacketBuffer packet) {
        if (first == null) {
            first = packet;
        } else {
            last.next(packet);
        }
        last = packet;
    }
}
