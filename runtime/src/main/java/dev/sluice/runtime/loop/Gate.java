package dev.sluice.runtime.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Where one thread waits until another says that waiting may be over.
 *
 * <p>The waiting thread shuts the gate, tries what it wants to do, and only if that failed calls
 * {@link EventLoop#await}; then it tries again. Whoever changes the state opens the gate
 * afterwards. An open gate means "look again", not success.
 *
 * <p><b>Ordering</b> (architecture section 8, litmus L3). The waiting thread names itself and,
 * after a full fence, looks at {@code open} before it parks; the other side sets {@code open} and,
 * after a full fence, looks for a waiter. One of them sees the other.
 */
public final class Gate {
    private static final VarHandle OPEN;
    private static final VarHandle WAITER;
    private static final VarHandle DRIVER;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OPEN = lookup.findVarHandle(Gate.class, "open", boolean.class);
            WAITER = lookup.findVarHandle(Gate.class, "waiter", Thread.class);
            DRIVER = lookup.findVarHandle(Gate.class, "driver", Seat.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private boolean open;

    /** Parked, or about to be. */
    private Thread waiter;

    /** What the waiting thread polls with, if it drives the stack meanwhile. */
    private Seat driver;

    /** The loop that opens it when the stack ends; touched by the waiting thread. */
    EventLoop registered;

    /** A shut one. */
    public Gate() {}

    /** From now on {@link #open} is noticed. By the thread that is going to wait. */
    public void shut() {
        OPEN.setOpaque(this, false);
        // What the caller tries now may read in acquire mode, which a volatile store does not hold
        // back. Pairs with the fence in open.
        VarHandle.fullFence();
    }

    /** Ends a wait, or the next one if nobody waits. By any thread; cheap if it is open already. */
    public void open() {
        // What the caller changed before may have been published in release mode only. Pairs with
        // the fence in shut: that sees the change, or we see the gate shut.
        VarHandle.fullFence();
        if ((boolean) OPEN.getOpaque(this) || (boolean) OPEN.getAndSet(this, true)) {
            return;
        }
        Thread parked = (Thread) WAITER.getVolatile(this);
        if (parked != null) {
            LockSupport.unpark(parked);
        }
        Seat polled = (Seat) DRIVER.getVolatile(this);
        if (polled != null) {
            polled.wake();
        }
    }

    public boolean isOpen() {
        return (boolean) OPEN.getVolatile(this);
    }

    /**
     * Waits without driving a stack; otherwise as {@link EventLoop#await}, by the {@linkplain
     * Clock#system system's clock}.
     */
    public boolean await(long deadline) {
        return park(Clock.system(), deadline);
    }

    /** From here to {@code driving(null)} opening wakes that seat. */
    void driving(Seat seat) {
        DRIVER.setVolatile(this, seat);
    }

    /**
     * Parks until the gate is open, the time is over or the thread is interrupted.
     *
     * @param deadline nanoseconds of {@code clock}; Long.MAX_VALUE for none
     */
    boolean park(Clock clock, long deadline) {
        WAITER.setVolatile(this, Thread.currentThread());
        try {
            while (!isOpen()) {
                if (Thread.currentThread().isInterrupted()) {
                    return false;
                }
                if (deadline == Long.MAX_VALUE) {
                    LockSupport.park(this);
                    continue;
                }
                long left = deadline - clock.now();
                if (left <= 0) {
                    return isOpen();
                }
                LockSupport.parkNanos(this, left);
            }
            return true;
        } finally {
            WAITER.setOpaque(this, (Thread) null);
        }
    }
}
