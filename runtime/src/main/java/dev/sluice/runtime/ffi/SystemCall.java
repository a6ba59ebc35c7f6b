package dev.sluice.runtime.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Links functions of the C library so that {@code errno} is captured; the first argument of every
 * handle is a segment from {@link #state}.
 */
final class SystemCall {
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO =
            STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    private SystemCall() {}

    static MethodHandle link(String name, FunctionDescriptor descriptor) {
        return link(name, descriptor, Linker.Option.captureCallState("errno"));
    }

    /** For a function of the C library that takes further arguments from {@code fixed} on. */
    static MethodHandle linkVariadic(String name, int fixed, FunctionDescriptor descriptor) {
        return link(
                name,
                descriptor,
                Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(fixed));
    }

    @SuppressWarnings("restricted") // the one door to native code
    private static MethodHandle link(
            String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, options);
    }

    /**
     * Where calls of one thread at a time leave {@code errno}; lives as long as it is reachable.
     */
    static MemorySegment state() {
        return Arena.ofAuto().allocate(STATE);
    }

    static int errno(MemorySegment state) {
        return state.get(ValueLayout.JAVA_INT, ERRNO);
    }

    /** What a method handle cannot throw: a downcall has no exceptions of its own. */
    static AssertionError impossible(Throwable thrown) {
        return new AssertionError("a call of the C library threw", thrown);
    }
}
