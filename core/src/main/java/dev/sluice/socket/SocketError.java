package dev.sluice.socket;

/** The {@code errno} values a socket call can return, with Linux's numbers. */
public enum SocketError {
    ENOENT(2, "No such file or directory"),
    EINTR(4, "Interrupted system call"),
    EBADF(9, "Bad file descriptor"),
    EAGAIN(11, "Resource temporarily unavailable"),
    ENOMEM(12, "Cannot allocate memory"),
    EACCES(13, "Permission denied"),
    EFAULT(14, "Bad address"),
    EINVAL(22, "Invalid argument"),
    EPIPE(32, "Broken pipe"),
    EDESTADDRREQ(89, "Destination address required"),
    EMSGSIZE(90, "Message too long"),
    ENOPROTOOPT(92, "Protocol not available"),
    ENONET(64, "Machine is not on the network"),
    EPROTO(71, "Protocol error"),
    EOPNOTSUPP(95, "Operation not supported"),
    EAFNOSUPPORT(97, "Address family not supported by protocol"),
    EADDRINUSE(98, "Address already in use"),
    EADDRNOTAVAIL(99, "Cannot assign requested address"),
    ENETUNREACH(101, "Network is unreachable"),
    ECONNABORTED(103, "Software caused connection abort"),
    ECONNRESET(104, "Connection reset by peer"),
    ENOBUFS(105, "No buffer space available"),
    EISCONN(106, "Transport endpoint is already connected"),
    ENOTCONN(107, "Transport endpoint is not connected"),
    ETIMEDOUT(110, "Connection timed out"),
    ECONNREFUSED(111, "Connection refused"),
    EHOSTDOWN(112, "Host is down"),
    EHOSTUNREACH(113, "No route to host"),
    EALREADY(114, "Operation already in progress"),
    EINPROGRESS(115, "Operation now in progress");

    private final int number;
    private final String text;

    SocketError(int number, String text) {
        this.number = number;
        this.text = text;
    }

    /** The positive {@code errno} value. */
    public int number() {
        return number;
    }

    /** What {@code strerror} says. */
    public String text() {
        return text;
    }

    /** What a call returns for this error: the negative number. */
    public int result() {
        return -number;
    }

    /** The error that a negative result stands for; null if there is none of that number. */
    public static SocketError of(int result) {
        for (SocketError e : values()) {
            if (e.number == -result) {
                return e;
            }
        }
        return null;
    }
}
