package dev.sluice.config;

/** A key that does not exist or a value it cannot have; the message says what would be right. */
public final class SysctlException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    SysctlException(String message) {
        super(message);
    }
}
