package dev.sluice.wire;

/** Assigned Internet protocol numbers, also the next-header values of IPv6. */
public final class IpProtocol {
    public static final int HOP_BY_HOP = 0;
    public static final int ICMP = 1;
    public static final int TCP = 6;
    public static final int UDP = 17;
    public static final int ROUTING = 43;
    public static final int FRAGMENT = 44;
    public static final int ESP = 50;
    public static final int AUTHENTICATION = 51;
    public static final int ICMPV6 = 58;
    public static final int NO_NEXT_HEADER = 59;
    public static final int DESTINATION_OPTIONS = 60;
    public static final int MOBILITY = 135;
    public static final int HIP = 139;
    public static final int SHIM6 = 140;

    private IpProtocol() {}
}
