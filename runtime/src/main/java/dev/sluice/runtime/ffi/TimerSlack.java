package dev.sluice.runtime.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** {@code prctl(PR_SET_TIMERSLACK)}: how late the kernel may end a wait of the calling thread. */
public final class TimerSlack {
    private static final int PR_SET_TIMERSLACK = 29;

    private static final MethodHandle PRCTL =
            SystemCall.linkVariadic(
                    "prctl",
                    1,
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));

    private TimerSlack() {}

    /** Sets it for the calling thread, which is a platform thread; at least 1. */
    public static void set(long nanos) throws NativeException {
        MemorySegment state = SystemCall.state();
        int result;
        try {
            result = (int) PRCTL.invokeExact(state, PR_SET_TIMERSLACK, nanos);
        } catch (Throwable e) {
            throw SystemCall.impossible(e);
        }
        if (result < 0) {
            throw new NativeException("prctl", SystemCall.errno(state));
        }
    }
}
