package dev.sluice.runtime.loop;

import dev.sluice.runtime.device.DeviceException;

/** Carries the end of a device through a call. */
final class DeviceGone extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DeviceGone(DeviceException cause) {
        super(cause);
    }
}
