package dev.sluice.runtime.device;

import dev.sluice.runtime.ffi.EventFd;
import dev.sluice.runtime.ffi.NativeException;

/**
 * A link in memory between two live stacks of one JVM: packets without a device of the kernel, and
 * so without root.
 *
 * <p>Each end is a {@link Device} of one stack. A packet is copied once, from the sender's memory
 * into the receiver's, and nothing is allocated for it. The cable has no thread of its own: the
 * sender works out when a packet arrives, and the receiver's loop wakes at that time.
 *
 * <p>If one end is closed, what the other one sends vanishes, as with a cable that is pulled out at
 * the far side.
 */
public final class Cable {
    /** Buffers that may be posted in a direction: super-packets are 64 KiB each, others an MTU. */
    private static final int SUPER_PACKETS = 64;

    private static final int PACKETS = 256;

    private final CableEnd first;
    private final CableEnd second;

    private Cable(CableEnd first, CableEnd second) {
        this.first = first;
        this.second = second;
    }

    /**
     * A cable with two free ends.
     *
     * @throws DeviceException if the system refuses event files
     */
    public static Cable open(CableSpec spec) throws DeviceException {
        int slots = spec.offload() ? SUPER_PACKETS : PACKETS;
        CableRing there = new CableRing(slots);
        CableRing back = new CableRing(slots);
        EventFd firstBell = bell();
        EventFd secondBell;
        try {
            secondBell = bell();
        } catch (DeviceException e) {
            firstBell.close();
            throw e;
        }
        return new Cable(
                new CableEnd(
                        spec.name() + "-a",
                        spec,
                        new CableLine(spec, "a to b"),
                        there,
                        back,
                        firstBell,
                        secondBell),
                new CableEnd(
                        spec.name() + "-b",
                        spec,
                        new CableLine(spec, "b to a"),
                        back,
                        there,
                        secondBell,
                        firstBell));
    }

    private static EventFd bell() throws DeviceException {
        try {
            return new EventFd();
        } catch (NativeException e) {
            throw new DeviceException("a cable cannot be made: " + e.getMessage(), e);
        }
    }

    /** The end called {@code NAME-a}; closed by the stack it is given to. */
    public Device first() {
        return first;
    }

    /** The end called {@code NAME-b}; closed by the stack it is given to. */
    public Device second() {
        return second;
    }
}
