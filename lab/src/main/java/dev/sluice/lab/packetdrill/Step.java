package dev.sluice.lab.packetdrill;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** One event of a script: a time and what happens or must happen then. */
public sealed interface Step {
    /** Where the event begins, at its time. */
    Position position();

    /** When it happens. */
    TimeSpec time();

    /** {@code <}: the script's side of the network sends a packet to the stack. */
    record Inject(Position position, TimeSpec time, PacketSpec packet) implements Step {}

    /** {@code >}: the stack must send this packet. */
    record Expect(Position position, TimeSpec time, PacketSpec packet) implements Step {}

    /**
     * A socket call and what it must return.
     *
     * @param blockingEndNanos for {@code +a...b call()}: when the call must return, on the same
     *     base as its start (absolute or relative); empty for a call that returns at once
     * @param arguments as written
     * @param result what it must return; {@link Expression.Any} when anything will do
     * @param errno name of the error that must accompany a result of -1
     */
    record Call(
            Position position,
            TimeSpec time,
            OptionalLong blockingEndNanos,
            String name,
            List<Expression> arguments,
            Expression result,
            Optional<String> errno)
            implements Step {
        public Call {
            arguments = List.copyOf(arguments);
        }
    }

    /** A shell command between back quotes. It is interpreted, never executed. */
    record Command(Position position, TimeSpec time, ShellText command) implements Step {}

    /**
     * Assertions over the connection's {@code tcp_info}, between <code>%{</code> and {@code }%}.
     */
    record Code(Position position, TimeSpec time, CodeText code) implements Step {}

    /** Text of a shell command; {@code position} is that of its first character. */
    record ShellText(Position position, String text) {}

    /** Text of a code block; {@code position} is that of its first character. */
    record CodeText(Position position, String text) {}
}
