package dev.sluice.runtime.device;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.runtime.ffi.EventFd;
import dev.sluice.runtime.ffi.NativeException;

/** For a stack that talks to nobody but itself: packets vanish, and none ever come. */
public final class NoDevice implements Device {
    private static final int MTU = 1500;

    /** Never signalled. */
    private final EventFd silence;

    private long dropped;

    /** A device that needs no privilege. */
    public NoDevice() throws DeviceException {
        try {
            silence = new EventFd();
        } catch (NativeException e) {
            throw new DeviceException("no event file: " + e.getMessage());
        }
    }

    @Override
    public String name() {
        return "none";
    }

    @Override
    public int fd() {
        return silence.number();
    }

    @Override
    public boolean pollsForRoom() {
        return false;
    }

    @Override
    public int mtu() {
        return MTU;
    }

    @Override
    public boolean segmentation() {
        return false;
    }

    @Override
    public boolean checksumOffload() {
        return false;
    }

    @Override
    public int receive(long now, PacketPool pool, PacketBuffer[] batch) {
        return 0;
    }

    @Override
    public long nextArrival(long now) {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean transmit(long now, PacketBuffer packet) {
        dropped++;
        return true;
    }

    @Override
    public long dropped() {
        return dropped;
    }

    @Override
    public void releaseBuffers(PacketPool pool) {
        // It holds none.
    }

    @Override
    public void close() {
        silence.close();
    }
}
