package dev.sluice.lab.packetdrill;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The settings of a run: defaults, overridden by the command line, overridden by the script's own
 * {@code --flag=value} lines.
 *
 * @param tolerance how far from their times events may be
 * @param ipVersion protocol under the sockets and on the wire
 * @param localAddress address of the stack under test; empty for the default of the IP version
 * @param remoteAddress address of the script's side; empty for the default
 * @param bindPort local port the script's {@code bind} means
 * @param connectPort remote port the script's {@code connect} means
 * @param mtu of the device, in bytes; empty for the default of the IP version
 * @param injectedMss payload bytes above which an injected segment is marked as coalesced from
 *     segments of this size; 0 for never
 * @param timestampTickMicros microseconds per tick of the stack's TS val, which is then compared
 * @param scaledEchoReply injected TS ecr counts from the stack's first TS val in script ticks
 * @param strictSegments segments are compared one by one and never joined
 * @param nonFatal kinds of events whose failure does not end the script
 * @param checksWindows windows and buffer sizes are compared where a script writes them; scripts
 *     for another system's memory management can be checked without
 */
public record ScriptFlags(
        Tolerance tolerance,
        IpVersion ipVersion,
        Optional<String> localAddress,
        Optional<String> remoteAddress,
        int bindPort,
        int connectPort,
        OptionalInt mtu,
        int injectedMss,
        int timestampTickMicros,
        boolean scaledEchoReply,
        boolean strictSegments,
        Set<String> nonFatal,
        boolean checksWindows) {
    /** Protocols under the socket. */
    public enum IpVersion {
        IPV4("ipv4"),
        IPV6("ipv6"),
        /** An IPv6 socket that speaks IPv4. */
        IPV4_MAPPED("ipv4-mapped-ipv6");

        private final String word;

        IpVersion(String word) {
            this.word = word;
        }

        /** The word scripts and the command line use. */
        public String word() {
            return word;
        }
    }

    /** What the original tool starts from. */
    public static final ScriptFlags DEFAULT =
            new ScriptFlags(
                    Tolerance.DEFAULT,
                    IpVersion.IPV4,
                    Optional.empty(),
                    Optional.empty(),
                    8080,
                    8080,
                    OptionalInt.empty(),
                    0,
                    0,
                    false,
                    false,
                    Set.of(),
                    true);

    /** Flags that concern how the original tool works and have no meaning here. */
    private static final Set<String> WITHOUT_MEANING =
            Set.of("define", "init_scripts", "send_omit_free", "verbose", "speed", "debug");

    public ScriptFlags {
        nonFatal = Set.copyOf(nonFatal);
    }

    /**
     * These settings with the options of a script applied.
     *
     * @throws UnsupportedScriptException for an option that has a meaning we do not implement
     * @throws ScriptSyntaxException for a value that is none
     */
    public ScriptFlags with(List<Script.Option> options) {
        return new Merger(this).apply(options);
    }

    /** These settings with another tolerance. */
    public ScriptFlags withTolerance(Tolerance newTolerance) {
        Merger merger = new Merger(this);
        merger.tolerance = newTolerance;
        return merger.apply(List.of());
    }

    /** These settings without comparing windows and buffer sizes. */
    public ScriptFlags withoutWindows() {
        Merger merger = new Merger(this);
        merger.checksWindows = false;
        return merger.apply(List.of());
    }

    /** Collects values before the record is made. */
    private static final class Merger {
        private final ScriptFlags before;
        private final Map<String, Script.Option> options = new HashMap<>();
        private Tolerance tolerance;
        private boolean checksWindows;

        Merger(ScriptFlags before) {
            this.before = before;
            this.tolerance = before.tolerance;
            this.checksWindows = before.checksWindows;
        }

        ScriptFlags apply(List<Script.Option> list) {
            for (Script.Option option : list) {
                requireKnown(option);
                options.put(option.name(), option);
            }
            tolerance =
                    new Tolerance(
                            1_000L * number("tolerance_usecs", tolerance.nanos() / 1_000L),
                            perMille("tolerance_percent", tolerance.perMille()));
            return new ScriptFlags(
                    tolerance,
                    ipVersion(),
                    text("local_ip", before.localAddress),
                    text("remote_ip", before.remoteAddress),
                    (int) number("bind_port", before.bindPort),
                    (int) number("connect_port", before.connectPort),
                    mtu(),
                    (int) number("mss", before.injectedMss),
                    (int) number("tcp_ts_tick_usecs", before.timestampTickMicros),
                    switched("tcp_ts_ecr_scaled", before.scaledEchoReply),
                    switched("strict_segments", before.strictSegments),
                    nonFatal(),
                    checksWindows);
        }

        private static void requireKnown(Script.Option option) {
            boolean known =
                    switch (option.name()) {
                        case "tolerance_usecs",
                                "tolerance_percent",
                                "ip_version",
                                "local_ip",
                                "remote_ip",
                                "bind_port",
                                "connect_port",
                                "mtu",
                                "mss",
                                "tcp_ts_tick_usecs",
                                "tcp_ts_ecr_scaled",
                                "strict_segments",
                                "non_fatal",
                                "gateway_ip",
                                "netmask_ip" ->
                                true;
                        default -> WITHOUT_MEANING.contains(option.name());
                    };
            if (!known) {
                throw new UnsupportedScriptException(
                        option.position(), "the option --" + option.name());
            }
        }

        private long number(String name, long otherwise) {
            Script.Option option = options.get(name);
            if (option == null) {
                return otherwise;
            }
            long value = Cursor.parseUnsigned(option.value());
            if (value < 0 || value > Integer.MAX_VALUE) {
                throw bad(option, "a number");
            }
            return value;
        }

        private static ScriptSyntaxException bad(Script.Option option, String expected) {
            return ScriptSyntaxException.expected(
                    option.position(),
                    expected + " for --" + option.name(),
                    "'" + option.value() + "'");
        }

        /** A percentage with at most one decimal. */
        private int perMille(String name, int otherwise) {
            Script.Option option = options.get(name);
            if (option == null) {
                return otherwise;
            }
            String[] parts = option.value().split("\\.", 2);
            String tenths = parts.length == 2 && !parts[1].isEmpty() ? parts[1] : "0";
            long whole = Cursor.parseUnsigned(parts[0]);
            long tenth = Cursor.parseUnsigned(tenths.substring(0, 1));
            if (whole < 0 || tenth < 0 || whole > 1_000_000) {
                throw bad(option, "a percentage");
            }
            return (int) (whole * 10 + tenth);
        }

        private Optional<String> text(String name, Optional<String> otherwise) {
            Script.Option option = options.get(name);
            return option == null ? otherwise : Optional.of(option.value());
        }

        private boolean switched(String name, boolean otherwise) {
            Script.Option option = options.get(name);
            if (option == null) {
                return otherwise;
            }
            return option.value().isEmpty() || !option.value().equals("0");
        }

        private IpVersion ipVersion() {
            Script.Option option = options.get("ip_version");
            if (option == null) {
                return before.ipVersion;
            }
            for (IpVersion version : IpVersion.values()) {
                if (version.word().equals(option.value())) {
                    return version;
                }
            }
            throw bad(option, "ipv4, ipv6 or ipv4-mapped-ipv6");
        }

        private OptionalInt mtu() {
            return options.containsKey("mtu") ? OptionalInt.of((int) number("mtu", 0)) : before.mtu;
        }

        private Set<String> nonFatal() {
            Script.Option option = options.get("non_fatal");
            if (option == null) {
                return before.nonFatal;
            }
            Set<String> kinds = new HashSet<>(List.of(option.value().split(",")));
            for (String kind : kinds) {
                if (!kind.equals("packet") && !kind.equals("syscall")) {
                    throw bad(option, "packet or syscall");
                }
            }
            return kinds;
        }
    }
}
