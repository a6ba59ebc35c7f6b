package dev.sluice.stack;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.wire.Checksum;

/**
 * The packet at hand as the protocols above IP see it, whichever family it is. One for a stack,
 * refilled for every packet.
 */
final class ReceivedPacket {
    PacketBuffer buffer;
    Interface iface;
    boolean ipv6;
    long sourceHi;
    long sourceLo;
    long destinationHi;
    long destinationLo;

    /** The destination is a broadcast address: for datagrams only, and never answered. */
    boolean broadcast;

    /** DSCP and ECN together. */
    int tos;

    int protocol;

    /** Where the packet says which protocol it carries, in bytes from its start; IPv6 only. */
    int protocolPointer;

    /** Address of the transport header. */
    long transport;

    /** Bytes from there that are stored, and bytes on the wire. */
    int stored;

    int length;

    int ecn() {
        return tos & 3;
    }

    /** Whether the checksum of a TCP segment or UDP datagram of {@code length} bytes is good. */
    boolean checksumOk(int transportLength) {
        return switch (buffer.checksum()) {
            case PacketBuffer.CHECKSUM_VERIFIED, PacketBuffer.CHECKSUM_PARTIAL -> true;
            case PacketBuffer.CHECKSUM_BAD -> false;
            default ->
                    buffer.syntheticLength() > 0
                            || Checksum.verifyTransport(
                                    buffer.segment(),
                                    transport,
                                    transportLength,
                                    protocol,
                                    sourceHi,
                                    sourceLo,
                                    destinationHi,
                                    destinationLo);
        };
    }
}
