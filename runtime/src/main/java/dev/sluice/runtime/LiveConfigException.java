package dev.sluice.runtime;

/**
 * A configuration cannot be used. The message is one sentence that names the file, the line where
 * there is one, and what would be right.
 */
public final class LiveConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    LiveConfigException(String message) {
        super(message);
    }

    LiveConfigException(String message, Throwable cause) {
        super(message, cause);
    }
}
