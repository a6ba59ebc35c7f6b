package dev.sluice.lab.packetdrill;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** A packet as a script writes it: to inject or to expect. */
public sealed interface PacketSpec {
    /** Where the packet begins, at {@code <} or {@code >}. */
    Position position();

    /** What surrounds the transport header. */
    Envelope envelope();

    /**
     * A TCP segment.
     *
     * @param ports {@code sport > dport} where written
     * @param flags bits of {@link TcpFlags}
     * @param ack acknowledgment number; where absent the field is 0 on the wire
     * @param window the raw 16 bits; always present in an injected segment
     * @param options empty for {@code <...>}: do not compare
     * @param udpEncapsulation {@code /udp(a > b)}: the ports of a UDP header around the segment
     */
    record Tcp(
            Position position,
            Envelope envelope,
            Optional<Ports> ports,
            int flags,
            Sequence sequence,
            OptionalLong ack,
            OptionalInt window,
            OptionalInt urgent,
            Optional<List<OptionSpec>> options,
            Optional<Ports> udpEncapsulation)
            implements PacketSpec {
        public Tcp {
            options = options.map(List::copyOf);
        }

        /** Whether all bits of {@code mask} are set. */
        public boolean has(int mask) {
            return (flags & mask) == mask;
        }
    }

    /**
     * An ICMP error or echo.
     *
     * @param type name as written, {@code unreachable}
     * @param code name as written, if any
     * @param mtu next-hop MTU, if written
     * @param id echo identifier, if written
     * @param echoed the packet the message quotes, if written
     */
    record Icmp(
            Position position,
            Envelope envelope,
            String type,
            Optional<String> code,
            OptionalLong mtu,
            OptionalInt id,
            Optional<Echoed> echoed)
            implements PacketSpec {}

    /** A UDP datagram of {@code length} bytes. */
    record Udp(Position position, Envelope envelope, Optional<Ports> ports, int length)
            implements PacketSpec {}

    /** What an ICMP message quotes. */
    sealed interface Echoed {
        /** The beginning of a TCP segment of the connection. */
        record TcpSegment(Sequence sequence, Optional<Ports> udpEncapsulation) implements Echoed {}

        /** A UDP datagram of that payload length. */
        record UdpDatagram(int length) implements Echoed {}

        /** That many bytes of anything. */
        record Raw(int length) implements Echoed {}
    }

    /**
     * {@code start:end(length)}.
     *
     * @param any {@code ...(length)}: sequence number not compared; start and end are then 0
     * @param absolute {@code start:end(length)!}: numbers are not relative to the initial one
     */
    record Sequence(long start, long end, int length, boolean any, boolean absolute) {
        @Override
        public String toString() {
            return any ? "...(" + length + ")" : start + ":" + end + "(" + length + ")";
        }
    }

    /** Source and destination port. */
    record Ports(int source, int destination) {}

    /** Outer headers, IP fields and PSP encapsulation. */
    record Envelope(List<OuterHeader> outer, IpFields ip, OptionalLong pspSpi) {
        /** Nothing written. */
        static final Envelope PLAIN =
                new Envelope(List.of(), IpFields.UNCHECKED, OptionalLong.empty());

        public Envelope {
            outer = List.copyOf(outer);
        }
    }

    /** A header around the packet: {@code ipv4}, {@code ipv6}, {@code gre} or {@code mpls}. */
    record OuterHeader(Position position, String kind, String text) {}

    /** Codepoints an expected packet may carry; {@link #ANY_ECT} is either of two. */
    enum Ecn {
        NOT_ECT("noecn"),
        ECT1("ect1"),
        ECT0("ect0"),
        CE("ce"),
        ANY_ECT("ect01");

        private final String word;

        Ecn(String word) {
            this.word = word;
        }

        /** The word scripts use. */
        public String word() {
            return word;
        }
    }

    /**
     * Fields of the innermost IP header that the script writes.
     *
     * @param ecn the two ECN bits
     * @param trafficClass all eight bits of TOS or traffic class; excludes {@code ecn}
     * @param flowLabel IPv6 flow label
     * @param hopLimit TTL or hop limit
     */
    record IpFields(
            Optional<Ecn> ecn,
            OptionalInt trafficClass,
            OptionalInt flowLabel,
            OptionalInt hopLimit) {
        static final IpFields UNCHECKED =
                new IpFields(
                        Optional.empty(),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        OptionalInt.empty());
    }
}
