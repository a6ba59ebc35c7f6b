package dev.sluice.runtime.device;

/**
 * A device cannot be had, or is no longer there. The message is one sentence for the person who
 * runs the program, with what to do about it.
 */
public final class DeviceException extends Exception {
    private static final long serialVersionUID = 1L;

    public DeviceException(String message) {
        super(message);
    }

    DeviceException(String message, Throwable cause) {
        super(message, cause);
    }
}
