package dev.sluice.runtime.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** {@code ioctl}: requests to devices that have no call of their own. */
final class Ioctl {
    private static final MethodHandle IOCTL =
            SystemCall.linkVariadic(
                    "ioctl",
                    2,
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG));

    private Ioctl() {}

    /**
     * @param name of the request, for the message
     * @param argument a number, or the address of a structure
     */
    static void call(FileDescriptor fd, String name, long request, long argument)
            throws NativeException {
        MemorySegment state = SystemCall.state();
        int result;
        try {
            result = (int) IOCTL.invokeExact(state, fd.number(), request, argument);
        } catch (Throwable e) {
            throw SystemCall.impossible(e);
        }
        if (result < 0) {
            throw new NativeException(name, SystemCall.errno(state));
        }
    }
}
