package dev.sluice.runtime.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * An open file: {@code open}, {@code read}, {@code write}, {@code close}. Used by one thread at a
 * time.
 */
public final class FileDescriptor implements AutoCloseable {
    /** What {@link #read} and {@link #write} return where the call would have to wait. */
    public static final int WOULD_BLOCK = -1;

    private static final int O_RDWR = 2;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;

    private static final MethodHandle OPEN =
            SystemCall.linkVariadic(
                    "open",
                    2,
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle READ = SystemCall.link("read", transfer());
    private static final MethodHandle WRITE = SystemCall.link("write", transfer());
    private static final MethodHandle CLOSE =
            SystemCall.link(
                    "close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private final MemorySegment state = SystemCall.state();
    private final int number;

    FileDescriptor(int number) {
        this.number = number;
    }

    private static FunctionDescriptor transfer() {
        return FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG);
    }

    /** Opens for reading and writing, without ever blocking. */
    public static FileDescriptor open(String path) throws NativeException {
        MemorySegment state = SystemCall.state();
        try (Arena arena = Arena.ofConfined()) {
            int fd =
                    (int)
                            OPEN.invokeExact(
                                    state,
                                    arena.allocateFrom(path),
                                    O_RDWR | O_NONBLOCK | O_CLOEXEC);
            if (fd < 0) {
                throw new NativeException("open " + path, SystemCall.errno(state));
            }
            return new FileDescriptor(fd);
        } catch (NativeException e) {
            throw e;
        } catch (Throwable e) {
            throw SystemCall.impossible(e);
        }
    }

    public int number() {
        return number;
    }

    /** Bytes read to {@code address}, 0 at the end, or {@link #WOULD_BLOCK}. */
    public int read(long address, int length) throws NativeException {
        while (true) {
            long count;
            try {
                count = (long) READ.invokeExact(state, number, address, (long) length);
            } catch (Throwable e) {
                throw SystemCall.impossible(e);
            }
            if (count >= 0) {
                return (int) count;
            }
            int errno = SystemCall.errno(state);
            if (errno == Errno.EAGAIN) {
                return WOULD_BLOCK;
            }
            if (errno != Errno.EINTR) {
                throw new NativeException("read", errno);
            }
        }
    }

    /** Bytes written from {@code address}, or {@link #WOULD_BLOCK}. */
    public int write(long address, int length) throws NativeException {
        while (true) {
            long count;
            try {
                count = (long) WRITE.invokeExact(state, number, address, (long) length);
            } catch (Throwable e) {
                throw SystemCall.impossible(e);
            }
            if (count >= 0) {
                return (int) count;
            }
            int errno = SystemCall.errno(state);
            if (errno == Errno.EAGAIN) {
                return WOULD_BLOCK;
            }
            if (errno != Errno.EINTR) {
                throw new NativeException("write", errno);
            }
        }
    }

    /** Closes once; whatever was still to be reported is lost, as with every {@code close}. */
    @Override
    public void close() {
        try {
            int ignored = (int) CLOSE.invokeExact(state, number);
        } catch (Throwable e) {
            throw SystemCall.impossible(e);
        }
    }
}
