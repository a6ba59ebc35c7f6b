package dev.sluice.runtime.device;

import dev.sluice.wire.IpAddress;

/**
 * Which TUN device, and how.
 *
 * @param name of the interface, 1 to 15 bytes
 * @param offload super-packets and checksums are left to whoever is next (IFF_VNET_HDR); else every
 *     packet is complete and no larger than the MTU
 * @param hostAddress the kernel's own address on a device to be made; null to attach to one that
 *     exists
 * @param hostPrefix length of its network prefix, bits
 * @param mtu of a device to be made, bytes
 */
public record TunSpec(
        String name, boolean offload, IpAddress hostAddress, int hostPrefix, int mtu) {
    public static final int DEFAULT_MTU = 1500;

    /** A device that exists, with its addresses and its MTU. */
    public static TunSpec attach(String name, boolean offload) {
        return new TunSpec(name, offload, null, 0, 0);
    }

    /** A device that comes into being when it is opened, and ends when it is closed. */
    public static TunSpec create(
            String name, boolean offload, IpAddress hostAddress, int hostPrefix, int mtu) {
        return new TunSpec(name, offload, hostAddress, hostPrefix, mtu);
    }
}
