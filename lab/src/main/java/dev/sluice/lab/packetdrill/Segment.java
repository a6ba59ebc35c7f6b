package dev.sluice.lab.packetdrill;

import java.util.List;

/**
 * A TCP segment the stack sent, with its numbers turned into those of the script.
 *
 * @param timeNanos when it was sent, since the start of the script
 * @param sequence first sequence number, unsigned 32 bits
 * @param length payload bytes
 * @param zeroPayload whether every payload byte is zero, as scripts write only zeros
 * @param flags bits of {@link TcpFlags}
 * @param ack acknowledgment number, 0 if the segment has none
 * @param window the raw 16 bits
 * @param options in wire order
 * @param trafficClass TOS byte or traffic class
 * @param flowLabel IPv6 flow label, 0 under IPv4
 * @param hopLimit TTL or hop limit
 */
record Segment(
        long timeNanos,
        long sequence,
        int length,
        boolean zeroPayload,
        int flags,
        long ack,
        int window,
        int urgent,
        List<OptionSpec> options,
        int trafficClass,
        int flowLabel,
        int hopLimit) {
    static final long MODULUS = 1L << 32;

    Segment {
        options = List.copyOf(options);
    }

    /** The sequence number after the last payload byte. */
    long end() {
        return (sequence + length) % MODULUS;
    }

    boolean has(int mask) {
        return (flags & mask) == mask;
    }

    /** The same with other sequence number, length and flags. */
    Segment with(long newSequence, int newLength, boolean newZeroPayload, int newFlags) {
        return new Segment(
                timeNanos,
                newSequence,
                newLength,
                newZeroPayload,
                newFlags,
                ack,
                window,
                urgent,
                options,
                trafficClass,
                flowLabel,
                hopLimit);
    }
}
