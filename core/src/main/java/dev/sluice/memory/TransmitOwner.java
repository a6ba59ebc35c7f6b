package dev.sluice.memory;

/**
 * Told when the device has finished with a packet (transmit completion, B-2.9).
 *
 * <p>The packet itself may have moved on by then, so only its truesize comes back. A driver hands
 * this to {@code NetworkStack.transmitCompleted}, on the owner of the stack, never directly.
 */
public interface TransmitOwner {
    /**
     * @param now virtual or monotonic time, nanoseconds
     * @param truesize what {@link PacketBuffer#truesize()} was when the packet was handed to the
     *     device
     */
    void transmitCompleted(long now, int truesize);
}
