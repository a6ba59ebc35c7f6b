package dev.sluice.lab.packetdrill;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Compares a segment the stack sent with the one its script expects, both in the script's numbers.
 *
 * <p>Always compared: flags, sequence number, length, acknowledgment number, urgent pointer,
 * payload. Compared where written: window, IP fields. Options must be the same in the same order,
 * unless the script leaves them open; of timestamps only the presence is compared, and the value
 * against a clock where one is given.
 */
final class SegmentMatcher {
    private static final int ECN_MASK = 3;

    private SegmentMatcher() {}

    /**
     * The differences, each as {@code field: expected X, got Y}; empty if the segment matches.
     *
     * @param timestampValue what TS val should be, if that is compared
     * @param timestampSlack how far TS val may be off
     * @param windows whether windows are compared
     */
    static List<String> differences(
            PacketSpec.Tcp expected,
            Segment actual,
            OptionalLong timestampValue,
            long timestampSlack,
            boolean windows) {
        List<String> found = new ArrayList<>();
        if (expected.flags() != actual.flags()) {
            difference(
                    found,
                    "flags",
                    TcpFlags.format(expected.flags()),
                    TcpFlags.format(actual.flags()));
        }
        PacketSpec.Sequence sequence = expected.sequence();
        if (!sequence.any() && sequence.start() != actual.sequence()) {
            difference(found, "sequence number", sequence.start(), actual.sequence());
        }
        if (sequence.length() != actual.length()) {
            difference(found, "length", sequence.length(), actual.length());
        }
        if (!actual.zeroPayload()) {
            difference(found, "payload", "zeros", "other bytes");
        }
        if (expected.ack().orElse(0) != actual.ack()) {
            difference(found, "ack", expected.ack().orElse(0), actual.ack());
        }
        if (windows
                && expected.window().isPresent()
                && expected.window().getAsInt() != actual.window()) {
            difference(found, "window", expected.window().getAsInt(), actual.window());
        }
        if (expected.urgent().orElse(0) != actual.urgent()) {
            difference(found, "urgent pointer", expected.urgent().orElse(0), actual.urgent());
        }
        if (expected.options().isPresent()) {
            options(found, expected.options().get(), actual.options());
            timestamp(found, actual, timestampValue, timestampSlack);
        }
        ipFields(found, expected.envelope().ip(), actual);
        return found;
    }

    private static void difference(
            List<String> found, String field, Object expected, Object actual) {
        found.add(field + ": expected " + expected + ", got " + actual);
    }

    private static void options(
            List<String> found, List<OptionSpec> expected, List<OptionSpec> actual) {
        boolean same = expected.size() == actual.size();
        for (int i = 0; same && i < expected.size(); i++) {
            same = sameOption(expected.get(i), actual.get(i));
        }
        if (!same) {
            difference(
                    found, "options", SegmentText.options(expected), SegmentText.options(actual));
        }
    }

    private static boolean sameOption(OptionSpec expected, OptionSpec actual) {
        boolean timestamps =
                expected instanceof OptionSpec.Timestamps
                        && actual instanceof OptionSpec.Timestamps;
        return timestamps || expected.equals(actual);
    }

    private static void timestamp(
            List<String> found, Segment actual, OptionalLong expected, long slack) {
        Optional<OptionSpec.Timestamps> option = timestamps(actual.options());
        if (expected.isEmpty() || option.isEmpty()) {
            return;
        }
        long value = option.get().value();
        long off = (int) (value - expected.getAsLong());
        if (Math.abs(off) > slack) {
            difference(found, "TS val", expected.getAsLong(), value);
        }
    }

    /** The timestamps option of a list, if it has one. */
    static Optional<OptionSpec.Timestamps> timestamps(List<OptionSpec> options) {
        for (OptionSpec option : options) {
            if (option instanceof OptionSpec.Timestamps timestamps) {
                return Optional.of(timestamps);
            }
        }
        return Optional.empty();
    }

    private static void ipFields(List<String> found, PacketSpec.IpFields expected, Segment actual) {
        int codepoint = actual.trafficClass() & ECN_MASK;
        if (expected.ecn().isPresent() && !allows(expected.ecn().get(), codepoint)) {
            difference(
                    found,
                    "ECN",
                    expected.ecn().get().word(),
                    PacketSpec.Ecn.values()[codepoint].word());
        }
        if (expected.trafficClass().isPresent()
                && expected.trafficClass().getAsInt() != actual.trafficClass()) {
            difference(
                    found,
                    "traffic class",
                    "0x" + Integer.toHexString(expected.trafficClass().getAsInt()),
                    "0x" + Integer.toHexString(actual.trafficClass()));
        }
        if (expected.flowLabel().isPresent()
                && expected.flowLabel().getAsInt() != actual.flowLabel()) {
            difference(
                    found,
                    "flow label",
                    "0x" + Integer.toHexString(expected.flowLabel().getAsInt()),
                    "0x" + Integer.toHexString(actual.flowLabel()));
        }
        if (expected.hopLimit().isPresent()
                && expected.hopLimit().getAsInt() != actual.hopLimit()) {
            difference(found, "hop limit", expected.hopLimit().getAsInt(), actual.hopLimit());
        }
    }

    private static boolean allows(PacketSpec.Ecn expected, int codepoint) {
        return switch (expected) {
            case ANY_ECT -> codepoint == 1 || codepoint == 2;
            case NOT_ECT, ECT1, ECT0, CE -> expected.ordinal() == codepoint;
        };
    }
}
