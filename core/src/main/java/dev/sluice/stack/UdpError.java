package dev.sluice.stack;

import dev.sluice.wire.IcmpHeader;

/** Why a call on a datagram socket failed, or what an ICMP error means for it. */
public enum UdpError {
    NONE,
    /** Nothing to read, or no room in the send buffer. */
    WOULD_BLOCK,
    /** The address or port belongs to another socket, or every port does. */
    ADDRESS_IN_USE,
    NO_FREE_PORT,
    ADDRESS_NOT_AVAILABLE,
    INVALID,
    /** Not connected, and the datagram has no destination. */
    NO_DESTINATION,
    WRONG_FAMILY,
    NO_ROUTE,
    /** Multicast. */
    NOT_SUPPORTED,
    /** To a broadcast address without SO_BROADCAST, or a filter on the path refused. */
    FORBIDDEN,
    /** Longer than a datagram can be, or than the path lets through in one piece. */
    TOO_LONG,
    NO_BUFFERS,
    /** Nobody has the port. */
    REFUSED,
    HOST_UNREACHABLE,
    HOST_DOWN,
    /** The host is isolated, as routers say that send ICMP code 8. */
    OFF_THE_NETWORK,
    PROTOCOL_UNREACHABLE,
    /** A router could not make sense of the packet. */
    PROTOCOL_ERROR,
    CLOSED;

    /**
     * What a connected socket is told when an ICMP error comes; NONE for what it need not know.
     * These are the errors that Linux's tables {@code icmp_err_convert} and {@code
     * icmpv6_err_convert} call fatal.
     *
     * @param discovers the socket takes part in path MTU discovery and hears of packets too big
     */
    static UdpError hard(IcmpHeader header, boolean discovers) {
        return switch (header.kind()) {
            case PACKET_TOO_BIG -> discovers ? TOO_LONG : NONE;
            case PARAMETER_PROBLEM -> PROTOCOL_ERROR;
            case DESTINATION_UNREACHABLE ->
                    header.isIpv6() ? unreachableV6(header.code()) : unreachableV4(header.code());
            default -> NONE;
        };
    }

    private static UdpError unreachableV4(int code) {
        return switch (code) {
            case IcmpHeader.V4_PROTOCOL_UNREACHABLE -> PROTOCOL_UNREACHABLE;
            case IcmpHeader.V4_PORT_UNREACHABLE -> REFUSED;
            case IcmpHeader.V4_NET_UNKNOWN, IcmpHeader.V4_NET_PROHIBITED -> NO_ROUTE;
            case IcmpHeader.V4_HOST_UNKNOWN -> HOST_DOWN;
            case IcmpHeader.V4_HOST_ISOLATED -> OFF_THE_NETWORK;
            case IcmpHeader.V4_HOST_PROHIBITED,
                    IcmpHeader.V4_ADMINISTRATIVELY_PROHIBITED,
                    IcmpHeader.V4_PRECEDENCE_VIOLATION,
                    IcmpHeader.V4_PRECEDENCE_CUTOFF ->
                    HOST_UNREACHABLE;
            default -> NONE;
        };
    }

    private static UdpError unreachableV6(int code) {
        return switch (code) {
            case IcmpHeader.V6_PORT_UNREACHABLE -> REFUSED;
            case IcmpHeader.V6_ADMINISTRATIVELY_PROHIBITED,
                    IcmpHeader.V6_SOURCE_POLICY,
                    IcmpHeader.V6_REJECT_ROUTE ->
                    FORBIDDEN;
            default -> NONE;
        };
    }
}
