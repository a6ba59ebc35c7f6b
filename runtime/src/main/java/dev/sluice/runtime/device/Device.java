package dev.sluice.runtime.device;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;

/** A seam: something that carries IP packets, never blocks, and is used by one thread at a time. */
public interface Device extends AutoCloseable {
    String name();

    /**
     * The file to poll: readable when packets wait, writable when one would be taken. A device that
     * {@linkplain #pollsForRoom does not poll for room} becomes readable for both.
     */
    int fd();

    /** Whether {@link #fd} is to be polled for output too after a packet was refused. */
    boolean pollsForRoom();

    /** Largest IP packet, bytes; super-packets may be larger. */
    int mtu();

    /** Takes super-packets, splits them to the MTU, and hands them up too. */
    boolean segmentation();

    /** Completes transport checksums, and vouches for those of packets it hands up. */
    boolean checksumOffload();

    /**
     * Receives what waits, up to the length of {@code batch}.
     *
     * @param now the time, nanoseconds; stacks joined by a device share one clock
     * @param pool where buffers come from; packets that find none are dropped
     * @return how many packets are now in {@code batch}, from its start; they belong to the caller
     * @throws DeviceException if the device is gone
     */
    int receive(long now, PacketPool pool, PacketBuffer[] batch) throws DeviceException;

    /**
     * To be asked each time before the owner sleeps: from here on {@link #fd} tells of packets that
     * come, until the next {@link #receive}.
     *
     * @return when a packet that is on its way already will be there, which {@code fd} does not
     *     tell; not later than {@code now} if one waits; Long.MAX_VALUE if none is on its way
     */
    long nextArrival(long now);

    /**
     * Sends one packet. The buffer stays with the caller; the device has finished with it when this
     * returns.
     *
     * @return false if the device is full: try again when {@link #fd} says so
     */
    boolean transmit(long now, PacketBuffer packet);

    /** Packets lost here, for want of memory or because the device refused them. */
    long dropped();

    /** Gives back what it holds of {@code pool}; before {@link #close}. */
    void releaseBuffers(PacketPool pool);

    @Override
    void close();
}
