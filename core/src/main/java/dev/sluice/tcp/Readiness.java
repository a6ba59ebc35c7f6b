package dev.sluice.tcp;

/** The bits of a ready set, with the values of Linux's {@code EPOLL*} constants (B-8.1). */
public final class Readiness {
    public static final int IN = 0x001;
    public static final int PRI = 0x002;
    public static final int OUT = 0x004;
    public static final int ERR = 0x008;
    public static final int HUP = 0x010;
    public static final int RDHUP = 0x2000;

    private Readiness() {}
}
