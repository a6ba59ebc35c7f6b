package dev.sluice.lab.packetdrill;

import dev.sluice.wire.IpAddress;

import java.util.Optional;

/** Addresses and MTU of a run: those the flags name, or those the public suites are run with. */
final class Addresses {
    private static final String LOCAL_V4 = "192.168.0.1";
    private static final String REMOTE_V4 = "192.0.2.1";
    private static final String LOCAL_V6 = "fd3d:0a0b:17d6::1";
    private static final String REMOTE_V6 = "fd3d:fa7b:d17d::1";

    private static final int DEFAULT_MTU = 1500;

    private Addresses() {}

    static boolean isIpv6(ScriptFlags flags) {
        return flags.ipVersion() == ScriptFlags.IpVersion.IPV6;
    }

    static IpAddress local(ScriptFlags flags) {
        return parse(flags.localAddress(), isIpv6(flags) ? LOCAL_V6 : LOCAL_V4);
    }

    static IpAddress remote(ScriptFlags flags) {
        return parse(flags.remoteAddress(), isIpv6(flags) ? REMOTE_V6 : REMOTE_V4);
    }

    static int mtu(ScriptFlags flags) {
        return flags.mtu().orElse(DEFAULT_MTU);
    }

    private static IpAddress parse(Optional<String> given, String otherwise) {
        IpAddress.Parsed parsed = IpAddress.parse(given.orElse(otherwise));
        if (!parsed.isValid()) {
            throw new IllegalArgumentException(
                    "'" + given.orElse(otherwise) + "' is no address: " + parsed.error());
        }
        return parsed.address();
    }
}
