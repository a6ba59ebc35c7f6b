package dev.sluice.wire;

import java.lang.foreign.MemorySegment;

/**
 * An IPv4 header (RFC 791, ECN bits RFC 3168): a flyweight for reading, static methods for writing.
 */
public final class Ipv4Header {
    /** Bytes of a header without options, the only kind written here. */
    public static final int LENGTH = 20;

    private static final int TOS = 1;
    private static final int TOTAL_LENGTH = 2;
    private static final int ID = 4;
    private static final int TTL = 8;
    private static final int CHECKSUM = 10;
    private static final int SOURCE = 12;
    private static final int DESTINATION = 16;

    private static final int DONT_FRAGMENT = 0x4000;
    private static final int MORE_FRAGMENTS = 0x2000;
    private static final int OFFSET_MASK = 0x1fff;

    private static final int OPTION_END = 0;
    private static final int OPTION_NOP = 1;
    private static final int OPTION_LOOSE_SOURCE_ROUTE = 131;
    private static final int OPTION_STRICT_SOURCE_ROUTE = 137;

    private long start;
    private int headerLength;
    private int tos;
    private int totalLength;
    private int id;
    private int fragment;
    private int ttl;
    private int protocol;
    private long sourceLo;
    private long destinationLo;
    private int storedPayloadLength;

    /** A header wrapped around nothing yet. */
    public Ipv4Header() {}

    /** {@link #wrap(MemorySegment, long, int, int)} for a packet whose bytes are all stored. */
    public DropReason wrap(MemorySegment segment, long start, int length) {
        return wrap(segment, start, length, length);
    }

    /**
     * Checks and parses the header. Bytes beyond the total length are link-layer padding and
     * ignored.
     *
     * @param length bytes stored from {@code start}
     * @param wireLength bytes of the packet on the wire: {@code length} plus synthetic payload
     *     ({@code PacketBuffer.wireLength()}); the total length is checked against it
     * @return why the packet must be dropped, or null
     */
    public DropReason wrap(MemorySegment segment, long start, int length, int wireLength) {
        if (length < LENGTH) {
            return DropReason.IPV4_TRUNCATED;
        }
        // Three loads bring in the whole fixed header; the rest is shifting.
        long head = BigEndian.i64(segment, start);
        if (head >>> 60 != 4) {
            return DropReason.IPV4_VERSION;
        }
        int header = (int) (head >>> 56 & 0xf) << 2;
        if (header < LENGTH || header > length) {
            return DropReason.IPV4_HEADER_LENGTH;
        }
        int total = (int) (head >>> 32) & 0xffff;
        if (total < header || total > wireLength) {
            return DropReason.IPV4_TOTAL_LENGTH;
        }
        long middle = BigEndian.i64(segment, start + TTL);
        int destination = BigEndian.i32(segment, start + DESTINATION);
        long sum = Checksum.halves(head) + Checksum.halves(middle) + (destination & 0xffff_ffffL);
        if (header > LENGTH) {
            sum += Checksum.sum(segment, start + LENGTH, header - LENGTH);
        }
        if (Checksum.fold(sum) != 0xffff) {
            return DropReason.IPV4_CHECKSUM;
        }
        int fragmentWord = (int) head & 0xffff;
        if (((fragmentWord & OFFSET_MASK) << 3) + total - header > 0xffff) {
            return DropReason.IPV4_FRAGMENT_OVERLONG;
        }
        if (header > LENGTH) {
            DropReason drop = checkOptions(segment, start + LENGTH, header - LENGTH);
            if (drop != null) {
                return drop;
            }
        }
        this.start = start;
        headerLength = header;
        tos = (int) (head >>> 48) & 0xff;
        totalLength = total;
        id = (int) (head >>> 16) & 0xffff;
        fragment = fragmentWord;
        ttl = (int) (middle >>> 56);
        protocol = (int) (middle >>> 48) & 0xff;
        sourceLo = IpAddress.ipv4Lo((int) middle);
        destinationLo = IpAddress.ipv4Lo(destination);
        storedPayloadLength = Math.min(total, length) - header;
        return null;
    }

    /**
     * Options are skipped, but for source routes, which would let a stranger choose the way back.
     */
    private static DropReason checkOptions(MemorySegment segment, long at, int length) {
        int i = 0;
        while (i < length) {
            int kind = BigEndian.u8(segment, at + i);
            if (kind == OPTION_END) {
                return null;
            }
            if (kind == OPTION_NOP) {
                i++;
                continue;
            }
            int size = i + 1 < length ? BigEndian.u8(segment, at + i + 1) : 0;
            if (size < 2 || size > length - i) {
                return DropReason.IPV4_OPTIONS;
            }
            if (kind == OPTION_LOOSE_SOURCE_ROUTE || kind == OPTION_STRICT_SOURCE_ROUTE) {
                return DropReason.IPV4_SOURCE_ROUTE;
            }
            i += size;
        }
        return null;
    }

    public long start() {
        return start;
    }

    /** Bytes of the header, options included. */
    public int headerLength() {
        return headerLength;
    }

    /** DSCP and ECN together. */
    public int tos() {
        return tos;
    }

    public int dscp() {
        return tos >>> 2;
    }

    /** One of the {@link EcnCodepoint} constants. */
    public int ecn() {
        return tos & 3;
    }

    /** Bytes of header and payload, synthetic payload included. */
    public int totalLength() {
        return totalLength;
    }

    public int id() {
        return id;
    }

    public boolean dontFragment() {
        return (fragment & DONT_FRAGMENT) != 0;
    }

    public boolean moreFragments() {
        return (fragment & MORE_FRAGMENTS) != 0;
    }

    /** Where this fragment's payload belongs, in bytes. */
    public int fragmentOffset() {
        return (fragment & OFFSET_MASK) << 3;
    }

    /** Whether this is one fragment of several and must be reassembled first. */
    public boolean isFragment() {
        return (fragment & (MORE_FRAGMENTS | OFFSET_MASK)) != 0;
    }

    public int ttl() {
        return ttl;
    }

    /** One of the {@link IpProtocol} numbers. */
    public int protocol() {
        return protocol;
    }

    /** High long of the IPv4-mapped source: always 0. */
    public long sourceHi() {
        return 0;
    }

    public long sourceLo() {
        return sourceLo;
    }

    /** High long of the IPv4-mapped destination: always 0. */
    public long destinationHi() {
        return 0;
    }

    public long destinationLo() {
        return destinationLo;
    }

    /** Address of the first payload byte. */
    public long payloadOffset() {
        return start + headerLength;
    }

    /** Bytes of payload on the wire, synthetic ones included, padding excluded. */
    public int payloadLength() {
        return totalLength - headerLength;
    }

    /** Bytes of payload that are stored; less than {@link #payloadLength} if some are synthetic. */
    public int storedPayloadLength() {
        return storedPayloadLength;
    }

    /**
     * Writes a header of {@link #LENGTH} bytes with its checksum.
     *
     * @param totalLength header and payload in bytes, synthetic payload included
     * @param sourceLo low long of the IPv4-mapped source; only its low 32 bits are used
     * @param destinationLo likewise
     */
    public static void write(
            MemorySegment segment,
            long start,
            int tos,
            int totalLength,
            int id,
            boolean dontFragment,
            int ttl,
            int protocol,
            long sourceLo,
            long destinationLo) {
        int fragment = dontFragment ? DONT_FRAGMENT : 0;
        writeFragment(
                segment,
                start,
                tos,
                totalLength,
                id,
                fragment,
                ttl,
                protocol,
                sourceLo,
                destinationLo);
    }

    /**
     * Writes the header of one fragment, with its checksum.
     *
     * @param fragmentOffset where the payload belongs, in bytes, a multiple of 8
     */
    public static void writeFragment(
            MemorySegment segment,
            long start,
            int tos,
            int totalLength,
            int id,
            int fragmentOffset,
            boolean moreFragments,
            int ttl,
            int protocol,
            long sourceLo,
            long destinationLo) {
        int fragment = fragmentOffset >>> 3 | (moreFragments ? MORE_FRAGMENTS : 0);
        writeFragment(
                segment,
                start,
                tos,
                totalLength,
                id,
                fragment,
                ttl,
                protocol,
                sourceLo,
                destinationLo);
    }

    private static void writeFragment(
            MemorySegment segment,
            long start,
            int tos,
            int totalLength,
            int id,
            int fragment,
            int ttl,
            int protocol,
            long sourceLo,
            long destinationLo) {
        int word0 = 0x4500 << 16 | (tos & 0xff) << 16 | totalLength & 0xffff;
        int word1 = id << 16 | fragment;
        int word2 = (ttl & 0xff) << 24 | (protocol & 0xff) << 16;
        int source = (int) sourceLo;
        int destination = (int) destinationLo;
        long sum = (word0 & 0xffff_ffffL) + (word1 & 0xffff_ffffL) + (word2 & 0xffff_ffffL);
        sum += (source & 0xffff_ffffL) + (destination & 0xffff_ffffL);
        BigEndian.put32(segment, start, word0);
        BigEndian.put32(segment, start + ID, word1);
        BigEndian.put32(segment, start + TTL, word2 | ~Checksum.fold(sum) & 0xffff);
        BigEndian.put32(segment, start + SOURCE, source);
        BigEndian.put32(segment, start + DESTINATION, destination);
    }

    /**
     * Rewrites what differs between the packets of one super-segment (B-12.1), checksum included.
     */
    public static void updateLengthAndId(
            MemorySegment segment, long start, int totalLength, int id) {
        replace(segment, start, TOTAL_LENGTH, totalLength);
        replace(segment, start, ID, id);
    }

    /** Replaces DSCP and ECN, checksum included. */
    public static void updateTos(MemorySegment segment, long start, int tos) {
        int word = BigEndian.u16(segment, start);
        replace(segment, start, 0, word & 0xff00 | tos & 0xff);
    }

    /** One hop fewer, checksum included; the caller has checked that the TTL was above 1. */
    public static void decrementTtl(MemorySegment segment, long start) {
        replace(segment, start, TTL, BigEndian.u16(segment, start + TTL) - 0x100);
    }

    /**
     * What a congested queue does to a packet of an ECN-capable transport (RFC 3168 section 5).
     *
     * @return whether the packet now carries CE; false if it is Not-ECT and has to be dropped
     *     instead
     */
    public static boolean markCongestionExperienced(MemorySegment segment, long start) {
        int tos = BigEndian.u8(segment, start + TOS);
        if ((tos & EcnCodepoint.CE) == EcnCodepoint.NOT_ECT) {
            return false;
        }
        updateTos(segment, start, tos | EcnCodepoint.CE);
        return true;
    }

    private static void replace(MemorySegment segment, long start, int field, int value) {
        int old = BigEndian.u16(segment, start + field);
        int checksum = BigEndian.u16(segment, start + CHECKSUM);
        BigEndian.put16(segment, start + field, value);
        BigEndian.put16(segment, start + CHECKSUM, Checksum.update16(checksum, old, value));
    }
}
