package dev.sluice.wire;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The one textual form of a TCP segment, in logs, tests, scripts and findings: packetdrill's.
 *
 * <pre>
 *   S. 0:0(0) ack 1 win 65535 &lt;mss 1460,sackOK,TS val 1 ecr 0,nop,wscale 7&gt;
 * </pre>
 *
 * <p>In this order: direction ({@code <} towards us, {@code >} from us), IP information in
 * brackets, ports as {@code 1024 > 80}, flags, {@code first:end(length)}, {@code ack}, {@code win},
 * {@code urg}, options; all but flags and sequence may be left out. Flags are {@code F S R P . U E
 * W A}, the dot standing for ACK, W for CWR and A for AE; a digit is the three-bit ACE field of
 * accurate ECN; {@code -} is no flag. Numbers are relative to initial sequence numbers, so that a
 * SYN is 0 and the first byte 1. Options are listed as they stand, NOPs included; none listed means
 * none there, and {@code <...>} any. Beyond packetdrill, {@code kind N hex} is an option without a
 * name and {@code bad hex} the option bytes from a senseless length on, so that every segment has a
 * notation.
 *
 * <p>Printing and parsing allocate and are no part of the segment path.
 */
public final class SegmentNotation {
    /** In {@link IpInfo#ecn}: either of the two ECN-capable codepoints. */
    public static final int ECT_ANY = 4;

    private static final String LETTERS = "FSRP.UEWA";
    private static final long UNSIGNED = 0xffff_ffffL;

    private SegmentNotation() {}

    /**
     * What a notation says about the IP header; -1 is "nothing".
     *
     * @param ecn an {@link EcnCodepoint} or {@link #ECT_ANY}
     * @param tos IPv4 TOS or IPv6 traffic class, 0 to 255
     * @param flowLabel IPv6 flow label
     * @param ttl time to live or hop limit
     */
    public record IpInfo(int ecn, int tos, int flowLabel, int ttl) {
        /** Says nothing. */
        public static final IpInfo NONE = new IpInfo(-1, -1, -1, -1);

        /** Says which ECN codepoint the packet carries. */
        public static IpInfo ofEcn(int ecn) {
            return new IpInfo(ecn, -1, -1, -1);
        }
    }

    /**
     * A segment as text has it. Numbers are unsigned 32-bit values, relative to the initial
     * sequence numbers.
     *
     * @param direction {@code '<'}, {@code '>'}, or 0 if not said
     * @param ip what is said about the IP header
     * @param sourcePort -1 if not said
     * @param destinationPort -1 if not said
     * @param flags all nine, as in {@link TcpHeader}; those of the ACE field included
     * @param ace the ACE field if written as a digit, else -1
     * @param seq first sequence number
     * @param length payload in bytes
     * @param ack acknowledgment number, -1 if not said
     * @param window SEG.WND as on the wire, -1 if not said
     * @param urgent urgent pointer, -1 if not said
     * @param options in order
     * @param anyOptions whether the options were given as {@code <...>}
     */
    public record Segment(
            char direction,
            IpInfo ip,
            int sourcePort,
            int destinationPort,
            int flags,
            int ace,
            long seq,
            int length,
            long ack,
            int window,
            int urgent,
            List<SegmentOption> options,
            boolean anyOptions) {
        public Segment {
            options = List.copyOf(options);
        }

        /** Sequence number after the payload, 32 bits; SYN and FIN are not counted. */
        public long end() {
            return seq + length & UNSIGNED;
        }

        /** Whether all of the given flags are set. */
        public boolean has(int wanted) {
            return (flags & wanted) == wanted;
        }

        /** Bytes that the options take. */
        public int optionsLength() {
            int total = 0;
            for (SegmentOption option : options) {
                total += option.length();
            }
            return total;
        }

        @Override
        public String toString() {
            StringBuilder out = new StringBuilder(80);
            print(out, this);
            return out.toString();
        }
    }

    /**
     * What parsing found.
     *
     * @param segment the segment, null if the text is none
     * @param end index behind the segment, or of the error
     * @param error what is wrong and at which column (from 1), null if nothing is
     */
    public record Parsed(Segment segment, int end, String error) {
        public boolean isValid() {
            return segment != null;
        }
    }

    /** Parses a text that is a segment and nothing else but white space. */
    public static Parsed parse(CharSequence text) {
        return new SegmentParser(text, 0).parseAll();
    }

    /** Parses the segment that begins at an index, in a text that may go on behind it. */
    public static Parsed parse(CharSequence text, int from) {
        return new SegmentParser(text, from).parsePrefix();
    }

    /** Prints a parsed header: {@link #decode} and {@link #print(StringBuilder, Segment)}. */
    public static void print(
            StringBuilder out, MemorySegment packet, TcpHeader header, int seqBase, int ackBase) {
        print(out, decode(packet, header, seqBase, ackBase));
    }

    /** Appends a segment in the canonical order and spacing. */
    public static void print(StringBuilder out, Segment segment) {
        if (segment.direction() != 0) {
            out.append(segment.direction()).append(' ');
        }
        printIp(out, segment.ip());
        if (segment.sourcePort() >= 0) {
            out.append(segment.sourcePort()).append(" > ");
            out.append(segment.destinationPort()).append(' ');
        }
        printFlags(out, segment.flags(), segment.ace());
        out.append(' ').append(segment.seq()).append(':').append(segment.end());
        out.append('(').append(segment.length()).append(')');
        if (segment.ack() >= 0) {
            out.append(" ack ").append(segment.ack());
        }
        if (segment.window() >= 0) {
            out.append(" win ").append(segment.window());
        }
        if (segment.urgent() >= 0) {
            out.append(" urg ").append(segment.urgent());
        }
        if (segment.anyOptions()) {
            out.append(" <...>");
        } else if (!segment.options().isEmpty()) {
            char separator = '<';
            out.append(' ');
            for (SegmentOption option : segment.options()) {
                out.append(separator);
                option.print(out);
                separator = ',';
            }
            out.append('>');
        }
    }

    private static void printIp(StringBuilder out, IpInfo ip) {
        if (ip.equals(IpInfo.NONE)) {
            return;
        }
        String separator = "[";
        if (ip.ecn() >= 0) {
            out.append(separator).append(SegmentParser.ECN_NAMES.get(ip.ecn()));
            separator = ", ";
        }
        if (ip.tos() >= 0) {
            out.append(separator).append("tos 0x").append(Integer.toHexString(ip.tos()));
            separator = ", ";
        }
        if (ip.flowLabel() >= 0) {
            out.append(separator).append("flowlabel 0x");
            out.append(Integer.toHexString(ip.flowLabel()));
            separator = ", ";
        }
        if (ip.ttl() >= 0) {
            out.append(separator).append("ttl ").append(ip.ttl());
        }
        out.append("] ");
    }

    /** Appends flags as letters. */
    public static void printFlags(StringBuilder out, int flags) {
        printFlags(out, flags, -1);
    }

    private static void printFlags(StringBuilder out, int flags, int ace) {
        int letters = ace <= 0 ? LETTERS.length() : LETTERS.indexOf('E');
        int before = out.length();
        for (int i = 0; i < letters; i++) {
            if ((flags & flagOf(LETTERS.charAt(i))) != 0) {
                out.append(LETTERS.charAt(i));
            }
        }
        if (ace >= 0) {
            out.append(ace);
        } else if (out.length() == before) {
            out.append('-');
        }
    }

    /** The flag of a letter, 0 if it is none. */
    static int flagOf(char letter) {
        return switch (letter) {
            case 'F' -> TcpHeader.FIN;
            case 'S' -> TcpHeader.SYN;
            case 'R' -> TcpHeader.RST;
            case 'P' -> TcpHeader.PSH;
            case '.' -> TcpHeader.ACK;
            case 'U' -> TcpHeader.URG;
            case 'E' -> TcpHeader.ECE;
            case 'W' -> TcpHeader.CWR;
            case 'A' -> TcpHeader.AE;
            default -> 0;
        };
    }

    /**
     * The notation's view of a parsed header.
     *
     * @param packet what the header was wrapped around
     * @param seqBase initial sequence number of the sender of this segment
     * @param ackBase initial sequence number of its receiver: acknowledgments and SACK edges count
     *     from it
     */
    public static Segment decode(MemorySegment packet, TcpHeader header, int seqBase, int ackBase) {
        boolean urgent = header.isUrg() || header.urgentPointer() != 0;
        return new Segment(
                (char) 0,
                IpInfo.NONE,
                -1,
                -1,
                header.flags(),
                -1,
                header.segSeq() - seqBase & UNSIGNED,
                header.payloadLength(),
                header.isAck() ? header.segAck() - ackBase & UNSIGNED : -1,
                header.segWnd(),
                urgent ? header.urgentPointer() : -1,
                decodeOptions(packet, header.optionsOffset(), header.optionsLength(), ackBase),
                false);
    }

    /** The options in the given bytes, one by one as they stand. */
    public static List<SegmentOption> decodeOptions(
            MemorySegment packet, long start, int length, int sackBase) {
        List<SegmentOption> options = new ArrayList<>();
        boolean ended = false;
        int i = 0;
        while (i < length) {
            long at = start + i;
            int kind = BigEndian.u8(packet, at);
            if (kind == TcpOptions.EOL || kind == TcpOptions.NOP && !ended) {
                options.add(kind == 0 ? new SegmentOption.Eol() : new SegmentOption.Nop());
                ended |= kind == TcpOptions.EOL;
                i++;
                continue;
            }
            int size = i + 1 < length ? BigEndian.u8(packet, at + 1) : 0;
            if (ended || size < 2 || size > length - i) {
                options.add(new SegmentOption.Malformed(hex(packet, at, length - i)));
                break;
            }
            options.add(decodeOption(packet, at, kind, size, sackBase));
            i += size;
        }
        return options;
    }

    private static SegmentOption decodeOption(
            MemorySegment packet, long at, int kind, int size, int sackBase) {
        SegmentOption raw = new SegmentOption.Raw(kind, hex(packet, at + 2, size - 2));
        return switch (kind) {
            case TcpOptions.MSS ->
                    size == 4 ? new SegmentOption.Mss(BigEndian.u16(packet, at + 2)) : raw;
            case TcpOptions.WINDOW_SCALE ->
                    size == 3 ? new SegmentOption.WindowScale(BigEndian.u8(packet, at + 2)) : raw;
            case TcpOptions.SACK_PERMITTED -> size == 2 ? new SegmentOption.SackPermitted() : raw;
            case TcpOptions.SACK ->
                    (size - 2) % 8 == 0 ? decodeSack(packet, at + 2, size - 2, sackBase) : raw;
            case TcpOptions.TIMESTAMPS ->
                    size == 10
                            ? new SegmentOption.Timestamps(
                                    BigEndian.i32(packet, at + 2) & UNSIGNED,
                                    BigEndian.i32(packet, at + 6) & UNSIGNED)
                            : raw;
            case TcpOptions.FAST_OPEN ->
                    new SegmentOption.FastOpen(hex(packet, at + 2, size - 2), false);
            case TcpOptions.EXPERIMENTAL ->
                    size >= 4 && BigEndian.u16(packet, at + 2) == TcpOptions.FAST_OPEN_MAGIC
                            ? new SegmentOption.FastOpen(hex(packet, at + 4, size - 4), true)
                            : raw;
            case TcpOptions.MD5 ->
                    size == 18 ? new SegmentOption.Md5(hex(packet, at + 2, 16)) : raw;
            case TcpOptions.ACCECN_0, TcpOptions.ACCECN_1 ->
                    size == 5 || size == 8 || size == 11
                            ? decodeAccEcn(packet, at + 2, kind, (size - 2) / 3)
                            : raw;
            default -> raw;
        };
    }

    private static SegmentOption decodeSack(
            MemorySegment packet, long at, int length, int sackBase) {
        List<SegmentOption.Block> blocks = new ArrayList<>();
        for (int i = 0; i < length; i += 8) {
            blocks.add(
                    new SegmentOption.Block(
                            BigEndian.i32(packet, at + i) - sackBase & UNSIGNED,
                            BigEndian.i32(packet, at + i + 4) - sackBase & UNSIGNED));
        }
        return new SegmentOption.Sack(blocks);
    }

    private static SegmentOption decodeAccEcn(
            MemorySegment packet, long at, int kind, int counters) {
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < counters; i++) {
            long high = BigEndian.u16(packet, at + 3 * i);
            values.add(high << 8 | BigEndian.u8(packet, at + 3 * i + 2));
        }
        return new SegmentOption.AccEcn(kind == TcpOptions.ACCECN_0, values);
    }

    private static String hex(MemorySegment packet, long at, int length) {
        StringBuilder out = new StringBuilder(2 * length);
        for (int i = 0; i < length; i++) {
            int value = BigEndian.u8(packet, at + i);
            out.append(Character.forDigit(value >>> 4, 16));
            out.append(Character.forDigit(value & 0xf, 16));
        }
        return out.toString();
    }

    /**
     * Writes header and options of a segment, the checksum field empty; what the text does not say
     * is 0. The payload is the caller's.
     *
     * @param sourcePort used if the text names no ports
     * @param destinationPort likewise
     * @param seqBase initial sequence number of the sender
     * @param ackBase initial sequence number of the receiver
     * @return bytes of the header with its options
     */
    public static int encode(
            Segment text,
            MemorySegment packet,
            long start,
            int sourcePort,
            int destinationPort,
            int seqBase,
            int ackBase) {
        int headerLength = TcpHeader.LENGTH + text.optionsLength();
        TcpHeader.write(
                packet,
                start,
                text.sourcePort() >= 0 ? text.sourcePort() : sourcePort,
                text.destinationPort() >= 0 ? text.destinationPort() : destinationPort,
                (int) text.seq() + seqBase,
                text.ack() >= 0 ? (int) text.ack() + ackBase : 0,
                headerLength,
                text.flags(),
                Math.max(text.window(), 0),
                Math.max(text.urgent(), 0));
        long at = start + TcpHeader.LENGTH;
        for (SegmentOption option : text.options()) {
            at = option.write(packet, at, ackBase);
        }
        return headerLength;
    }
}
