package dev.sluice.runtime.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** {@code ppoll} on one or two files, to the nanosecond. Used by one thread at a time. */
public final class Poller {
    public static final int POLLIN = 0x001;
    public static final int POLLOUT = 0x004;

    private static final int ENTRY = 8;
    private static final int EVENTS = 4;
    private static final int RETURNED = 6;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private static final MethodHandle PPOLL =
            SystemCall.link(
                    "ppoll",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG));

    private final MemorySegment state = SystemCall.state();
    private final MemorySegment entries = Arena.ofAuto().allocate(2 * ENTRY, 8);
    private final MemorySegment timeout = Arena.ofAuto().allocate(16, 8);

    private final long files;

    public Poller(int only) {
        files = 1;
        entries.set(ValueLayout.JAVA_INT, 0, only);
    }

    public Poller(int first, int second) {
        files = 2;
        entries.set(ValueLayout.JAVA_INT, 0, first);
        entries.set(ValueLayout.JAVA_INT, ENTRY, second);
    }

    /**
     * Waits until a file is ready, or for so long.
     *
     * @param firstEvents what to wait for on the first file; on the second it is {@link #POLLIN}
     * @param nanos at most so long; negative for as long as it takes
     * @return whether any file is ready; false after the time and after a signal
     */
    public boolean await(int firstEvents, long nanos) throws NativeException {
        entries.set(ValueLayout.JAVA_SHORT, EVENTS, (short) firstEvents);
        entries.set(ValueLayout.JAVA_SHORT, ENTRY + EVENTS, (short) POLLIN);
        if (nanos >= 0) {
            timeout.set(ValueLayout.JAVA_LONG, 0, nanos / NANOS_PER_SECOND);
            timeout.set(ValueLayout.JAVA_LONG, 8, nanos % NANOS_PER_SECOND);
        }
        int ready;
        try {
            ready =
                    (int)
                            PPOLL.invokeExact(
                                    state,
                                    entries.address(),
                                    files,
                                    nanos < 0 ? 0L : timeout.address(),
                                    0L);
        } catch (Throwable e) {
            throw SystemCall.impossible(e);
        }
        if (ready < 0) {
            int errno = SystemCall.errno(state);
            if (errno == Errno.EINTR) {
                return false;
            }
            throw new NativeException("ppoll", errno);
        }
        return ready > 0;
    }

    /** Whether the last {@link #await} found the second file ready, or broken. */
    public boolean secondReady() {
        return entries.get(ValueLayout.JAVA_SHORT, ENTRY + RETURNED) != 0;
    }
}
