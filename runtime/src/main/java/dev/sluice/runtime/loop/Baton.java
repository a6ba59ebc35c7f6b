package dev.sluice.runtime.loop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who has the stack, and what the others want done to it (architecture section 8, litmus L5).
 *
 * <p>A thread takes the baton with one compare-and-set. If another has it, the thread leaves a
 * command; the holder runs it before letting go. <b>Never two holders, never a command without
 * one:</b> the holder lays the baton down, and after a full fence looks for commands once more; the
 * other side leaves its command, and after a full fence tries to take the baton once more. Whatever
 * the order, one of the two sees the other.
 */
public final class Baton {
    private static final int FREE = 0;
    private static final int HELD = 1;

    private static final VarHandle WORD;
    private static final VarHandle COMMANDS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WORD = lookup.findVarHandle(Baton.class, "word", int.class);
            COMMANDS = lookup.findVarHandle(Baton.class, "commands", Command.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private int word = FREE;

    /** Latest first. */
    private Command commands;

    /** One that nobody holds. */
    public Baton() {}

    /** Takes the baton if nobody has it: what earlier holders did is visible. */
    public boolean tryTake() {
        return (int) WORD.getOpaque(this) == FREE && WORD.compareAndSet(this, FREE, HELD);
    }

    /**
     * Leaves a command for the holder. The caller then tries to take the baton itself, since the
     * holder may just have let go.
     */
    public void leave(Command command) {
        Command top;
        do {
            top = (Command) COMMANDS.getOpaque(this);
            command.next = top;
        } while (!COMMANDS.weakCompareAndSetRelease(this, top, command));
        // Pairs with the fence in layDown.
        VarHandle.fullFence();
    }

    /** All commands that wait, in the order they came, linked by {@code next}; null for none. */
    public Command takeCommands() {
        if (COMMANDS.getOpaque(this) == null) {
            return null;
        }
        Command stack = (Command) COMMANDS.getAndSetAcquire(this, (Command) null);
        Command first = null;
        while (stack != null) {
            Command below = stack.next;
            stack.next = first;
            first = stack;
            stack = below;
        }
        return first;
    }

    /**
     * Lays the baton down.
     *
     * @return true if it is in the same hands again, because a command came in meanwhile
     */
    public boolean layDown() {
        WORD.setRelease(this, FREE);
        // Pairs with the fence in leave.
        VarHandle.fullFence();
        return COMMANDS.getOpaque(this) != null && tryTake();
    }
}
