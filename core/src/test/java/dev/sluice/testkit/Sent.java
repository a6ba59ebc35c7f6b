package dev.sluice.testkit;

import dev.sluice.wire.SegmentNotation;

/**
 * A packet that left the stack.
 *
 * @param segment what it says; null if it is no TCP
 * @param icmp {@code "icmp 3.1"}: type and code; null if it is no ICMP
 * @param segments how many segments the device makes of it
 * @param segmentSize payload of each but the last, 0 if it is one
 * @param ttl time to live or hop limit
 * @param bytes the stored packet, IP header included
 */
public record Sent(
        SegmentNotation.Segment segment,
        String icmp,
        int segments,
        int segmentSize,
        int ttl,
        byte[] bytes) {
    @Override
    public String toString() {
        return segment != null ? segment.toString() : "> " + icmp;
    }
}
