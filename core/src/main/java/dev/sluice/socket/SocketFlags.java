package dev.sluice.socket;

/** Flags of send and receive calls, with Linux's numbers; other bits are ignored. */
public final class SocketFlags {
    public static final int MSG_OOB = 0x01;
    public static final int MSG_PEEK = 0x02;
    public static final int MSG_TRUNC = 0x20;
    public static final int MSG_DONTWAIT = 0x40;
    public static final int MSG_EOR = 0x80;
    public static final int MSG_NOSIGNAL = 0x4000;
    public static final int MSG_MORE = 0x8000;

    /** For {@link StreamSocket#sendFastOpen}. */
    public static final int MSG_FASTOPEN = 0x2000_0000;

    /** {@code shutdown}: how. */
    public static final int SHUT_RD = 0;

    public static final int SHUT_WR = 1;
    public static final int SHUT_RDWR = 2;

    private SocketFlags() {}
}
