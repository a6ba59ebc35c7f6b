package dev.sluice.runtime.device;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.runtime.ffi.Errno;
import dev.sluice.runtime.ffi.FileDescriptor;
import dev.sluice.runtime.ffi.InterfaceControl;
import dev.sluice.runtime.ffi.NativeException;
import dev.sluice.runtime.ffi.TunFile;

import java.lang.foreign.MemorySegment;

/**
 * A TUN device of Linux: what its kernel routes there, we read, and what we write, its kernel
 * receives.
 *
 * <p>With offload every packet has a {@link VirtioHeader} in front and may be a super-packet of up
 * to 64 KiB in both directions, with a checksum nobody has computed. Each packet is read into one
 * large buffer. A super-packet keeps that buffer; one of ordinary size is copied into a buffer of
 * its size, so that what waits in a receive queue takes the memory it is charged for.
 */
public final class TunDevice implements Device {
    private final String name;
    private final FileDescriptor file;
    private final boolean offload;
    private final int mtu;
    private PacketBuffer spare;
    private long dropped;

    private TunDevice(String name, FileDescriptor file, boolean offload, int mtu) {
        this.name = name;
        this.file = file;
        this.offload = offload;
        this.mtu = mtu;
    }

    /** Makes the device, or attaches to it. */
    public static TunDevice open(TunSpec spec) throws DeviceException {
        try (InterfaceControl control = new InterfaceControl(spec.name())) {
            boolean create = spec.hostAddress() != null;
            boolean exists = control.exists();
            if (create && exists) {
                throw new DeviceException(
                        spec.name()
                                + " exists already: attach to it without a host address, or choose"
                                + " another name");
            }
            if (!create && !exists) {
                throw new DeviceException(
                        "there is no device "
                                + spec.name()
                                + ": make it with 'ip tuntap add dev "
                                + spec.name()
                                + " mode tun', or give it a host address to have it made");
            }
            FileDescriptor file = TunFile.open();
            try {
                TunFile.attach(file, spec.name(), spec.offload());
                TunFile.offloads(file, spec.offload());
                if (create) {
                    configure(control, spec);
                }
                return new TunDevice(spec.name(), file, spec.offload(), control.mtu());
            } catch (NativeException e) {
                file.close();
                throw e;
            }
        } catch (NativeException e) {
            throw new DeviceException(remedy(spec.name(), e), e);
        }
    }

    private static void configure(InterfaceControl control, TunSpec spec) throws NativeException {
        control.mtu(spec.mtu());
        control.up();
        if (spec.hostAddress().isIpv4()) {
            control.ipv4((int) spec.hostAddress().lo(), spec.hostPrefix());
        } else {
            control.ipv6(spec.hostAddress().hi(), spec.hostAddress().lo(), spec.hostPrefix());
        }
    }

    private static String remedy(String name, NativeException e) {
        return switch (e.errno()) {
            case Errno.ENOENT, Errno.ENODEV, Errno.ENXIO ->
                    "this machine has no "
                            + TunFile.PATH
                            + ": load the module with 'modprobe tun', or give the container that"
                            + " device";
            case Errno.EPERM, Errno.EACCES ->
                    "this needs the capability CAP_NET_ADMIN: run as root, or have root make the"
                            + " device for you with 'ip tuntap add dev "
                            + name
                            + " mode tun user $USER'";
            case Errno.EBUSY ->
                    name + " is in use by another process: stop that one, or choose another device";
            case Errno.EINVAL ->
                    name
                            + " cannot be used as a TUN device ("
                            + e.getMessage()
                            + "): make one with 'ip tuntap add dev NAME mode tun'";
            default -> name + " cannot be opened: " + e.getMessage();
        };
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int fd() {
        return file.number();
    }

    @Override
    public boolean pollsForRoom() {
        return true;
    }

    @Override
    public int mtu() {
        return mtu;
    }

    @Override
    public boolean segmentation() {
        return offload;
    }

    @Override
    public boolean checksumOffload() {
        return offload;
    }

    @Override
    public long dropped() {
        return dropped;
    }

    @Override
    public int receive(long now, PacketPool pool, PacketBuffer[] batch) throws DeviceException {
        int count = 0;
        while (count < batch.length) {
            if (spare == null) {
                spare = pool.acquire(PacketPool.LARGE);
                if (spare == null) {
                    throw new IllegalStateException("no memory for the first packet");
                }
            }
            int length = read();
            if (length == FileDescriptor.WOULD_BLOCK) {
                break;
            }
            PacketBuffer packet = take(pool, length);
            if (packet == null) {
                dropped++;
            } else {
                batch[count++] = packet;
            }
        }
        return count;
    }

    private int read() throws DeviceException {
        try {
            return file.read(spare.segment().address() + spare.base(), spare.capacity());
        } catch (NativeException e) {
            if (e.errno() == Errno.EBADFD) {
                throw new DeviceException(name + " has been removed: make it again and restart", e);
            }
            throw new DeviceException(name + " cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * The packet just read, or null if it is lost; there is always a spare buffer to read the next.
     */
    private PacketBuffer take(PacketPool pool, int length) {
        PacketBuffer packet;
        if (length <= PacketPool.MEDIUM) {
            packet = pool.acquire(length);
            if (packet == null) {
                return null;
            }
            MemorySegment.copy(
                    spare.segment(), spare.base(), packet.segment(), packet.base(), length);
        } else {
            PacketBuffer another = pool.acquire(PacketPool.LARGE);
            if (another == null) {
                return null;
            }
            packet = spare;
            spare = another;
        }
        packet.window(0, length);
        if (offload && !VirtioHeader.take(packet)) {
            pool.release(packet);
            return null;
        }
        return packet;
    }

    @Override
    public long nextArrival(long now) {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean transmit(long now, PacketBuffer packet) {
        int header = 0;
        if (offload) {
            VirtioHeader.put(packet);
            header = VirtioHeader.BYTES;
        }
        long address = packet.segment().address() + packet.start() - header;
        try {
            return file.write(address, packet.length() + header) != FileDescriptor.WOULD_BLOCK;
        } catch (NativeException e) {
            // Down, or without memory: a lost packet, as on any link. Reading finds out if it is
            // gone.
            dropped++;
            return true;
        }
    }

    @Override
    public void releaseBuffers(PacketPool pool) {
        if (spare != null) {
            pool.release(spare);
            spare = null;
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
