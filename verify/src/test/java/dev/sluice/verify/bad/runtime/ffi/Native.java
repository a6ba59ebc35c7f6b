package dev.sluice.verify.bad.runtime.ffi;

/** A native facility that others call. */
public final class Native {
    public int errno() {
        return 0;
    }
}
