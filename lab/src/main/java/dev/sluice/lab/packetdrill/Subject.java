package dev.sluice.lab.packetdrill;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a script runs against: a host with one network device, driven in virtual time.
 *
 * <p>Times are nanoseconds since the start of the script and never decrease from call to call. A
 * call may make the host send; what it sent is fetched with {@link #takePacket}.
 */
interface Subject extends AutoCloseable {
    /** No deadline. */
    long NEVER = Long.MAX_VALUE;

    /**
     * Applies the effect of a shell command.
     *
     * @throws UnsupportedScriptException if it cannot
     * @throws ScriptFailure if the effect is a demand that is not met
     */
    void apply(long now, ShellEffect effect);

    /**
     * A packet arrives.
     *
     * @param segmentSize payload bytes of the segments it was coalesced from; 0 if it was not
     */
    void deliver(long now, byte[] packet, int segmentSize);

    /** Runs the timers due at or before {@code now}. */
    void advance(long now);

    /** When {@link #advance} has something to do next; {@link #NEVER} if nothing is planned. */
    long nextDeadline();

    /** The next packet the host sent, or null. */
    LivePacket takePacket();

    /**
     * Makes a socket call. Where it blocks, {@link #retry} goes on with it; there is at most one
     * such call at a time.
     */
    Outcome call(long now, Step.Call call);

    /** Goes on with the call that blocks. */
    Outcome retry(long now);

    /**
     * {@code tcp_info} and memory use of a socket under the names code blocks use; nothing if the
     * subject cannot know them, as a recording.
     *
     * @param descriptor the number the script gave the socket
     */
    Optional<Map<String, Long>> information(long now, int descriptor, Position position);

    /** Gives back what it holds. */
    @Override
    void close();

    /**
     * How a call ended.
     *
     * @param blocked it has not ended
     * @param result what it returned; -1 with {@code errno} set for an error
     * @param errno Linux error number; 0 for none
     * @param differences what it wrote to memory otherwise than the script demands
     */
    record Outcome(boolean blocked, long result, int errno, List<String> differences) {
        static final Outcome BLOCKED = new Outcome(true, 0, 0, List.of());

        public Outcome {
            differences = List.copyOf(differences);
        }

        /** From a Linux-like result: negative is an error number. */
        static Outcome of(long result) {
            return result < 0
                    ? new Outcome(false, -1, (int) -result, List.of())
                    : new Outcome(false, result, 0, List.of());
        }

        /** A result with what it wrote. */
        static Outcome of(long result, List<String> differences) {
            return new Outcome(false, result, 0, differences);
        }
    }
}
