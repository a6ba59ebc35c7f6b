package dev.sluice.runtime.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * {@code eventfd}: wakes a thread that polls. {@link #signal} is for the threads that wake, one at
 * a time; {@link #drain} for the one that polls.
 */
public final class EventFd implements AutoCloseable {
    private static final int EFD_NONBLOCK_CLOEXEC = 0x800 | 0x80000;

    private static final MethodHandle EVENTFD =
            SystemCall.link(
                    "eventfd",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

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

    public void signal() throws NativeException {
        // A counter at its limit refuses more, and is as readable as can be.
        signalled.write(one.address(), Long.BYTES);
    }

    /** Whether there was a signal since the last call. */
    public boolean drain() throws NativeException {
        return drained.read(count.address(), Long.BYTES) > 0;
    }

    @Override
    public void close() {
        drained.close();
    }
}
