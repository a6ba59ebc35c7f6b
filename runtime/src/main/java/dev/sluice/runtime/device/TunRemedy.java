package dev.sluice.runtime.device;

import dev.sluice.runtime.ffi.Errno;
import dev.sluice.runtime.ffi.NativeException;
import dev.sluice.runtime.ffi.TunFile;

/** Why a TUN device cannot be had, one step after another, each time with what to do about it. */
final class TunRemedy {
    private TunRemedy() {}

    static DeviceException exists(String name) {
        return new DeviceException(
                name
                        + " exists already: attach to it without a host address, or choose another"
                        + " name");
    }

    static DeviceException missing(String name) {
        return new DeviceException(
                "there is no device %s: make it with 'ip tuntap add dev %s mode tun', or give it a"
                                .formatted(name, name)
                        + " host address to have it made");
    }

    /** Opening the control file failed. */
    static DeviceException file(String name, NativeException e) {
        return switch (e.errno()) {
            case Errno.ENOENT, Errno.ENODEV, Errno.ENXIO ->
                    because(
                            e,
                            "this machine has no "
                                    + TunFile.PATH
                                    + ": load the module with 'modprobe tun', or give the container"
                                    + " that device");
            case Errno.EPERM, Errno.EACCES ->
                    because(
                            e,
                            "%s may not be opened by this user: run as root, or have root allow it"
                                            .formatted(TunFile.PATH)
                                    + " with 'chmod 666 "
                                    + TunFile.PATH
                                    + "' and make the device with '"
                                    + made(name)
                                    + "'");
            default -> other(name, e);
        };
    }

    /** The device could be neither made nor attached to. */
    static DeviceException attach(String name, NativeException e) {
        return switch (e.errno()) {
            case Errno.EPERM, Errno.EACCES ->
                    because(
                            e,
                            "this needs the capability CAP_NET_ADMIN: run as root, or have root"
                                    + " make the device for you with '"
                                    + made(name)
                                    + "'");
            case Errno.EBUSY ->
                    because(
                            e,
                            name
                                    + " is in use by another process, or by another stack of this"
                                    + " one: stop that, or choose another device");
            case Errno.EINVAL ->
                    because(
                            e,
                            name
                                    + " cannot be used as a TUN device, since it is of another kind"
                                    + " (TAP, multi_queue or no tuntap at all): make one with 'ip"
                                    + " tuntap add dev NAME mode tun'");
            default -> other(name, e);
        };
    }

    /** The kernel knows nothing of super-packets on such devices. */
    static DeviceException offload(String name, NativeException e) {
        return because(
                e,
                "%s cannot leave segmentation and checksums to us (%s): choose plain mode, or a"
                                .formatted(name, e.getMessage())
                        + " kernel that has TUN with IFF_VNET_HDR");
    }

    /** The new device could not be given its address. */
    static DeviceException address(TunSpec spec, NativeException e) {
        String hint =
                spec.hostAddress().isIpv4()
                        ? "choose another host address"
                        : "enable IPv6 with 'sysctl net.ipv6.conf.all.disable_ipv6=0', or choose an"
                                + " IPv4 address";
        return because(
                e,
                "%s cannot have the host address %s (%s): %s"
                        .formatted(spec.name(), spec.hostAddress(), e.getMessage(), hint));
    }

    static DeviceException other(String name, NativeException e) {
        return because(e, name + " cannot be opened: " + e.getMessage());
    }

    private static String made(String name) {
        return "ip tuntap add dev " + name + " mode tun user $USER";
    }

    private static DeviceException because(NativeException e, String sentence) {
        return new DeviceException(sentence, e);
    }
}
