package dev.sluice.lab.packetdrill;

import java.util.List;
import java.util.Optional;

/** Segments in the notation of scripts, for messages. */
final class SegmentText {
    private SegmentText() {}

    /** A segment the stack sent. */
    static String of(Segment segment) {
        StringBuilder text = new StringBuilder("> ");
        text.append(TcpFlags.format(segment.flags())).append(' ');
        text.append(segment.sequence()).append(':').append(segment.end());
        text.append('(').append(segment.length()).append(')');
        if (segment.has(TcpFlags.ACK)) {
            text.append(" ack ").append(segment.ack());
        }
        text.append(" win ").append(segment.window());
        if (segment.has(TcpFlags.URG)) {
            text.append(" urg ").append(segment.urgent());
        }
        appendOptions(text, segment.options());
        return text.toString();
    }

    /** A packet as the script has it, in normal form. */
    static String of(PacketSpec packet, boolean inbound) {
        StringBuilder text = new StringBuilder(inbound ? "< " : "> ");
        switch (packet) {
            case PacketSpec.Tcp tcp -> append(text, tcp);
            case PacketSpec.Icmp icmp -> append(text, icmp);
            case PacketSpec.Udp udp -> text.append("udp (").append(udp.length()).append(')');
        }
        return text.toString();
    }

    private static void append(StringBuilder text, PacketSpec.Tcp tcp) {
        PacketSpec.IpFields ip = tcp.envelope().ip();
        ip.ecn().ifPresent(ecn -> text.append('[').append(ecn.word()).append("] "));
        ip.trafficClass().ifPresent(tos -> text.append(String.format("(tos 0x%02x) ", tos)));
        ip.hopLimit().ifPresent(ttl -> text.append("(ttl ").append(ttl).append(") "));
        text.append(TcpFlags.format(tcp.flags())).append(' ').append(tcp.sequence());
        tcp.ack().ifPresent(ack -> text.append(" ack ").append(ack));
        tcp.window().ifPresent(window -> text.append(" win ").append(window));
        tcp.urgent().ifPresent(urgent -> text.append(" urg ").append(urgent));
        Optional<List<OptionSpec>> options = tcp.options();
        if (options.isEmpty()) {
            text.append(" <...>");
        } else {
            appendOptions(text, options.get());
        }
    }

    private static void append(StringBuilder text, PacketSpec.Icmp icmp) {
        text.append("icmp ").append(icmp.type());
        icmp.code().ifPresent(code -> text.append(' ').append(code));
        icmp.mtu().ifPresent(mtu -> text.append(" mtu ").append(mtu));
        icmp.id().ifPresent(id -> text.append(" id ").append(id));
        icmp.echoed()
                .ifPresent(
                        echoed ->
                                text.append(
                                        switch (echoed) {
                                            case PacketSpec.Echoed.TcpSegment tcp ->
                                                    " [" + tcp.sequence() + "]";
                                            case PacketSpec.Echoed.UdpDatagram udp ->
                                                    " [udp(" + udp.length() + ")]";
                                            case PacketSpec.Echoed.Raw raw ->
                                                    " [raw(" + raw.length() + ")]";
                                        }));
    }

    /** Options between angle brackets; nothing if there are none. */
    static void appendOptions(StringBuilder text, List<OptionSpec> options) {
        if (options.isEmpty()) {
            return;
        }
        text.append(" <");
        for (int i = 0; i < options.size(); i++) {
            text.append(i == 0 ? "" : ",").append(options.get(i));
        }
        text.append('>');
    }

    /** Options as a message shows them: {@code <mss 1460>} or {@code none}. */
    static String options(List<OptionSpec> options) {
        StringBuilder text = new StringBuilder();
        appendOptions(text, options);
        return text.isEmpty() ? "none" : text.toString().strip();
    }
}
