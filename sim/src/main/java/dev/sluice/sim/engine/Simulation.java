package dev.sluice.sim.engine;

import dev.sluice.seed.Rng;

import java.util.Arrays;

/**
 * A virtual clock, the events to come and the root of all randomness (architecture section 15).
 *
 * <p>An event is {@code (time, order, handler, code, argument)} in primitive arrays. The order is
 * total: by time, then by rank ({@link #FAULT}, {@link #ARRIVAL}, {@link #TIMER}, {@link
 * #APPLICATION}), then by the sequence in which the events were scheduled. The same seed and the
 * same calls therefore give the same run, event for event.
 *
 * <p>Single-threaded, like everything it drives.
 */
public final class Simulation {
    /** Rank of changes to the network itself: they come before the packets of their instant. */
    public static final int FAULT = 0;

    /** Rank of packets arriving. */
    public static final int ARRIVAL = 1;

    /** Rank of timers and transmit completions. */
    public static final int TIMER = 2;

    /** Rank of application timers: after everything the network had to say at that instant. */
    public static final int APPLICATION = 3;

    private static final int RANK_SHIFT = 56;
    private static final int CODE_BITS = 16;
    private static final int CODE_MASK = (1 << CODE_BITS) - 1;

    private final EventQueue queue = new EventQueue();
    private final Rng root;
    private EventHandler[] handlers = new EventHandler[16];
    private int handlerCount;
    private long now;
    private long scheduled;
    private long handled;
    private boolean stopping;

    /** A simulation at time zero whose every random choice follows from {@code seed}. */
    public Simulation(long seed) {
        root = new Rng(seed);
    }

    public long seed() {
        return root.seed();
    }

    /** A generator of its own for the consumer called {@code label}. */
    public Rng rng(String label) {
        return root.split(label);
    }

    /** Virtual time, nanoseconds since the simulation began. */
    public long now() {
        return now;
    }

    /** Events handled so far. */
    public long eventsHandled() {
        return handled;
    }

    /** Events scheduled and not yet handled. */
    public int eventsPending() {
        return queue.size();
    }

    /** Time of the next event, or {@code Long.MAX_VALUE} if there is none. */
    public long nextEventTime() {
        return queue.firstTime();
    }

    /** Gives a handler the number that events are addressed to. */
    public int register(EventHandler handler) {
        if (handlerCount == handlers.length) {
            handlers = Arrays.copyOf(handlers, handlerCount * 2);
        }
        handlers[handlerCount] = handler;
        return handlerCount++;
    }

    /**
     * Schedules an event.
     *
     * @param time when, nanoseconds; not before {@link #now()}
     * @param rank {@link #FAULT}, {@link #ARRIVAL}, {@link #TIMER} or {@link #APPLICATION}
     * @param handler a number given by {@link #register}
     * @param code 0 to 65,535, meaningful to the handler
     * @param argument meaningful to the handler
     */
    public void schedule(long time, int rank, int handler, int code, long argument) {
        assert time >= now : "scheduled in the past: " + time + " < " + now;
        assert code >= 0 && code <= CODE_MASK && handler < handlerCount;
        long order = (long) rank << RANK_SHIFT | scheduled++;
        queue.add(time, order, (long) handler << CODE_BITS | code, argument);
    }

    /** Handles the next event; false if there was none. */
    public boolean step() {
        if (queue.size() == 0) {
            return false;
        }
        now = queue.firstTime();
        long target = queue.firstTarget();
        long argument = queue.firstArgument();
        queue.removeFirst();
        handled++;
        handlers[(int) (target >>> CODE_BITS)].handle(now, (int) target & CODE_MASK, argument);
        return true;
    }

    /**
     * Handles every event up to and including {@code deadline} and sets the clock to it, unless
     * {@link #stop} was called on the way.
     *
     * @return virtual time at which the run ended
     */
    public long runUntil(long deadline) {
        stopping = false;
        while (!stopping && queue.firstTime() <= deadline) {
            step();
        }
        if (!stopping && now < deadline) {
            now = deadline;
        }
        return now;
    }

    /** {@link #runUntil} for so many nanoseconds from now. */
    public long runFor(long nanos) {
        return runUntil(now + nanos);
    }

    /** Lets the current {@link #runUntil} return after the event at hand. */
    public void stop() {
        stopping = true;
    }
}
