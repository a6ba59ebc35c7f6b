package dev.sluice.runtime.ffi;

/** Values of {@code errno} that somebody here decides by, with Linux's numbers. */
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int ENXIO = 6;
    public static final int EAGAIN = 11;
    public static final int EACCES = 13;
    public static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int ENOTTY = 25;
    public static final int EBADFD = 77;

    private Errno() {}

    /** A name where there is one here, and the number. */
    static String text(int errno) {
        String name =
                switch (errno) {
                    case EPERM -> "operation not permitted";
                    case ENOENT -> "no such file or directory";
                    case EIO -> "input/output error";
                    case ENXIO -> "no such device or address";
                    case EACCES -> "permission denied";
                    case EBUSY -> "device or resource busy";
                    case ENODEV -> "no such device";
                    case EINVAL -> "invalid argument";
                    case ENOTTY -> "not supported by this file";
                    case EBADFD -> "file descriptor in bad state";
                    default -> "error";
                };
        return name + " (errno " + errno + ")";
    }
}
