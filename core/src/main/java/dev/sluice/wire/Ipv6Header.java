package dev.sluice.wire;

import java.lang.foreign.MemorySegment;

/**
 * An IPv6 header with its extension headers (RFC 8200): a flyweight for reading, static methods for
 * writing.
 *
 * <p>Hop-by-hop options, destination options and routing headers are walked within the bounds of
 * the packet. A fragment header ends the walk and is reported, unless it says that the packet is
 * whole (RFC 6946). Extension headers that this stack does not process are refused and counted; any
 * other number is an upper-layer protocol, known or not, and left to the stack. Jumbograms (RFC
 * 2675) are refused.
 */
public final class Ipv6Header {
    /** Bytes of the fixed header. */
    public static final int LENGTH = 40;

    /** Bytes of a fragment header. */
    public static final int FRAGMENT_LENGTH = 8;

    /** The link MTU below which no IPv6 link goes, in bytes. */
    public static final int MINIMUM_MTU = 1280;

    /** Honest packets have two or three; more is an attack on the reader. */
    private static final int MAX_EXTENSION_HEADERS = 8;

    /** Bytes from the start of the header to its payload length. */
    public static final int PAYLOAD_LENGTH = 4;

    private static final int NEXT_HEADER = 6;
    private static final int HOP_LIMIT = 7;
    private static final int SOURCE = 8;
    private static final int DESTINATION = 24;

    private static final int OPTION_PAD_1 = 0;
    private static final int OPTION_PAD_N = 1;
    private static final int OPTION_DISCARD = 1;

    private long start;
    private int trafficClass;
    private int flowLabel;
    private int hopLimit;
    private int totalLength;
    private long sourceHi;
    private long sourceLo;
    private long destinationHi;
    private long destinationLo;
    private int protocol;
    private long protocolOffset;
    private long payloadOffset;
    private int stored;
    private boolean fragment;
    private boolean moreFragments;
    private int fragmentOffset;
    private int fragmentId;
    private int problemCode;
    private int problemPointer;

    /** A header wrapped around nothing yet. */
    public Ipv6Header() {}

    /** {@link #wrap(MemorySegment, long, int, int)} for a packet whose bytes are all stored. */
    public DropReason wrap(MemorySegment segment, long start, int length) {
        return wrap(segment, start, length, length);
    }

    /**
     * Checks and parses the headers. Bytes beyond the payload length are link-layer padding and
     * ignored.
     *
     * @param length bytes stored from {@code start}
     * @param wireLength bytes of the packet on the wire: {@code length} plus synthetic payload
     * @return why the packet must be dropped, or null
     */
    public DropReason wrap(MemorySegment segment, long start, int length, int wireLength) {
        problemPointer = -1;
        if (length < LENGTH) {
            return DropReason.IPV6_TRUNCATED;
        }
        int word = BigEndian.i32(segment, start);
        if (word >>> 28 != 6) {
            return DropReason.IPV6_VERSION;
        }
        int total = LENGTH + BigEndian.u16(segment, start + PAYLOAD_LENGTH);
        if (total > wireLength) {
            return DropReason.IPV6_PAYLOAD_LENGTH;
        }
        this.start = start;
        trafficClass = word >>> 20 & 0xff;
        flowLabel = word & 0xfffff;
        totalLength = total;
        stored = Math.min(total, length);
        hopLimit = BigEndian.u8(segment, start + HOP_LIMIT);
        sourceHi = BigEndian.i64(segment, start + SOURCE);
        sourceLo = BigEndian.i64(segment, start + SOURCE + 8);
        destinationHi = BigEndian.i64(segment, start + DESTINATION);
        destinationLo = BigEndian.i64(segment, start + DESTINATION + 8);
        protocol = BigEndian.u8(segment, start + NEXT_HEADER);
        protocolOffset = start + NEXT_HEADER;
        payloadOffset = start + LENGTH;
        fragment = false;
        moreFragments = false;
        fragmentOffset = 0;
        fragmentId = 0;
        return protocol == IpProtocol.TCP ? null : walk(segment);
    }

    private DropReason walk(MemorySegment segment) {
        long end = start + stored;
        for (int i = 0; i < MAX_EXTENSION_HEADERS; i++) {
            DropReason drop;
            switch (protocol) {
                case IpProtocol.HOP_BY_HOP -> {
                    if (i > 0) {
                        problem(IcmpHeader.V6_UNKNOWN_NEXT_HEADER, protocolOffset);
                        return DropReason.IPV6_EXTENSION_ORDER;
                    }
                    drop = options(segment, end);
                }
                case IpProtocol.DESTINATION_OPTIONS -> drop = options(segment, end);
                case IpProtocol.ROUTING -> drop = routing(segment, end);
                case IpProtocol.FRAGMENT -> drop = fragmentHeader(segment, end);
                case IpProtocol.ESP,
                        IpProtocol.AUTHENTICATION,
                        IpProtocol.MOBILITY,
                        IpProtocol.HIP,
                        IpProtocol.SHIM6 -> {
                    problem(IcmpHeader.V6_UNKNOWN_NEXT_HEADER, protocolOffset);
                    return DropReason.IPV6_EXTENSION_UNSUPPORTED;
                }
                default -> {
                    return null;
                }
            }
            if (drop != null || fragment) {
                return drop;
            }
        }
        return DropReason.IPV6_EXTENSION_FLOOD;
    }

    /** Bytes of the extension header at hand, or -1 if it runs beyond the packet. */
    private int extensionLength(MemorySegment segment, long end) {
        if (end - payloadOffset < 8) {
            return -1;
        }
        int length = 8 + 8 * BigEndian.u8(segment, payloadOffset + 1);
        return length <= end - payloadOffset ? length : -1;
    }

    private void step(MemorySegment segment, int length) {
        protocol = BigEndian.u8(segment, payloadOffset);
        protocolOffset = payloadOffset;
        payloadOffset += length;
    }

    private DropReason options(MemorySegment segment, long end) {
        int length = extensionLength(segment, end);
        if (length < 0) {
            return DropReason.IPV6_EXTENSION_TRUNCATED;
        }
        int i = 2;
        while (i < length) {
            int type = BigEndian.u8(segment, payloadOffset + i);
            if (type == OPTION_PAD_1) {
                i++;
                continue;
            }
            if (i + 1 >= length) {
                return DropReason.IPV6_OPTION;
            }
            // The two high bits say what to do with an option one does not know: skip it, discard
            // the packet, or discard it and say so.
            if (type != OPTION_PAD_N && type >>> 6 != 0) {
                if (type >>> 6 != OPTION_DISCARD) {
                    problem(IcmpHeader.V6_UNKNOWN_OPTION, payloadOffset + i);
                }
                return DropReason.IPV6_OPTION;
            }
            i += 2 + BigEndian.u8(segment, payloadOffset + i + 1);
        }
        if (i > length) {
            return DropReason.IPV6_OPTION;
        }
        step(segment, length);
        return null;
    }

    /** Nobody routes through us: a routing header must be used up, whatever its type (RFC 5095). */
    private DropReason routing(MemorySegment segment, long end) {
        int length = extensionLength(segment, end);
        if (length < 0) {
            return DropReason.IPV6_EXTENSION_TRUNCATED;
        }
        if (BigEndian.u8(segment, payloadOffset + 3) != 0) {
            problem(IcmpHeader.V6_ERRONEOUS_FIELD, payloadOffset + 2);
            return DropReason.IPV6_ROUTING;
        }
        step(segment, length);
        return null;
    }

    private DropReason fragmentHeader(MemorySegment segment, long end) {
        if (end - payloadOffset < FRAGMENT_LENGTH) {
            return DropReason.IPV6_EXTENSION_TRUNCATED;
        }
        int word = BigEndian.u16(segment, payloadOffset + 2);
        fragmentOffset = word & 0xfff8;
        moreFragments = (word & 1) != 0;
        fragmentId = BigEndian.i32(segment, payloadOffset + 4);
        fragment = word >>> 3 != 0 || moreFragments;
        long field = payloadOffset + 2;
        step(segment, FRAGMENT_LENGTH);
        if (fragmentOffset + payloadLength() > 0xffff) {
            problem(IcmpHeader.V6_ERRONEOUS_FIELD, field);
            return DropReason.IPV6_FRAGMENT_OVERLONG;
        }
        return null;
    }

    private void problem(int code, long at) {
        problemCode = code;
        problemPointer = (int) (at - start);
    }

    public long start() {
        return start;
    }

    /**
     * After a refusal: the field that the sender should be told of, in bytes from the start of the
     * packet; -1 if it should be told nothing (RFC 8200 section 4).
     */
    public int problemPointer() {
        return problemPointer;
    }

    /** After a refusal: the code of the parameter problem message that tells of it. */
    public int problemCode() {
        return problemCode;
    }

    /** Bytes before the payload: fixed header and extension headers. */
    public int headerLength() {
        return (int) (payloadOffset - start);
    }

    public int trafficClass() {
        return trafficClass;
    }

    public int dscp() {
        return trafficClass >>> 2;
    }

    /** One of the {@link EcnCodepoint} constants. */
    public int ecn() {
        return trafficClass & 3;
    }

    public int flowLabel() {
        return flowLabel;
    }

    public int hopLimit() {
        return hopLimit;
    }

    /** Bytes of the whole packet, fixed header and synthetic payload included. */
    public int totalLength() {
        return totalLength;
    }

    public long sourceHi() {
        return sourceHi;
    }

    public long sourceLo() {
        return sourceLo;
    }

    public long destinationHi() {
        return destinationHi;
    }

    public long destinationLo() {
        return destinationLo;
    }

    /** The upper-layer protocol; of a fragment, the next header of its fragment header. */
    public int protocol() {
        return protocol;
    }

    /**
     * Address of the next-header field that names {@link #protocol}: where a parameter problem
     * points.
     */
    public long protocolOffset() {
        return protocolOffset;
    }

    /** Address of the first byte after the extension headers. */
    public long payloadOffset() {
        return payloadOffset;
    }

    /** Bytes of payload on the wire, synthetic ones included, padding excluded. */
    public int payloadLength() {
        return totalLength - headerLength();
    }

    /** Bytes of payload that are stored; less than {@link #payloadLength} if some are synthetic. */
    public int storedPayloadLength() {
        return stored - headerLength();
    }

    /** Whether this is one fragment of several and must be reassembled first. */
    public boolean isFragment() {
        return fragment;
    }

    public boolean moreFragments() {
        return moreFragments;
    }

    /** Where this fragment's payload belongs, in bytes. */
    public int fragmentOffset() {
        return fragmentOffset;
    }

    /** Identification of the fragmented packet, 32 bits. */
    public int fragmentId() {
        return fragmentId;
    }

    /**
     * Writes a header of {@link #LENGTH} bytes.
     *
     * @param payloadLength bytes that follow, synthetic payload included
     * @param protocol next header, one of the {@link IpProtocol} numbers
     */
    public static void write(
            MemorySegment segment,
            long start,
            int trafficClass,
            int flowLabel,
            int payloadLength,
            int protocol,
            int hopLimit,
            long sourceHi,
            long sourceLo,
            long destinationHi,
            long destinationLo) {
        int word = 6 << 28 | (trafficClass & 0xff) << 20 | flowLabel & 0xfffff;
        BigEndian.put32(segment, start, word);
        BigEndian.put16(segment, start + PAYLOAD_LENGTH, payloadLength);
        BigEndian.put8(segment, start + NEXT_HEADER, protocol);
        BigEndian.put8(segment, start + HOP_LIMIT, hopLimit);
        BigEndian.put64(segment, start + SOURCE, sourceHi);
        BigEndian.put64(segment, start + SOURCE + 8, sourceLo);
        BigEndian.put64(segment, start + DESTINATION, destinationHi);
        BigEndian.put64(segment, start + DESTINATION + 8, destinationLo);
    }

    /**
     * Writes the fragment header of {@link #FRAGMENT_LENGTH} bytes that follows the fixed one.
     *
     * @param protocol what the fragmented packet carries
     * @param fragmentOffset where the payload belongs, in bytes, a multiple of 8
     */
    public static void writeFragmentHeader(
            MemorySegment segment,
            long start,
            int protocol,
            int fragmentOffset,
            boolean moreFragments,
            int id) {
        BigEndian.put16(segment, start, protocol << 8);
        BigEndian.put16(segment, start + 2, fragmentOffset | (moreFragments ? 1 : 0));
        BigEndian.put32(segment, start + 4, id);
    }

    /** Rewrites what differs between the packets of one super-segment (B-12.1). */
    public static void updatePayloadLength(MemorySegment segment, long start, int payloadLength) {
        BigEndian.put16(segment, start + PAYLOAD_LENGTH, payloadLength);
    }

    /** Replaces DSCP and ECN. */
    public static void updateTrafficClass(MemorySegment segment, long start, int trafficClass) {
        int word = BigEndian.u16(segment, start);
        BigEndian.put16(segment, start, word & 0xf00f | (trafficClass & 0xff) << 4);
    }

    /** One hop fewer; the caller has checked that the hop limit was above 1. */
    public static void decrementHopLimit(MemorySegment segment, long start) {
        BigEndian.put8(segment, start + HOP_LIMIT, BigEndian.u8(segment, start + HOP_LIMIT) - 1);
    }

    /**
     * What a congested queue does to a packet of an ECN-capable transport (RFC 3168 section 5).
     *
     * @return whether the packet now carries CE; false if it is Not-ECT and has to be dropped
     *     instead
     */
    public static boolean markCongestionExperienced(MemorySegment segment, long start) {
        int trafficClass = BigEndian.u16(segment, start) >>> 4 & 0xff;
        if ((trafficClass & EcnCodepoint.CE) == EcnCodepoint.NOT_ECT) {
            return false;
        }
        updateTrafficClass(segment, start, trafficClass | EcnCodepoint.CE);
        return true;
    }
}
