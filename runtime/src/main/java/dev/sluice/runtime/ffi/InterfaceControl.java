package dev.sluice.runtime.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;

/**
 * What {@code ip link} and {@code ip address} do: MTU, addresses and state of a network interface.
 */
public final class InterfaceControl implements AutoCloseable {
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;

    private static final long SIOCGIFFLAGS = 0x8913;
    private static final long SIOCSIFFLAGS = 0x8914;
    private static final long SIOCSIFADDR = 0x8916;
    private static final long SIOCSIFNETMASK = 0x891c;
    private static final long SIOCGIFMTU = 0x8921;
    private static final long SIOCSIFMTU = 0x8922;
    private static final long SIOCGIFINDEX = 0x8933;
    private static final int IFF_UP = 1;

    private static final ValueLayout.OfLong NETWORK_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final MethodHandle SOCKET =
            SystemCall.link(
                    "socket",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT));

    private final Arena arena = Arena.ofConfined();
    private final String name;
    private final FileDescriptor socket;

    /**
     * For the interface of that name, which need not exist yet. Used by the thread it is made by.
     */
    public InterfaceControl(String name) throws NativeException {
        this.name = name;
        this.socket = socket(AF_INET);
    }

    private static FileDescriptor socket(int family) throws NativeException {
        MemorySegment state = SystemCall.state();
        int fd;
        try {
            fd = (int) SOCKET.invokeExact(state, family, SOCK_DGRAM_CLOEXEC, 0);
        } catch (Throwable e) {
            throw SystemCall.impossible(e);
        }
        if (fd < 0) {
            throw new NativeException("socket", SystemCall.errno(state));
        }
        return new FileDescriptor(fd);
    }

    private MemorySegment request() {
        return InterfaceRequest.of(arena, name);
    }

    private void call(String call, long number, MemorySegment request) throws NativeException {
        Ioctl.call(socket, call, number, request.address());
    }

    public boolean exists() throws NativeException {
        try {
            index();
            return true;
        } catch (NativeException e) {
            if (e.errno() == Errno.ENODEV) {
                return false;
            }
            throw e;
        }
    }

    private int index() throws NativeException {
        MemorySegment request = request();
        call("SIOCGIFINDEX", SIOCGIFINDEX, request);
        return InterfaceRequest.number(request);
    }

    /** Largest IP packet, bytes. */
    public int mtu() throws NativeException {
        MemorySegment request = request();
        call("SIOCGIFMTU", SIOCGIFMTU, request);
        return InterfaceRequest.number(request);
    }

    public void mtu(int bytes) throws NativeException {
        MemorySegment request = request();
        InterfaceRequest.number(request, bytes);
        call("SIOCSIFMTU", SIOCSIFMTU, request);
    }

    /** Gives the kernel's side an IPv4 address; the first bit of {@code address} is the highest. */
    public void ipv4(int address, int prefixLength) throws NativeException {
        MemorySegment request = request();
        InterfaceRequest.ipv4(request, address);
        call("SIOCSIFADDR", SIOCSIFADDR, request);
        InterfaceRequest.ipv4(request, prefixLength == 0 ? 0 : -1 << 32 - prefixLength);
        call("SIOCSIFNETMASK", SIOCSIFNETMASK, request);
    }

    /** Gives the kernel's side an IPv6 address, as two halves. */
    public void ipv6(long hi, long lo, int prefixLength) throws NativeException {
        MemorySegment request = arena.allocate(24, 8);
        request.set(NETWORK_LONG, 0, hi);
        request.set(NETWORK_LONG, 8, lo);
        request.set(ValueLayout.JAVA_INT, 16, prefixLength);
        request.set(ValueLayout.JAVA_INT, 20, index());
        try (FileDescriptor socket6 = socket(AF_INET6)) {
            Ioctl.call(socket6, "SIOCSIFADDR", SIOCSIFADDR, request.address());
        }
    }

    public boolean isUp() throws NativeException {
        MemorySegment request = request();
        call("SIOCGIFFLAGS", SIOCGIFFLAGS, request);
        return (InterfaceRequest.flags(request) & IFF_UP) != 0;
    }

    public void up(boolean up) throws NativeException {
        MemorySegment request = request();
        call("SIOCGIFFLAGS", SIOCGIFFLAGS, request);
        int others = InterfaceRequest.flags(request) & ~IFF_UP;
        InterfaceRequest.flags(request, up ? others | IFF_UP : others);
        call("SIOCSIFFLAGS", SIOCSIFFLAGS, request);
    }

    @Override
    public void close() {
        socket.close();
        arena.close();
    }
}
