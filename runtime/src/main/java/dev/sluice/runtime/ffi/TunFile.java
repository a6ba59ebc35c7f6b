package dev.sluice.runtime.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** {@code /dev/net/tun}: one queue of a TUN device, made or attached to by name. */
public final class TunFile {
    public static final String PATH = "/dev/net/tun";

    /** Bytes of the {@code virtio_net_hdr} in front of every packet, where one was asked for. */
    public static final int HEADER_BYTES = 10;

    private static final long TUNSETIFF = 0x400454caL;
    private static final long TUNSETOFFLOAD = 0x400454d0L;
    private static final long TUNSETVNETHDRSZ = 0x400454d8L;

    private static final int IFF_TUN = 0x0001;
    private static final int IFF_NO_PI = 0x1000;
    private static final int IFF_VNET_HDR = 0x4000;

    /** Checksums, TCP segmentation for both families, and segments with ECN's CWR among them. */
    private static final int OFFLOADS = 0x01 | 0x02 | 0x04 | 0x08;

    private TunFile() {}

    /** Opens the control file; the device comes with {@link #attach}. */
    public static FileDescriptor open() throws NativeException {
        return FileDescriptor.open(PATH);
    }

    /**
     * Makes the device of that name, or attaches to it.
     *
     * @param vnetHeader every packet has a {@code virtio_net_hdr} in front
     */
    public static void attach(FileDescriptor tun, String name, boolean vnetHeader)
            throws NativeException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment request = InterfaceRequest.of(arena, name);
            InterfaceRequest.flags(request, IFF_TUN | IFF_NO_PI | (vnetHeader ? IFF_VNET_HDR : 0));
            Ioctl.call(tun, "TUNSETIFF", TUNSETIFF, request.address());
        }
    }

    /**
     * What the kernel may leave to us: super-packets and checksums. A device keeps what its last
     * user said, so it is always said.
     */
    public static void offloads(FileDescriptor tun, boolean on) throws NativeException {
        if (on) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment size = arena.allocate(4, 4);
                size.set(ValueLayout.JAVA_INT, 0, HEADER_BYTES);
                Ioctl.call(tun, "TUNSETVNETHDRSZ", TUNSETVNETHDRSZ, size.address());
            }
        }
        Ioctl.call(tun, "TUNSETOFFLOAD", TUNSETOFFLOAD, on ? OFFLOADS : 0);
    }
}
