package dev.sluice.runtime.device;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;

/** A seam: something that carries IP packets, never blocks, and is used by one thread at a time. */
public interface Device extends AutoCloseable {
    String name();

    /** The file to poll: readable when packets wait, writable when one would be taken. */
    int fd();

    /** Largest IP packet, bytes; super-packets may be larger. */
    int mtu();

    /** Takes super-packets, splits them to the MTU, and hands them up too. */
    boolean segmentation();

    /** Completes transport checksums, and vouches for those of packets it hands up. */
    boolean checksumOffload();

    /**
     * Receives what waits, up to the length of {@code batch}.
     *
     * @param pool where buffers come from; packets that find none are dropped
     * @return how many packets are now in {@code batch}, from its start; they belong to the caller
     * @throws DeviceException if the device is gone
     */
    int receive(PacketPool pool, PacketBuffer[] batch) throws DeviceException;

    /**
     * Sends one packet. The buffer stays with the caller; the device has finished with it when this
     * returns.
     *
     * @return false if the device is full: try again when {@link #fd} is writable
     */
    boolean transmit(PacketBuffer packet);

    /** Packets lost here, for want of memory or because the device refused them. */
    long dropped();

    /** Gives back what it holds of {@code pool}; before {@link #close}. */
    void releaseBuffers(PacketPool pool);

    @Override
    void close();
}
