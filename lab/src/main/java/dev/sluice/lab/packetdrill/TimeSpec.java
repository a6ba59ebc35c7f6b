package dev.sluice.lab.packetdrill;

/** When an event happens: the part of an event before its action. All times in nanoseconds. */
public sealed interface TimeSpec {
    /** {@code 0.1}: since the start of the script. */
    record Absolute(long nanos) implements TimeSpec {}

    /** {@code +0.1}: since the previous event. */
    record Relative(long nanos) implements TimeSpec {}

    /** {@code 0.1~0.2}: anywhere between two times since the start. */
    record AbsoluteRange(long fromNanos, long toNanos) implements TimeSpec {}

    /** {@code +0.1~+0.2}: anywhere between two times since the previous event. */
    record RelativeRange(long fromNanos, long toNanos) implements TimeSpec {}

    /** {@code *}: whenever it comes. */
    record AnyTime() implements TimeSpec {}
}
