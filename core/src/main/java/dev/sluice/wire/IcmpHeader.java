package dev.sluice.wire;

import java.lang.foreign.MemorySegment;

/**
 * An ICMP or ICMPv6 message (RFC 792, RFC 1191, RFC 4443): a flyweight for reading, static methods
 * for writing. {@link #kind} says the same for both versions; type and code remain as on the wire.
 */
public final class IcmpHeader {
    /** What a message means, whichever version it is. */
    public enum Kind {
        ECHO_REQUEST,
        ECHO_REPLY,
        DESTINATION_UNREACHABLE,
        /** ICMPv6 packet too big, or ICMPv4 unreachable with "fragmentation needed". */
        PACKET_TOO_BIG,
        TIME_EXCEEDED,
        PARAMETER_PROBLEM,
        /** Anything else: well formed, and nothing that this class interprets. */
        OTHER;

        /** Whether such a message quotes the packet it is about and must not be answered. */
        public boolean isError() {
            return this == DESTINATION_UNREACHABLE
                    || this == PACKET_TOO_BIG
                    || this == TIME_EXCEEDED
                    || this == PARAMETER_PROBLEM;
        }
    }

    /** Bytes before the quoted packet or the echoed data. */
    public static final int LENGTH = 8;

    /** Bytes from the start of the message to its checksum field. */
    public static final int CHECKSUM_FIELD = 2;

    // ICMPv4 types.
    public static final int V4_ECHO_REPLY = 0;
    public static final int V4_UNREACHABLE = 3;
    public static final int V4_ECHO_REQUEST = 8;
    public static final int V4_TIME_EXCEEDED = 11;
    public static final int V4_PARAMETER_PROBLEM = 12;

    // Codes of V4_UNREACHABLE (RFC 792, RFC 1122 section 3.2.2.1, RFC 1812 section 5.2.7.1).
    public static final int V4_NET_UNREACHABLE = 0;
    public static final int V4_HOST_UNREACHABLE = 1;
    public static final int V4_PROTOCOL_UNREACHABLE = 2;
    public static final int V4_PORT_UNREACHABLE = 3;
    public static final int V4_FRAGMENTATION_NEEDED = 4;
    public static final int V4_SOURCE_ROUTE_FAILED = 5;
    public static final int V4_NET_UNKNOWN = 6;
    public static final int V4_HOST_UNKNOWN = 7;
    public static final int V4_HOST_ISOLATED = 8;
    public static final int V4_NET_PROHIBITED = 9;
    public static final int V4_HOST_PROHIBITED = 10;
    public static final int V4_NET_UNREACHABLE_FOR_TOS = 11;
    public static final int V4_HOST_UNREACHABLE_FOR_TOS = 12;
    public static final int V4_ADMINISTRATIVELY_PROHIBITED = 13;
    public static final int V4_PRECEDENCE_VIOLATION = 14;
    public static final int V4_PRECEDENCE_CUTOFF = 15;

    /** Code of a time exceeded message, of either version: not of the hop count. */
    public static final int REASSEMBLY_TIME_EXCEEDED = 1;

    // ICMPv6 types.
    public static final int V6_UNREACHABLE = 1;
    public static final int V6_PACKET_TOO_BIG = 2;
    public static final int V6_TIME_EXCEEDED = 3;
    public static final int V6_PARAMETER_PROBLEM = 4;
    public static final int V6_ECHO_REQUEST = 128;
    public static final int V6_ECHO_REPLY = 129;

    // Codes of V6_UNREACHABLE (RFC 4443 section 3.1).
    public static final int V6_NO_ROUTE = 0;
    public static final int V6_ADMINISTRATIVELY_PROHIBITED = 1;
    public static final int V6_BEYOND_SCOPE = 2;
    public static final int V6_ADDRESS_UNREACHABLE = 3;
    public static final int V6_PORT_UNREACHABLE = 4;
    public static final int V6_SOURCE_POLICY = 5;
    public static final int V6_REJECT_ROUTE = 6;

    // Codes of V6_PARAMETER_PROBLEM (RFC 4443 section 3.4).
    public static final int V6_ERRONEOUS_FIELD = 0;
    public static final int V6_UNKNOWN_NEXT_HEADER = 1;
    public static final int V6_UNKNOWN_OPTION = 2;

    /** The longest IPv4 packet with an error in it, in bytes (RFC 1812 section 4.3.2.3). */
    private static final int V4_ERROR_PACKET = 576;

    private long start;
    private int length;
    private boolean ipv6;
    private Kind kind = Kind.OTHER;
    private int type;
    private int code;
    private int rest;

    /** A message wrapped around nothing yet. */
    public IcmpHeader() {}

    /**
     * Checks and parses an ICMPv4 message, checksum included.
     *
     * @param length bytes stored from {@code start}, all of the message
     * @return why the message must be dropped, or null
     */
    public DropReason wrapV4(MemorySegment segment, long start, int length) {
        if (length < LENGTH) {
            return DropReason.ICMP_TRUNCATED;
        }
        if (Checksum.sum(segment, start, length) != 0xffff) {
            return DropReason.ICMP_CHECKSUM;
        }
        parse(segment, start, length, false);
        kind =
                switch (type) {
                    case V4_ECHO_REQUEST -> Kind.ECHO_REQUEST;
                    case V4_ECHO_REPLY -> Kind.ECHO_REPLY;
                    case V4_UNREACHABLE ->
                            code == V4_FRAGMENTATION_NEEDED
                                    ? Kind.PACKET_TOO_BIG
                                    : Kind.DESTINATION_UNREACHABLE;
                    case V4_TIME_EXCEEDED -> Kind.TIME_EXCEEDED;
                    case V4_PARAMETER_PROBLEM -> Kind.PARAMETER_PROBLEM;
                    default -> Kind.OTHER;
                };
        return null;
    }

    /**
     * Checks and parses an ICMPv6 message, checksum included.
     *
     * @param length bytes stored from {@code start}, all of the message
     * @return why the message must be dropped, or null
     */
    public DropReason wrapV6(
            MemorySegment segment,
            long start,
            int length,
            long sourceHi,
            long sourceLo,
            long destinationHi,
            long destinationLo) {
        if (length < LENGTH) {
            return DropReason.ICMP_TRUNCATED;
        }
        if (!Checksum.verifyTransport(
                segment,
                start,
                length,
                IpProtocol.ICMPV6,
                sourceHi,
                sourceLo,
                destinationHi,
                destinationLo)) {
            return DropReason.ICMP_CHECKSUM;
        }
        parse(segment, start, length, true);
        kind =
                switch (type) {
                    case V6_ECHO_REQUEST -> Kind.ECHO_REQUEST;
                    case V6_ECHO_REPLY -> Kind.ECHO_REPLY;
                    case V6_UNREACHABLE -> Kind.DESTINATION_UNREACHABLE;
                    case V6_PACKET_TOO_BIG -> Kind.PACKET_TOO_BIG;
                    case V6_TIME_EXCEEDED -> Kind.TIME_EXCEEDED;
                    case V6_PARAMETER_PROBLEM -> Kind.PARAMETER_PROBLEM;
                    default -> Kind.OTHER;
                };
        return null;
    }

    private void parse(MemorySegment segment, long start, int length, boolean ipv6) {
        this.start = start;
        this.length = length;
        this.ipv6 = ipv6;
        type = BigEndian.u8(segment, start);
        code = BigEndian.u8(segment, start + 1);
        rest = BigEndian.i32(segment, start + 4);
    }

    public boolean isIpv6() {
        return ipv6;
    }

    public Kind kind() {
        return kind;
    }

    public int type() {
        return type;
    }

    public int code() {
        return code;
    }

    /** Whether this is an error that says the destination's port has nobody: a hard error. */
    public boolean isPortUnreachable() {
        return ipv6
                ? type == V6_UNREACHABLE && code == V6_PORT_UNREACHABLE
                : type == V4_UNREACHABLE && code == V4_PORT_UNREACHABLE;
    }

    /** Identifier of an echo message, 16 bits. */
    public int identifier() {
        return rest >>> 16;
    }

    /** Sequence number of an echo message, 16 bits. */
    public int sequence() {
        return rest & 0xffff;
    }

    /**
     * Next-hop MTU of {@link Kind#PACKET_TOO_BIG} in bytes; 0 from a router older than RFC 1191. It
     * may be any number, also one above 2^31, which is returned as the largest int.
     */
    public int mtu() {
        if (ipv6) {
            return rest < 0 ? Integer.MAX_VALUE : rest;
        }
        return rest & 0xffff;
    }

    /** Where in the quoted packet a {@link Kind#PARAMETER_PROBLEM} is, in bytes. */
    public int pointer() {
        return ipv6 ? rest : rest >>> 24;
    }

    /**
     * Address of the quoted packet of an error, or of the data of an echo. The quotation begins
     * with an IP header and is usually cut off, so it fails the checks of {@code wrap}: see {@link
     * QuotedPacket}.
     */
    public long bodyOffset() {
        return start + LENGTH;
    }

    /** Bytes of {@link #bodyOffset the body}. */
    public int bodyLength() {
        return length - LENGTH;
    }

    /**
     * Writes the reply to an echo request. The body and the identifiers are those of the request,
     * and as the pseudo-header's sum does not depend on which address comes first, so is the
     * checksum but for the type.
     *
     * @param request address of the valid request, {@code length} bytes long
     */
    public static void writeEchoReply(
            MemorySegment from,
            long request,
            int length,
            MemorySegment segment,
            long start,
            boolean ipv6) {
        MemorySegment.copy(from, request, segment, start, length);
        int word = BigEndian.u16(segment, start);
        int reply = (ipv6 ? V6_ECHO_REPLY : V4_ECHO_REPLY) << 8 | word & 0xff;
        int checksum = BigEndian.u16(segment, start + CHECKSUM_FIELD);
        BigEndian.put16(segment, start, reply);
        BigEndian.put16(segment, start + CHECKSUM_FIELD, Checksum.update16(checksum, word, reply));
    }

    /**
     * Writes an echo request's or reply's first 8 bytes; the body is in place, the checksum
     * follows.
     */
    public static void writeEcho(
            MemorySegment segment, long start, int type, int identifier, int sequence) {
        BigEndian.put32(segment, start, type << 24);
        BigEndian.put32(segment, start + 4, identifier << 16 | sequence & 0xffff);
    }

    /** Computes and writes the checksum of an ICMPv4 message, whatever the field held. */
    public static void writeChecksumV4(MemorySegment segment, long start, int length) {
        BigEndian.put16(segment, start + CHECKSUM_FIELD, 0);
        Checksum.completePartial(segment, start, length, CHECKSUM_FIELD);
    }

    /** Computes and writes the checksum of an ICMPv6 message, whatever the field held. */
    public static void writeChecksumV6(
            MemorySegment segment, long start, int length, int pseudoSum) {
        BigEndian.put16(segment, start + CHECKSUM_FIELD, Checksum.fold(pseudoSum));
        Checksum.completePartial(segment, start, length, CHECKSUM_FIELD);
    }

    /**
     * Writes an ICMPv4 error about a packet, of which it quotes what a 576-byte packet has room
     * for.
     *
     * @param rest bytes 4 to 7: 0, the MTU, or the pointer in the highest byte
     * @param about address of the IP header of the packet at fault
     * @param aboutLength bytes of it that are stored
     * @return bytes of the message, checksum included
     */
    public static int writeErrorV4(
            MemorySegment segment,
            long start,
            int type,
            int code,
            int rest,
            MemorySegment from,
            long about,
            int aboutLength) {
        int quoted = Math.min(aboutLength, V4_ERROR_PACKET - Ipv4Header.LENGTH - LENGTH);
        writeError(segment, start, type, code, rest, from, about, quoted);
        writeChecksumV4(segment, start, LENGTH + quoted);
        return LENGTH + quoted;
    }

    /**
     * Writes an ICMPv6 error about a packet, of which it quotes what the minimum MTU has room for.
     *
     * @param rest bytes 4 to 7: 0, the MTU, or the pointer
     * @param about address of the IP header of the packet at fault
     * @param aboutLength bytes of it that are stored
     * @param sourceHi address that the error is sent from
     * @param destinationHi address that it is sent to
     * @return bytes of the message, checksum included
     */
    public static int writeErrorV6(
            MemorySegment segment,
            long start,
            int type,
            int code,
            int rest,
            MemorySegment from,
            long about,
            int aboutLength,
            long sourceHi,
            long sourceLo,
            long destinationHi,
            long destinationLo) {
        int quoted = Math.min(aboutLength, Ipv6Header.MINIMUM_MTU - Ipv6Header.LENGTH - LENGTH);
        int length = LENGTH + quoted;
        writeError(segment, start, type, code, rest, from, about, quoted);
        int pseudo =
                Checksum.pseudoHeader(
                        sourceHi,
                        sourceLo,
                        destinationHi,
                        destinationLo,
                        IpProtocol.ICMPV6,
                        length);
        writeChecksumV6(segment, start, length, pseudo);
        return length;
    }

    private static void writeError(
            MemorySegment segment,
            long start,
            int type,
            int code,
            int rest,
            MemorySegment from,
            long about,
            int quoted) {
        BigEndian.put32(segment, start, type << 24 | code << 16);
        BigEndian.put32(segment, start + 4, rest);
        MemorySegment.copy(from, about, segment, start + LENGTH, quoted);
    }
}
