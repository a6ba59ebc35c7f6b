package dev.sluice.lab.packetdrill;

import java.util.Map;

/** ICMP types and codes by the names scripts give them (RFC 792, RFC 1812, RFC 4443). */
final class IcmpNames {
    private static final Map<String, Integer> TYPES_V4 =
            Map.ofEntries(
                    Map.entry("echo_reply", 0),
                    Map.entry("unreachable", 3),
                    Map.entry("source_quench", 4),
                    Map.entry("redirect", 5),
                    Map.entry("echo_request", 8),
                    Map.entry("time_exceeded", 11),
                    Map.entry("parameter_problem", 12),
                    Map.entry("timestamp_request", 13),
                    Map.entry("timestamp_reply", 14),
                    Map.entry("information_request", 15),
                    Map.entry("information_reply", 16),
                    Map.entry("address_mask_request", 17),
                    Map.entry("address_mask_reply", 18));

    private static final Map<String, Integer> CODES_V4 =
            Map.ofEntries(
                    Map.entry("net_unreachable", 0),
                    Map.entry("host_unreachable", 1),
                    Map.entry("protocol_unreachable", 2),
                    Map.entry("port_unreachable", 3),
                    Map.entry("frag_needed", 4),
                    Map.entry("source_route_failed", 5),
                    Map.entry("net_unknown", 6),
                    Map.entry("host_unknown", 7),
                    Map.entry("source_host_isolated", 8),
                    Map.entry("net_prohibited", 9),
                    Map.entry("host_prohibited", 10),
                    Map.entry("net_unreachable_for_tos", 11),
                    Map.entry("host_unreachable_for_tos", 12),
                    Map.entry("packet_filtered", 13),
                    Map.entry("precedence_violation", 14),
                    Map.entry("precedence_cutoff", 15),
                    Map.entry("ttl_exceeded_in_transit", 0),
                    Map.entry("frag_reass_exceeded", 1));

    private static final Map<String, Integer> TYPES_V6 =
            Map.of(
                    "unreachable", 1,
                    "packet_too_big", 2,
                    "time_exceeded", 3,
                    "parameter_problem", 4,
                    "echo_request", 128,
                    "echo_reply", 129);

    private static final Map<String, Integer> CODES_V6 =
            Map.ofEntries(
                    Map.entry("no_route", 0),
                    Map.entry("net_unreachable", 0),
                    Map.entry("admin_prohibited", 1),
                    Map.entry("not_neighbour", 2),
                    Map.entry("address_unreachable", 3),
                    Map.entry("port_unreachable", 4),
                    Map.entry("exceeded_hop_limit", 0),
                    Map.entry("exceeded_frag_time", 1),
                    Map.entry("header_field", 0),
                    Map.entry("unknown_next_header", 1),
                    Map.entry("unknown_option", 2));

    private IcmpNames() {}

    /** The first two bytes of an ICMP message. */
    record TypeAndCode(int type, int code) {}

    /**
     * The numbers of a message.
     *
     * @throws UnsupportedScriptException if this version of ICMP has no such name
     */
    static TypeAndCode find(PacketSpec.Icmp icmp, boolean ipv4) {
        String code = icmp.code().orElse("code_0");
        return new TypeAndCode(
                number(icmp, icmp.type(), "type_", ipv4 ? TYPES_V4 : TYPES_V6),
                number(icmp, code, "code_", ipv4 ? CODES_V4 : CODES_V6));
    }

    private static int number(
            PacketSpec.Icmp icmp, String name, String prefix, Map<String, Integer> names) {
        if (name.startsWith(prefix)) {
            long value = Cursor.parseUnsigned(name.substring(prefix.length()));
            if (value >= 0 && value <= 0xff) {
                return (int) value;
            }
        }
        Integer known = names.get(name);
        if (known == null) {
            throw new UnsupportedScriptException(
                    icmp.position(), "the ICMP name " + name + " under this IP version");
        }
        return known;
    }
}
