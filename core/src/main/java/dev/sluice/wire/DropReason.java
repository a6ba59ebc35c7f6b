package dev.sluice.wire;

/**
 * Why a received packet goes no further. Where a method returns a drop reason, null means that the
 * packet is fine. Every drop is counted under its reason (architecture section 12).
 */
public enum DropReason {
    // Link layer.
    ETHERNET_TRUNCATED("frame shorter than its header"),
    ARP_TRUNCATED("ARP packet shorter than 28 bytes"),
    ARP_UNSUPPORTED("ARP for something other than IPv4 over Ethernet, or an unknown operation"),

    // IPv4, RFC 791.
    IPV4_TRUNCATED("packet shorter than its IPv4 header"),
    IPV4_VERSION("version field is not 4"),
    IPV4_HEADER_LENGTH("header length below 20 bytes or beyond the packet"),
    IPV4_TOTAL_LENGTH("total length below the header or beyond the packet"),
    IPV4_CHECKSUM("header checksum is wrong"),
    IPV4_OPTIONS("malformed IPv4 option"),
    IPV4_SOURCE_ROUTE("source-route option, refused as Linux does by default"),
    IPV4_FRAGMENT_OVERLONG("fragment ends beyond 65,535 bytes"),

    // IPv6, RFC 8200.
    IPV6_TRUNCATED("packet shorter than the IPv6 header"),
    IPV6_VERSION("version field is not 6"),
    IPV6_PAYLOAD_LENGTH("payload length beyond the packet"),
    IPV6_EXTENSION_TRUNCATED("extension header runs beyond the packet"),
    IPV6_EXTENSION_ORDER("hop-by-hop options anywhere but first"),
    IPV6_EXTENSION_UNSUPPORTED("extension header this stack does not process"),
    IPV6_EXTENSION_FLOOD("more extension headers than any honest packet has"),
    IPV6_OPTION("malformed option, or an unknown one that asks to be discarded"),
    IPV6_ROUTING("routing header with segments left"),
    IPV6_FRAGMENT_OVERLONG("fragment ends beyond 65,535 bytes"),

    // TCP, RFC 9293.
    TCP_TRUNCATED("segment shorter than 20 bytes"),
    TCP_DATA_OFFSET("data offset below 20 bytes or beyond the segment"),
    TCP_CHECKSUM("TCP checksum is wrong"),

    // UDP, RFC 768 and RFC 8200 section 8.1.
    UDP_TRUNCATED("datagram shorter than 8 bytes"),
    UDP_LENGTH("length field below 8 bytes or beyond the packet"),
    UDP_CHECKSUM("UDP checksum is wrong, or absent over IPv6"),

    // ICMP, RFC 792 and RFC 4443.
    ICMP_TRUNCATED("message shorter than 8 bytes"),
    ICMP_CHECKSUM("ICMP checksum is wrong"),
    ICMP_QUOTE("ICMP error whose quoted packet is too short or makes no sense");

    private final String description;

    DropReason(String description) {
        this.description = description;
    }

    /** One clause for reports and generated tables. */
    public String description() {
        return description;
    }
}
