package dev.sluice.runtime.ffi;

/** A system call failed; says which one, and with which {@code errno}. */
public final class NativeException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int errno;

    NativeException(String call, int errno) {
        super(call + " failed: " + Errno.text(errno));
        this.errno = errno;
    }

    /** The number Linux gave; see {@link Errno}. */
    public int errno() {
        return errno;
    }
}
