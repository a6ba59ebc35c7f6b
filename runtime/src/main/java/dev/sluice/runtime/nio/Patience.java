package dev.sluice.runtime.nio;

import dev.sluice.runtime.loop.EventLoop;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * How long one call of a socket may wait, as {@code java.net} has it: an interrupt ends the wait of
 * a virtual thread, while a platform thread hears of it after the call. Belongs to the calling
 * thread, which calls {@link #end} last.
 */
final class Patience {
    private static final long NO_DEADLINE = Long.MAX_VALUE;

    private final EventLoop loop;
    private final Supplier<SocketTimeoutException> late;
    private final long deadline;
    private boolean expired;
    private boolean interrupted;

    /** Waits until a deadline of the loop's clock or an interrupt. */
    interface Wait {
        /**
         * @return whether what was waited for may have come
         */
        boolean until(long deadline);
    }

    /**
     * @param millis how long, from now on; 0 for no limit
     * @param late what is thrown after that time
     */
    Patience(EventLoop loop, int millis, Supplier<SocketTimeoutException> late) {
        this.loop = loop;
        this.late = late;
        deadline = millis <= 0 ? NO_DEADLINE : loop.now() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /**
     * Waits once; the caller then tries again, also when the time is over.
     *
     * @throws SocketTimeoutException if the time was over before
     * @throws InterruptedIOException if this is a virtual thread that is interrupted
     */
    void await(Wait wait) throws IOException {
        if (expired) {
            throw late.get();
        }
        boolean virtual = Thread.currentThread().isVirtual();
        if (!virtual) {
            interrupted |= Thread.interrupted();
        }
        boolean opened = wait.until(deadline);
        if (virtual && Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException();
        }
        expired = !opened && loop.now() >= deadline;
    }

    /**
     * Takes a lock that another thread may hold for as long as it waits.
     *
     * @throws SocketTimeoutException if the time was over first
     */
    void lock(ReentrantLock lock) throws SocketTimeoutException {
        if (deadline == NO_DEADLINE) {
            lock.lock();
            return;
        }
        while (true) {
            try {
                if (lock.tryLock(Math.max(0, deadline - loop.now()), TimeUnit.NANOSECONDS)) {
                    return;
                }
                throw late.get();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    /** The call is over. */
    void end() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
