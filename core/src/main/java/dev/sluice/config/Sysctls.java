package dev.sluice.config;

import java.util.Locale;

/** Finds the key of the table {@link Sysctl} that a name means. */
public final class Sysctls {
    private static final String[] OPTIONAL_PREFIXES = {
        "net.ipv4.", "net.core.", "net.ipv6.", "net.stack."
    };

    private Sysctls() {}

    /**
     * The key called {@code name}: its full name, the name without its first two parts ({@code
     * tcp_sack}, {@code somaxconn}), or the path of its file below {@code /proc/sys}.
     *
     * @throws SysctlException if there is none; the message suggests the nearest one
     */
    public static Sysctl find(String name) {
        String dotted = dotted(name);
        for (String prefix : OPTIONAL_PREFIXES) {
            for (Sysctl candidate : Sysctl.values()) {
                boolean matches =
                        candidate.key().equals(dotted) || candidate.key().equals(prefix + dotted);
                if (matches) {
                    return candidate;
                }
            }
        }
        throw new SysctlException(
                "there is no key \"%s\"; the nearest is %s".formatted(name, nearest(dotted).key()));
    }

    /**
     * The key whose name, with or without prefix, takes the fewest edits to become {@code name}.
     */
    static Sysctl nearest(String name) {
        String wanted = name.toLowerCase(Locale.ROOT);
        Sysctl nearest = Sysctl.SOMAXCONN;
        int fewest = Integer.MAX_VALUE;
        for (Sysctl candidate : Sysctl.values()) {
            int edits = Spelling.edits(candidate.key(), wanted);
            for (String prefix : OPTIONAL_PREFIXES) {
                if (candidate.key().startsWith(prefix)) {
                    edits =
                            Math.min(
                                    edits,
                                    Spelling.edits(
                                            candidate.key().substring(prefix.length()), wanted));
                }
            }
            if (edits < fewest) {
                fewest = edits;
                nearest = candidate;
            }
        }
        return nearest;
    }

    private static String dotted(String name) {
        String trimmed = name.strip();
        if (trimmed.startsWith("/proc/sys/")) {
            trimmed = trimmed.substring("/proc/sys/".length());
        }
        return trimmed.replace('/', '.');
    }
}
