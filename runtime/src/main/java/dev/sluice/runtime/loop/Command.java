package dev.sluice.runtime.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A call on its way to whoever has the stack. Channels keep one for each direction and use it
 * again, so that calls allocate nothing; one use at a time.
 *
 * <p><b>Ordering</b> (architecture section 8). The holder writes the result, then sets {@code done}
 * and looks for a {@code waiter}; the waiting thread names itself and then looks at {@code done}.
 * Both are volatile, so one of them sees the other: a thread parks only if it will be unparked.
 */
public final class Command {
    /** Looks at {@code done} before parking: a turn is often over sooner than a thread is woken. */
    private static final int SPINS = 200;

    private static final VarHandle DONE;
    private static final VarHandle WAITER;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            DONE = lookup.findVarHandle(Command.class, "done", boolean.class);
            WAITER = lookup.findVarHandle(Command.class, "waiter", Thread.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final StackCall body;

    /** In the list of {@link Baton}. */
    Command next;

    private boolean done;
    private Thread waiter;
    private long result;
    private Throwable failure;

    public Command(StackCall body) {
        this.body = body;
    }

    /** Before it is handed over. */
    void prepare() {
        failure = null;
        DONE.setOpaque(this, false);
    }

    /** The holder does what is asked; the caller hears of it from {@link #complete}. */
    void run(long now) {
        try {
            result = body.run(now);
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    /** What it could not do is told to the caller as the reason. */
    void fail(Throwable reason) {
        failure = reason;
    }

    /** The caller may go on: what it asked for has been done and sent. */
    void complete() {
        DONE.setVolatile(this, true);
        Thread waiting = (Thread) WAITER.getVolatile(this);
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }

    boolean isDone() {
        return (boolean) DONE.getVolatile(this);
    }

    /** Returns when somebody has completed it; an interrupt waits until then. */
    void await() {
        for (int i = 0; i < SPINS; i++) {
            if (isDone()) {
                return;
            }
            Thread.onSpinWait();
        }
        boolean interrupted = false;
        WAITER.setVolatile(this, Thread.currentThread());
        while (!isDone()) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        WAITER.setOpaque(this, (Thread) null);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The result, or what the body threw; after {@link #complete}. */
    long result() {
        switch (failure) {
            case null -> {
                return result;
            }
            case Error e -> throw e;
            case RuntimeException e -> throw e;
            default -> throw new IllegalStateException(failure);
        }
    }
}
