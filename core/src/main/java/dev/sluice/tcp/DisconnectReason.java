package dev.sluice.tcp;

/** Why a connection ended; the socket turns it into an {@code errno}. */
public enum DisconnectReason {
    /** Still connected, or never was. */
    NONE,
    /** Both directions were closed in order. */
    CLOSED,
    /** The peer answered our SYN with a reset. */
    REFUSED,
    /** The peer reset the connection. */
    RESET,
    /** The peer reset it after it had closed its direction and we wrote on. */
    BROKEN_PIPE,
    /** Retransmissions, probes or keepalives stayed unanswered. */
    TIMED_OUT,
    /** A hard ICMP error said so (RFC 1122 section 4.2.3.9). */
    HOST_UNREACHABLE,
    NETWORK_UNREACHABLE,
    PROTOCOL_UNREACHABLE,
    PORT_UNREACHABLE,
    /** We reset it: close with unread data, linger 0, or abort. */
    ABORTED,
    /** We reset it for want of memory. */
    NO_MEMORY
}
