package dev.sluice.lab.packetdrill;

import java.util.Map;
import java.util.TreeMap;

/** Error numbers of Linux on all architectures of its generic table, and their names. */
final class Errno {
    private static final Map<String, Integer> NUMBERS =
            Map.ofEntries(
                    Map.entry("EPERM", 1),
                    Map.entry("ENOENT", 2),
                    Map.entry("EINTR", 4),
                    Map.entry("EIO", 5),
                    Map.entry("EBADF", 9),
                    Map.entry("EAGAIN", 11),
                    Map.entry("EWOULDBLOCK", 11),
                    Map.entry("ENOMEM", 12),
                    Map.entry("EACCES", 13),
                    Map.entry("EFAULT", 14),
                    Map.entry("EEXIST", 17),
                    Map.entry("EINVAL", 22),
                    Map.entry("EMFILE", 24),
                    Map.entry("ESPIPE", 29),
                    Map.entry("EPIPE", 32),
                    Map.entry("EDOM", 33),
                    Map.entry("ERANGE", 34),
                    Map.entry("ENOTSOCK", 88),
                    Map.entry("EDESTADDRREQ", 89),
                    Map.entry("EMSGSIZE", 90),
                    Map.entry("EPROTOTYPE", 91),
                    Map.entry("ENOPROTOOPT", 92),
                    Map.entry("EPROTONOSUPPORT", 93),
                    Map.entry("EOPNOTSUPP", 95),
                    Map.entry("EAFNOSUPPORT", 97),
                    Map.entry("EADDRINUSE", 98),
                    Map.entry("EADDRNOTAVAIL", 99),
                    Map.entry("ENETDOWN", 100),
                    Map.entry("ENETUNREACH", 101),
                    Map.entry("ECONNABORTED", 103),
                    Map.entry("ECONNRESET", 104),
                    Map.entry("ENOBUFS", 105),
                    Map.entry("EISCONN", 106),
                    Map.entry("ENOTCONN", 107),
                    Map.entry("ETIMEDOUT", 110),
                    Map.entry("ECONNREFUSED", 111),
                    Map.entry("EHOSTDOWN", 112),
                    Map.entry("EHOSTUNREACH", 113),
                    Map.entry("EALREADY", 114),
                    Map.entry("EINPROGRESS", 115));

    private static final Map<Integer, String> NAMES = names();

    private Errno() {}

    private static Map<Integer, String> names() {
        Map<Integer, String> names = new TreeMap<>();
        NUMBERS.forEach((name, number) -> names.merge(number, name, Errno::shorter));
        return Map.copyOf(names);
    }

    private static String shorter(String one, String other) {
        return one.length() <= other.length() ? one : other;
    }

    /** The number of a name. */
    static int number(String name, Position position) {
        Integer number = NUMBERS.get(name);
        if (number == null) {
            throw new UnsupportedScriptException(position, "the error " + name);
        }
        return number;
    }

    static boolean isKnown(String name) {
        return NUMBERS.containsKey(name);
    }

    /** The name of a number. */
    static String name(int number) {
        return NAMES.getOrDefault(number, "errno " + number);
    }
}
