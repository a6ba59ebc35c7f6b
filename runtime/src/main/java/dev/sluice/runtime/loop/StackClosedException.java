package dev.sluice.runtime.loop;

/** The stack that was called has been closed, or has failed. */
public final class StackClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    StackClosedException(Throwable failure) {
        super(failure == null ? "the stack is closed" : "the stack has failed", failure);
    }
}
