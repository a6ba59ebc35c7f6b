package dev.sluice.runtime.device;

import dev.sluice.memory.PacketBuffer;
import dev.sluice.memory.PacketPool;
import dev.sluice.runtime.ffi.Errno;
import dev.sluice.runtime.ffi.FileDescriptor;
import dev.sluice.runtime.ffi.InterfaceControl;
import dev.sluice.runtime.ffi.NativeException;
import dev.sluice.runtime.ffi.TunFile;
import dev.sluice.wire.IpAddress;

import java.lang.foreign.MemorySegment;

/**
 * A TUN device of Linux: what its kernel routes there, we read, and what we write, its kernel
 * receives.
 *
 * <p>With offload every packet has a {@link VirtioHeader} in front and may be a super-packet of up
 * to 64 KiB in both directions, with a checksum nobody has computed. Each packet is read into one
 * large buffer. One that needs such a buffer keeps it; any other is copied into a buffer of its
 * size, so that what waits in a receive queue takes about the memory it needs and is charged for.
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

    /**
     * Makes the device and brings it up, or attaches to one that exists and leaves it as it is.
     *
     * @throws DeviceException if it cannot be had; the message says what to do
     */
    public static TunDevice open(TunSpec spec) throws DeviceException {
        String name = spec.name();
        try (InterfaceControl control = new InterfaceControl(name)) {
            boolean create = spec.hostAddress() != null;
            boolean exists = control.exists();
            if (create && exists) {
                throw TunRemedy.exists(name);
            }
            if (!create && !exists) {
                throw TunRemedy.missing(name);
            }
            FileDescriptor file = file(name);
            boolean complete = false;
            try {
                attach(file, spec);
                if (create) {
                    configure(control, spec);
                }
                TunDevice device = new TunDevice(name, file, spec.offload(), control.mtu());
                complete = true;
                return device;
            } finally {
                if (!complete) {
                    file.close();
                }
            }
        } catch (NativeException e) {
            throw TunRemedy.other(name, e);
        }
    }

    private static FileDescriptor file(String name) throws DeviceException {
        try {
            return TunFile.open();
        } catch (NativeException e) {
            throw TunRemedy.file(name, e);
        }
    }

    private static void attach(FileDescriptor file, TunSpec spec) throws DeviceException {
        try {
            TunFile.attach(file, spec.name(), spec.offload());
        } catch (NativeException e) {
            throw TunRemedy.attach(spec.name(), e);
        }
        try {
            TunFile.offloads(file, spec.offload());
        } catch (NativeException e) {
            throw TunRemedy.offload(spec.name(), e);
        }
    }

    private static void configure(InterfaceControl control, TunSpec spec)
            throws NativeException, DeviceException {
        control.mtu(spec.mtu());
        control.up(true);
        IpAddress host = spec.hostAddress();
        try {
            if (host.isIpv4()) {
                control.ipv4((int) host.lo(), spec.hostPrefix());
            } else {
                control.ipv6(host.hi(), host.lo(), spec.hostPrefix());
            }
        } catch (NativeException e) {
            throw TunRemedy.address(spec, e);
        }
    }

    /** Whether the kernel takes packets from the device, and hands any to it. */
    public boolean isUp() throws DeviceException {
        try (InterfaceControl control = new InterfaceControl(name)) {
            return control.isUp();
        } catch (NativeException e) {
            throw TunRemedy.other(name, e);
        }
    }

    /**
     * Brings the device up or down, as {@code ip link set} does; packets that meet it down vanish.
     */
    public void up(boolean up) throws DeviceException {
        try (InterfaceControl control = new InterfaceControl(name)) {
            control.up(up);
        } catch (NativeException e) {
            throw TunRemedy.attach(name, e);
        }
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
        if (PacketPool.sizeFor(length) < spare.capacity()) {
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
