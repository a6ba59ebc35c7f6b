package dev.sluice.runtime.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * {@code eventfd}: wakes a thread that polls. {@link #signal} is for any thread, {@link #drain} for
 * the one that polls.
 *
 * <p><b>Ordering</b> (architecture section 8). {@code users} counts the threads inside {@code
 * signal}; the file is closed by {@link #close} or, if there are any, by the last of them, so that
 * nobody writes to a number that belongs to another file by then. Every change is a volatile
 * read-modify-write.
 */
public final class EventFd implements AutoCloseable {
    private static final int EFD_NONBLOCK_CLOEXEC = 0x800 | 0x80000;

    private static final MethodHandle EVENTFD =
            SystemCall.link(
                    "eventfd",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private static final int CLOSING = 1 << 30;
    private static final int CLOSED = 1 << 29;

    private static final VarHandle USERS;

    static {
        try {
            USERS = MethodHandles.lookup().findVarHandle(EventFd.class, "users", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private int users;

    // Each side has its own descriptor object, since errno is captured in it.
    private final FileDescriptor signalled;
    private final FileDescriptor drained;
    private final MemorySegment one = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    private final MemorySegment count = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);

    public EventFd() throws NativeException {
        MemorySegment state = SystemCall.state();
        int fd;
        try {
            fd = (int) EVENTFD.invokeExact(state, 0, EFD_NONBLOCK_CLOEXEC);
        } catch (Throwable e) {
            throw SystemCall.impossible(e);
        }
        if (fd < 0) {
            throw new NativeException("eventfd", SystemCall.errno(state));
        }
        signalled = new FileDescriptor(fd);
        drained = new FileDescriptor(fd);
        one.set(ValueLayout.JAVA_LONG, 0, 1);
    }

    public int number() {
        return drained.number();
    }

    /** Makes it readable; does nothing once it is closed. */
    public void signal() {
        try {
            if (((int) USERS.getAndAdd(this, 1) & CLOSING) == 0) {
                signalled.write(one.address(), Long.BYTES);
            }
        } catch (NativeException e) {
            // A counter at its limit refuses more, and is as readable as can be.
        } finally {
            USERS.getAndAdd(this, -1);
            closeIfUnused();
        }
    }

    /** Whether there was a signal since the last call. */
    public boolean drain() throws NativeException {
        return take() > 0;
    }

    /** How many signals there were since the last call. */
    public long take() throws NativeException {
        boolean any = drained.read(count.address(), Long.BYTES) > 0;
        return any ? count.get(ValueLayout.JAVA_LONG, 0) : 0;
    }

    @Override
    public void close() {
        USERS.getAndBitwiseOr(this, CLOSING);
        closeIfUnused();
    }

    private void closeIfUnused() {
        if (USERS.compareAndSet(this, CLOSING, CLOSING | CLOSED)) {
            drained.close();
        }
    }
}
