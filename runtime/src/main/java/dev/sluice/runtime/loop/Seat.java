package dev.sluice.runtime.loop;

import dev.sluice.runtime.device.DeviceException;
import dev.sluice.runtime.ffi.EventFd;
import dev.sluice.runtime.ffi.NativeException;
import dev.sluice.runtime.ffi.Poller;

/**
 * What one thread sleeps in: the files it polls, and the one that wakes it. A loop has two, one for
 * its own thread and one for a thread that drives while it waits for something of its own.
 */
final class Seat implements AutoCloseable {
    private final EventFd wakeUp;
    private final Poller withDevice;
    private final Poller alone;

    /**
     * @param device the file that says when packets wait
     */
    Seat(int device) throws DeviceException {
        try {
            wakeUp = new EventFd();
        } catch (NativeException e) {
            throw new DeviceException("the loop cannot be woken: " + e.getMessage());
        }
        withDevice = new Poller(device, wakeUp.number());
        alone = new Poller(wakeUp.number());
    }

    /** Ends a sleep, or the next one. By any thread. */
    void wake() {
        wakeUp.signal();
    }

    /**
     * Sleeps until the device is ready, somebody {@linkplain #wake wakes} the seat, or so long.
     *
     * @param out whether room in the device counts too
     * @param nanos negative for no limit
     */
    void sleepOnDevice(boolean out, long nanos) throws NativeException {
        int events = out ? Poller.POLLIN | Poller.POLLOUT : Poller.POLLIN;
        if (withDevice.await(events, nanos) && withDevice.secondReady()) {
            wakeUp.drain();
        }
    }

    /** The same without the device. @return whether somebody woke it */
    boolean sleep(long nanos) throws NativeException {
        return alone.await(Poller.POLLIN, nanos) && wakeUp.drain();
    }

    @Override
    public void close() {
        wakeUp.close();
    }
}
