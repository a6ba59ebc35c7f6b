package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Reads packets: what stands after the time of an event that injects or expects one. */
final class PacketParser {
    private static final long MAX_UNSIGNED_32 = 0xffff_ffffL;
    private static final int MAX_UNSIGNED_16 = 0xffff;

    private final Cursor cursor;
    private final OptionParser options;

    PacketParser(Cursor cursor) {
        this.cursor = cursor;
        this.options = new OptionParser(cursor);
    }

    PacketSpec packet(boolean inbound) {
        Position position = cursor.position();
        cursor.advance(1);
        List<PacketSpec.OuterHeader> outer = outerHeaders();
        PacketSpec.IpFields ip = ipFields(inbound);
        OptionalLong spi = OptionalLong.empty();
        if (cursor.acceptWord("encap")) {
            cursor.requireWord("psp");
            cursor.requireWord("spi");
            spi = OptionalLong.of(cursor.number("a security parameter index", MAX_UNSIGNED_32));
        }
        PacketSpec.Envelope envelope = new PacketSpec.Envelope(outer, ip, spi);
        if (cursor.acceptWord("icmp")) {
            return icmp(position, envelope);
        }
        if (cursor.acceptWord("udp")) {
            return udp(position, envelope);
        }
        return tcp(position, envelope, inbound);
    }

    private List<PacketSpec.OuterHeader> outerHeaders() {
        List<PacketSpec.OuterHeader> outer = new ArrayList<>();
        while (true) {
            Position position = cursor.position();
            if (cursor.acceptWord("ipv4") || cursor.acceptWord("ipv6")) {
                outer.add(new PacketSpec.OuterHeader(position, "ip", addresses()));
            } else if (cursor.acceptWord("gre")) {
                outer.add(new PacketSpec.OuterHeader(position, "gre", cursor.between("", ":")));
            } else if (cursor.acceptWord("mpls")) {
                outer.add(new PacketSpec.OuterHeader(position, "mpls", cursor.between("", ":")));
            } else {
                return outer;
            }
        }
    }

    private String addresses() {
        ipFields(true);
        String source = address();
        cursor.require(">", "'>' between two addresses");
        String destination = address();
        cursor.require(":", "':' after the outer header");
        return source + " > " + destination;
    }

    /** Letters, digits, points and colons, without the colon that ends the header. */
    private String address() {
        cursor.skipBlank();
        StringBuilder text = new StringBuilder();
        while (Cursor.isWordPart(cursor.raw(0))
                || cursor.raw(0) == '.'
                || cursor.raw(0) == ':' && !Character.isWhitespace(cursor.raw(1))) {
            text.append(cursor.raw(0));
            cursor.advance(1);
        }
        if (text.isEmpty()) {
            throw cursor.expected("an address");
        }
        return text.toString();
    }

    private PacketSpec.IpFields ipFields(boolean inbound) {
        String close;
        if (cursor.accept("[")) {
            close = "]";
        } else if (cursor.accept("(")) {
            close = ")";
        } else {
            return PacketSpec.IpFields.UNCHECKED;
        }
        Optional<PacketSpec.Ecn> ecn = Optional.empty();
        OptionalInt trafficClass = OptionalInt.empty();
        OptionalInt flowLabel = OptionalInt.empty();
        OptionalInt hopLimit = OptionalInt.empty();
        do {
            int start = cursor.offset();
            String word = cursor.word("ect0, ect1, ce, noecn, ect01, tos, flowlabel or ttl");
            switch (word) {
                case "tos", "class" ->
                        trafficClass = OptionalInt.of(cursor.smallNumber("a traffic class", 0xff));
                case "flowlabel" ->
                        flowLabel = OptionalInt.of(cursor.smallNumber("a flow label", 0xf_ffff));
                case "ttl", "hlim" ->
                        hopLimit = OptionalInt.of(cursor.smallNumber("a hop limit", 0xff));
                default -> ecn = Optional.of(ecn(start, word, inbound));
            }
        } while (cursor.accept(","));
        cursor.require(close, "',' or '" + close + "'");
        return new PacketSpec.IpFields(ecn, trafficClass, flowLabel, hopLimit);
    }

    private PacketSpec.Ecn ecn(int start, String word, boolean inbound) {
        for (PacketSpec.Ecn candidate : PacketSpec.Ecn.values()) {
            if (candidate.word().equals(word)) {
                if (inbound && candidate == PacketSpec.Ecn.ANY_ECT) {
                    cursor.rewind(start);
                    throw cursor.expected("one codepoint in an inbound packet");
                }
                return candidate;
            }
        }
        cursor.rewind(start);
        throw cursor.expected("ect0, ect1, ce, noecn, ect01, tos, flowlabel or ttl");
    }

    private Optional<PacketSpec.Ports> ports() {
        int start = cursor.offset();
        if (!cursor.lookingAtDigit()) {
            return Optional.empty();
        }
        cursor.run();
        boolean present = cursor.accept(">");
        cursor.rewind(start);
        return present ? Optional.of(portPair()) : Optional.empty();
    }

    private PacketSpec.Ports portPair() {
        int source = cursor.smallNumber("a source port", MAX_UNSIGNED_16);
        cursor.require(">", "'>' between two ports");
        return new PacketSpec.Ports(
                source, cursor.smallNumber("a destination port", MAX_UNSIGNED_16));
    }

    private PacketSpec tcp(Position position, PacketSpec.Envelope envelope, boolean inbound) {
        Optional<PacketSpec.Ports> ports = ports();
        int flags = flags();
        PacketSpec.Sequence sequence = sequence(inbound);
        OptionalLong ack = OptionalLong.empty();
        if (cursor.acceptWord("ack")) {
            ack = OptionalLong.of(cursor.number("an acknowledgment number", MAX_UNSIGNED_32));
        }
        OptionalInt window = OptionalInt.empty();
        if (cursor.acceptWord("win")) {
            window = OptionalInt.of(cursor.smallNumber("a window", MAX_UNSIGNED_16));
        } else if (inbound) {
            throw cursor.expected("'win' and a window, which every inbound segment needs");
        }
        OptionalInt urgent = OptionalInt.empty();
        if (cursor.acceptWord("urg")) {
            urgent = OptionalInt.of(cursor.smallNumber("an urgent pointer", MAX_UNSIGNED_16));
        }
        Optional<List<OptionSpec>> list = options.options(inbound);
        return new PacketSpec.Tcp(
                position,
                envelope,
                ports,
                flags,
                sequence,
                ack,
                window,
                urgent,
                list,
                udpEncapsulation());
    }

    private Optional<PacketSpec.Ports> udpEncapsulation() {
        if (!cursor.accept("/udp")) {
            return Optional.empty();
        }
        cursor.require("(", "'(' and two ports");
        PacketSpec.Ports ports = portPair();
        cursor.require(")", "')'");
        return Optional.of(ports);
    }

    private int flags() {
        cursor.skipBlank();
        if (cursor.raw(0) == '-') {
            cursor.advance(1);
            return 0;
        }
        int flags = 0;
        int count = 0;
        while (Cursor.isWordPart(cursor.raw(0)) || cursor.raw(0) == '.') {
            char c = cursor.raw(0);
            int bit = TcpFlags.bitOf(c);
            if (bit == 0 && c >= '0' && c <= '7') {
                bit = TcpFlags.ofAce(c - '0');
            } else if (bit == 0 || (flags & bit) != 0) {
                throw cursor.expected("flags out of F, S, R, P, U, E, W, A, '.', 0 to 7, or '-'");
            }
            flags |= bit;
            count++;
            cursor.advance(1);
        }
        if (count == 0) {
            throw cursor.expected("the flags of a segment, icmp or udp");
        }
        return flags;
    }

    private PacketSpec.Sequence sequence(boolean inbound) {
        if (!inbound && cursor.accept("...")) {
            return new PacketSpec.Sequence(0, 0, parenthesizedLength(), true, false);
        }
        long start = cursor.number("a sequence number", MAX_UNSIGNED_32);
        cursor.require(":", "':' between two sequence numbers");
        int endOffset = cursor.offset();
        long end = cursor.number("an end sequence number", MAX_UNSIGNED_32);
        int length = parenthesizedLength();
        long right = start + length & MAX_UNSIGNED_32;
        if (end != right) {
            cursor.rewind(endOffset);
            throw cursor.expected("end " + right + ", which is start plus length");
        }
        return new PacketSpec.Sequence(start, end, length, false, cursor.accept("!"));
    }

    private int parenthesizedLength() {
        cursor.require("(", "'(' and a length");
        int length = cursor.smallNumber("a length", 1 << 20);
        cursor.require(")", "')' after the length");
        return length;
    }

    private PacketSpec udp(Position position, PacketSpec.Envelope envelope) {
        Optional<PacketSpec.Ports> ports = ports();
        return new PacketSpec.Udp(position, envelope, ports, parenthesizedLength());
    }

    private PacketSpec icmp(Position position, PacketSpec.Envelope envelope) {
        String type = cursor.define(cursor.word("the type of an ICMP message"));
        Optional<String> code = Optional.empty();
        if (cursor.lookingAtWordStart()
                && !cursor.lookingAtWord("mtu")
                && !cursor.lookingAtWord("id")) {
            Position at = cursor.position();
            String word = cursor.word("the code of an ICMP message");
            code = Optional.of(cursor.define(word));
            if (!cursor.isDefined(word) && word.equals(word.toUpperCase(Locale.ROOT))) {
                cursor.reportUndefined(at, word);
            }
        }
        OptionalLong mtu = OptionalLong.empty();
        if (cursor.acceptWord("mtu")) {
            mtu = OptionalLong.of(cursor.number("an MTU", MAX_UNSIGNED_32));
        }
        OptionalInt id = OptionalInt.empty();
        if (cursor.acceptWord("id")) {
            id = OptionalInt.of(cursor.smallNumber("an identifier", MAX_UNSIGNED_16));
        }
        return new PacketSpec.Icmp(position, envelope, type, code, mtu, id, echoed());
    }

    private Optional<PacketSpec.Echoed> echoed() {
        if (!cursor.accept("[")) {
            return Optional.empty();
        }
        PacketSpec.Echoed echoed;
        if (cursor.acceptWord("udp")) {
            echoed = new PacketSpec.Echoed.UdpDatagram(parenthesizedLength());
        } else if (cursor.acceptWord("raw")) {
            echoed = new PacketSpec.Echoed.Raw(parenthesizedLength());
        } else {
            echoed = new PacketSpec.Echoed.TcpSegment(sequence(true), udpEncapsulation());
        }
        cursor.require("]", "']' after the quoted packet");
        return Optional.of(echoed);
    }
}
