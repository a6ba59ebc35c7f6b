package dev.sluice.doctor.capture;

import java.io.IOException;

/** A capture file that is damaged, cut off, or of a kind that is not understood. */
public final class CaptureFormatException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what is wrong, and where
     */
    public CaptureFormatException(String message) {
        super(message);
    }
}
