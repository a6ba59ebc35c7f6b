package dev.sluice.wire;

/** The four ECN codepoints, the low two bits of the IPv4 TOS and IPv6 traffic class (RFC 3168). */
public final class EcnCodepoint {
    public static final int NOT_ECT = 0;
    public static final int ECT_1 = 1;
    public static final int ECT_0 = 2;
    public static final int CE = 3;

    private EcnCodepoint() {}
}
