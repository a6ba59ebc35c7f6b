package dev.sluice.runtime.device;

import dev.sluice.wire.IpAddress;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Which TUN device, and how.
 *
 * @param name of the interface, 1 to {@value #MAX_NAME_BYTES} bytes
 * @param offload super-packets and checksums are left to whoever is next (IFF_VNET_HDR); else every
 *     packet is complete and no larger than the MTU
 * @param hostAddress the kernel's own address on a device to be made; null to attach to one that
 *     exists
 * @param hostPrefix length of its network prefix, bits
 * @param mtu of a device to be made, bytes; a device that exists keeps its own
 */
public record TunSpec(
        String name, boolean offload, IpAddress hostAddress, int hostPrefix, int mtu) {
    public static final int DEFAULT_MTU = 1500;
    public static final int MIN_MTU = 1280;
    public static final int MAX_MTU = 65_535;
    public static final int MAX_NAME_BYTES = 15;

    private static final Pattern NAME = Pattern.compile("[^\\s/%:]+");

    public TunSpec {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        boolean dots = name.equals(".") || name.equals("..");
        if (bytes > MAX_NAME_BYTES || dots || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the name of a TUN device has 1 to %d bytes without spaces, '/', ':' and '%%',"
                                    .formatted(MAX_NAME_BYTES)
                            + " not \""
                            + name
                            + "\"");
        }
        if (hostAddress != null && (mtu < MIN_MTU || mtu > MAX_MTU)) {
            throw new IllegalArgumentException(
                    "an MTU is %d to %d bytes, not %d".formatted(MIN_MTU, MAX_MTU, mtu));
        }
    }

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
