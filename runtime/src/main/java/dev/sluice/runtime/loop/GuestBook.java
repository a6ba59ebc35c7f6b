package dev.sluice.runtime.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who sleeps in the device: the thread of the loop, or a guest that waits for something of its own
 * (architecture section 8, "who waits, drives").
 *
 * <p>A thread becomes the guest when it was the one woken {@value #STREAK} times in a row: then a
 * hand-over to it is what every packet costs. It stays the guest between its waits, and is
 * dismissed when others are woken more often than itself, or when it stays away. Virtual threads
 * never drive, since a system call that waits would pin their carrier. Two threads in the device at
 * once, for the moment of a change, do no harm: whoever wakes needs the {@link Baton} to do
 * anything.
 *
 * <p><b>Ordering</b> (architecture section 8). The guest leaves its seat and then looks whether the
 * thread of the loop rests without a time limit; that thread says that it rests and then looks for
 * the guest in its seat. All volatile, so one of them sees the other: the device is never
 * unattended for longer than the grace time. The counts are estimates that races may spoil.
 */
public final class GuestBook {
    /** Times in a row that the same thread was woken. */
    private static final int STREAK = 32;

    /** Visits after which old ones count half. */
    private static final int MEMORY = 64;

    private static final VarHandle GUEST;
    private static final VarHandle SEATED;
    private static final VarHandle RESTING;
    private static final VarHandle STATE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            GUEST = lookup.findVarHandle(GuestBook.class, "guest", Gate.class);
            SEATED = lookup.findVarHandle(GuestBook.class, "seated", boolean.class);
            RESTING = lookup.findVarHandle(GuestBook.class, "resting", boolean.class);
            STATE = lookup.findVarHandle(GuestBook.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private static final int NEW = 0;
    private static final int RUNNING = 1;
    private static final int STOPPING = 2;

    private int state = NEW;
    private Gate guest;
    private boolean seated;
    private boolean resting;

    // Estimates.
    private volatile long visits;
    private volatile Gate lastWoken;
    private volatile int streak;
    private volatile int othersWoken;
    private volatile int ownVisits;

    /** Creates a book without a guest. */
    public GuestBook() {}

    // ---- the loop's life ---------------------------------------------------------------------

    void started() {
        STATE.setVolatile(this, RUNNING);
    }

    /** Returns whether it was not stopped before. */
    boolean stop() {
        return (int) STATE.getAndSet(this, STOPPING) != STOPPING;
    }

    boolean isStopping() {
        return (int) STATE.getVolatile(this) == STOPPING;
    }

    // ---- threads that wait -------------------------------------------------------------------

    /** Whether this thread, about to wait at {@code gate}, sits down in the device instead. */
    public boolean enter(Gate gate) {
        if ((int) STATE.getOpaque(this) != RUNNING || Thread.currentThread().isVirtual()) {
            return false;
        }
        Gate current = (Gate) GUEST.getVolatile(this);
        if (current != gate) {
            boolean invited = lastWoken == gate && streak >= STREAK;
            if (current != null || !invited || !GUEST.compareAndSet(this, (Gate) null, gate)) {
                return false;
            }
            othersWoken = 0;
            ownVisits = 0;
        }
        SEATED.setVolatile(this, true);
        return true;
    }

    /** Whether that is the guest's gate, and not dismissed meanwhile. */
    public boolean isGuest(Gate gate) {
        return GUEST.getVolatile(this) == gate;
    }

    /**
     * The guest has what it waited for.
     *
     * @return whether the thread of the loop has to be woken, to keep watch
     */
    public boolean leave() {
        SEATED.setVolatile(this, false);
        visits++;
        ownVisits++;
        if (ownVisits >= MEMORY) {
            ownVisits >>= 1;
            othersWoken >>= 1;
        }
        return (boolean) RESTING.getVolatile(this) && (boolean) RESTING.getAndSet(this, false);
    }

    /**
     * A thread was woken by somebody else's turn.
     *
     * @return whether the guest was dismissed for that, so that the thread of the loop has to be
     *     woken
     */
    boolean woken(Gate gate) {
        if (lastWoken == gate) {
            streak++;
        } else {
            lastWoken = gate;
            streak = 1;
        }
        Gate current = (Gate) GUEST.getVolatile(this);
        if (current == null || current == gate) {
            return false;
        }
        othersWoken++;
        return othersWoken > STREAK / 2 && othersWoken > ownVisits && dismiss();
    }

    // ---- the thread of the loop --------------------------------------------------------------

    boolean hasGuest() {
        return GUEST.getVolatile(this) != null;
    }

    public boolean isSeated() {
        return (boolean) SEATED.getVolatile(this);
    }

    /** Changes with every visit that ended. */
    long visits() {
        return visits;
    }

    /** The device needs somebody else. @return whether there was a guest */
    public boolean dismiss() {
        return GUEST.getAndSet(this, (Gate) null) != null;
    }

    /**
     * The thread of the loop is going to rest for as long as the guest sits.
     *
     * @return false if the guest has got up: then it must not rest
     */
    public boolean rest() {
        RESTING.setVolatile(this, true);
        if (isSeated()) {
            return true;
        }
        RESTING.setVolatile(this, false);
        return false;
    }

    void rested() {
        RESTING.setVolatile(this, false);
    }
}
